// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/algebra/vector_layout.h>

namespace Saltus
{
  namespace
  {
    std::string
    counted(const unsigned int n, const std::string &what)
    {
      return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    }
  } // namespace

  std::string
  VectorLayout::description() const
  {
    return counted(n_elements, "element") + " with " + counted(n_modes, "mode") + " of " +
           counted(n_components, "component") + " on " + device.name();
  }

  void
  throw_wrong_layout(const VectorLayout &layout, const VectorLayout &expected, const char *where)
  {
    const std::string what = std::string(where) + ": ";
    AssertThrow(expected.n_modes > 0,
                dealii::ExcMessage(what +
                                   "not initialised. Call initialize_vector() of an operator "
                                   "for a vector, and reinit() of an operator before."));
    AssertThrow(layout.n_modes > 0,
                dealii::ExcMessage(what + "a vector was not initialised. Needed are " +
                                   expected.description() +
                                   "; initialize_vector() of the operator makes such a vector."));
    AssertThrow(false,
                dealii::ExcMessage(what + "a vector has " + layout.description() +
                                   ", but needed are " + expected.description() + "."));
    std::abort();
  }
} // namespace Saltus
