// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_versions_h
#define saltus_io_parameters_versions_h

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Names and versions of Saltus and of what it was made of, MPI by what the library says of
  /// itself.
  std::vector<std::pair<std::string, std::string>>
  versions();

  /// What a program was made of and where it would compute: versions of Saltus and of the
  /// libraries, instruction sets and GPUs that kernels were compiled for and those of this machine,
  /// the highest degrees of conservation laws. Of a report of a fault it is the first part.
  void
  print_versions(std::ostream &stream);
} // namespace Saltus

#endif
