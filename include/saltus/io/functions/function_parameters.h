// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_functions_function_parameters_h
#define saltus_io_functions_function_parameters_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <saltus/io/functions/common_functions.h>
#include <saltus/operators/conservation_law/boundary_conditions.h>
#include <saltus/operators/spaces/field_function.h>
#include <saltus/physics/boundary_kind.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// The section `Functions` of a conservation law: initial state, source, exact solution and
  /// boundary conditions.
  struct FunctionParameters : public CommonFunctionParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    bool        primitive = false;
    std::string initial_state, source;
  };

  /// Names of the boundary conditions that a law knows, besides `periodic with ID`.
  template <typename Law>
  std::vector<std::string>
  boundary_kinds()
  {
    std::vector<std::string> kinds;
    for (const auto &[kind, name] :
         {std::pair(BoundaryKind::prescribed, "prescribed"),
          std::pair(BoundaryKind::outflow, "outflow"),
          std::pair(BoundaryKind::wall, "wall"),
          std::pair(BoundaryKind::wall, "curved wall"),
          std::pair(BoundaryKind::no_slip_wall, "no-slip wall"),
          std::pair(BoundaryKind::isothermal_wall, "isothermal wall"),
          std::pair(BoundaryKind::far_field, "far field"),
          std::pair(BoundaryKind::pressure_outlet, "pressure outlet"),
          std::pair(BoundaryKind::total_pressure_inlet, "total pressure inlet")})
      if (Law::supports(kind))
        kinds.emplace_back(name);
    return kinds;
  }


  /// What must be known to find and accept files with data.
  struct DataSources
  {
    std::string equation;       ///< name with the dimension, which a checkpoint must have
    std::string parameter_file; ///< files are looked for beside it, too

    /// Identifiers of the components of a state, by which a table may name its columns.
    std::vector<std::string> components = {};
  };


  /// What this section says.
  template <int dim>
  class FieldFunctions : public CommonFunctions<dim>
  {
  public:
    /// @param n_components of a state
    /// @param kinds of boundary conditions that are accepted besides `periodic with ID`
    /// @param sources of data that no expressions give
    /// @throws dealii::ExcMessage for anything that cannot be read or evaluated
    FieldFunctions(const FunctionParameters       &parameters,
                   const unsigned int              n_components,
                   const std::vector<std::string> &kinds,
                   const DataSources              &sources);

    const FieldFunction<dim> &
    initial_state() const
    {
      return initial;
    }

    /// Of the conserved variables; empty: none
    const FieldFunction<dim> &
    source() const
    {
      return of_source;
    }

    const BoundaryConditions<dim> &
    boundary_conditions() const
    {
      return conditions;
    }

  private:
    void
    set_condition(const BoundaryEntry &item);

    /// What `EXPRESSIONS`, `table FILE` (see table_function()) or `checkpoint FILE` (see
    /// solution_function()) gives.
    /// @param id of the boundary on which it is needed; none: everywhere
    FieldFunction<dim>
    state(const std::string                              &text,
          const std::string                              &entry,
          const std::optional<dealii::types::boundary_id> id = {});

    FieldFunction<dim>
    state_from_file(const std::string &kind, const std::string &file) const;

    const DataSources        sources;
    const bool               primitive;
    const FieldFunction<dim> initial, of_source;
    BoundaryConditions<dim>  conditions;
  };
} // namespace Saltus

#endif
