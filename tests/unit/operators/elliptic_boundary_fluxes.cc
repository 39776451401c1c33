// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Fluxes through the boundary of elliptic problems: with the source, they are what the equations of
// all elements add up to.
#include <saltus/operators/elliptic/elliptic_boundary_fluxes.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/curved_box.h>
#include <helpers/elliptic_hypercubes.h>
#include <helpers/on_device.h>
#include <vector>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using EllipticBoundaryFluxes = OnDevice;

  /// All kinds of conditions, with data.
  template <int dim>
  EllipticBoundaryConditions<dim>
  conditions_with_data()
  {
    const auto data = [](const char *text) { return FieldFunction<dim>(Expression(dim, text, 1)); };
    EllipticBoundaryConditions<dim> conditions;
    conditions.set_dirichlet(0, data("1+x*y"));
    conditions.set_neumann(1, data("cos(3*y)"));
    conditions.set_robin(2, 1.5, data("x"));
    for (unsigned int id = 3; id < 2 * dim; ++id)
      conditions.set_dirichlet(id);
    return conditions;
  }

  template <int dim>
  void
  expect_balanced(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                  const DoFHandler<dim>                         &dof_handler,
                  const EllipticCoefficient<dim>                &diffusion,
                  const Device                                   device)
  {
    const auto                                    conditions = conditions_with_data<dim>();
    typename LaplaceOperator<dim>::AdditionalData data;
    data.diffusion = diffusion;
    LaplaceOperator<dim> A;
    A.reinit(mesh, dof_handler, conditions, device, data);
    Saltus::Vector<double> u, b, one;
    for (auto *vector : {&u, &b, &one})
      A.initialize_vector(*vector);
    A.copy_from(u, random_vector(dof_handler.n_dofs(), 3));
    A.right_hand_side(b, {});
    A.compute_residual(b, u, b);
    const std::vector<double> of_one =
      Basis<dim>(mesh->shape.reference_cell, A.degree()).constant(1.);
    std::vector<double> ones;
    for (unsigned int e = 0; e < A.element_space().n_elements(); ++e)
      ones.insert(ones.end(), of_one.begin(), of_one.end());
    one.set_entries(ones);

    double sum = 0., size = 0.;
    for (const auto &face : boundary_fluxes(A, conditions, diffusion, u, {0, 1, 2, 3, 4, 5}))
      for (const auto &point : face.points)
        {
          sum += point.weight * point.flux;
          size += point.weight * std::abs(point.flux);
        }
    EXPECT_GT(size, 0.1);
    EXPECT_NEAR(sum, -(one * b), 1e-11 * size) << dof_handler.get_fe().get_name();
  }

  template <int dim>
  void
  expect_balanced_on_all_meshes(const Device device)
  {
    const EllipticCoefficient<dim> varies(
      FieldFunction<dim>(Expression(dim,
                                    dim == 2 ? "2+x; 0.3; 1" : "2+x; 0.3; 0.1; 1; 0.2; 1.5",
                                    dim * (dim + 1) / 2)),
      Sampling::by_point);
    for (const auto &diffusion : {EllipticCoefficient<dim>(1.7), varies})
      for (unsigned int p = 1; p <= 5 - dim; ++p)
        {
          const EllipticSetting<dim> simplices(p);
          expect_balanced<dim>(simplices.mesh(), simplices.dof_handler, diffusion, device);
          const EllipticHypercubes<dim> hypercubes(p, dim == 2 ? Cells::refined : Cells::turned);
          expect_balanced<dim>(hypercubes.mesh(), hypercubes.dof_handler, diffusion, device);
          const CurvedBox<dim> curved(dim == 2 ? 4 : 2, bump_at_side<dim>(), 2);
          DoFHandler<dim>      of_curved(curved.triangulation);
          of_curved.distribute_dofs(FE_SimplexDGModal<dim>(p));
          expect_balanced<dim>(curved.mesh(), of_curved, diffusion, device);
        }
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(EllipticBoundaryFluxes)

TEST_P(EllipticBoundaryFluxes, BalanceIn2D)
{
  expect_balanced_on_all_meshes<2>(device());
}

TEST_P(EllipticBoundaryFluxes, BalanceIn3D)
{
  expect_balanced_on_all_meshes<3>(device());
}
