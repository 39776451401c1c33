// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>
#include <deal.II/lac/solver_control.h>

#include <saltus/base/device/error_message.h>
#include <saltus/base/device/out_of_memory.h>

#include <new>
#include <sstream>
#include <typeinfo>

namespace Saltus
{
  std::string
  error_message(const std::exception &exception)
  {
    if (typeid(exception) == typeid(std::bad_alloc)) // which does not know how much was asked for
      return "Out of memory: the host has only " + bytes_for_people(available_host_memory()) +
             " left. Use a coarser mesh or a lower degree.";
    if (const auto *solver = dynamic_cast<const dealii::SolverControl::NoConvergence *>(&exception))
      return "An auxiliary linear system is not solved: the residual is " +
             std::to_string(solver->last_residual) + " after " + std::to_string(solver->last_step) +
             " iterations. Check mesh and coefficients for extreme values.";
    const auto *dealii_exception = dynamic_cast<const dealii::ExceptionBase *>(&exception);
    if (dealii_exception == nullptr)
      return exception.what();
    std::ostringstream stream;
    dealii_exception->print_info(stream);
    // An entry that a message repeats may be as long as a file.
    constexpr std::size_t beginning = 2000, end = 500;
    std::string           message = dealii::Utilities::trim(stream.str());
    if (message.size() > 2 * (beginning + end))
      message.replace(beginning, message.size() - beginning - end, " ... ");
    return message;
  }
} // namespace Saltus
