// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi.h>

#include <saltus/io/files/run_times.h>

#include <iostream>

namespace Saltus
{
  double
  RunTimes::end(const std::string &part)
  {
    const double                 seconds = watch.lap();
    const KernelCompiler::Report now     = KernelCompiler::report();
    take("waiting for kernels", now.waited - compiled.waited);
    const std::string line = now.line_since(compiled);
    if (!line.empty() && dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
      std::cout << line << std::endl;
    compiled = now;
    parts.add(is_adapting ? "adaption" : part, seconds - taken);
    if (is_adapting)
      parts_of_adaptions.add(part, seconds - taken);
    taken = 0.;
    return seconds;
  }
} // namespace Saltus
