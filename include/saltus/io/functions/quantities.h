// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_functions_quantities_h
#define saltus_io_functions_quantities_h

#include <deal.II/base/quadrature.h>
#include <deal.II/base/table.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <saltus/mesh/mesh_shapes.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// What results are made of: quantities that are functions of the values of a discrete solution at
/// a point, whatever the equation.
namespace Saltus
{
  /// Coefficients in deal.II's numbering, each rank with those of its degrees of freedom.
  using SolutionVector = dealii::LinearAlgebra::distributed::Vector<double>;

  /// Zeros. Collective.
  template <int dim>
  SolutionVector
  solution_vector(const dealii::DoFHandler<dim> &dof_handler)
  {
    return SolutionVector(dof_handler.locally_owned_dofs(), dof_handler.get_communicator());
  }

  /// Coefficients @p u of an operator of Saltus. Collective.
  /// @param op with `copy_to`, set up for @p dof_handler
  template <int dim, typename Operator, typename Vector>
  SolutionVector
  solution_vector(const dealii::DoFHandler<dim> &dof_handler, const Operator &op, const Vector &u)
  {
    SolutionVector result = solution_vector(dof_handler);
    op.copy_to(result, u);
    return result;
  }


  struct Quantities
  {
    /// One a quantity; a name that stands as many times in a row as there are dimensions is a
    /// vector.
    std::vector<std::string> names;

    /// Components of the solution.
    unsigned int n_components = 0;

    /// Called as `compute(solution, quantities)` with the `n_components` values of the solution at
    /// a point and the array to fill.
    std::function<void(const double *solution, double *quantities)> compute;

    /// Scalars on request only, see AdditionalFields. The function computes them in the same way.
    /// Both are empty without such scalars.
    std::vector<std::string>                                        optional_names   = {};
    std::function<void(const double *solution, double *quantities)> compute_optional = {};

    bool has_friction = false; ///< of a viscous fluid
    bool has_heat     = false; ///< that is conducted

    std::size_t
    size() const
    {
      return names.size();
    }

    /// The names as identifiers that differ: the components of a vector end in `_x`, `_y`, `_z`.
    std::vector<std::string>
    identifiers() const;

    /// Number of the quantity with the identifier @p name, if there is one.
    std::optional<unsigned int>
    number(const std::string &name) const;

    /// The same.
    /// @throws dealii::ExcMessage naming @p wanted_by if there is none
    unsigned int
    find(const std::string &name, const std::string &wanted_by) const;
  };


  /// Fluxes at a quadrature point of a boundary face, out of the domain, per area and time.
  template <int dim>
  struct SurfaceFlux
  {
    dealii::Point<dim>     point;
    dealii::Tensor<1, dim> normal;      ///< unit, out of the domain
    double                 weight = 0.; ///< of the quadrature, times the area element

    /// Momentum by the first-order flux without that of the mass: along the normal, and the rest,
    /// which vanishes for the exact solution.
    double                 pressure = 0.;
    dealii::Tensor<1, dim> shear;

    /// Momentum that mass carries through the straight edges of a curved wall, or where a velocity
    /// differs from the given one. No mass passes the wall itself, which bears it as a force.
    dealii::Tensor<1, dim> convected;

    dealii::Tensor<1, dim> friction;    ///< momentum by the viscous stress: \f$ -\tau n \f$
    double                 volume = 0.; ///< \f$ u\cdot n \f$
    double                 heat   = 0.; ///< \f$ -k \nabla T\cdot n \f$
  };

  /// Fluxes through faces, `[face][point]`.
  template <int dim>
  using SurfaceFluxes = std::vector<std::vector<SurfaceFlux<dim>>>;

  /// Where fluxes pass the boundary of a discretization, as it integrates them itself.
  template <int dim>
  class BoundaryScheme
  {
  public:
    using Face = std::pair<typename dealii::Triangulation<dim>::active_cell_iterator, unsigned int>;

    virtual ~BoundaryScheme() = default;

    /// Whether first-order and second-order fluxes are integrated by one rule.
    virtual bool
    has_one_rule() const = 0;

    /// The rule for second-order fluxes: the degree of polynomials that it integrates exactly.
    virtual unsigned int
    degree() const = 0;

    /// Fluxes of the present solution through this rank's faces with @p ids, in any order.
    /// @param for_second_order_fluxes at the points of which rule
    virtual std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>>
    fluxes(const double                                time,
           const std::set<dealii::types::boundary_id> &ids,
           const bool                                  for_second_order_fluxes) const = 0;
  };


  /// The quantities of the solutions of one discretisation, which all results of a run share.
  template <int dim>
  struct SolutionSpace
  {
    using Cell = typename dealii::DoFHandler<dim>::active_cell_iterator;

    /// Keeps references to @p mapping and @p dof_handler.
    SolutionSpace(const dealii::Mapping<dim>                       &mapping,
                  const dealii::DoFHandler<dim>                    &dof_handler,
                  const Quantities                                 &quantities,
                  const std::shared_ptr<const BoundaryScheme<dim>> &scheme = nullptr);

    MPI_Comm
    communicator() const
    {
      return dof_handler.get_communicator();
    }

    unsigned int
    degree() const
    {
      return dof_handler.get_fe_collection().max_degree();
    }

    /// Rules for the cells that are exact for polynomials of a degree.
    ByShape<dealii::Quadrature<dim>>
    quadratures(const unsigned int degree) const;

    /// Of a shape.
    const dealii::FiniteElement<dim> &
    element(const dealii::ReferenceCell &shape) const;

    /// Values of the functions of an element at points, `(dof of the cell, point)`.
    using Values = dealii::Table<2, double>;

    ByShape<Values>
    shape_values(const PointsByShape<dim> &unit_points) const;

    /// At points of one cell.
    Values
    shape_values(const Cell &cell, const std::vector<dealii::Point<dim>> &unit_points) const;

    /// Components of a solution `[point][component]` in one cell at points whose shape_values() are
    /// @p values.
    std::vector<double>
    states(const Cell &cell, const Values &values, const SolutionVector &solution) const;

    /// Quantities `[point][quantity]` there.
    std::vector<double>
    evaluate(const Cell &cell, const Values &values, const SolutionVector &solution) const;

    std::vector<double>
    evaluate(const Cell &cell, const ByShape<Values> &values, const SolutionVector &solution) const
    {
      return evaluate(cell, values[shapes.number(cell)], solution);
    }

    const dealii::Mapping<dim>    &mapping;
    const dealii::DoFHandler<dim> &dof_handler;
    const Quantities               quantities;
    const MeshShapes<dim>          shapes;
    const std::vector<Cell>        cells; ///< see cells_in_order()

    /// `[cell]`: see cell_numbers()
    const std::vector<dealii::types::global_dof_index> numbers;

    /// nullptr: fluxes through the boundary are not known
    const std::shared_ptr<const BoundaryScheme<dim>> scheme;
  };


  /// A table of numbers that is computed from a solution.
  template <int dim>
  class ResultTable
  {
  public:
    virtual ~ResultTable() = default;

    virtual std::vector<std::string>
    columns() const = 0;

    /// What the rows depend on besides the solution, where the columns' names do not say it: two
    /// tables with the same columns and the same definition have the same rows.
    virtual std::string
    definition() const
    {
      return {};
    }

    /// Collective. All rows on the first rank; other ranks need not have them.
    virtual std::vector<std::vector<double>>
    rows(const double time, const SolutionVector &solution) const = 0;
  };


  /// `x`, `y` (, `z`).
  std::vector<std::string>
  coordinate_names(const unsigned int dim);

  /// Numbers with all their digits, a blank behind each.
  std::string
  numbers_text(const std::vector<double> &numbers);
} // namespace Saltus

#endif
