// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/blocks/mode_transfer.h>

namespace Saltus
{
  namespace
  {
    /// Let pass vectors that differ in their modes only.
    template <typename Number>
    void
    check_elements(const Vector<Number> &vector, const Vector<Number> &other)
    {
      VectorLayout expected = other.layout();
      expected.n_modes      = vector.n_modes();
      check_layout(vector.layout(), expected, "transfer between degrees");
    }

    /// Call @p body with the type of rows that the coefficients of both vectors have, which are the
    /// same for all modes of all components.
    template <typename Number, typename Body>
    void
    with_rows_of(const Vector<Number> &fine, const Vector<Number> &coarse, const Body &body)
    {
      const auto in_blocks = [](const Vector<Number> &vector) {
        return !vector.layout().coefficients().element_by_element();
      };
      with_rows(in_blocks(fine) && in_blocks(coarse), body);
    }

    /// With a matrix that is not as large as the vectors say, kernels would leave its array.
    template <typename Number>
    void
    check_embedding(const Memory<Number> &embedding,
                    const Vector<Number> &fine,
                    const Vector<Number> &coarse)
    {
      AssertThrow(embedding.size() == 0 || embedding.size() == fine.n_modes() * coarse.n_modes(),
                  dealii::ExcMessage("The transfer between degrees has a matrix of " +
                                     std::to_string(embedding.size()) +
                                     " entries, but is between " + std::to_string(fine.n_modes()) +
                                     " and " + std::to_string(coarse.n_modes()) + " modes."));
    }

    /// y = factor A x + b y with the embedding or, for @p y of the lower degree, its transposed
    /// one.
    template <typename Number, typename Rows>
    void
    multiply(const Memory<Number> &embedding,
             const Rows           &of_y,
             const Rows           &of_x,
             const Number          factor,
             const Number          b,
             const Vector<Number> &x,
             Vector<Number>       &y)
    {
      const bool to_fine   = y.n_modes() > x.n_modes();
      const int  n_columns = to_fine ? x.n_modes() : y.n_modes();
      launch(x.device(),
             x.n_elements(),
             ElementOperation::MultiplyByOne<Number, Rows>{of_y,
                                                           of_x,
                                                           int(x.n_components()),
                                                           to_fine ? n_columns : 1,
                                                           to_fine ? 1 : n_columns,
                                                           embedding.data(),
                                                           factor,
                                                           b,
                                                           x.data(),
                                                           y.data()});
    }
  } // namespace

  template <typename Number>
  ModeTransfer<Number>::ModeTransfer(const Device device, const std::vector<double> &embedding)
    : embedding(device, std::vector<Number>(embedding.begin(), embedding.end()))
  {}

  template <typename Number>
  void
  ModeTransfer<Number>::project(Vector<Number> &coarse, const Vector<Number> &fine) const
  {
    check_elements(fine, coarse);
    check_embedding(embedding, fine, coarse);
    with_rows_of(fine, coarse, [&](auto rows) {
      using Rows           = decltype(rows);
      const Rows of_fine   = rows.of(fine.layout().coefficients());
      const Rows of_coarse = rows.of(coarse.layout().coefficients());
      if (embedding.size() == 0)
        launch(
          fine.device(),
          fine.n_elements(),
          ElementOperation::Truncate<Number, Rows>{of_fine, of_coarse, fine.data(), coarse.data()});
      else
        multiply(embedding, of_coarse, of_fine, Number(1), Number(0), fine, coarse);
    });
  }

  template <typename Number>
  void
  ModeTransfer<Number>::add_embedded(Vector<Number>       &fine,
                                     const Vector<Number> &coarse,
                                     const Number          factor) const
  {
    check_elements(coarse, fine);
    check_embedding(embedding, fine, coarse);
    with_rows_of(fine, coarse, [&](auto rows) {
      using Rows           = decltype(rows);
      const Rows of_fine   = rows.of(fine.layout().coefficients());
      const Rows of_coarse = rows.of(coarse.layout().coefficients());
      if (embedding.size() == 0)
        launch(fine.device(),
               fine.n_elements(),
               ElementOperation::AddTruncated<Number, Rows>{
                 of_fine, of_coarse, factor, coarse.data(), fine.data()});
      else
        multiply(embedding, of_fine, of_coarse, factor, Number(1), coarse, fine);
    });
  }

  template class ModeTransfer<double>;
  template class ModeTransfer<float>;
} // namespace Saltus
