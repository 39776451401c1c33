// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_incompressible_flow_adapted_states_h
#define applications_incompressible_flow_adapted_states_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/lac/full_matrix.h>

#include <saltus/io/functions/quantities.h>

#include <vector>

namespace Saltus::FlowProgram
{
  /// Velocities and pressures of several times as one function, which an adaption of the mesh takes
  /// over: components u_c and p of the first time, then of the one before, and so on. Pressures
  /// have the degree of velocities in it.
  template <int dim>
  class AdaptedStates
  {
  public:
    struct State
    {
      SolutionVector velocity, pressure;
    };

    static unsigned int
    n_components(const unsigned int n_states)
    {
      return n_states * (dim + 1);
    }

    /// @param velocity,pressure are not copied
    AdaptedStates(const dealii::DoFHandler<dim> &velocity,
                  const dealii::DoFHandler<dim> &pressure,
                  const unsigned int             n_states)
      : velocity(velocity)
      , pressure(pressure)
      , all(velocity.get_triangulation())
      , embedding(velocity.get_fe().base_element(0).n_dofs_per_cell(),
                  pressure.get_fe().n_dofs_per_cell())
    {
      all.distribute_dofs(
        dealii::FESystem<dim>(velocity.get_fe().base_element(0), n_components(n_states)));
      velocity.get_fe().base_element(0).get_interpolation_matrix(pressure.get_fe(), embedding);
    }

    /// @param states those that there are; what is left is zero
    SolutionVector
    join(const std::vector<State> &states) const
    {
      SolutionVector         result = empty(all);
      dealii::Vector<double> embedded(embedding.m()), modes(embedding.n());
      for_cells([&](const Indices &of_all, const Indices &of_u, const Indices &of_p) {
        for (unsigned int s = 0; s < states.size(); ++s)
          {
            for (unsigned int m = 0; m < of_p.size(); ++m)
              modes(m) = states[s].pressure(of_p[m]);
            embedding.vmult(embedded, modes);
            for (unsigned int m = 0; m < embedded.size(); ++m)
              result(of_all[index(all, component(s, dim), m)]) = embedded(m);
            for (unsigned int c = 0; c < dim; ++c)
              for (unsigned int m = 0; m < embedded.size(); ++m)
                result(of_all[index(all, component(s, c), m)]) =
                  states[s].velocity(of_u[index(velocity, c, m)]);
          }
      });
      result.compress(dealii::VectorOperation::insert);
      return result;
    }

    /// The first states of a joint function; pressures are projected.
    std::vector<State>
    split(const SolutionVector &joint, const unsigned int n_states) const
    {
      std::vector<State>     states(n_states, {empty(velocity), empty(pressure)});
      dealii::Vector<double> embedded(embedding.m()), modes(embedding.n());
      for_cells([&](const Indices &of_all, const Indices &of_u, const Indices &of_p) {
        for (unsigned int s = 0; s < n_states; ++s)
          {
            for (unsigned int m = 0; m < embedded.size(); ++m)
              embedded(m) = joint(of_all[index(all, component(s, dim), m)]);
            embedding.Tvmult(modes, embedded); // both bases are orthonormal
            for (unsigned int m = 0; m < of_p.size(); ++m)
              states[s].pressure(of_p[m]) = modes(m);
            for (unsigned int c = 0; c < dim; ++c)
              for (unsigned int m = 0; m < embedded.size(); ++m)
                states[s].velocity(of_u[index(velocity, c, m)]) =
                  joint(of_all[index(all, component(s, c), m)]);
          }
      });
      for (State &state : states)
        {
          state.velocity.compress(dealii::VectorOperation::insert);
          state.pressure.compress(dealii::VectorOperation::insert);
        }
      return states;
    }

  private:
    using Indices = std::vector<dealii::types::global_dof_index>;

    /// Of component @p c, or of the pressure, c = dim, of state @p s.
    static unsigned int
    component(const unsigned int s, const unsigned int c)
    {
      return s * (dim + 1) + c;
    }

    static unsigned int
    index(const dealii::DoFHandler<dim> &of, const unsigned int c, const unsigned int m)
    {
      return of.get_fe().component_to_system_index(c, m);
    }

    static SolutionVector
    empty(const dealii::DoFHandler<dim> &of)
    {
      return SolutionVector(of.locally_owned_dofs(), of.get_communicator());
    }

    /// Call @p body(indices of all, of the velocity, of the pressure) for the cells of this rank.
    template <typename Body>
    void
    for_cells(const Body &body) const
    {
      Indices of_all(all.get_fe().n_dofs_per_cell()), of_u(velocity.get_fe().n_dofs_per_cell()),
        of_p(pressure.get_fe().n_dofs_per_cell());
      for (const auto &cell : all.active_cell_iterators())
        if (cell->is_locally_owned())
          {
            const auto on = [&](const dealii::DoFHandler<dim> &handler) {
              return typename dealii::DoFHandler<dim>::active_cell_iterator(
                &handler.get_triangulation(), cell->level(), cell->index(), &handler);
            };
            cell->get_dof_indices(of_all);
            on(velocity)->get_dof_indices(of_u);
            on(pressure)->get_dof_indices(of_p);
            body(of_all, of_u, of_p);
          }
    }

    const dealii::DoFHandler<dim> &velocity, &pressure;
    dealii::DoFHandler<dim>        all;
    dealii::FullMatrix<double>     embedding; ///< of pressures among functions of the velocity
  };
} // namespace Saltus::FlowProgram

#endif
