// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_sparse_matrix_h
#define saltus_base_algebra_sparse_matrix_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/compressed_rows.h>
#include <saltus/base/algebra/sparse_product.h>
#include <saltus/base/algebra/vector.h>

namespace Saltus
{
  /// A sparse matrix in compressed rows on a device.
  ///
  /// Rows and columns number the *arrays* of the vectors, `Vector::data()`: for an algebraic
  /// vector of n entries, `Vector<Number>(device, n, 1, 1)`, these are its entries; for a
  /// coefficient vector they are the places of a CoefficientLayout, those of padding having empty
  /// rows. An array must be as long as the rows or columns, rounded up to whole blocks of 32.
  ///
  /// Results do not depend on the number of threads and are the same in every run.
  template <typename Number>
  class SparseMatrix : public dealii::Subscriptor
  {
  public:
    using value_type = Number;
    using size_type  = dealii::types::global_dof_index;

    /// No rows and no columns.
    SparseMatrix() = default;

    /// @throws dealii::ExcMessage for a matrix beyond CompressedRows::check_32_bit()
    SparseMatrix(const Device device, const CompressedRows &rows);

    Device
    device() const
    {
      return values.device();
    }

    std::size_t
    m() const
    {
      return n_rows;
    }

    std::size_t
    n() const
    {
      return n_columns;
    }

    std::size_t
    n_nonzeros() const
    {
      return values.size();
    }

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

    /// `dst = b - A x`, in one pass; @p dst may be @p b.
    void
    residual(Vector<Number> &dst, const Vector<Number> &x, const Vector<Number> &b) const;

    /// `dst = x + weight (b - A x)` with a square matrix, in one pass: a step of a smoother.
    void
    smoothing_step(Vector<Number>       &dst,
                   const Vector<Number> &x,
                   const Number          weight,
                   const Vector<Number> &b) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const;

  private:
    /// `dst = result(A src)`
    template <typename Result>
    SparseProduct<Number, Result>
    product(const Number *src, const Result &result, Number *dst) const;

    std::size_t    n_rows    = 0;
    std::size_t    n_columns = 0;
    Memory<int>    row_starts, columns;
    Memory<Number> values;
  };
} // namespace Saltus

#endif
