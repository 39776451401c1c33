// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The right-hand side on quadrilaterals and hexahedra against an assembly with deal.II, and its
// properties.
#include <deal.II/fe/fe_dgq.h>

#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include <helpers/assembly.h>
#include <helpers/hypercubes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  // With assertions and sanitizers the assembly of high degrees takes minutes.
#ifdef DEBUG
  template <int dim>
  constexpr unsigned int highest_degree = dim == 2 ? 3 : 1;
#else
  template <int dim>
  constexpr unsigned int highest_degree = 6;
#endif

  const std::vector<Cells> all_meshes = {Cells::parallelepipeds,
                                         Cells::distorted,
                                         Cells::turned,
                                         Cells::refined};

  template <int dim, typename Law>
  void
  compare(const std::vector<unsigned int> &degrees,
          const std::vector<Cells>        &meshes,
          const Device                     device,
          const Law                       &law = Law())
  {
    for (const Cells cells : meshes)
      for (const unsigned int degree : degrees)
        {
          if (degree > highest_degree<dim>)
            continue;
          SCOPED_TRACE("mesh " + std::to_string(static_cast<int>(cells)));
          const unsigned int n = cells == Cells::refined || degree > 2 ? 2 : 3;
          // The assembly finds points in trilinear cells by iterations, up to 1e-12 of their size.
          const double distortion = dim == 3 && degree > 3 ? 0. : 0.2;
          compare_with_assembly(HypercubeSetting<dim, Law>(degree, cells, law, n, distortion),
                                device);
        }
  }
} // namespace

using HypercubeLawTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(HypercubeLawTest)

TEST_P(HypercubeLawTest, EulerQuadrilaterals)
{
  compare<2, Euler<2>>({0, 1, 2, 3, 4, 5, 6}, {Cells::parallelepipeds, Cells::turned}, device());
  compare<2, Euler<2>>({0, 1, 2, 3}, {Cells::distorted, Cells::refined}, device());
}

TEST_P(HypercubeLawTest, EulerHexahedra)
{
  compare<3, Euler<3>>({0, 1, 2}, all_meshes, device());
  compare<3, Euler<3>>({3, 4, 5}, {Cells::turned}, device());
}

namespace
{
  /// On straight and distorted cells; hexahedra are turned against each other, so that parts of
  /// larger faces lie in all ways on them. Quadrilaterals are not: deal.II 9.4 does not find parts
  /// of lines then.
  template <int dim>
  void
  compare_hanging(const unsigned int degree, const double distortion, const Device device)
  {
    if (degree <= highest_degree<dim>)
      compare_with_assembly(HypercubeSetting<dim, Euler<dim>>(degree,
                                                              dim == 2 ? Cells::refined
                                                                       : Cells::turned_and_refined,
                                                              Euler<dim>(),
                                                              2,
                                                              distortion),
                            device);
  }
} // namespace

TEST_P(HypercubeLawTest, HangingFaces)
{
  for (const double distortion : {0., 0.2})
    {
      for (const unsigned int degree : {1, 2, 3, 4})
        compare_hanging<2>(degree, distortion, device());
      compare_hanging<3>(1, distortion, device());
    }
  for (const unsigned int degree : {2, 3})
    compare_hanging<3>(degree, 0., device());
}

TEST_P(HypercubeLawTest, NumericalFluxes)
{
  for (const auto solver : {RiemannSolver::lax_friedrichs, RiemannSolver::hybrid})
    {
      compare<2, Euler<2>>({2}, {Cells::turned}, device(), euler<2>(solver));
      compare<3, Euler<3>>({1}, {Cells::turned}, device(), euler<3>(solver));
    }
}

TEST_P(HypercubeLawTest, Advection)
{
  compare<2, Advection<2>>({0, 1, 3}, all_meshes, device());
  compare<3, Advection<3>>({1, 2}, all_meshes, device());
}

namespace
{
  template <int dim, typename Law>
  dealii::Vector<double>
  constant_state_on(const DoFHandler<dim> &dof_handler)
  {
    return random_state<dim, Law>(dof_handler, 0.);
  }

  /// The state that the boundary data have, too, stays as it is.
  template <int dim>
  void
  keep_free_stream(const unsigned int max_degree, const Device device)
  {
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_far_field(id, constant_data<dim, Euler<dim>>());
    for (const Cells cells : all_meshes)
      for (unsigned int degree = 0; degree <= max_degree; ++degree)
        {
          const HypercubeSetting<dim, Euler<dim>> setting(degree, cells);
          const auto                              r = residual<dim, Euler<dim>, double>(
            setting, conditions, constant_state_on<dim, Euler<dim>>(setting.dof_handler), device);
          EXPECT_LT(r.linfty_norm(), 1e-11) << "degree " << degree;
        }
  }

  /// Between walls mass and energy remain.
  template <int dim>
  void
  conserve(const unsigned int max_degree, const Device device)
  {
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_wall(id);
    for (const Cells cells : {Cells::turned, Cells::refined})
      for (unsigned int degree = 0; degree <= max_degree; ++degree)
        {
          const HypercubeSetting<dim, Euler<dim>>  setting(degree, cells);
          ConservationLawOperator<dim, Euler<dim>> op;
          op.reinit(setting.mesh(), setting.dof_handler, setting.law, conditions, device, {});
          auto      u = copied(op, setting.random_state(0.05)), r = zeros(op);
          TimeClock clock = op.make_clock();
          op.apply(clock, u, r);
          const auto change = op.integrals(r), norms = op.statistics(r).norms;
          for (const int c : {0, dim + 1})
            EXPECT_NEAR(change[c], 0., 1e-13 * norms[c]) << "degree " << degree;
        }
  }
} // namespace

TEST_P(HypercubeLawTest, FreeStream)
{
  keep_free_stream<2>(4, device());
  keep_free_stream<3>(3, device());
}

TEST_P(HypercubeLawTest, Conservation)
{
  conserve<2>(4, device());
  conserve<3>(2, device());
}

TEST(HypercubeLawOnCpu, MessagesNameWhatIsMissing)
{
  const HypercubeSetting<2, Advection<2>>  setting(1, Cells::distorted);
  ConservationLawOperator<2, Advection<2>> op;
  const auto reinit = [&](const DoFHandler<2> &dof_handler, const unsigned int increase) {
    typename ConservationLawOperator<2, Advection<2>>::AdditionalData data;
    data.fields              = fields<2, Advection<2>>();
    data.quadrature_increase = increase;
    op.reinit(setting.mesh(),
              dof_handler,
              setting.law,
              all_conditions<2, Advection<2>>(),
              Device::cpu(),
              data);
  };
  EXPECT_MESSAGE(reinit(setting.dof_handler, 2), "Quadrature increase");
  DoFHandler<2> of_another_element(setting.triangulation);
  of_another_element.distribute_dofs(FE_DGQ<2>(1));
  EXPECT_MESSAGE(reinit(of_another_element, 0), "FE_HypercubeDG");
}
