// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_block_csr_matrix_h
#define saltus_base_algebra_block_csr_matrix_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/base/algebra/ghost_elements.h>
#include <saltus/base/algebra/vector.h>
#include <saltus/base/device/mirrored_array.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Where a matrix of dense blocks has its blocks: square, with a block row and a block column for
  /// each element, of as many rows as that has unknowns. Row e has the blocks `row_starts[e]` to
  /// `row_starts[e + 1] - 1`; the last of them is the diagonal block, the others come in ascending
  /// order of their columns.
  ///
  /// Of a matrix that is spread over ranks each has the rows of its own elements. Columns are these
  /// and behind them the rank's ghosts, in the order of GhostElements.
  class BlockSparsity
  {
  public:
    /// On several ranks collective.
    /// @param sizes number of unknowns of each element, ghosts included
    /// @param neighbors `[element]`: columns of its other blocks, ascending
    /// @param ghosts none on one rank
    /// @throws dealii::ExcMessage for 2^31 unknowns or blocks of a rank and more
    BlockSparsity(const std::vector<unsigned int>              &sizes,
                  const std::vector<std::vector<unsigned int>> &neighbors,
                  const std::shared_ptr<const GhostElements>   &ghosts = nullptr);

    /// Of its arrays, see below.
    /// @param n_values the last one of @p block_starts
    BlockSparsity(const MirroredArray<int>                   &first_rows,
                  const MirroredArray<int>                   &row_starts,
                  const MirroredArray<int>                   &columns,
                  const MirroredArray<std::size_t>           &block_starts,
                  const std::size_t                           n_values,
                  const std::shared_ptr<const GhostElements> &ghosts = nullptr);

    /// The diagonal blocks alone, which need no ghosts.
    BlockSparsity
    diagonal() const;

    unsigned int
    size(const unsigned int element) const
    {
      return first_rows[element + 1] - first_rows[element];
    }

    /// Of this rank.
    unsigned int
    n_elements() const
    {
      return row_starts.size() - 1;
    }

    /// Of this rank.
    std::size_t
    n_rows() const
    {
      return first_rows[n_elements()];
    }

    /// Unknowns of this rank and its ghosts.
    std::size_t
    n_columns() const
    {
      return first_rows[first_rows.size() - 1];
    }

    /// Of all ranks.
    std::size_t
    n_global_rows() const
    {
      return partition ? partition->n_global_elements : n_rows();
    }

    std::size_t
    n_blocks() const
    {
      return columns.size();
    }

    /// Room for the numbers of all blocks, each of an even size.
    std::size_t
    n_values() const
    {
      return n_numbers;
    }

    /// The arrays on a device.
    template <typename Number>
    BlockCSRArrays<Number>
    arrays(const Device device) const
    {
      return {first_rows.on(device).data(),
              row_starts.on(device).data(),
              columns.on(device).data(),
              block_starts.on(device).data(),
              nullptr};
    }

    /// Bytes of these.
    std::size_t
    memory_consumption() const
    {
      return (first_rows.size() + row_starts.size() + columns.size()) * sizeof(int) +
             block_starts.size() * sizeof(std::size_t);
    }

    /// Ghosts included.
    std::vector<unsigned int>
    sizes() const;

    /// `[column]`: its number among those of all ranks; empty on one rank, where it has no other.
    /// Collective.
    std::vector<std::size_t>
    names() const;

    /// Zeros, with an entry for each row.
    template <typename Number>
    Vector<Number>
    vector(const Device device) const
    {
      return Vector<Number>(
        VectorLayout{device, static_cast<unsigned int>(n_rows()), 1, 1, partition});
    }

    std::shared_ptr<const GhostElements>    ghosts;    ///< whose columns there are
    std::shared_ptr<const ElementPartition> partition; ///< of the rows; none on one rank

    MirroredArray<int>         first_rows;   ///< `[element or ghost]`, and the number of columns
    MirroredArray<int>         row_starts;   ///< `[element]`, and the number of blocks
    MirroredArray<int>         columns;      ///< `[block]`: element
    MirroredArray<std::size_t> block_starts; ///< `[block]`, and the number of values

  private:
    std::size_t n_numbers = 0;
  };


  /// A matrix of dense blocks on a device. A block has its columns one after the other: entry (i,
  /// j) is number `j n + i` of it, with the n rows of its element.
  ///
  /// Rows number entries of algebraic vectors, see BlockSparsity::vector(). Results do not depend
  /// on the number of threads and are the same in every run. All ranks that have rows of a matrix
  /// make it and multiply with it together.
  template <typename Number>
  class BlockCSRMatrix : public dealii::Subscriptor
  {
  public:
    using value_type = Number;
    using size_type  = dealii::types::global_dof_index;

    BlockCSRMatrix() = default;

    /// Zeros.
    /// @throws dealii::ExcMessage if there is less memory than that, see check_memory()
    BlockCSRMatrix(const std::shared_ptr<const BlockSparsity> &sparsity, const Device device);

    Device
    device() const
    {
      return values_.device();
    }

    const BlockSparsity &
    sparsity() const
    {
      return *pattern;
    }

    /// Of all ranks.
    std::size_t
    m() const
    {
      return pattern->n_global_rows();
    }

    std::size_t
    n() const
    {
      return pattern->n_global_rows();
    }

    /// `[block][column][row]`, on the device.
    Number *
    values()
    {
      return values_.data();
    }

    const Number *
    values() const
    {
      return values_.data();
    }

    BlockCSRArrays<Number>
    arrays() const;

    // Vectors of other sizes or on another device are an error (dealii::ExcMessage), and so is a
    // result that is the vector that is multiplied.

    /// `dst = alpha A src + beta other`; @p other may be @p dst, and is not read if @p beta is 0.
    void
    apply(const Number          alpha,
          const Vector<Number> &src,
          const Number          beta,
          const Vector<Number> &other,
          Vector<Number>       &dst) const;

    /// `dst = A src`
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const;

    /// `dst += A src`
    void
    vmult_add(Vector<Number> &dst, const Vector<Number> &src) const;

    /// `dst = b - A x`; @p dst may be @p b.
    void
    residual(Vector<Number> &dst, const Vector<Number> &x, const Vector<Number> &b) const;

    /// This rank's rows entry by entry in host memory, blocks that are zero included.
    CompressedRows
    compressed_rows() const;

    /// The same with the names of unknowns. Collective.
    DistributedRows
    distributed_rows() const
    {
      return {compressed_rows(), pattern->names()};
    }

    /// Bytes on the device.
    std::size_t
    memory_consumption() const;

  private:
    std::shared_ptr<const BlockSparsity> pattern;
    BlockCSRArrays<Number>               arrays_; ///< without the values
    Memory<Number>                       values_;

    std::unique_ptr<ElementExchange<Number>> exchange; ///< of what is multiplied, with ghosts
  };


  /// The inverses of the diagonal blocks, whose symmetric parts must be positive definite.
  BlockCSRMatrix<double>
  inverse_diagonal_blocks(const BlockCSRMatrix<double> &matrix);

  /// How far the unknowns of elements are from being dependent, see SmallestPivots: the smallest
  /// ratio of all. With it go the digits that solutions have; 1 if blocks are diagonal. Collective.
  /// @throws dealii::ExcMessage on all ranks if an entry of a diagonal block is not finite
  double
  smallest_pivot(const BlockCSRMatrix<double> &matrix);

  /// Triangular factors of the diagonal blocks D of a matrix, \f$D = L R\f$ with the same diagonal,
  /// and what is made of them: with \f$x = R^{-1} \hat x\f$ and equations multiplied by
  /// \f$L^{-1}\f$ the matrix becomes one whose diagonal blocks are the identity. That is well
  /// conditioned within the elements, so that single precision is enough for a preconditioner. The
  /// symmetric parts of the blocks must be positive definite.
  struct BlockRoots
  {
    /// @param is_symmetric as it is up to rounding; then \f$R = L^T\f$, and what is made is
    /// symmetric
    BlockRoots(const BlockCSRMatrix<double> &matrix, const bool is_symmetric);

    /// \f$L^{-1} A R^{-1}\f$
    template <typename Number>
    BlockCSRMatrix<Number>
    scale(const std::shared_ptr<const BlockSparsity> &sparsity,
          const BlockCSRMatrix<double>               &matrix) const;

    std::size_t
    memory_consumption() const;

    BlockCSRMatrix<double> left, right, inverse_left, inverse_right;
  };
} // namespace Saltus

#endif
