// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Pressures of a lower degree than the velocity: gradient, divergence and fields against those of
// equal degrees, and what they are for, an inf-sup constant that does not fall with the mesh width.
#include <deal.II/lac/lapack_full_matrix.h>

#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/flow/viscous_operator.h>
#include <saltus/operators/spaces/element_mass.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Velocities of a degree, pressures of it and of a lower one.
  template <int dim>
  struct TwoPressures
  {
    TwoPressures(const unsigned int degree, const unsigned int pressure_degree, const Device device)
      : setting(degree)
      , lower(setting.triangulation)
    {
      lower.distribute_dofs(FE_SimplexDGModal<dim>(pressure_degree));
      const auto conditions = all_flow_conditions<dim>()[0];
      const auto mesh       = setting.mesh();
      equal.reinit(mesh, setting.velocity, setting.pressure, conditions, device, {});
      mixed.reinit(mesh, setting.velocity, lower, conditions, device, {});
    }

    /// deal.II's vector of equal degree with the same function as one of the lower degree: the
    /// modes of the lower degree are the first.
    dealii::Vector<double>
    embedded(const dealii::Vector<double> &x) const
    {
      dealii::Vector<double> result(setting.pressure.n_dofs());
      for_pairs([&](const auto of_equal, const auto of_lower) { result(of_equal) = x(of_lower); });
      return result;
    }

    /// The reverse, an L2 projection.
    dealii::Vector<double>
    truncated(const dealii::Vector<double> &x) const
    {
      dealii::Vector<double> result(lower.n_dofs());
      for_pairs([&](const auto of_equal, const auto of_lower) { result(of_lower) = x(of_equal); });
      return result;
    }

    FlowSetting<dim>   setting;
    DoFHandler<dim>    lower;
    FlowOperators<dim> equal, mixed;

  private:
    template <typename Body>
    void
    for_pairs(const Body &body) const
    {
      std::map<std::pair<unsigned int, unsigned int>, types::global_dof_index> of_equal;
      for_entries(setting.pressure, [&](const auto i, const auto e, const auto m, const auto) {
        of_equal[{e, m}] = i;
      });
      for_entries(lower, [&](const auto i, const auto e, const auto m, const auto) {
        body(of_equal.at({e, m}), i);
      });
    }
  };

  void
  expect_equal(dealii::Vector<double> a, const dealii::Vector<double> &b)
  {
    ASSERT_EQ(a.size(), b.size());
    const double size = b.linfty_norm();
    a -= b;
    EXPECT_GT(size, 0.1);
    EXPECT_LT(a.linfty_norm(), 1e-13 * size);
  }

  class PressureDegreeTest : public OnDevice
  {
  protected:
    template <int dim>
    void
    compare(const unsigned int degree, const unsigned int pressure_degree) const
    {
      SCOPED_TRACE(std::to_string(dim) + "D, degrees " + std::to_string(degree) + ", " +
                   std::to_string(pressure_degree));
      const TwoPressures<dim> two(degree, pressure_degree, device());
      const auto             &velocities = two.equal.velocity_space();
      const auto &of_equal = two.equal.pressure_space(), &of_lower = two.mixed.pressure_space();
      const auto  p = random_vector(two.lower.n_dofs(), 1), more = random_vector(p.size(), 2);
      const auto  u     = copied(velocities, two.setting.random_velocity(3));
      const auto  apart = copied(velocities, two.setting.random_velocity(4));

      FlowUpdate<double> update;
      update.base       = {{{2., &apart}}};
      update.scale      = -0.7;
      update.times_mass = true;
      const auto gradient =
        [&](const FlowOperators<dim> &flow, const auto &space, const auto &x, const auto &y) {
          const auto a = copied(space, x), b = copied(space, y);
          auto       result = velocities.make_vector();
          flow.gradient(result, {{{1., &a}, {-3., &b}}}, 0.3, update);
          return to_dealii(velocities, result);
        };
      expect_equal(gradient(two.mixed, of_lower, p, more),
                   gradient(two.equal, of_equal, two.embedded(p), two.embedded(more)));

      for (const bool has_base : {true, false})
        {
          const auto divergence =
            [&](const FlowOperators<dim> &flow, const auto &space, const auto &x) {
              auto result = copied(space, x); // may be in the base
              update.base = has_base ? VectorSum<double>({{2., &result}}) : VectorSum<double>();
              flow.divergence(result, u, 0.3, update);
              return to_dealii(space, result);
            };
          expect_equal(divergence(two.mixed, of_lower, p),
                       two.truncated(divergence(two.equal, of_equal, two.embedded(p))));
        }
      compare_fields(two, u, p);
    }

    template <int dim>
    void
    compare_fields(const TwoPressures<dim>      &two,
                   const Saltus::Vector<double> &u,
                   const dealii::Vector<double> &p) const
    {
      DoFHandler<dim> of_fields(two.setting.triangulation);
      of_fields.distribute_dofs(
        FESystem<dim>(FE_SimplexDGModal<dim>(two.setting.velocity.get_fe().degree),
                      FlowFields<dim>::n_components));
      const FlowFields<dim> fields(two.equal.velocity_space().mesh, of_fields, device());
      const auto            evaluated = [&](const Saltus::Vector<double> &pressure) {
        auto result = fields.make_vector();
        fields.evaluate(result, u, pressure);
        return to_dealii(fields, result);
      };
      expect_equal(evaluated(copied(two.mixed.pressure_space(), p)),
                   evaluated(copied(two.equal.pressure_space(), two.embedded(p))));
    }

    /// \f$ \min_p \max_u \int p\, \nabla\cdot u / (|u|_A |p|) \f$ over pressures with the mean 0
    /// and velocities that vanish on the boundary of the unit square, with the norm of the viscous
    /// operator: the square root of the smallest eigenvalue but one, of the constants, of \f$
    /// M^{-1/2} B A^{-1} B^T M^{-1/2} \f$.
    double
    inf_sup_constant(const unsigned int degree,
                     const unsigned int pressure_degree,
                     const unsigned int n) const
    {
      FlowSetting<2> setting(degree, n);
      setting.pressure.distribute_dofs(FE_SimplexDGModal<2>(pressure_degree));
      FlowBoundaryConditions<2> conditions;
      for (const unsigned int side : {0, 1, 2, 3})
        conditions.set_no_slip(side);
      const auto       mesh = setting.mesh();
      FlowOperators<2> flow;
      flow.reinit(mesh, setting.velocity, setting.pressure, conditions, device(), {});
      ViscousOperator<2> viscous;
      viscous.reinit(mesh, degree, conditions, device(), {});
      const auto        &velocities = flow.velocity_space();
      const auto        &pressures  = flow.pressure_space();
      const unsigned int n_u        = setting.velocity.n_dofs();
      const unsigned int n_p        = setting.pressure.n_dofs();

      auto image = velocities.make_vector(), divergence = pressures.make_vector();
      // M^{-1/2} times the divergence in the mass inner product is M^{1/2} times the divergence.
      dealii::Vector<double> root(n_p);
      for (const auto &cell : setting.pressure.active_cell_iterators())
        {
          std::vector<types::global_dof_index> indices(setting.pressure.get_fe().n_dofs_per_cell());
          cell->get_dof_indices(indices);
          for (const auto i : indices)
            root(i) = std::sqrt(2. * cell->measure());
        }
      LAPACKFullMatrix<double> A(n_u), B_transposed(n_u, n_p);
      for (unsigned int j = 0; j < n_u; ++j)
        {
          dealii::Vector<double> unit(n_u);
          unit(j)      = 1.;
          const auto u = copied(velocities, unit);
          viscous.vmult(image, u);
          const auto column = to_dealii(velocities, image);
          for (unsigned int i = 0; i < n_u; ++i)
            A(i, j) = column(i);
          flow.divergence(divergence, u);
          const auto row = to_dealii(pressures, divergence);
          for (unsigned int i = 0; i < n_p; ++i)
            B_transposed(j, i) = root(i) * row(i);
        }
      LAPACKFullMatrix<double> solved = B_transposed, S(n_p);
      A.set_property(LAPACKSupport::symmetric);
      A.compute_cholesky_factorization();
      A.solve(solved);
      B_transposed.Tmmult(S, solved);
      S.set_property(LAPACKSupport::symmetric);
      dealii::Vector<double>     eigenvalues;
      dealii::FullMatrix<double> none;
      S.compute_eigenvalues_symmetric(-1., 1e3, 0., eigenvalues, none);
      EXPECT_NEAR(eigenvalues(0), 0., 1e-10);
      return std::sqrt(eigenvalues(1));
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(PressureDegreeTest)

TEST_P(PressureDegreeTest, SameOperators)
{
  compare<2>(2, 1);
  compare<2>(5, 4);
  compare<2>(4, 2);
  compare<3>(2, 1);
  compare<3>(3, 2);
}

TEST_P(PressureDegreeTest, InfSupConstants)
{
  for (unsigned int degree = 2; degree <= 3; ++degree)
    {
      const double coarse       = inf_sup_constant(degree, degree - 1, 2),
                   fine         = inf_sup_constant(degree, degree - 1, 4);
      const double equal_coarse = inf_sup_constant(degree, degree, 2),
                   equal_fine   = inf_sup_constant(degree, degree, 4);
      std::cout << "degree " << degree << ": " << coarse << ", " << fine
                << " on a mesh twice as fine; with equal degrees " << equal_coarse << ", "
                << equal_fine << std::endl;
      EXPECT_GT(fine, 0.95 * coarse);
      EXPECT_LT(equal_fine, 0.7 * equal_coarse);
    }
}

TEST_P(PressureDegreeTest, BadInputIsRefused)
{
  const TwoPressures<2> two(3, 2, device());
  auto                  divergence = two.mixed.pressure_space().make_vector(), sum = divergence;
  const auto            u = two.mixed.velocity_space().make_vector();
  FlowUpdate<double>    update;
  update.accumulator = &sum;
  EXPECT_MESSAGE(two.mixed.divergence(divergence, u, {}, update), "has no accumulator");
  auto       gradient = u;
  const auto higher   = two.equal.pressure_space().make_vector();
  EXPECT_MESSAGE(two.mixed.gradient(gradient, higher), "pressure gradient");
}
