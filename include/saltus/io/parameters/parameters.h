// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_parameters_h
#define saltus_io_parameters_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

/// Parameters are the members of small structs, one for each section of the parameter file:
/// @code
///   struct TimeParameters
///   {
///     // Declare the entries and bind them to the members.
///     void add_parameters(dealii::ParameterHandler &prm)
///     {
///       prm.enter_subsection("Time");
///       prm.add_parameter("End time", end, "Stop at this time.", Patterns::Double(0.));
///       add_choice(prm, "Precision", single, {{"double", false}, {"float", true}}, "Of all.");
///       prm.leave_subsection();
///     }
///     // Throw for values that do not go together.
///     void check() const;
///
///     double end = 1; // the default
///     bool single = false;
///   };
/// @endcode
/// Reading is strict: every error is one dealii::ExcMessage that names the file and line (or the
/// option), the entry, its value and what would be accepted. The path of an entry is
/// `Section/Subsection/Entry`.
namespace Saltus
{
  /// An entry of a dealii::ParameterHandler.
  struct ParameterEntry
  {
    std::string path, value, default_value, documentation;
    std::string pattern; ///< as dealii::Patterns::pattern_factory() takes it
  };

  /// All declared entries in the order of their declaration.
  std::vector<ParameterEntry>
  parameter_entries(const dealii::ParameterHandler &prm);

  /// Accepts positive numbers up to @p largest.
  dealii::Patterns::Double
  positive_numbers(const double largest = dealii::Patterns::Double::max_double_value);

  /// What a pattern accepts, in words; empty if that is any text.
  std::string
  accepted_values(const std::string &pattern);

  /// Read the parameter file @p file, UTF-8 text with or without a byte order mark.
  /// @throws dealii::ExcMessage for a file that cannot be read, what is no statement, an unknown
  /// entry or subsection (naming the nearest declared ones) and a value that does not match the
  /// entry's pattern
  void
  read_parameters(dealii::ParameterHandler &prm, const std::string &file);

  /// Set one entry from @p assignment, `Section/Entry=value`, with the checks of read_parameters().
  void
  set_parameter(dealii::ParameterHandler &prm, const std::string &assignment);

  /// Write all entries as a parameter file, with documentation and accepted values.
  void
  print_parameters(const dealii::ParameterHandler &prm, std::ostream &stream);

  /// Those of @p candidates whose spelling is nearest to @p name (fewest letters to insert, delete
  /// or replace; upper and lower case count as equal), at most three and none that is nothing like
  /// it.
  std::vector<std::string>
  nearest_names(const std::string &name, const std::vector<std::string> &candidates);

  /// `Did you mean 'a' or 'b'?` with the nearest of @p candidates, or else a list of all of them.
  std::string
  suggestion(const std::string &name, const std::vector<std::string> &candidates);

  /// Declare an entry that takes one of several names and sets @p variable to the value that stands
  /// for it. The default is the name of the present value of @p variable.
  /// @param choices names and values
  template <typename T>
  void
  add_choice(dealii::ParameterHandler                     &prm,
             const std::string                            &entry,
             T                                            &variable,
             const std::vector<std::pair<std::string, T>> &choices,
             const std::string                            &documentation)
  {
    std::string names, present;
    for (const auto &[name, value] : choices)
      {
        names += (names.empty() ? "" : "|") + name;
        if (value == variable)
          present = name;
      }
    prm.declare_entry(entry, present, dealii::Patterns::Selection(names), documentation);
    prm.add_action(entry, [&variable, choices](const std::string &text) {
      for (const auto &[name, value] : choices)
        if (name == text)
          variable = value;
    });
  }
} // namespace Saltus

#endif
