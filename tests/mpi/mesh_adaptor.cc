// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Meshes that are adapted across periodic boundaries.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_tools.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/vector_tools.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/mesh/adapt/mesh_adaptor.h>
#include <saltus/mesh/adapt/periodic_levels.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/spaces/adaption_transfer.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/on_elements.h>
#include <vector>

namespace
{
  using namespace dealii;
  using namespace Saltus;
  using namespace Saltus::Tests;
  using HostVector = LinearAlgebra::distributed::Vector<double>;

  /// The unit square or cube, all of whose opposite sides meet.
  template <int dim>
  class PeriodicBox
  {
  public:
    PeriodicBox()
      : triangulation(MPI_COMM_WORLD)
      , fe(2)
    {
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4, 0., 1., true);
      for (unsigned int d = 0; d < dim; ++d)
        periodic.push_back({2 * d, 2 * d + 1});
      join_periodic_boundaries(triangulation, periodic);
    }

    Saltus::Vector<double>
    projected(const ElementMesh<dim>                          &mesh,
              const std::function<double(const Point<dim> &)> &value) const
    {
      DoFHandler<dim> dof_handler(triangulation);
      dof_handler.distribute_dofs(fe);
      HostVector result(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
      for_points(dof_handler,
                 [&](const double weight,
                     const double,
                     const auto &point,
                     const auto &modes,
                     const auto &indices) {
                   for (unsigned int i = 0; i < indices.size(); ++i)
                     result(indices[i]) += weight * modes[i] * value(point);
                 });
      return on_elements(mesh, dof_handler, result);
    }

    /// The integral of a solution times a polynomial of the same degree.
    double
    moment(const ElementMesh<dim> &mesh, const Saltus::Vector<double> &elements) const
    {
      DoFHandler<dim> dof_handler(triangulation);
      dof_handler.distribute_dofs(fe);
      HostVector u(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
      DoFMap(mesh, dof_handler).copy_to(u, elements);
      double sum = 0.;
      for_points(dof_handler,
                 [&](const double weight,
                     const double measure,
                     const auto  &point,
                     const auto  &modes,
                     const auto  &indices) {
                   for (unsigned int i = 0; i < indices.size(); ++i)
                     sum += weight * measure * modes[i] * u(indices[i]) * (2. + point[0]) *
                            (1. - point[0] + point[dim - 1]);
                 });
      return Utilities::MPI::sum(sum, MPI_COMM_WORLD);
    }

    /// Cells at the boundary whose level is at least @p level.
    unsigned int
    n_small_at_boundary(const int level) const
    {
      unsigned int n = 0;
      for (const auto &cell : triangulation.active_cell_iterators())
        n += cell->is_locally_owned() && cell->at_boundary() && cell->level() >= level;
      return Utilities::MPI::sum(n, MPI_COMM_WORLD);
    }

    parallel::distributed::Triangulation<dim> triangulation;
    const FE_HypercubeDG<dim>                 fe;
    const MappingQ<dim>                       mapping{1};
    std::vector<PeriodicBoundary>             periodic;

  private:
    /// `body(weight, volume of the cell, point, modes, indices)` at the points of the basis.
    template <typename Body>
    void
    for_points(const DoFHandler<dim> &dof_handler, const Body &body) const
    {
      const QGauss<dim>                    rule(fe.degree + 1);
      std::vector<double>                  modes(fe.n_dofs_per_cell());
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      for (const auto &cell : dof_handler.active_cell_iterators())
        if (cell->is_locally_owned())
          {
            cell->get_dof_indices(indices);
            for (unsigned int q = 0; q < rule.size(); ++q)
              {
                for (unsigned int i = 0; i < modes.size(); ++i)
                  modes[i] = fe.shape_value(i, rule.point(q));
                body(rule.weight(q),
                     cell->measure(),
                     mapping.transform_unit_to_real_cell(cell, rule.point(q)),
                     modes,
                     indices);
              }
          }
    }
  };

  /// A bump that leaves through a corner, and comes back through the opposite one.
  template <int dim>
  void
  check_periodic(const unsigned int highest_level)
  {
    PeriodicBox<dim> box;
    AdaptionRules    rules;
    rules.indicator     = AdaptionIndicator::gradient;
    rules.by_threshold  = true;
    rules.refine_above  = 0.02;
    rules.coarsen_below = 0.01;
    rules.highest_level = highest_level;
    MeshAdaptor<dim> adaptor(box.triangulation, box.mapping, rules);
    unsigned int     n_at_boundary = 0;
    std::size_t      n_rounds      = 0;
    for (unsigned int i = 0; i < 16; ++i)
      {
        const double           centre = 0.6 + 0.04 * i;
        const ElementMesh<dim> before(box.mapping, box.triangulation, box.periodic);
        const auto             u      = box.projected(before, [&](const Point<dim> &x) {
          double square = 0.;
          for (unsigned int d = 0; d < dim; ++d)
            square += std::pow(std::remainder(x[d] - centre, 1.), 2);
          return 1. + std::exp(-60. * square);
        });
        const double           moment = box.moment(before, u);
        const auto             cells  = adaptor.adapt(before, u);
        if (!cells)
          continue;
        n_rounds = std::max(n_rounds, cells->rounds.size());
        const ElementMesh<dim> after(box.mapping, box.triangulation, box.periodic);
        Saltus::Vector<double> moved(Device::cpu(), after.n_elements(), u.n_modes(), 1);
        AdaptionTransfer<dim>(*cells, after, Device::cpu()).run(moved, u);
        EXPECT_NEAR(box.moment(after, moved), moment, 1e-13);
        n_at_boundary += box.n_small_at_boundary(1);
      }
    EXPECT_GT(n_at_boundary, 0U);
    testing::Test::RecordProperty("largest number of rounds", std::to_string(n_rounds));
  }

  /// Squares, of which the right half are moved to trapezoids, with a front to refine at.
  void
  check_weights()
  {
    parallel::distributed::Triangulation<2> triangulation(MPI_COMM_WORLD);
    dealii::GridGenerator::subdivided_hyper_rectangle(triangulation, {8, 1}, {0., 0.}, {8., 1.});
    GridTools::transform(
      [](const Point<2> &x) {
        return x[0] > 4.5 && x[1] > 0.5 ? Point<2>(x[0], x[1] + 0.05 * std::cos(3. * x[0])) : x;
      },
      triangulation);
    triangulation.refine_global(3);
    const MappingQ<2>    mapping(1);
    const ElementMesh<2> before(mapping, triangulation, {});
    DoFHandler<2>        dof_handler(triangulation);
    dof_handler.distribute_dofs(FE_HypercubeDG<2>(1));
    DoFHandler<2> of_nodes(triangulation);
    of_nodes.distribute_dofs(FE_DGQ<2>(1));
    HostVector values(of_nodes.locally_owned_dofs(), MPI_COMM_WORLD);
    HostVector u(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
    VectorTools::interpolate(mapping,
                             of_nodes,
                             ScalarFunctionFromFunctionObject<2>(
                               [](const Point<2> &x) { return std::tanh(20. * (x[0] - 2.)); }),
                             values);
    FETools::interpolate(of_nodes, values, dof_handler, u);
    AdaptionRules rules;
    rules.refined_share   = 0.1;
    rules.coarsened_share = 0.;
    rules.highest_level   = 4;
    ASSERT_TRUE(MeshAdaptor<2>(triangulation, mapping, rules)
                  .adapt(before, on_elements(before, dof_handler, u)));

    // As MeshAdaptor has them.
    const ElementMesh<2> after(mapping, triangulation, {});
    double               weight = 0.;
    for (unsigned int e = 0; e < after.n_elements(); ++e)
      weight += after.geometry.curved_map(e) ? 1.4 : 1.;
    const double all = Utilities::MPI::sum(weight, MPI_COMM_WORLD);
    EXPECT_NEAR(weight,
                all / Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD),
                4. * 1.4); // children stay together
  }
} // namespace

TEST(MeshAdaptor, CurvedCellsWeighMore)
{
  check_weights();
}

TEST(MeshAdaptor, PeriodicBoundaries)
{
  check_periodic<2>(3);
  check_periodic<3>(2);
}
