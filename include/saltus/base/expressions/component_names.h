// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_component_names_h
#define saltus_base_expressions_component_names_h

#include <string>
#include <vector>

namespace Saltus
{
  /// One name for each component: names that stand there several times are those of vectors, and
  /// end in `_x`, `_y`, `_z`.
  std::vector<std::string>
  component_names(const std::vector<std::string> &names);
} // namespace Saltus

#endif
