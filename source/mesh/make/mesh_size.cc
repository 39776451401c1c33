// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/device/out_of_memory.h>
#include <saltus/mesh/make/mesh_size.h>

#include <iomanip>
#include <sstream>

namespace Saltus
{
  std::string
  count_for_people(const double n)
  {
    std::ostringstream text;
    if (n < 1e15)
      text << std::fixed << std::setprecision(0);
    text << n;
    return text.str();
  }

  void
  check_mesh_size(const unsigned int dim, const double n_elements)
  {
    const std::string mesh = "A mesh of " + count_for_people(n_elements) + " elements ";
    AssertThrow(n_elements <= max_n_elements,
                dealii::ExcMessage(mesh + "cannot be numbered: at most " +
                                   count_for_people(max_n_elements) +
                                   " are possible. Use a coarser mesh or fewer refinements."));
    const double needed = n_elements * triangulation_bytes(dim), available =
                                                                   available_host_memory();
    AssertThrow(needed <= available,
                dealii::ExcMessage(mesh + "needs at least " + bytes_for_people(needed) +
                                   " of the host's memory, which has only " +
                                   bytes_for_people(available) +
                                   " left. Use a coarser mesh or fewer refinements."));
  }
} // namespace Saltus
