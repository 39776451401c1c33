// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The viscous operator against an assembly with deal.II, component by component: on a box a slip
// wall is a Dirichlet condition for one of them and a Neumann condition for the others.
#include <deal.II/grid/grid_tools.h>
#include <deal.II/numerics/vector_tools.h>

#include <saltus/operators/flow/flow_quadrature.h>
#include <saltus/operators/flow/viscous_operator.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/flow_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double reaction = 0.6;

  /// Call @p body(degree of freedom of the velocity, of a component) for those of component c.
  template <typename Setting, typename Body>
  void
  for_component(const Setting &setting, const unsigned int c, const Body &body)
  {
    constexpr int                        dim = Setting::dimension;
    const auto                          &fe  = setting.velocity.get_fe();
    std::vector<types::global_dof_index> all(fe.n_dofs_per_cell()), scalar(all.size() / dim);
    for (const auto &cell : setting.velocity.active_cell_iterators())
      {
        cell->get_dof_indices(all);
        typename DoFHandler<dim>::active_cell_iterator(&setting.triangulation,
                                                       cell->level(),
                                                       cell->index(),
                                                       &setting.pressure)
          ->get_dof_indices(scalar);
        for (unsigned int i = 0; i < all.size(); ++i)
          if (const auto [component, m] = fe.system_to_component_index(i); component == c)
            body(all[i], scalar[m]);
      }
  }

  template <int dim>
  EllipticBoundaryConditions<dim>
  conditions_of_component(const FlowBoundaryConditions<dim> &conditions, const unsigned int c)
  {
    EllipticBoundaryConditions<dim> result;
    for (const auto &[id, condition] : conditions.conditions())
      if (condition.kind == FlowBoundary::velocity ||
          (condition.kind == FlowBoundary::slip && id / 2 == c))
        result.set_dirichlet(id);
      else
        result.set_neumann(id);
    for (const PeriodicBoundary &pair : conditions.periodic())
      result.set_periodic(pair.first, pair.second);
    return result;
  }

  /// @param vmult `(c, part)`: the product with component c of u
  template <typename Setting, typename Product>
  dealii::Vector<double>
  by_component(const Setting &setting, const dealii::Vector<double> &u, const Product &vmult)
  {
    dealii::Vector<double> result(u.size()), part(setting.pressure.n_dofs());
    for (unsigned int c = 0; c < Setting::dimension; ++c)
      {
        for_component(setting, c, [&](const auto all, const auto scalar) {
          part(scalar) = u(all);
        });
        part = vmult(c, part);
        for_component(setting, c, [&](const auto all, const auto scalar) {
          result(all) = part(scalar);
        });
      }
    return result;
  }

  template <int dim>
  dealii::Vector<double>
  assembled_product(const FlowSetting<dim>            &flow,
                    const unsigned int                 degree,
                    const FlowBoundaryConditions<dim> &conditions,
                    const dealii::Vector<double>      &u)
  {
    const EllipticSetting<dim>      setting(degree); // the same mesh
    const EllipticCoefficients<dim> coefficients{"constants",
                                                 [](const Point<dim> &) {
                                                   return unit_symmetric_tensor<dim>();
                                                 },
                                                 [](const Point<dim> &) { return reaction; }};
    const EllipticAssembly<dim>     assembly(setting, coefficients);
    return by_component(flow, u, [&](const unsigned int c, const dealii::Vector<double> &part) {
      return assembly.vmult(conditions_of_component(conditions, c), part);
    });
  }

  /// With a parameter that users change as they like.
  struct Shear : public Function<2>
  {
    Shear()
      : Function<2>(2)
    {}

    double
    value(const Point<2> &p, const unsigned int c) const override
    {
      return c == 0 ? factor * (1. + get_time()) * p[1] : 0.;
    }

    double factor = 1.;
  };

  class ViscousTest : public OnDevice
  {
  protected:
    template <int dim>
    struct Operator : public VelocityOperator<dim, ViscousOperator<dim>>
    {
      /// @param of_mesh see Box::mesh()
      template <typename Setting, typename... OfMesh>
      Operator(const Setting                     &setting,
               const FlowBoundaryConditions<dim> &conditions,
               const Device                       device,
               const OfMesh &...of_mesh)
        : VelocityOperator<dim, ViscousOperator<dim>>(setting.mesh(conditions.periodic(),
                                                                   of_mesh...),
                                                      setting.velocity,
                                                      device)
      {
        this->A.reinit(this->mesh, this->degree, conditions, device, {reaction, penalty_factor});
      }
    };

    template <int dim>
    void
    compare_with_assembly(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          const FlowSetting<dim> setting(degree);
          for (const auto &conditions : all_flow_conditions<dim>(degree % 2 == 0))
            {
              SCOPED_TRACE("degree " + std::to_string(degree));
              const auto u        = setting.random_velocity(1);
              const auto expected = assembled_product(setting, degree, conditions, u);
              EXPECT_LT(relative_difference(Operator<dim>(setting, conditions, device()).vmult(u),
                                            expected),
                        1e-11);
              EXPECT_LT(relative_difference(
                          Operator<dim>(setting, conditions, device(), 0).vmult(u), expected),
                        1e-11);
            }
        }
    }

    /// With LaplaceOperator, which has an assembly of its own there, for each component.
    template <int dim>
    void
    compare_hypercubes(const FlowHypercubes<dim> &setting, const bool periodic = false) const
    {
      SCOPED_TRACE("degree " + std::to_string(setting.pressure.get_fe().degree));
      const auto u = setting.random_velocity(1);
      for (const auto &conditions : all_flow_conditions<dim>(periodic))
        {
          const Operator<dim> op(setting, conditions, device());
          const auto          expected =
            by_component(setting, u, [&](const unsigned int c, const dealii::Vector<double> &part) {
              LaplaceOperator<dim> A;
              A.reinit(op.mesh,
                       setting.pressure,
                       conditions_of_component(conditions, c),
                       device(),
                       {1., reaction, penalty_factor});
              return vmult(A, part);
            });
          EXPECT_LT(relative_difference(op.vmult(u), expected), 1e-12);
        }
    }

    /// Elements that are declared another kind, and served by the general kernels, change nothing.
    template <int dim>
    void
    compare_kinds(const unsigned int degree) const
    {
      const FlowSetting<dim> setting(degree, dim == 2 ? 8 : 4, Vertices::shuffled);
      const auto             u       = setting.random_velocity(1);
      const auto             results = [&](const Operator<dim> &op) {
        Saltus::Vector<double> data;
        op.A.initialize_vector(data);
        op.A.add_boundary_data(data, 0.5);
        return std::make_pair(op.vmult(u), to_dealii(op.space, data));
      };
      for (const auto &conditions : all_flow_conditions<dim>(dim == 3))
        {
          const auto [product, data] = results(Operator<dim>(setting, conditions, device()));
          for (const auto kinds : {some_are_stored<dim>, all_are_stored<dim>})
            for (const unsigned int rounds : {max_matching_rounds, 0u})
              {
                const auto of_kinds =
                  results(Operator<dim>(setting, conditions, device(), rounds, kinds));
                EXPECT_LT(relative_difference(of_kinds.first, product), 1e-12);
                EXPECT_LT(relative_difference(of_kinds.second, data), 1e-12);
              }
        }
    }

    /// A curved wall along which the fluid glides adds, to the operator with a free boundary there,
    /// a Dirichlet condition for the normal component: by FEFaceValues, with the penalties of
    /// Laplace's operator.
    template <int dim>
    void
    compare_curved_wall(const unsigned int degree) const
    {
      const CurvedFlowSetting<dim> setting(degree);
      const auto                   product = [&](const bool slips) {
        FlowBoundaryConditions<dim> conditions;
        for (unsigned int id = 0; id < 2 * dim; ++id)
          if (id != 1)
            conditions.set_no_slip(id);
          else if (slips)
            conditions.set_slip(id);
          else
            conditions.set_outflow(id);
        return Operator<dim>(setting, conditions, device()).vmult(setting.random_velocity(1));
      };
      auto of_wall = product(true);
      of_wall -= product(false);
      EXPECT_LT(relative_difference(of_wall, wall_terms(setting, setting.random_velocity(1))),
                1e-11);
    }

    /// The penalty at side 1, by cell: what a Dirichlet condition adds to the moment of 1 with 1.
    template <int dim>
    std::vector<double>
    penalties(const CurvedFlowSetting<dim> &setting) const
    {
      const auto of_one = [&](const bool dirichlet) {
        EllipticBoundaryConditions<dim> conditions;
        for (unsigned int id = 0; id < 2 * dim; ++id)
          if (id == 1 && dirichlet)
            conditions.set_dirichlet(id);
          else
            conditions.set_neumann(id);
        LaplaceOperator<dim> A;
        const auto           mesh = setting.mesh();
        A.reinit(mesh,
                 setting.pressure,
                 conditions,
                 device(),
                 {1., 1., penalty_factor, linear_degree(*mesh, setting.pressure.get_fe().degree)});
        dealii::Vector<double> one(setting.pressure.n_dofs()), result;
        for_entries(setting.pressure,
                    [&](const auto i, const auto, const auto m, const auto) { one(i) = m == 0; });
        auto b = zeros(A);
        A.vmult(b, copied(A, one));
        A.copy_to(result, b);
        return result;
      };
      auto moments = of_one(true);
      moments -= of_one(false);
      std::vector<double> result(setting.triangulation.n_active_cells());
      for_entries(setting.pressure, [&](const auto i, const auto e, const auto m, const auto) {
        if (m == 0)
          result[e] = moments(i);
      });
      return result;
    }

    template <int dim>
    dealii::Vector<double>
    wall_terms(const CurvedFlowSetting<dim> &setting, const dealii::Vector<double> &u) const
    {
      const auto                          &fe = setting.velocity.get_fe();
      FEFaceValues<dim>                    values(setting.mapping,
                               fe,
                               simplex_quadrature<dim - 1>(2 * fe.degree),
                               update_values | update_gradients | update_JxW_values |
                                 update_normal_vectors);
      const FEValuesExtractors::Vector     velocity(0);
      const auto                           of_one = penalties(setting);
      const unsigned int                   n      = fe.n_dofs_per_cell();
      dealii::Vector<double>               result(u.size()), local(n);
      std::vector<types::global_dof_index> indices(n);
      for (const auto &cell : setting.velocity.active_cell_iterators())
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f) && cell->face(f)->boundary_id() == 1)
            {
              values.reinit(cell, f);
              std::vector<Tensor<1, dim>> u_here(values.n_quadrature_points);
              std::vector<Tensor<2, dim>> slope(values.n_quadrature_points);
              values[velocity].get_function_values(u, u_here);
              values[velocity].get_function_gradients(u, slope);
              double area_of_one = 0.; // the moment of the first mode with itself
              for (const unsigned int q : values.quadrature_point_indices())
                area_of_one += values.JxW(q) * std::pow(fe.shape_value(0, Point<dim>()), 2);
              const double penalty = of_one[cell->active_cell_index()] / area_of_one;
              local                = 0.;
              for (const unsigned int q : values.quadrature_point_indices())
                {
                  const Tensor<1, dim> normal = values.normal_vector(q);
                  const double         along  = u_here[q] * normal;
                  const double         rate   = normal * (slope[q] * normal);
                  for (unsigned int i = 0; i < n; ++i)
                    {
                      const double test = values[velocity].value(i, q) * normal;
                      local(i) += values.JxW(q) *
                                  ((penalty * along - rate) * test -
                                   along * (normal * (values[velocity].gradient(i, q) * normal)));
                    }
                }
              cell->get_dof_indices(indices);
              result.add(indices, local);
            }
      return result;
    }

    /// Where the domain is turned, so is the result: walls are no longer perpendicular to axes.
    /// @param of_setting what settings are made from
    template <typename Setting, typename... OfSetting>
    void
    compare_turned(const OfSetting &...of_setting) const
    {
      constexpr int    dim   = Setting::dimension;
      constexpr double angle = 0.7;
      const auto       turn  = [&](const Tensor<1, dim> &x) {
        Tensor<1, dim> result = x;
        result[0]             = std::cos(angle) * x[0] - std::sin(angle) * x[1];
        result[1]             = std::sin(angle) * x[0] + std::cos(angle) * x[1];
        return result;
      };
      Setting straight(of_setting...), turned(of_setting...);
      GridTools::transform([&](const Point<dim> &x) { return Point<dim>(turn(x)); },
                           turned.triangulation);
      const auto turn_modes = [&](dealii::Vector<double> u) {
        std::vector<dealii::Vector<double>> parts(dim);
        for (unsigned int c = 0; c < dim; ++c)
          {
            parts[c].reinit(straight.pressure.n_dofs());
            for_component(straight, c, [&](const auto all, const auto scalar) {
              parts[c](scalar) = u(all);
            });
          }
        for (unsigned int c = 0; c < dim; ++c)
          for_component(straight, c, [&](const auto all, const auto scalar) {
            Tensor<1, dim> mode;
            for (unsigned int d = 0; d < dim; ++d)
              mode[d] = parts[d](scalar);
            u(all) = turn(mode)[c];
          });
        return u;
      };
      FlowBoundaryConditions<dim> conditions;
      conditions.set_no_slip(0);
      for (unsigned int id = 1; id < 2 * dim; ++id)
        conditions.set_slip(id);
      const auto u = straight.random_velocity(2);
      EXPECT_LT(
        relative_difference(Operator<dim>(turned, conditions, device()).vmult(turn_modes(u)),
                            turn_modes(Operator<dim>(straight, conditions, device()).vmult(u))),
        1e-11);
    }

    /// A velocity of degree N solves the equation exactly.
    template <typename Setting>
    void
    check_boundary_data(const Setting &setting) const
    {
      constexpr int     dim          = Setting::dimension;
      const std::string components[] = {"t*x*x-2*y", "x*y+t", "y-t*x*x"};
      const double      laplacians[] = {2., 0., -2.}; // over t
      const double      time         = 1.5;
      std::string       velocity, source;
      for (unsigned int c = 0; c < dim; ++c)
        {
          const std::string separator = c == 0 ? "" : ";";
          velocity += separator + components[c];
          source += separator + std::to_string(reaction) + "*(" + components[c] + ")-t*(" +
                    std::to_string(laplacians[c]) + ")";
        }
      FlowBoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_velocity(id, Expression(dim, velocity, dim));
      const auto         &fe = setting.pressure.get_fe();
      const Operator<dim> op(setting, conditions, device());
      const auto          moments = [&](const std::string &text, const bool projected) {
        FunctionParser<dim> function(dim);
        function.initialize(FunctionParser<dim>::default_variable_names() + ",t", text, {}, true);
        function.set_time(time);
        dealii::Vector<double> result(setting.velocity.n_dofs());
        VectorTools::create_right_hand_side(setting.mapping,
                                            setting.velocity,
                                            cell_quadrature<dim>(fe.reference_cell(),
                                                                 2 * fe.degree + 2),
                                            function,
                                            result);
        if (projected)
          {
            const auto factors = mass(setting.velocity);
            for (const auto i : factors.locally_owned_elements())
              result(i) /= factors(i);
          }
        return result;
      };
      auto residual = zeros(op.A);
      op.A.add_boundary_data(residual, time);
      residual *= -1;
      op.A.vmult_add(residual, copied(op.space, moments(velocity, true)));
      EXPECT_LT(relative_difference(to_dealii(op.space, residual), moments(source, false)), 1e-11);
      // Data of a sum of times, and none.
      auto data = zeros(op.A), sum = data;
      op.A.add_boundary_data(data, time);
      op.A.add_boundary_data(data, {});
      op.A.add_boundary_data(sum, std::vector<DataTimes::Term>{{3., 0.}, {-2., -0.75}});
      EXPECT_LT(sum.max_difference(data), 1e-12 * data.linfty_norm()); // linear in t
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(ViscousTest)

TEST_P(ViscousTest, Triangles)
{
  compare_with_assembly<2>(max_assembled_degree<2>);
}

TEST_P(ViscousTest, Tetrahedra)
{
  compare_with_assembly<3>(max_assembled_degree<3>);
}

TEST_P(ViscousTest, Quadrilaterals)
{
  for (unsigned int degree = 1; degree <= 7; ++degree)
    {
      compare_hypercubes<2>({degree, Cells::distorted, 4, 0.}, degree % 2 == 0);
      compare_hypercubes<2>({degree, Cells::turned});
      compare_hypercubes<2>({degree, Cells::refined});
    }
}

TEST_P(ViscousTest, Hexahedra)
{
  for (unsigned int degree = 1; degree <= 5; degree += 2)
    {
      compare_hypercubes<3>({degree, Cells::distorted, 2, 0.});
      compare_hypercubes<3>({degree, Cells::turned});
      if (degree < 5)
        compare_hypercubes<3>({degree, Cells::refined});
    }
}

TEST_P(ViscousTest, RangesOfTwoKinds)
{
  compare_kinds<2>(3);
  compare_kinds<3>(2);
}

TEST_P(ViscousTest, ObliqueSlipWalls)
{
  compare_turned<FlowSetting<2>>(3);
  compare_turned<FlowSetting<3>>(2);
  compare_turned<FlowHypercubes<2>>(3, Cells::parallelepipeds);
  compare_turned<FlowHypercubes<2>>(3, Cells::distorted);
  compare_turned<FlowHypercubes<3>>(2, Cells::distorted);
}

TEST_P(ViscousTest, BoundaryData)
{
  check_boundary_data(FlowSetting<2>(3));
  check_boundary_data(FlowSetting<3>(2));
  check_boundary_data(FlowHypercubes<2>(3, Cells::parallelepipeds));
  check_boundary_data(FlowHypercubes<3>(2, Cells::parallelepipeds));
}

/// At a time, and of a sum of times: the data is what the function is now, unless it is said to be
/// fixed.
TEST_P(ViscousTest, BoundaryDataOfAFunctionThatChanges)
{
  const FlowSetting<2> setting(2);
  for (const bool is_fixed : {false, true})
    for (const DataTimes &times : {DataTimes(0.5), DataTimes({{2., 0.}, {-0.5, 1.}})})
      {
        const auto                function = std::make_shared<Shear>();
        FlowBoundaryConditions<2> conditions;
        for (unsigned int id = 0; id < 4; ++id)
          conditions.set_velocity(id, FieldFunction<2>(function, false, !is_fixed));
        const Operator<2> op(setting, conditions, device());
        auto              b = zeros(op.A), changed = b;
        op.A.add_boundary_data(b, times);
        function->factor = 3.;
        op.A.add_boundary_data(changed, times);
        EXPECT_GT(b.linfty_norm(), 0.);
        if (!is_fixed)
          b *= 3.;
        EXPECT_LT(changed.max_difference(b), 1e-13 * b.linfty_norm());
      }
}

TEST_P(ViscousTest, SymmetricAndPositive)
{
  const FlowSetting<3> setting(2);
  const auto           conditions = all_flow_conditions<3>()[0];
  const Operator<3>    op(setting, conditions, device());
  const auto           u = setting.random_velocity(3), v = setting.random_velocity(4);
  expect_symmetric_and_positive(u, v, op.vmult(u), op.vmult(v));
}

TEST_P(ViscousTest, ChangedReaction)
{
  const FlowSetting<2>   setting(3);
  const auto             conditions = all_flow_conditions<2>()[0];
  Operator<2>            op(setting, conditions, device());
  ViscousOperator<2>     other;
  Saltus::Vector<double> x = copied(op.space, setting.random_velocity(5)), y = x, z = x;
  for (const double lambda : {2.5, 0.})
    {
      op.A.set_reaction(lambda);
      other.reinit(op.mesh, 3, conditions, device(), {lambda, penalty_factor});
      op.A.vmult(y, x);
      other.vmult(z, x);
      EXPECT_EQ(y.max_difference(z), 0.);
    }
}

/// Velocities and normal derivatives.
TEST_P(ViscousTest, DataThatIsNotFiniteIsReported)
{
  const FlowSetting<2>   setting(2);
  const FieldFunction<2> data = Expression(2, "if(y > 0.8, sqrt(0.05-t), 1); 0", 2);
  for (const bool is_outflow : {false, true})
    {
      FlowBoundaryConditions<2> conditions;
      for (const unsigned int id : {0, 2, 3})
        conditions.set_no_slip(id);
      if (is_outflow)
        conditions.set_outflow(1, {}, data);
      else
        conditions.set_velocity(1, data);
      const Operator<2> op(setting, conditions, device());
      auto              b = zeros(op.A);
      op.A.add_boundary_data(b, 0.04);
      const std::string message = message_of([&]() { op.A.add_boundary_data(b, 0.06); });
      EXPECT_TRUE(contains(message, "boundary data for id 1"));
      EXPECT_TRUE(contains(message, "nan at (1 0."));
    }
}

TEST_P(ViscousTest, Messages)
{
  const FlowSetting<2> setting(2);
  const auto           conditions = all_flow_conditions<2>()[0];
  Operator<2>          op(setting, conditions, device());
  auto                 x = zeros(op.A);
  EXPECT_MESSAGE(op.A.vmult(x, x), "in place");
  EXPECT_MESSAGE(op.A.set_reaction(-1.), "not negative");
  FlowBoundaryConditions<2> few;
  few.set_no_slip(0);
  EXPECT_MESSAGE(op.A.reinit(op.mesh, 2, few, device(), {}), "has no boundary condition");
}

TEST_P(ViscousTest, CurvedWall)
{
  for (const unsigned int degree : {1, 3})
    compare_curved_wall<2>(degree);
  compare_curved_wall<3>(2);
}
