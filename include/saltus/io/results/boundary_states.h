// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_boundary_states_h
#define saltus_io_results_boundary_states_h

#include <saltus/base/ranks/collective.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/functions/finite_values.h>
#include <saltus/io/results/boundary_quantities.h>
#include <saltus/operators/conservation_law/boundary_conditions.h>
#include <saltus/operators/conservation_law/inadmissible_state.h>
#include <saltus/physics/euler.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace Saltus
{
  /// Names of those data of a boundary condition that must be positive, the first ones.
  inline std::vector<std::string>
  positive_boundary_data(const BoundaryKind kind)
  {
    switch (kind)
      {
        case BoundaryKind::isothermal_wall:
          return {"temperature"};
        case BoundaryKind::pressure_outlet:
          return {"pressure"};
        case BoundaryKind::total_pressure_inlet:
          return {"total pressure", "total temperature"};
        default:
          return {};
      }
  }


  /// What is wrong with the data of a boundary condition at one point; empty: nothing.
  /// @param primitive whether states are of primitive variables
  /// @param values as many as BoundaryCondition::n_data() says
  /// @param outward normal of any length, out of the domain
  template <int dim, typename Law>
  std::string
  fault_of_boundary_data(const Law                    &law,
                         const BoundaryKind            kind,
                         const bool                    primitive,
                         const std::vector<double>    &values,
                         const dealii::Tensor<1, dim> &outward)
  {
    std::ostringstream fault;
    if (kind == BoundaryKind::prescribed || kind == BoundaryKind::far_field)
      {
        Array<double, Law::n_components> state;
        std::copy(values.begin(), values.end(), &state[0]);
        if (primitive)
          state = law.conserved(state);
        if (!law.admissible(state))
          fault << "inadmissible state of " << Law::name << ':' << state_text(law, state);
        return fault.str();
      }
    const std::vector<std::string> positive = positive_boundary_data(kind);
    for (std::size_t i = 0; i < positive.size(); ++i)
      if (!(values[i] > 0.))
        {
          fault << positive[i] << " = " << values[i] << "; it must be positive";
          return fault.str();
        }
    if (kind == BoundaryKind::total_pressure_inlet)
      {
        dealii::Tensor<1, dim> direction;
        std::copy_n(values.begin() + positive.size(), dim, direction.begin_raw());
        if (!(direction * outward < 0.))
          fault << "the direction (" << direction << ") does not point into the domain";
      }
    return fault.str();
  }


  /// Normals out of the domain, of any length, of the straight faces with the vertices of those of
  /// face_centers().
  template <int dim>
  std::vector<dealii::Tensor<1, dim>>
  outward_normals(const dealii::Triangulation<dim> &triangulation,
                  const dealii::types::boundary_id  id)
  {
    std::vector<dealii::Tensor<1, dim>> result;
    for (const auto &cell : triangulation.active_cell_iterators())
      for (const auto &face : cell->face_iterators())
        if (cell->is_locally_owned() && face->at_boundary() && face->boundary_id() == id)
          {
            const dealii::Tensor<1, dim> edge = face->vertex(1) - face->vertex(0);
            dealii::Tensor<1, dim>       normal;
            if constexpr (dim == 2)
              normal = cross_product_2d(edge);
            else
              normal = cross_product_3d(edge, face->vertex(2) - face->vertex(0));
            result.push_back(normal * (face->center() - cell->center()) > 0. ? normal : -normal);
          }
    return result;
  }


  /// Look at the data that are given on the boundary, at the centres of the faces. Collective.
  /// @throws dealii::ExcMessage with id, position and values if fault_of_boundary_data() finds one
  /// at @p time
  template <int dim, typename Law>
  void
  check_boundary_states(const Law                        &law,
                        const BoundaryConditions<dim>    &conditions,
                        const dealii::Mapping<dim>       &mapping,
                        const dealii::Triangulation<dim> &triangulation,
                        const TimeState                  &time)
  {
    const auto check = [&](const dealii::types::boundary_id id,
                           const BoundaryCondition<dim>    &condition) {
      const unsigned int n = condition.n_data(Law::n_components);
      if (n == 0)
        return;
      const auto          points  = face_centers(mapping, triangulation, id);
      const auto          normals = outward_normals(triangulation, id);
      std::vector<double> values(points.size() * n);
      PointValues<dim, double>(condition.data, points, Device::cpu())
        .evaluate(&time, 0., values.data());
      for (std::size_t i = 0; i < points.size(); ++i)
        {
          const std::string fault =
            fault_of_boundary_data(law,
                                   condition.kind,
                                   condition.data.primitive,
                                   {values.begin() + i * n, values.begin() + (i + 1) * n},
                                   normals[i]);
          std::ostringstream where;
          where << "Functions/Boundary conditions, id " << id << " at time " << time.time << " at ("
                << points[i] << "): ";
          AssertThrow(fault.empty(), dealii::ExcMessage(where.str() + fault + '.'));
        }
    };
    on_all_ranks(triangulation.get_communicator(), [&]() {
      for (const auto &[id, condition] : conditions.conditions())
        check(id, condition);
    });
  }


  /// Whether waves enter the domain where a gas moves through its boundary: an outflow, which has
  /// no data, takes all of them to leave.
  /// @param state conserved
  /// @param normal unit, out of the domain
  template <int dim>
  bool
  waves_enter(const Euler<dim> &gas, const double *state, const dealii::Tensor<1, dim> &normal)
  {
    Array<double, dim + 2> u;
    Array<double, dim>     n;
    std::copy_n(state, dim + 2, &u[0]);
    std::copy_n(normal.begin_raw(), dim, &n[0]);
    const auto side = gas_side(gas, u, n);
    // Noise of a gas at rest is no flow.
    return side.velocity < side.sound_speed && std::abs(side.velocity) > 1e-3 * side.sound_speed;
  }

  /// The same of laws about whose waves nothing is known.
  template <typename Law, int dim>
  bool
  waves_enter(const Law &, const double *, const dealii::Tensor<1, dim> &)
  {
    return false;
  }


  /// A sentence about every boundary with an outflow through which waves_enter(), at the centers of
  /// faces; empty if there is none. Collective.
  template <int dim, typename Law>
  std::string
  note_of_outflows(const Law                     &law,
                   const BoundaryConditions<dim> &conditions,
                   const SolutionSpace<dim>      &space,
                   const SolutionVector          &solution)
  {
    struct Faces
    {
      unsigned int n = 0, n_entered = 0;
    };
    std::map<dealii::types::boundary_id, Faces> outflows;
    for (const auto &[id, condition] : conditions.conditions())
      if (condition.kind == BoundaryKind::outflow)
        outflows[id];
    if (outflows.empty())
      return {};
    const auto shapes = space.shapes.for_each(
      [](const dealii::ReferenceCell &shape) { return shape.face_reference_cell(0); });
    BoundaryQuantities<dim> quantities(space, cell_quadrature<dim - 1>(shapes[0], 1));
    for (const auto &cell : space.cells)
      for (const unsigned int f : cell->face_indices())
        if (cell->face(f)->at_boundary())
          if (const auto found = outflows.find(cell->face(f)->boundary_id());
              found != outflows.end())
            {
              const auto point = quantities.evaluate({cell, f, 0}, solution)[0];
              ++found->second.n;
              found->second.n_entered += waves_enter(law, point.quantities.data(), point.normal);
            }
    std::ostringstream text;
    for (const auto &[id, faces] : outflows)
      {
        const auto n         = dealii::Utilities::MPI::sum(faces.n, space.communicator());
        const auto n_entered = dealii::Utilities::MPI::sum(faces.n_entered, space.communicator());
        if (n_entered > 0)
          text << " Boundary id " << id << " is an outflow, but " << n_entered << " of its " << n
               << " faces have subsonic outflow or inflow. Waves enter there, for which an outflow "
                  "has no data: use pressure outlet or far field.";
      }
    return text.str();
  }
} // namespace Saltus

#endif
