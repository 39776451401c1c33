// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_random_setting_h
#define saltus_tests_helpers_random_setting_h

#include <deal.II/base/function.h>
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/basis.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>

#include <cmath>
#include <helpers/meshes.h>
#include <helpers/vectors.h>
#include <random>

/// States, data and meshes on which operators are compared.
namespace Saltus::Tests
{
  using dealii::FESystem;
  using dealii::Function;

  template <int dim>
  struct Velocity : public Function<dim>
  {
    Velocity()
      : Function<dim>(dim)
    {}

    double
    value(const Point<dim> &p, const unsigned int component) const override
    {
      return component == 0 ? 1. - p[1] : (component == 1 ? p[0] + 0.3 : 0.7 * p[0] - p[1]);
    }
  };

  template <int dim, typename Law>
  FieldFunction<dim>
  fields()
  {
    if (Law::n_fields == 0)
      return {};
    return {std::make_shared<Velocity<dim>>(), false, false};
  }

  /// An admissible state that the data and the free stream take.
  template <typename Law>
  std::vector<double>
  constant_state()
  {
    if (Law::n_components == 1)
      return {1.25};
    std::vector<double> u = {1.1, 0.4, -0.3, 0.2};
    u.resize(Law::n_components - 1);
    u.push_back(2.9);
    return u;
  }

  template <int dim>
  FieldFunction<dim>
  constant_function(const std::vector<double> &values)
  {
    return {std::make_shared<dealii::Functions::ConstantFunction<dim>>(values), false, false};
  }

  template <int dim, typename Law>
  FieldFunction<dim>
  constant_data()
  {
    return constant_function<dim>(constant_state<Law>());
  }

  /// Every kind of condition that the law knows, on the sides of a box.
  template <int dim, typename Law>
  BoundaryConditions<dim>
  all_conditions()
  {
    const bool              euler = Law::n_components > 1;
    const auto              data  = constant_data<dim, Law>();
    BoundaryConditions<dim> conditions;
    conditions.set_prescribed(0, data);
    conditions.set_outflow(1);
    for (unsigned int id = 2; id < 2 * dim; ++id)
      if (euler && id % 2 == 0)
        conditions.set_wall(id);
      else if (euler)
        conditions.set_far_field(id, data);
      else
        conditions.set_prescribed(id, data);
    return conditions;
  }

  /// Inlet and outlet of Euler's equations on the last two sides of a box, walls on the others.
  template <int dim>
  BoundaryConditions<dim>
  inlet_and_outlet()
  {
    // The state of constant_state() has the pressure 1.1, or a little less.
    std::vector<double> inlet = {1.4, 1.05, 0.3, 0.4};
    inlet.resize(1 + dim);
    inlet.push_back(1.);
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim - 2; ++id)
      conditions.set_wall(id);
    conditions.set_total_pressure_inlet(2 * dim - 2, constant_function<dim>(inlet));
    conditions.set_pressure_outlet(2 * dim - 1, constant_function<dim>({1.05}));
    return conditions;
  }

  template <int dim>
  Euler<dim>
  euler(const RiemannSolver solver)
  {
    Euler<dim> law;
    law.riemann_solver = solver;
    return law;
  }

  /// The constant state plus random modes, small enough to stay admissible.
  template <int dim, typename Law>
  dealii::Vector<double>
  random_state(const DoFHandler<dim> &dof_handler, const double amplitude)
  {
    std::mt19937                           generator(42);
    std::uniform_real_distribution<double> random(-1., 1.);
    const auto                             state = constant_state<Law>();
    dealii::Vector<double>                 u(dof_handler.n_dofs());
    const dealii::FiniteElement<dim>      &fe = dof_handler.get_fe();
    const auto one = Basis<dim>(fe.reference_cell(), fe.degree).constant(1.);
    for_entries(dof_handler, [&](const auto i, const auto, const auto m, const auto c) {
      // Values at points of hypercubes are coefficients over those of 1.
      const double unit = fe.reference_cell().is_hyper_cube() ? 3. * one[m] : 1. / (m + 1);
      u(i)              = one[m] * state[c] + amplitude * random(generator) * unit;
    });
    return u;
  }

  /// One mesh, element and random state.
  template <int dim, typename Law>
  struct Setting : public Box<dim>
  {
    using Box<dim>::mapping, Box<dim>::triangulation;

    /// @param n subdivisions of the box in each direction
    explicit Setting(const unsigned int degree,
                     const Law         &law      = Law(),
                     const unsigned int n        = dim == 2 ? 5 : 3,
                     const Vertices     vertices = Vertices::ordered)
      : Box<dim>(n, 0.2, far_corner<dim>(0.25), vertices)
      , dof_handler(triangulation)
      , law(law)
    {
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), Law::n_components));
    }

    dealii::Vector<double>
    random_state(const double amplitude) const
    {
      return Tests::random_state<dim, Law>(dof_handler, amplitude);
    }

    DoFHandler<dim> dof_handler;
    Law             law;
  };

  /// @param setting a Setting, or what has the same members
  template <int dim, typename Law, typename Number, typename AnySetting>
  dealii::Vector<double>
  residual(const AnySetting                        &setting,
           const BoundaryConditions<dim>           &conditions,
           const dealii::Vector<double>            &state,
           const Device                             device,
           const unsigned int                       quadrature_increase = 0,
           const unsigned int                       matching_rounds     = max_matching_rounds,
           const typename ElementOrder<dim>::Kinds &kinds               = {})
  {
    ConservationLawOperator<dim, Law, Number>                          op;
    typename ConservationLawOperator<dim, Law, Number>::AdditionalData data;
    data.fields              = fields<dim, Law>();
    data.quadrature_increase = quadrature_increase;
    op.reinit(setting.mesh(conditions.periodic(), matching_rounds, kinds),
              setting.dof_handler,
              setting.law,
              conditions,
              device,
              data);
    auto      u = copied(op, state), r = zeros(op);
    TimeClock clock = op.make_clock();
    op.apply(clock, u, r);
    op.check_states(clock);
    return to_dealii(op, r);
  }
} // namespace Saltus::Tests

#endif
