// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/error_message.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>

namespace Saltus
{
  void
  on_all_ranks(const MPI_Comm communicator, const std::function<void()> &action)
  {
    if (n_ranks(communicator) == 1)
      return action();
    std::string error;
    try
      {
        action();
      }
    catch (const std::exception &exception)
      {
        error = error_message(exception);
      }
    error = first_of_ranks(communicator, error);
    AssertThrow(error.empty(), dealii::ExcMessage(error));
  }


  void
  on_first_rank(const MPI_Comm communicator, const std::function<void()> &action)
  {
    on_all_ranks(communicator, [&]() {
      if (this_rank(communicator) == 0)
        action();
    });
  }
} // namespace Saltus
