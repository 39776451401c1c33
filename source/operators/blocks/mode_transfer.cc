// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/blocks/mode_transfer.h>

namespace Saltus
{
  namespace
  {
    /// What a vector on the elements of @p other with its own modes looks like.
    template <typename Number>
    void
    check_elements(const Vector<Number> &vector, const Vector<Number> &other)
    {
      VectorLayout expected = other.layout();
      expected.n_modes      = vector.n_modes();
      check_layout(vector.layout(), expected, "transfer between degrees");
    }
  } // namespace

  template <typename Number>
  void
  truncate_modes(Vector<Number> &coarse, const Vector<Number> &fine)
  {
    check_elements(fine, coarse);
    apply_to_elements(fine.device(),
                      fine.n_elements(),
                      ElementOperation::Truncate<Number>{
                        int(fine.n_modes()), int(coarse.n_modes()), fine.data(), coarse.data()});
  }

  template <typename Number>
  void
  add_truncated_modes(Vector<Number> &fine, const Vector<Number> &coarse, const Number factor)
  {
    check_elements(coarse, fine);
    apply_to_elements(fine.device(),
                      fine.n_elements(),
                      ElementOperation::AddTruncated<Number>{int(fine.n_modes()),
                                                             int(coarse.n_modes()),
                                                             factor,
                                                             coarse.data(),
                                                             fine.data()});
  }

#define SALTUS_MODE_TRANSFER(Number)                                      \
  template void truncate_modes(Vector<Number> &, const Vector<Number> &); \
  template void add_truncated_modes(Vector<Number> &, const Vector<Number> &, const Number);
  SALTUS_MODE_TRANSFER(double)
  SALTUS_MODE_TRANSFER(float)
#undef SALTUS_MODE_TRANSFER
} // namespace Saltus
