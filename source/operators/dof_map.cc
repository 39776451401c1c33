// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/threads.h>
#include <saltus/operators/dof_map.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Call `body(i, j)` for entry i of `[e][m][c]` and entry j of the array behind @p vector, on
    /// all threads.
    template <typename Number, typename Body>
    void
    for_entries(const Vector<Number> &vector, const Body &body)
    {
      const unsigned int n_modes = vector.n_modes(), n_components = vector.n_components();
      parallel_for(vector.n_elements(), [&](const unsigned int begin, const unsigned int end) {
        std::size_t i = static_cast<std::size_t>(begin) * n_modes * n_components;
        for (unsigned int e = begin; e < end; ++e)
          for (unsigned int m = 0; m < n_modes; ++m)
            for (unsigned int c = 0; c < n_components; ++c, ++i)
              body(i, coefficient_index(e, m, n_modes, n_components) + c);
      });
    }
  } // namespace

  template <int dim>
  DoFMap::DoFMap(const ElementMesh<dim> &mesh, const DoFHandler<dim> &dof_handler)
  {
    mesh.check_triangulation(dof_handler.get_triangulation());
    const FiniteElement<dim> &fe           = dof_handler.get_fe();
    const unsigned int        n_dofs       = fe.n_dofs_per_cell();
    const unsigned int        n_components = fe.n_components();
    const unsigned int        n_modes      = n_dofs / n_components;
    dof_indices.resize(static_cast<std::size_t>(mesh.n_elements()) * n_dofs);
    parallel_for(mesh.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      std::vector<types::global_dof_index> of_cell(n_dofs);
      std::size_t                          i = static_cast<std::size_t>(begin) * n_dofs;
      for (unsigned int e = begin; e < end; ++e)
        {
          const auto                                          &cell = mesh.order.cells[e];
          const typename DoFHandler<dim>::active_cell_iterator dof_cell(&cell->get_triangulation(),
                                                                        cell->level(),
                                                                        cell->index(),
                                                                        &dof_handler);
          dof_cell->get_dof_indices(of_cell);
          for (unsigned int m = 0; m < n_modes; ++m)
            for (unsigned int c = 0; c < n_components; ++c, ++i)
              dof_indices[i] = of_cell[fe.component_to_system_index(c, m)];
        }
    });
  }

  void
  DoFMap::check(const std::size_t size) const
  {
    AssertThrow(size == dof_indices.size(),
                ExcMessage("A vector with " + std::to_string(size) +
                           " entries was given where the space has " +
                           std::to_string(dof_indices.size()) +
                           " degrees of freedom in deal.II's numbering."));
  }

  template <typename Number>
  void
  DoFMap::copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const
  {
    check(from.size());
    check(to.size());
    std::vector<Number> values(to.data_size());
    for_entries(to, [&](const std::size_t i, const std::size_t j) {
      values[j] = from[dof_indices[i]];
    });
    to.copy_from_host(values.data());
  }

  template <typename Number>
  void
  DoFMap::copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const
  {
    check(from.size());
    to.reinit(dof_indices.size(), true);
    const std::vector<Number> values = from.to_host();
    for_entries(from,
                [&](const std::size_t i, const std::size_t j) { to[dof_indices[i]] = values[j]; });
  }

  template DoFMap::DoFMap(const ElementMesh<2> &, const DoFHandler<2> &);
  template DoFMap::DoFMap(const ElementMesh<3> &, const DoFHandler<3> &);
  template void
  DoFMap::copy_from(Vector<double> &, const dealii::Vector<double> &) const;
  template void
  DoFMap::copy_from(Vector<float> &, const dealii::Vector<double> &) const;
  template void
  DoFMap::copy_to(dealii::Vector<double> &, const Vector<double> &) const;
  template void
  DoFMap::copy_to(dealii::Vector<double> &, const Vector<float> &) const;
} // namespace Saltus
