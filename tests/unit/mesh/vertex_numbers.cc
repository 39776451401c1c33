// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Numbers of vertices: how many there are, also where boundaries are periodic; which hang, against
// deal.II's constraints.
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/lac/affine_constraints.h>

#include <saltus/mesh/vertex_numbers.h>

#include <gtest/gtest.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>

namespace
{
  using namespace dealii;
  using namespace Saltus;
  using namespace Saltus::Tests;

  template <int dim>
  std::vector<PeriodicBoundary>
  periodic_in(const unsigned int n_directions)
  {
    std::vector<PeriodicBoundary> result;
    for (unsigned int d = 0; d < n_directions; ++d)
      result.push_back({2 * d, 2 * d + 1});
    return result;
  }

  /// n vertices in periodic directions, n + 1 in others.
  template <int dim, typename AnyBox>
  void
  expect_count(const AnyBox &box, const unsigned int n)
  {
    for (unsigned int n_periodic = 0; n_periodic <= dim; ++n_periodic)
      {
        unsigned int expected = 1;
        for (unsigned int d = 0; d < dim; ++d)
          expected *= d < n_periodic ? n : n + 1;
        const auto mesh = box.mesh(periodic_in<dim>(n_periodic));
        EXPECT_EQ(VertexNumbers<dim>({mesh.get()}).n_vertices, expected);
      }
  }

  template <int dim>
  void
  expect_hanging_as_constrained()
  {
    // Of quadrilaterals that are turned against each other deal.II 9.4 does not find the parts.
    const HypercubeBox<dim>   box(3, dim == 2 ? Cells::refined : Cells::turned_and_refined);
    const auto                mesh = box.mesh();
    const VertexNumbers<dim>  numbers({mesh.get()});
    const FE_Q<dim>           fe(1);
    DoFHandler<dim>           dof_handler(box.triangulation);
    AffineConstraints<double> constraints;
    std::vector<types::global_dof_index> of_vertex(numbers.n_vertices);
    std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
    dof_handler.distribute_dofs(fe);
    DoFTools::make_hanging_node_constraints(dof_handler, constraints);
    EXPECT_EQ(numbers.n_vertices, dof_handler.n_dofs());
    for (unsigned int e = 0; e < mesh->n_elements(); ++e)
      {
        const typename DoFHandler<dim>::active_cell_iterator cell(&box.triangulation,
                                                                  mesh->order.cells[e]->level(),
                                                                  mesh->order.cells[e]->index(),
                                                                  &dof_handler);
        cell->get_dof_indices(indices);
        for (unsigned int v = 0; v < indices.size(); ++v)
          of_vertex[numbers.of_elements[0][e * indices.size() + v]] = indices[v];
      }

    const auto hanging = numbers.find_hanging({mesh.get()});
    EXPECT_EQ(hanging.size(), constraints.n_constraints());
    for (const auto &vertex : hanging)
      {
        const auto *entries = constraints.get_constraint_entries(of_vertex[vertex.vertex]);
        ASSERT_NE(entries, nullptr);
        ASSERT_EQ(entries->size(), vertex.n_masters);
        for (unsigned int k = 0; k < vertex.n_masters; ++k)
          {
            const auto same = [&](const auto &entry) {
              return entry.first == of_vertex[vertex.masters[k]] &&
                     entry.second == 1. / vertex.n_masters;
            };
            EXPECT_TRUE(std::any_of(entries->begin(), entries->end(), same));
          }
      }
  }
} // namespace

TEST(VertexNumbers, AsManyAsThereArePoints)
{
  expect_count<2>(Box<2>(4, 0., far_corner<2>(), Vertices::shuffled), 4);
  expect_count<3>(Box<3>(3, 0., far_corner<3>(), Vertices::shuffled), 3);
  expect_count<2>(HypercubeBox<2>(4, Cells::distorted, far_corner<2>(), 0.), 4);
  expect_count<3>(HypercubeBox<3>(3, Cells::distorted, far_corner<3>(), 0.), 3);
}

TEST(VertexNumbers, Hanging)
{
  expect_hanging_as_constrained<2>();
  expect_hanging_as_constrained<3>();
}
