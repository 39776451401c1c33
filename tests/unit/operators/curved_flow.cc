// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Operators of incompressible flow on curved elements, beside affine ones: against an assembly with
// deal.II, and their properties.
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/flow/flow_quadrature.h>

#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double some_time = 0.7;

  const FlowUpdate<double> as_form = {{}, 1., true};

  /// Products with the mass matrix and with its weight-adjusted inverse, by FEValues.
  template <int dim>
  class Mass
  {
  public:
    Mass(const CurvedFlowSetting<dim> &setting, const unsigned int quadrature_degree)
      : setting(setting)
      , fe(setting.pressure.get_fe())
      , values(setting.mapping,
               fe,
               simplex_quadrature<dim>(quadrature_degree),
               update_values | update_jacobians)
      , weights(values.get_quadrature().get_weights())
    {}

    dealii::Vector<double>
    vmult(const DoFHandler<dim> &dof_handler, const dealii::Vector<double> &u)
    {
      return multiply(dof_handler, u, [&]() { return determinants(); });
    }

    dealii::Vector<double>
    inverse(const DoFHandler<dim> &dof_handler, const dealii::Vector<double> &u)
    {
      return multiply(dof_handler, u, [&]() {
        const auto          J = determinants();
        std::vector<double> result(J.size());
        for (unsigned int m = 0; m < fe.n_dofs_per_cell(); ++m)
          {
            double moment = 0.;
            for (unsigned int q = 0; q < J.size(); ++q)
              moment += weights[q] * values.shape_value(m, q) * J[q];
            for (unsigned int q = 0; q < J.size(); ++q)
              result[q] += moment * values.shape_value(m, q);
          }
        for (double &value : result)
          value = 1. / value;
        return result;
      });
    }

  private:
    std::vector<double>
    determinants() const
    {
      std::vector<double> result;
      for (const unsigned int q : values.quadrature_point_indices())
        result.push_back(std::abs(determinant(Tensor<2, dim>(values.jacobian(q)))));
      return result;
    }

    /// At the points of each cell times @p factors.
    template <typename Factors>
    dealii::Vector<double>
    multiply(const DoFHandler<dim>        &dof_handler,
             const dealii::Vector<double> &u,
             const Factors                &factors)
    {
      const unsigned int n = fe.n_dofs_per_cell();
      using Modes          = std::vector<std::vector<Tensor<1, dim>>>;
      Modes modes(setting.triangulation.n_active_cells(), std::vector<Tensor<1, dim>>(n)),
        products = modes;
      for_entries(dof_handler, [&](const auto i, const auto e, const auto m, const auto c) {
        modes[e][m][c] = u(i);
      });
      for (const auto &cell : setting.triangulation.active_cell_iterators())
        {
          const unsigned int e = cell->active_cell_index();
          values.reinit(cell);
          const auto at_points = factors();
          for (const unsigned int q : values.quadrature_point_indices())
            {
              Tensor<1, dim> value;
              for (unsigned int m = 0; m < n; ++m)
                value += values.shape_value(m, q) * modes[e][m];
              for (unsigned int m = 0; m < n; ++m)
                products[e][m] += weights[q] * at_points[q] * values.shape_value(m, q) * value;
            }
        }
      dealii::Vector<double> result(u.size());
      for_entries(dof_handler, [&](const auto i, const auto e, const auto m, const auto c) {
        result(i) = products[e][m][c];
      });
      return result;
    }

    const CurvedFlowSetting<dim> &setting;
    const FiniteElement<dim>     &fe;
    FEValues<dim>                 values;
    const std::vector<double>     weights;
  };

  class CurvedFlow : public OnDevice
  {
  protected:
    template <int dim>
    FlowOperators<dim>
    make(const CurvedFlowSetting<dim>      &setting,
         const FlowBoundaryConditions<dim> &conditions,
         const unsigned int                 matching_rounds = max_matching_rounds) const
    {
      FlowOperators<dim> flow;
      flow.reinit(setting.mesh(conditions.periodic(), matching_rounds),
                  setting.velocity,
                  setting.pressure,
                  conditions,
                  device(),
                  {0, 0.4});
      EXPECT_TRUE(flow.velocity_space().geometry.has_curved_elements);
      return flow;
    }

    /// The forms of all operators at a random state.
    template <int dim>
    void
    compare_with_assembly(const unsigned int degree) const
    {
      const CurvedFlowSetting<dim> setting(degree);
      const auto                   u = setting.random_velocity(1), w = setting.random_velocity(2),
                 p = setting.random_pressure(3);
      for (unsigned int first_kind = 0; first_kind < 4; ++first_kind)
        {
          const auto conditions = all_flow_conditions<dim>(false, first_kind)[0];
          const FlowAssembly<dim, CurvedFlowSetting<dim>> assembly(
            setting, conditions, {0, 0.4}, linear_degree(*setting.mesh(), degree));
          for (const FlowTerm term : all_flow_terms)
            {
              SCOPED_TRACE(to_string(term) + ", degree " + std::to_string(degree));
              const auto &from     = input(term, u, p);
              const auto  expected = assembly.apply(term, some_time, from, w, true);
              for (const unsigned int rounds : {max_matching_rounds, 0u})
                {
                  const auto  flow     = make(setting, conditions, rounds);
                  const auto &velocity = flow.velocity_space(), &pressure = flow.pressure_space();
                  const auto &space = output(term, velocity, pressure);
                  auto        dst   = space.make_vector();
                  Tests::apply(flow,
                               term,
                               dst,
                               copied(input(term, velocity, pressure), from),
                               copied(velocity, w),
                               some_time,
                               as_form);
                  EXPECT_LT(relative_difference(to_dealii(space, dst), expected), 1e-11);
                }
            }
        }
    }

    /// What is made of the form.
    template <int dim>
    void
    compare_updates(const unsigned int degree) const
    {
      const CurvedFlowSetting<dim> setting(degree);
      const auto                   flow  = make(setting, all_flow_conditions<dim>()[0]);
      const auto                  &space = flow.velocity_space();
      Mass<dim>                    mass(setting, linear_degree(*setting.mesh(), degree));
      const auto                   p = copied(flow.pressure_space(), setting.random_pressure(1));
      const auto random = setting.random_velocity(2), before = setting.random_velocity(3);
      auto       dst = space.make_vector(), s = copied(space, before);
      const auto base = copied(space, random);
      flow.gradient(dst, p, some_time, as_form);
      const auto form       = to_dealii(space, dst);
      const auto derivative = mass.inverse(setting.velocity, form);

      flow.gradient(dst, p, some_time);
      EXPECT_LT(relative_difference(to_dealii(space, dst), derivative), 1e-11);

      flow.gradient(dst, p, some_time, {base, -2., true, nullptr, 0., 0.5});
      auto expected = mass.vmult(setting.velocity, random);
      expected.add(-1., form);
      EXPECT_LT(relative_difference(to_dealii(space, dst), expected), 1e-11);

      flow.gradient(dst, p, some_time, {base, -2., true, &s, 0.3, 0.5});
      auto accumulated = before;
      accumulated *= 0.3;
      accumulated.add(-2., derivative);
      EXPECT_LT(relative_difference(to_dealii(space, s), accumulated), 1e-11);
      accumulated.sadd(0.5, 1., random);
      EXPECT_LT(relative_difference(to_dealii(space, dst),
                                    mass.vmult(setting.velocity, accumulated)),
                1e-11);
    }

    /// (u, grad p) = -(div u, p) without data.
    template <int dim>
    void
    compare_adjoints(const unsigned int degree, const unsigned int map_degree) const
    {
      const CurvedFlowSetting<dim> setting(degree, map_degree);
      const auto                   flow = make(setting, all_flow_conditions<dim>()[0]);
      const auto                   u    = copied(flow.velocity_space(), setting.random_velocity(1));
      const auto                   p    = copied(flow.pressure_space(), setting.random_pressure(2));
      auto                         gradient = u, divergence = p;
      flow.gradient(gradient, p, {}, as_form);
      flow.divergence(divergence, u, {}, as_form);
      EXPECT_NEAR(u * gradient, -(divergence * p), 1e-12 * u.l2_norm() * gradient.l2_norm());
    }

    /// What check_uniform()'s stream lets out at side 1.
    template <int dim>
    double
    flux_through_side(const CurvedFlowSetting<dim> &setting) const
    {
      // The map is one of degree 2, whatever the elements'.
      FEFaceValues<dim> values(setting.mapping,
                               setting.pressure.get_fe(),
                               simplex_quadrature<dim - 1>(4),
                               update_JxW_values | update_normal_vectors);
      double            flux = 0.;
      for (const auto &cell : setting.triangulation.active_cell_iterators())
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f) && cell->face(f)->boundary_id() == 1)
            {
              values.reinit(cell, f);
              for (const unsigned int q : values.quadrature_point_indices())
                {
                  const Tensor<1, dim> n = values.normal_vector(q);
                  flux += values.JxW(q) * (n[0] + 2. * n[1] - (dim == 3 ? n[dim - 1] : 0.));
                }
            }
      return flux;
    }

    /// A uniform stream and a constant pressure have no derivatives.
    template <int dim>
    void
    check_uniform(const unsigned int degree, const unsigned int map_degree) const
    {
      const CurvedFlowSetting<dim> setting(degree, map_degree);
      const UniformStream<dim>     stream;
      const auto                   flow = make(setting, stream.conditions);
      const auto                   u =
        stream.check_derivatives(flow, 1e-11 / setting.triangulation.begin()->diameter());
      const auto rates = flow.outflow_rates(u);
      EXPECT_NEAR(rates.out - rates.in, flux_through_side(setting), 1e-12);
    }

    /// A pressure of a lower degree: the form is tested with its functions, the derivative is a
    /// projection.
    template <int dim>
    void
    compare_lower_pressure(const unsigned int degree) const
    {
      const CurvedFlowSetting<dim> setting(degree), lower(degree - 1);
      FlowOperators<dim>           flow;
      const auto                   conditions = all_flow_conditions<dim>()[0];
      const auto                   mesh       = setting.mesh();
      flow.reinit(mesh, setting.velocity, setting.pressure, conditions, device(), {});
      const auto u    = copied(flow.velocity_space(), setting.random_velocity(1));
      auto       form = flow.pressure_space().make_vector();
      flow.divergence(form, u, some_time, as_form);
      const auto all = to_dealii(flow.pressure_space(), form);

      DoFHandler<dim> pressure(setting.triangulation);
      pressure.distribute_dofs(FE_SimplexDGModal<dim>(degree - 1));
      flow.reinit(mesh, setting.velocity, pressure, conditions, device(), {});
      std::vector<std::vector<double>> modes(setting.triangulation.n_active_cells(),
                                             std::vector<double>(
                                               setting.pressure.get_fe().n_dofs_per_cell()));
      for_entries(setting.pressure, [&](const auto i, const auto e, const auto m, const auto) {
        modes[e][m] = all(i);
      });
      dealii::Vector<double> expected(pressure.n_dofs());
      for_entries(pressure, [&](const auto i, const auto e, const auto m, const auto) {
        expected(i) = modes[e][m];
      });
      const auto &space = flow.pressure_space();
      auto        dst   = space.make_vector();
      flow.divergence(dst, u, some_time, as_form);
      EXPECT_LT(relative_difference(to_dealii(space, dst), expected), 1e-12);

      const auto base = copied(space, lower.random_pressure(4));
      flow.divergence(dst, u, some_time, {base, 0.7, false, nullptr, 0., 2.});
      Mass<dim> mass(lower, linear_degree(*mesh, degree));
      auto      derivative = mass.inverse(pressure, expected);
      derivative.sadd(1.4, 1., lower.random_pressure(4));
      EXPECT_LT(relative_difference(to_dealii(space, dst), derivative), 1e-11);
    }

    /// Energy, enstrophy and divergence against integrals with deal.II of the fields.
    template <int dim>
    void
    compare_integrals(const unsigned int degree) const
    {
      const CurvedFlowSetting<dim> setting(degree);
      const auto                   flow = make(setting, all_flow_conditions<dim>()[0]);
      const auto                   u    = setting.random_velocity(1);
      DoFHandler<dim>              of_fields(setting.triangulation);
      of_fields.distribute_dofs(
        FESystem<dim>(FE_SimplexDGModal<dim>(degree), FlowFields<dim>::n_components));
      const FlowFields<dim> fields(setting.mesh(), of_fields, device());
      auto                  values = fields.make_vector();
      fields.evaluate(values,
                      copied(flow.velocity_space(), u),
                      copied(flow.pressure_space(), setting.random_pressure(2)));
      dealii::Vector<double> on_host;
      fields.copy_to(on_host, values);

      // Gradients are projected by the first rule, integrals are computed by the second.
      for (const unsigned int rule : {2 * degree, 2 * degree + 4})
        {
          FEValues<dim> of_velocity(setting.mapping,
                                    setting.velocity.get_fe(),
                                    simplex_quadrature<dim>(rule),
                                    update_values | update_gradients | update_JxW_values),
            of_all(setting.mapping,
                   of_fields.get_fe(),
                   simplex_quadrature<dim>(rule),
                   update_values);
          const FEValuesExtractors::Vector    velocity(0);
          std::vector<Tensor<1, dim>>         u_here(of_velocity.n_quadrature_points);
          std::vector<Tensor<2, dim>>         slopes(u_here.size());
          std::vector<dealii::Vector<double>> all(
            u_here.size(), dealii::Vector<double>(FlowFields<dim>::n_components));
          const std::vector<double> &weights = of_all.get_quadrature().get_weights();
          double energy = 0., enstrophy = 0., divergence = 0., mismatch = 0., square = 0.;
          auto   cell_of_fields = of_fields.begin_active();
          for (const auto &cell : setting.velocity.active_cell_iterators())
            {
              of_velocity.reinit(cell);
              of_all.reinit(cell_of_fields++);
              of_velocity[velocity].get_function_values(u, u_here);
              of_velocity[velocity].get_function_gradients(u, slopes);
              of_all.get_function_values(on_host, all);
              // Gradients are projections on the reference cell.
              const auto &fe = setting.pressure.get_fe();
              for (unsigned int m = 0; m < fe.n_dofs_per_cell(); ++m)
                for (unsigned int c = 0; c < dim; ++c)
                  for (unsigned int d = 0; d < dim; ++d)
                    {
                      double moment = 0., size = 0.;
                      for (const unsigned int q : of_velocity.quadrature_point_indices())
                        {
                          const double phi =
                            fe.shape_value(m, of_all.get_quadrature().point(q)) * weights[q];
                          moment += phi * (all[q](dim + 1 + c * dim + d) - slopes[q][c][d]);
                          size += phi * slopes[q][c][d];
                        }
                      mismatch += moment * moment;
                      square += size * size;
                    }
              for (const unsigned int q : of_velocity.quadrature_point_indices())
                {
                  const double w = of_velocity.JxW(q);
                  energy += 0.5 * w * u_here[q].norm_square();
                  const auto slope = [&](const unsigned int c, const unsigned int d) {
                    return all[q](dim + 1 + c * dim + d);
                  };
                  double trace = 0.;
                  for (unsigned int c = 0; c < dim; ++c)
                    {
                      trace += slope(c, c);
                      for (unsigned int d = 0; d < c; ++d)
                        enstrophy += 0.5 * w * std::pow(slope(c, d) - slope(d, c), 2);
                    }
                  divergence += w * trace * trace;
                }
            }
          if (rule == 2 * degree)
            {
              EXPECT_LT(mismatch, 1e-22 * square);
              continue;
            }
          const FlowIntegrals integrals = fields.integrals(values);
          EXPECT_NEAR(integrals.kinetic_energy, energy, 1e-12 * energy);
          EXPECT_NEAR(integrals.enstrophy, enstrophy, 1e-11 * enstrophy);
          EXPECT_NEAR(integrals.divergence_norm,
                      std::sqrt(divergence),
                      1e-11 * std::sqrt(divergence));
        }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(CurvedFlow)

TEST_P(CurvedFlow, Triangles)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    compare_with_assembly<2>(degree);
}

TEST_P(CurvedFlow, Tetrahedra)
{
  for (unsigned int degree = 1; degree <= 2; ++degree)
    compare_with_assembly<3>(degree);
}

TEST_P(CurvedFlow, Updates)
{
  compare_updates<2>(3);
  compare_updates<3>(2);
}

TEST_P(CurvedFlow, Adjoints)
{
  compare_adjoints<2>(2, 3);
  compare_adjoints<2>(4, 4);
  compare_adjoints<3>(2, 2);
  compare_adjoints<3>(3, 3);
}

TEST_P(CurvedFlow, UniformStream)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    check_uniform<2>(degree, degree + 1);
  for (unsigned int degree = 1; degree <= 3; ++degree)
    check_uniform<3>(degree, std::max(2U, degree));
}

TEST_P(CurvedFlow, PressureOfLowerDegree)
{
  compare_lower_pressure<2>(3);
  compare_lower_pressure<3>(2);
}

TEST_P(CurvedFlow, Integrals)
{
  compare_integrals<2>(3);
  compare_integrals<3>(2);
}
