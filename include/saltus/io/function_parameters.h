// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_function_parameters_h
#define saltus_io_function_parameters_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <saltus/io/common_functions.h>
#include <saltus/operators/boundary_conditions.h>
#include <saltus/operators/state_function.h>
#include <saltus/physics/boundary_kind.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// Declare the section `Functions`: initial state, exact solution and boundary conditions of a
  /// conservation law.
  void
  declare_function_parameters(dealii::ParameterHandler &prm);

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
          std::pair(BoundaryKind::far_field, "far field"),
          std::pair(BoundaryKind::pressure_outlet, "pressure outlet"),
          std::pair(BoundaryKind::total_pressure_inlet, "total pressure inlet")})
      if (Law::supports(kind))
        kinds.emplace_back(name);
    return kinds;
  }


  /// What the section `Functions` of a conservation law says.
  template <int dim>
  class FunctionParameters : public CommonFunctions<dim>
  {
  public:
    /// @param n_components of a state
    /// @param kinds of boundary conditions that are accepted besides `periodic with ID`
    /// @throws dealii::ExcMessage for constants that cannot be read
    FunctionParameters(dealii::ParameterHandler       &prm,
                       const unsigned int              n_components,
                       const std::vector<std::string> &kinds);

    StateFunction<dim>
    initial_state() const;

    /// @throws dealii::ExcMessage for conditions that cannot be read, boundary ids of the mesh
    /// without a condition and conditions for ids that the mesh does not have
    BoundaryConditions<dim>
    boundary_conditions(const dealii::Triangulation<dim> &triangulation) const;

  private:
    StateFunction<dim>
    state(const std::string &text, const std::string &entry) const;

    bool        primitive;
    std::string initial;
  };
} // namespace Saltus

#endif
