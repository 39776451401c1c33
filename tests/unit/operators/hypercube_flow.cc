// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// First derivatives of incompressible flow on quadrilaterals and hexahedra against an assembly with
// deal.II, and their properties.
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/spaces/inverse_mass.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <tuple>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double some_time = 0.7;

  const FlowUpdate<double> as_form = {{}, 1., true};

  /// Of the quadrature of convection: that of its products.
  constexpr unsigned int no_degree = 0;

  class HypercubeFlow : public OnDevice
  {
  protected:
    template <int dim>
    FlowOperators<dim>
    make(const FlowHypercubes<dim>         &setting,
         const FlowBoundaryConditions<dim> &conditions,
         const unsigned int                 convection_degree = no_degree) const
    {
      FlowOperators<dim> flow;
      flow.reinit(setting.mesh(conditions.periodic()),
                  setting.velocity,
                  setting.pressure,
                  conditions,
                  device(),
                  {convection_degree, 0.4});
      return flow;
    }

    /// The forms of all operators at a random state; where elements are affine also the
    /// derivatives.
    template <int dim>
    void
    compare_with_assembly(const FlowHypercubes<dim> &setting,
                          const bool                 periodic          = false,
                          const unsigned int         convection_degree = no_degree) const
    {
      SCOPED_TRACE("degree " + std::to_string(setting.pressure.get_fe().degree));
      const auto u = setting.random_velocity(1), w = setting.random_velocity(2),
                 p = setting.random_pressure(3);
      for (const auto &conditions : all_flow_conditions<dim>(periodic))
        {
          const FlowAssembly<dim, FlowHypercubes<dim>> assembly(setting,
                                                                conditions,
                                                                {convection_degree, 0.4});
          const auto  flow     = make(setting, conditions, convection_degree);
          const auto &velocity = flow.velocity_space(), &pressure = flow.pressure_space();
          for (const FlowTerm term : all_flow_terms)
            for (const bool is_form : {true, false})
              {
                if (!is_form && velocity.geometry.has_curved_elements)
                  continue;
                SCOPED_TRACE(to_string(term) + (is_form ? ", form" : ""));
                const auto &from  = input(term, u, p);
                const auto &space = output(term, velocity, pressure);
                auto        dst   = space.make_vector();
                Tests::apply(flow,
                             term,
                             dst,
                             copied(input(term, velocity, pressure), from),
                             copied(velocity, w),
                             some_time,
                             is_form ? as_form : FlowUpdate<double>());
                EXPECT_LT(relative_difference(to_dealii(space, dst),
                                              assembly.apply(term, some_time, from, w, is_form)),
                          1e-11);
              }
        }
    }

    /// All that may become of a derivative, which is the inverse mass matrix times the form,
    /// against what vectors make of it.
    template <int dim>
    void
    compare_updates(const unsigned int degree,
                    const Cells        cells,
                    const unsigned int convection_degree = no_degree) const
    {
      const FlowHypercubes<dim> setting(degree, cells, 2);
      const auto  flow     = make(setting, all_flow_conditions<dim>()[0], convection_degree);
      const auto &velocity = flow.velocity_space(), &pressure = flow.pressure_space();
      const auto  u = setting.random_velocity(1), p = setting.random_pressure(2);
      const auto  w = copied(velocity, setting.random_velocity(3));
      for (const FlowTerm term : all_flow_terms)
        {
          SCOPED_TRACE(to_string(term));
          const auto &space = output(term, velocity, pressure);
          const auto  from  = copied(input(term, velocity, pressure), input(term, u, p));
          const auto  apply = [&](auto &dst, const FlowUpdate<double> &update) {
            Tests::apply(flow, term, dst, from, w, some_time, update);
          };
          // Gradients are velocities integrated by the rule of pressures.
          const auto form = [&]() {
            auto result = space.make_vector();
            apply(result, as_form);
            return result;
          }();
          const bool is_convective = term == FlowTerm::convection || term == FlowTerm::transport;
          const auto of_rule       = ElementSpace<dim, double>::shared(
            setting.mesh(),
            degree,
            space.n_components,
            is_convective ? (convection_degree > 0 ? convection_degree : 3 * degree) : 2 * degree,
            2 * degree,
            device(),
            StoredMetrics::for_curved_elements);
          auto derivative = form, base = form, times_mass = form;
          InverseMass<dim, double>(*of_rule).vmult(derivative, form);
          base *= 0.3;
          base.add(0.1, derivative);
          FlowUpdate<double> update{{{{2., &base}}}, 0.7, false, nullptr, 0.4, 0.6};
          auto               dst = form, s = base;
          apply(dst, update);
          auto expected = base;
          expected *= 2.;
          expected.add(0.6 * 0.7, derivative);
          EXPECT_LT(dst.max_difference(expected), 1e-12 * expected.linfty_norm());

          update.accumulator = &s;
          apply(dst, update);
          auto expected_s = base;
          expected_s *= 0.4;
          expected_s.add(0.7, derivative);
          expected = base;
          expected *= 2.;
          expected.add(0.6, expected_s);
          EXPECT_LT(dst.max_difference(expected), 1e-12 * expected.linfty_norm());
          EXPECT_LT(s.max_difference(expected_s), 1e-12 * expected_s.linfty_norm());

          // The matrix itself, from what a form is added to.
          FlowUpdate<double> of_sum{{expected}, 0., true};
          apply(times_mass, of_sum);
          s                 = base;
          update.times_mass = true;
          apply(dst, update);
          EXPECT_LT(dst.max_difference(times_mass), 1e-12 * times_mass.linfty_norm());
          if (dim == 3 && !is_convective)
            continue; // the points of the basis are not enough for the map
          const auto product = mass_times(setting.mapping,
                                          output(term, setting.velocity, setting.pressure),
                                          to_dealii(space, expected));
          EXPECT_LT(relative_difference(to_dealii(space, times_mass), product), 1e-11);
        }
    }

    /// The product with the mass matrix.
    template <int dim>
    static dealii::Vector<double>
    mass_times(const Mapping<dim>           &mapping,
               const DoFHandler<dim>        &dof_handler,
               const dealii::Vector<double> &u)
    {
      const FiniteElement<dim>            &fe = dof_handler.get_fe();
      FEValues<dim>                        values(mapping,
                           fe,
                           QGauss<dim>(2 * fe.degree + 1),
                           update_values | update_JxW_values);
      dealii::Vector<double>               result(u.size()), of_cell(fe.n_dofs_per_cell());
      std::vector<types::global_dof_index> indices(of_cell.size());
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          values.reinit(cell);
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            for (unsigned int j = 0; j < indices.size(); ++j)
              if (fe.system_to_component_index(i).first == fe.system_to_component_index(j).first)
                for (const unsigned int q : values.quadrature_point_indices())
                  result(indices[i]) += values.shape_value(i, q) * values.shape_value(j, q) *
                                        values.JxW(q) * u(indices[j]);
        }
      return result;
    }

    /// (u, grad p) = -(div u, p) without data.
    template <int dim>
    void
    compare_adjoints(const unsigned int degree, const Cells cells) const
    {
      const FlowHypercubes<dim> setting(degree, cells);
      const auto                flow = make(setting, all_flow_conditions<dim>()[0]);
      const auto                u    = copied(flow.velocity_space(), setting.random_velocity(1));
      const auto                p    = copied(flow.pressure_space(), setting.random_pressure(2));
      auto                      gradient = u, divergence = p;
      flow.gradient(gradient, p, {}, as_form);
      flow.divergence(divergence, u, {}, as_form);
      EXPECT_NEAR(u * gradient, -(divergence * p), 1e-12 * u.l2_norm() * gradient.l2_norm());
      EXPECT_GT(std::abs(u * gradient), 1e-6 * u.l2_norm() * gradient.l2_norm());
    }

    /// A uniform stream and a constant pressure have no derivatives.
    template <int dim>
    void
    check_uniform(const unsigned int degree, const Cells cells) const
    {
      const FlowHypercubes<dim> setting(degree, cells);
      const UniformStream<dim>  stream;
      stream.check_derivatives(make(setting, stream.conditions), 1e-10);
    }

    /// A pressure of a lower degree: its gradient is that of the same function, and the divergence
    /// that of the velocity's degree, projected.
    template <int dim>
    void
    compare_lower_pressure(const unsigned int degree, const Cells cells) const
    {
      const FlowHypercubes<dim> setting(degree, cells), lower(degree - 1, cells);
      const auto                conditions = all_flow_conditions<dim>()[0];
      const auto                flow       = make(setting, conditions);
      FlowOperators<dim>        of_lower;
      DoFHandler<dim>           pressure(setting.triangulation);
      pressure.distribute_dofs(FE_HypercubeDG<dim>(degree - 1));
      of_lower.reinit(
        setting.mesh(), setting.velocity, pressure, conditions, device(), {no_degree, 0.4});
      const auto p        = copied(of_lower.pressure_space(), lower.random_pressure(1));
      const auto u        = copied(flow.velocity_space(), setting.random_velocity(2));
      auto       gradient = u, of_embedded = u;
      of_lower.gradient(gradient, p, some_time, as_form);
      const auto embedded =
        embed(pressure, setting.pressure, to_dealii(of_lower.pressure_space(), p));
      flow.gradient(of_embedded, copied(flow.pressure_space(), embedded), some_time, as_form);
      EXPECT_LT(gradient.max_difference(of_embedded), 1e-12 * gradient.linfty_norm());

      auto divergence = p, of_higher = copied(flow.pressure_space(), embedded);
      of_lower.divergence(divergence, u, some_time, as_form);
      const double expected = [&]() {
        auto result = of_higher;
        flow.divergence(result, u, some_time, as_form);
        return result * of_higher;
      }();
      EXPECT_NEAR(divergence * p, expected, 1e-12 * divergence.l2_norm() * p.l2_norm());
    }

    template <int dim>
    static dealii::Vector<double>
    embed(const DoFHandler<dim> &from, const DoFHandler<dim> &to, const dealii::Vector<double> &u)
    {
      FullMatrix<double> matrix(to.get_fe().n_dofs_per_cell(), from.get_fe().n_dofs_per_cell());
      to.get_fe().get_interpolation_matrix(from.get_fe(), matrix);
      std::vector<dealii::Vector<double>> cells(from.get_triangulation().n_active_cells(),
                                                dealii::Vector<double>(matrix.n()));
      for_entries(from, [&](const auto i, const auto e, const auto m, const auto) {
        cells[e](m) = u(i);
      });
      dealii::Vector<double> result(to.n_dofs()), embedded(matrix.m());
      for_entries(to, [&](const auto i, const auto e, const auto m, const auto) {
        matrix.vmult(embedded, cells[e]);
        result(i) = embedded(m);
      });
      return result;
    }

    /// Energy, enstrophy and divergence against those of the function itself.
    template <int dim>
    void
    compare_integrals(const unsigned int degree, const Cells cells) const
    {
      const FlowHypercubes<dim> setting(degree, cells);
      const auto                u = setting.random_velocity(1);
      DoFHandler<dim>           of_fields(setting.triangulation);
      of_fields.distribute_dofs(
        FESystem<dim>(FE_HypercubeDG<dim>(degree), FlowFields<dim>::n_components));
      const FlowFields<dim> fields(setting.mesh(), of_fields, device());
      const auto            flow   = make(setting, all_flow_conditions<dim>()[0]);
      auto                  values = fields.make_vector();
      fields.evaluate(values,
                      copied(flow.velocity_space(), u),
                      copied(flow.pressure_space(), setting.random_pressure(2)));
      FEValues<dim>                    of_velocity(setting.mapping,
                                setting.velocity.get_fe(),
                                QGauss<dim>(degree + 1),
                                update_values | update_gradients | update_JxW_values);
      const FEValuesExtractors::Vector velocity(0);
      std::vector<Tensor<1, dim>>      u_here(of_velocity.n_quadrature_points);
      std::vector<Tensor<2, dim>>      slopes(u_here.size());
      double                           energy = 0., enstrophy = 0., divergence = 0.;
      for (const auto &cell : setting.velocity.active_cell_iterators())
        {
          of_velocity.reinit(cell);
          of_velocity[velocity].get_function_values(u, u_here);
          of_velocity[velocity].get_function_gradients(u, slopes);
          for (const unsigned int q : of_velocity.quadrature_point_indices())
            {
              const double w = of_velocity.JxW(q);
              energy += 0.5 * w * u_here[q].norm_square();
              divergence += w * std::pow(trace(slopes[q]), 2);
              for (unsigned int c = 0; c < dim; ++c)
                for (unsigned int d = 0; d < c; ++d)
                  enstrophy += 0.5 * w * std::pow(slopes[q][c][d] - slopes[q][d][c], 2);
            }
        }
      const FlowIntegrals integrals = fields.integrals(values);
      EXPECT_NEAR(integrals.kinetic_energy, energy, 1e-12 * energy);
      EXPECT_NEAR(integrals.enstrophy, enstrophy, 1e-11 * enstrophy);
      EXPECT_NEAR(integrals.divergence_norm, std::sqrt(divergence), 1e-11 * std::sqrt(divergence));
    }

    /// FlowOperators::convection_rate() on parallelepipeds.
    template <int dim>
    void
    compare_rates(const unsigned int degree) const
    {
      const FlowHypercubes<dim> setting(degree, Cells::parallelepipeds);
      const auto                flow     = make(setting, all_flow_conditions<dim>()[0]);
      const auto                u        = setting.random_velocity(1);
      const double              expected = assembled_rate(setting, u);
      EXPECT_NEAR(flow.convection_rate(copied(flow.velocity_space(), u)),
                  expected,
                  1e-12 * expected);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(HypercubeFlow)

TEST_P(HypercubeFlow, Quadrilaterals)
{
  for (unsigned int degree = 1; degree <= std::min(7U, max_assembled_degree<2>); ++degree)
    for (const Cells cells :
         {Cells::parallelepipeds, Cells::distorted, Cells::turned, Cells::refined})
      compare_with_assembly<2>({degree, cells}, cells == Cells::distorted && degree % 2 == 0);
}

TEST_P(HypercubeFlow, Hexahedra)
{
  for (unsigned int degree = 1; degree <= std::min(3U, max_assembled_degree<3>); ++degree)
    for (const Cells cells : {Cells::parallelepipeds, Cells::turned})
      compare_with_assembly<3>({degree, cells});
  for (const auto &[degree, cells, n] :
       {std::make_tuple(4U, Cells::turned, 2U), std::make_tuple(5U, Cells::distorted, 1U)})
    if (degree <= max_assembled_degree<3>)
      compare_with_assembly<3>({degree, cells, n});
  for (unsigned int degree = 1; degree <= 2; ++degree)
    compare_with_assembly<3>({degree, Cells::refined});
}

/// Other points than those of the degree: fewer than the basis has, as many, and many.
TEST_P(HypercubeFlow, AnotherQuadrature)
{
  for (const unsigned int convection_degree : {3, 6, 16})
    {
      compare_with_assembly<2>({3, Cells::turned}, false, convection_degree);
      compare_with_assembly<3>({2, Cells::turned, 1}, false, convection_degree);
    }
}

TEST_P(HypercubeFlow, Updates)
{
  for (const Cells cells : {Cells::parallelepipeds, Cells::turned, Cells::refined})
    {
      for (const unsigned int degree : {1, 4})
        compare_updates<2>(degree, cells);
      compare_updates<3>(2, cells);
    }
  compare_updates<2>(3, Cells::turned, 16);
}

TEST_P(HypercubeFlow, GradientIsAdjointOfDivergence)
{
  for (const Cells cells : {Cells::parallelepipeds, Cells::turned, Cells::refined})
    {
      compare_adjoints<2>(4, cells);
      compare_adjoints<3>(2, cells);
    }
}

TEST_P(HypercubeFlow, UniformStream)
{
  for (const Cells cells : {Cells::parallelepipeds, Cells::turned, Cells::refined})
    {
      check_uniform<2>(4, cells);
      check_uniform<3>(2, cells);
    }
}

TEST_P(HypercubeFlow, PressureOfLowerDegree)
{
  for (const Cells cells : {Cells::parallelepipeds, Cells::turned})
    {
      compare_lower_pressure<2>(3, cells);
      compare_lower_pressure<3>(2, cells);
    }
}

TEST_P(HypercubeFlow, Integrals)
{
  compare_integrals<2>(3, Cells::parallelepipeds);
  compare_integrals<3>(2, Cells::parallelepipeds);
}

TEST_P(HypercubeFlow, ConvectionRate)
{
  compare_rates<2>(3);
  compare_rates<3>(2);
}

TEST_P(HypercubeFlow, BadInputIsRefused)
{
  const FlowHypercubes<2> setting(2, Cells::distorted), of_degree_8(8, Cells::distorted);
  const auto              conditions = all_flow_conditions<2>()[0];
  EXPECT_MESSAGE(make(of_degree_8, conditions), "on quadrilaterals");
  FlowOperators<2> flow;
  EXPECT_MESSAGE(
    flow.reinit(setting.mesh(), setting.pressure, setting.velocity, conditions, device(), {}),
    "2 components of FE_HypercubeDG");
}
