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

    /// Call @p body with the type of rows that the coefficients of @p vector have, which are the
    /// same for all modes of all components.
    template <typename Number, typename Body>
    void
    with_rows_of(const Vector<Number> &vector, const Body &body)
    {
      with_rows(!vector.layout().coefficients().element_by_element(), body);
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
    with_rows_of(fine, [&](auto rows) {
      using Rows           = decltype(rows);
      const Rows of_fine   = rows.of(fine.layout().coefficients());
      const Rows of_coarse = rows.of(coarse.layout().coefficients());
      if (embedding.size() == 0)
        launch(
          fine.device(),
          fine.n_elements(),
          ElementOperation::Truncate<Number, Rows>{of_fine, of_coarse, fine.data(), coarse.data()});
      else
        launch(fine.device(),
               fine.n_elements(),
               ElementOperation::MultiplyByOne<Number, Rows>{of_coarse,
                                                             of_fine,
                                                             int(fine.n_components()),
                                                             1,
                                                             int(coarse.n_modes()),
                                                             embedding.data(),
                                                             1,
                                                             0,
                                                             fine.data(),
                                                             coarse.data()});
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
    with_rows_of(fine, [&](auto rows) {
      using Rows           = decltype(rows);
      const Rows of_fine   = rows.of(fine.layout().coefficients());
      const Rows of_coarse = rows.of(coarse.layout().coefficients());
      if (embedding.size() == 0)
        launch(fine.device(),
               fine.n_elements(),
               ElementOperation::AddTruncated<Number, Rows>{
                 of_fine, of_coarse, factor, coarse.data(), fine.data()});
      else
        launch(fine.device(),
               fine.n_elements(),
               ElementOperation::MultiplyByOne<Number, Rows>{of_fine,
                                                             of_coarse,
                                                             int(fine.n_components()),
                                                             int(coarse.n_modes()),
                                                             1,
                                                             embedding.data(),
                                                             factor,
                                                             1,
                                                             coarse.data(),
                                                             fine.data()});
    });
  }

  template class ModeTransfer<double>;
  template class ModeTransfer<float>;
} // namespace Saltus
