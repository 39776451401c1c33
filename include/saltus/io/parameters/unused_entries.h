// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_unused_entries_h
#define saltus_io_parameters_unused_entries_h

#include <saltus/io/parameters/parameters.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// The last sentence of the documentation of an entry: "Used with CONDITION". The printed
  /// reference shows it, and unused entries are found by it.
  /// @param condition alternatives, joined by the word "or": "PATH = VALUE or VALUE", "PATH other
  /// than VALUE", "PATH above NUMBER", "PATH given" (not empty). Several such lists are joined by
  /// ", and with", and all must hold.
  std::string
  used_with(const std::string &condition);

  /// Entries that differ from their defaults although the condition of their use does not hold, as
  /// `PATH = VALUE (used with CONDITION)`. An unused entry in a condition has its default.
  /// @throws dealii::ExcMessage if a condition names a path or value that does not exist
  std::vector<std::string>
  unused_entries(const std::vector<ParameterEntry> &entries);

  /// Print all of them in one note, on the first rank.
  void
  note_unused_entries(const std::vector<ParameterEntry> &entries);
} // namespace Saltus

#endif
