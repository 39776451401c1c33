// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_parameter_lists_h
#define saltus_io_parameters_parameter_lists_h

#include <deal.II/base/point.h>
#include <deal.II/base/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Split at the commas that stand in no parentheses, and trim the pieces.
  /// @param entry path of the parameter, for messages
  /// @throws dealii::ExcMessage for unbalanced parentheses and empty pieces
  std::vector<std::string>
  split_list(const std::string &text, const std::string &entry);

  /// Before the semicolon number @p n, counted from 1, and after it; all of the text and nothing if
  /// there are fewer.
  std::pair<std::string, std::string>
  split_at_semicolon(const std::string &text, const unsigned int n);

  /// @p text as a finite number; nothing if it is none.
  std::optional<double>
  parse_number(const std::string &text);

  /// Read `x, y` (, `z`); nothing if @p text is anything but dim finite numbers.
  template <int dim>
  std::optional<dealii::Point<dim>>
  parse_coordinates(const std::string &text);

  /// An item about a boundary or a material: `id: kind` or `id: kind (data)`.
  struct BoundaryItem
  {
    dealii::types::boundary_id id;
    std::string                kind, data;
  };

  /// @param what the item is, for messages
  /// @param owner of the id, for messages
  /// @throws dealii::ExcMessage for a malformed item or id
  BoundaryItem
  parse_boundary_item(const std::string &item,
                      const std::string &entry,
                      const std::string &what,
                      const std::string &owner = "boundary");

  /// One boundary condition of a parameter file.
  struct BoundaryEntry
  {
    dealii::types::boundary_id id = 0;
    std::string                kind;

    /// The other side, if `kind` is `periodic`.
    dealii::types::boundary_id partner = 0;

    /// Expressions of the components, separated by semicolons; empty if none are given.
    std::string data;
  };

  /// Read a list of boundary conditions, one for each boundary id:
  /// @code
  ///   0: wall, 1: outflow, 2: periodic with 3, 4: prescribed (1.4; 0; if(y > t, 1, 2); 1)
  /// @endcode
  /// The data of a condition stand in parentheses: one expression a component, separated by
  /// semicolons. A pair of periodic boundaries is named once.
  ///
  /// @param entry path of the parameter, for messages
  /// @param kinds the kinds that are accepted besides `periodic with ID`
  /// @throws dealii::ExcMessage for a malformed or repeated id, an unknown kind, unbalanced
  /// parentheses and a boundary that is periodic with itself
  std::vector<BoundaryEntry>
  parse_boundary_conditions(const std::string              &text,
                            const std::string              &entry,
                            const std::vector<std::string> &kinds);

  /// Errors in the first norm, `[degree][number of elements]`.
  using ReferenceErrors = std::map<unsigned int, std::map<std::uint64_t, double>>;

  /// Read errors by degree and number of elements:
  /// @code
  ///   degree 2: 3.7e-4 on 180, 6.0e-5 on 720; degree 3: 1.2e-5 on 180
  /// @endcode
  /// @throws dealii::ExcMessage for anything else, and for an error that is given twice
  ReferenceErrors
  parse_reference_errors(const std::string &text, const std::string &entry);

  /// Read a list of named numbers, `a = 1, b = 2.5e-3`.
  /// @throws dealii::ExcMessage for a name that is no identifier, is repeated or means something
  /// else in expressions (x, pi, sin), and a value that is no number
  std::map<std::string, double>
  parse_constants(const std::string &text, const std::string &entry);
} // namespace Saltus

#endif
