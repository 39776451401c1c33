// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_h
#define saltus_io_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <set>
#include <string>
#include <vector>

/// Strict reading of parameter files. Entries are declared in a dealii::ParameterHandler; every
/// error is one dealii::ExcMessage that names the file and line (or the option), the entry, its
/// value and what would be accepted. The path of an entry is `Section/Subsection/Entry`.
namespace Saltus
{
  /// Read the parameter file @p file.
  /// @throws dealii::ExcMessage for a file that cannot be read, an unknown entry or subsection
  /// (naming the nearest declared ones) and a value that does not match the entry's pattern
  void
  read_parameters(dealii::ParameterHandler &prm, const std::string &file);

  /// Set one entry from @p assignment, `Section/Entry=value`, with the checks of read_parameters().
  void
  set_parameter(dealii::ParameterHandler &prm, const std::string &assignment);

  /// Paths of all declared entries.
  std::vector<std::string>
  declared_entries(const dealii::ParameterHandler &prm);

  /// @throws dealii::ExcMessage naming all entries that were declared with `has_to_be_set` and have
  /// not been set, or have been set to nothing
  /// @param required the result of `prm.get_entries_wrongly_not_set()` before anything was read
  void
  check_required_entries(const dealii::ParameterHandler &prm,
                         const std::set<std::string>    &required);

  /// Those of @p candidates whose spelling is nearest to @p name (fewest letters to insert, delete
  /// or replace; upper and lower case count as equal), at most three and none that is nothing like
  /// it.
  std::vector<std::string>
  nearest_names(const std::string &name, const std::vector<std::string> &candidates);

  /// `Did you mean 'a' or 'b'?` with the nearest of @p candidates, or else a list of all of them.
  std::string
  suggestion(const std::string &name, const std::vector<std::string> &candidates);
} // namespace Saltus

#endif
