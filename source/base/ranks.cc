// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks.h>

namespace Saltus
{
  std::string
  first_of_ranks(const MPI_Comm communicator, const std::string &text)
  {
    namespace MPI        = dealii::Utilities::MPI;
    const unsigned int n = n_ranks(communicator);
    if (n == 1)
      return text;
    const unsigned int first = MPI::min(text.empty() ? n : this_rank(communicator), communicator);
    return first == n ? std::string() : MPI::broadcast(communicator, text, first);
  }
} // namespace Saltus
