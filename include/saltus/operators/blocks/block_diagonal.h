// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_block_diagonal_h
#define saltus_operators_blocks_block_diagonal_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/vector.h>
#include <saltus/operators/blocks/element_kernels.h>

#include <algorithm>
#include <string>
#include <vector>

namespace Saltus
{
  /// Of vectors with @p n_modes modes of one component on the same elements.
  inline VectorLayout
  scalar_layout(VectorLayout layout, const unsigned int n_modes)
  {
    layout.n_modes      = n_modes;
    layout.n_components = 1;
    return layout;
  }

  /// Perform an operation with a row for each mode and component of vectors with a layout.
  template <template <typename, typename> class Operation, typename Number, typename... Arguments>
  void
  apply_in_rows(const VectorLayout &layout, const Arguments... arguments)
  {
    with_rows(layout.n_components == 1, [&](auto rows) {
      launch(layout.device,
             layout.n_elements,
             Operation<Number, decltype(rows)>{rows.of(layout.coefficients()), arguments...});
    });
  }


  /// A symmetric matrix that couples no two elements: one full block an element, of which the lower
  /// triangle is stored. A block has a row for each mode and component of its element, `[m][c]`.
  /// The inverse of an operator's block diagonal is block Jacobi. Vectors of another layout or
  /// device are an error (dealii::ExcMessage).
  template <typename Number>
  class BlockDiagonal : public dealii::Subscriptor
  {
  public:
    using value_type = Number;

    /// Zeros, for vectors like @p vector.
    void
    reinit(const Vector<Number> &vector)
    {
      layout   = vector.layout();
      matrices = Memory<Number>(
        layout.device,
        scalar_layout(layout, ElementOperation::entry(n_rows(), 0)).owned_array_size());
    }

    /// Entry i, `[m][c]`, of @p values is that in row i and column @p column of its element's
    /// block.
    void
    set_column(const unsigned int column, const Vector<Number> &values)
    {
      check(values);
      apply_in_rows<ElementOperation::SetColumn, Number>(layout,
                                                         static_cast<int>(column),
                                                         values.data(),
                                                         matrices.data());
    }

    /// Replace the matrix, which must be positive definite, by its inverse.
    void
    invert()
    {
      launch(layout.device,
             layout.n_elements,
             ElementOperation::Invert<Number>{n_rows(), matrices.data()});
    }

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      AssertThrow(&dst != &src, dealii::ExcMessage("A block diagonal cannot work in place."));
      check(src);
      check(dst);
      apply_in_rows<ElementOperation::Multiply, Number>(layout,
                                                        matrices.data(),
                                                        src.data(),
                                                        dst.data());
    }

    void
    Tvmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, src);
    }

    void
    extract_diagonal(Vector<Number> &diagonal) const
    {
      check(diagonal);
      apply_in_rows<ElementOperation::Diagonal, Number>(layout, matrices.data(), diagonal.data());
    }

    std::size_t
    memory_consumption() const
    {
      return sizeof(*this) + matrices.size() * sizeof(Number);
    }

  private:
    template <typename>
    friend class RoundedBlockDiagonal;

    int
    n_rows() const
    {
      return layout.entries_per_element();
    }

    void
    check(const Vector<Number> &vector) const
    {
      check_layout(vector.layout(), layout, "block diagonal");
    }

    VectorLayout   layout;
    Memory<Number> matrices;
  };


  /// A positive definite BlockDiagonal whose entries off the diagonal are rounded to 16 bits, see
  /// RoundedBlock: as a smoother as good as in full, and cheaper. It stays positive definite.
  template <typename Number>
  class RoundedBlockDiagonal : public dealii::Subscriptor
  {
  public:
    using value_type = Number;

    /// @param by_components whether to expect calls of vmult_components() instead of vmult()
    void
    reinit(const BlockDiagonal<Number> &blocks, const bool by_components = false)
    {
      layout           = blocks.layout;
      const int n_rows = blocks.n_rows();
      if (by_components)
        {
          ElementOperation::MultiplyRoundedComponents<Number> multiply{};
          multiply.n_modes    = layout.n_modes;
          multiply.n_selected = 1;
          prepare_launch(layout.device, layout.n_elements, multiply);
        }
      else
        with_rows(layout.n_components == 1, [&](auto rows) {
          ElementOperation::MultiplyRounded<Number, decltype(rows)> multiply{};
          multiply.rows = rows.of(layout.coefficients());
          prepare_launch(layout.device, layout.n_elements, multiply);
        });
      scaling = Memory<Number>(layout.device, layout.owned_array_size());
      words   = Memory<unsigned int>(
        layout.device, scalar_layout(layout, RoundedBlock::n_words(n_rows)).owned_array_size());
      launch(layout.device,
             layout.n_elements,
             ElementOperation::Round<Number>{
               n_rows, blocks.matrices.data(), scaling.data(), words.data()});
    }

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, Number(1), src);
    }

    /// `dst = factor A src`
    void
    vmult(Vector<Number> &dst, const Number factor, const Vector<Number> &src) const
    {
      apply(dst, factor, src, nullptr);
    }

    /// `dst += factor A src`
    void
    vmult_add(Vector<Number> &dst, const Number factor, const Vector<Number> &src) const
    {
      check(dst);
      apply(dst, factor, src, dst.data());
    }

    /// `dst = A src` in each of the components @p components of vectors with several ones, where A
    /// is a matrix for scalar vectors; the others of @p dst stay. For blocks of at most
    /// RoundedBlock::max_rows rows.
    void
    vmult_components(Vector<double>                  &dst,
                     const Vector<double>            &src,
                     const std::vector<unsigned int> &components) const
    {
      VectorLayout expected = layout;
      expected.n_components = src.n_components();
      check_layout(src.layout(), expected, "block diagonal");
      check_layout(dst.layout(), expected, "block diagonal");
      AssertThrow(layout.n_modes <= RoundedBlock::max_rows && layout.n_components == 1,
                  dealii::ExcMessage("A block diagonal for vectors with " + layout.description() +
                                     " cannot multiply components."));
      ElementOperation::MultiplyRoundedComponents<Number> multiply{};
      multiply.n_modes      = layout.n_modes;
      multiply.n_components = src.n_components();
      multiply.matrices     = arrays();
      multiply.r            = src.data();
      multiply.y            = dst.data();
      for (std::size_t i = 0; i < components.size(); ++i)
        {
          AssertIndexRange(components[i], src.n_components());
          multiply.components[multiply.n_selected++] = components[i];
          if (multiply.n_selected == multiply.max_selected || i + 1 == components.size())
            {
              launch(layout.device, layout.n_elements, multiply);
              multiply.n_selected = 0;
            }
        }
    }

    /// For kernels.
    RoundedBlockArrays<Number>
    arrays() const
    {
      return {scaling.data(), words.data()};
    }

    void
    check(const Vector<Number> &vector) const
    {
      check_layout(vector.layout(), layout, "block diagonal");
    }

    std::size_t
    memory_consumption() const
    {
      return sizeof(*this) + scaling.size() * sizeof(Number) + words.size() * sizeof(unsigned int);
    }

  private:
    void
    apply(Vector<Number>       &dst,
          const Number          factor,
          const Vector<Number> &src,
          const Number         *x) const
    {
      AssertThrow(&dst != &src, dealii::ExcMessage("A block diagonal cannot work in place."));
      check(src);
      check(dst);
      apply_in_rows<ElementOperation::MultiplyRounded, Number>(
        layout, factor, arrays(), src.data(), x, dst.data());
    }

    VectorLayout         layout;
    Memory<Number>       scaling;
    Memory<unsigned int> words;
  };


  /// `dst = factor src` with a factor for each element. The inverse mass matrix of affine elements
  /// is one.
  template <typename Number>
  class ElementScaling : public dealii::Subscriptor
  {
  public:
    using value_type = Number;

    /// @param factors one an element
    /// @param n_components of the vectors
    void
    reinit(const Device               device,
           const std::vector<Number> &factors,
           const unsigned int         n_components = 1)
    {
      n_elements         = factors.size();
      this->n_components = n_components;
      std::vector<Number> all(static_cast<std::size_t>(n_blocks(n_elements)) * block_size *
                              n_components);
      for (unsigned int e = 0; e < n_elements; ++e)
        std::fill_n(all.begin() + point_index(e, 0, 1, n_components), n_components, factors[e]);
      values = Memory<Number>(device, all);
    }

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      VectorLayout expected = src.layout();
      expected.device       = values.device();
      expected.n_elements   = n_elements;
      expected.n_components = n_components;
      check_layout(src.layout(), expected, "scaling of elements");
      check_layout(dst.layout(), expected, "scaling of elements");
      const CoefficientLayout all = expected.coefficients();
      with_rows(!all.element_by_element(), [&](auto rows) {
        launch(values.device(),
               n_elements,
               ElementOperation::Scale<Number, decltype(rows)>{rows.of(all),
                                                               rows.of({1, all.n_components}),
                                                               values.data(),
                                                               src.data(),
                                                               dst.data()});
      });
    }

    void
    Tvmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, src);
    }

  private:
    unsigned int   n_elements = 0, n_components = 1;
    Memory<Number> values; ///< `[block][l][c]`
  };
} // namespace Saltus

#endif
