// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The right-hand side against an assembly with deal.II, and its properties.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/operators/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include <gtest/gtest.h>
#include <random>

using namespace dealii;
using namespace Saltus;

namespace
{
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
  StateFunction<dim>
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

  template <int dim, typename Law>
  StateFunction<dim>
  constant_data()
  {
    return {std::make_shared<Functions::ConstantFunction<dim>>(constant_state<Law>()),
            false,
            false};
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

  template <int dim, typename Law>
  class Assembly
  {
    static constexpr int n_components = Law::n_components;
    using State                       = Array<double, n_components>;
    using Field                       = Array<double, Law::n_fields>;

  public:
    Assembly(const Mapping<dim> &mapping, const DoFHandler<dim> &dof_handler, const Law &law)
      : mapping(mapping)
      , dof_handler(dof_handler)
      , law(law)
      , fe(dof_handler.get_fe())
    {}

    /// \f$ M^{-1} L(u) \f$ cell by cell with a mass matrix by quadrature.
    dealii::Vector<double>
    residual(const dealii::Vector<double> &u, const BoundaryConditions<dim> &conditions) const
    {
      const unsigned int                   p = fe.degree;
      FEValues<dim>                        volume(mapping,
                           fe,
                           simplex_quadrature<dim>(2 * p),
                           update_values | update_gradients | update_JxW_values |
                             update_quadrature_points);
      FEFaceValues<dim>                    faces(mapping,
                              fe,
                              simplex_quadrature<dim - 1>(2 * p + 1),
                              update_values | update_JxW_values | update_normal_vectors |
                                update_quadrature_points);
      const unsigned int                   n = fe.n_dofs_per_cell();
      dealii::Vector<double>               result(dof_handler.n_dofs());
      std::vector<types::global_dof_index> indices(n);
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          FullMatrix<double>     mass(n, n);
          dealii::Vector<double> rhs(n), solution(n);
          volume.reinit(cell);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              const State state = value_at(cell, volume.quadrature_point(q), u);
              for (unsigned int i = 0; i < n; ++i)
                {
                  const unsigned int c = fe.system_to_component_index(i).first;
                  Array<double, dim> gradient;
                  for (unsigned int d = 0; d < dim; ++d)
                    gradient[d] = volume.shape_grad_component(i, q, c)[d];
                  rhs(i) += law.flux(state, field_at(volume.quadrature_point(q)), gradient)[c] *
                            volume.JxW(q);
                  for (unsigned int j = 0; j < n; ++j)
                    if (fe.system_to_component_index(j).first == c)
                      mass(i, j) +=
                        volume.shape_value(i, q) * volume.shape_value(j, q) * volume.JxW(q);
                }
            }
          for (const unsigned int f : cell->face_indices())
            {
              faces.reinit(cell, f);
              for (const unsigned int q : faces.quadrature_point_indices())
                {
                  const Point<dim>   x = faces.quadrature_point(q);
                  Array<double, dim> normal;
                  for (unsigned int d = 0; d < dim; ++d)
                    normal[d] = faces.normal_vector(q)[d];
                  const State inside = value_at(cell, x, u);
                  const State outside =
                    cell->at_boundary(f)
                      ? boundary_state(conditions.conditions().at(cell->face(f)->boundary_id()),
                                       inside,
                                       x,
                                       normal)
                      : value_at(cell->neighbor(f), x, u);
                  const State flux = law.numerical_flux(inside, outside, field_at(x), normal);
                  for (unsigned int i = 0; i < n; ++i)
                    rhs(i) -= flux[fe.system_to_component_index(i).first] *
                              faces.shape_value(i, q) * faces.JxW(q);
                }
            }
          mass.gauss_jordan();
          mass.vmult(solution, rhs);
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < n; ++i)
            result(indices[i]) = solution(i);
        }
      return result;
    }

  private:
    template <typename Cell>
    State
    value_at(const Cell &cell, const Point<dim> &x, const dealii::Vector<double> &u) const
    {
      const Point<dim>                     unit = mapping.transform_real_to_unit_cell(cell, x);
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      cell->get_dof_indices(indices);
      State state{};
      for (unsigned int i = 0; i < indices.size(); ++i)
        state[fe.system_to_component_index(i).first] += u(indices[i]) * fe.shape_value(i, unit);
      return state;
    }

    Field
    field_at(const Point<dim> &x) const
    {
      const Velocity<dim> velocity;
      Field               field;
      for (int d = 0; d < Law::n_fields; ++d)
        field[d] = velocity.value(x, d);
      return field;
    }

    State
    boundary_state(const typename BoundaryConditions<dim>::Condition &condition,
                   const State                                       &inside,
                   const Point<dim>                                  &x,
                   const Array<double, dim>                          &normal) const
    {
      State data{};
      if (!condition.data.empty())
        {
          dealii::Vector<double> value(n_components);
          condition.data.function->vector_value(x, value);
          for (int c = 0; c < n_components; ++c)
            data[c] = value(c);
        }
      return law.boundary_state(condition.kind, inside, data, normal);
    }

    const Mapping<dim>       &mapping;
    const DoFHandler<dim>    &dof_handler;
    const Law                 law;
    const FiniteElement<dim> &fe;
  };

  /// One mesh, element and random state.
  template <int dim, typename Law>
  struct Setting
  {
    explicit Setting(const unsigned int degree, const Law &law = Law())
      : mapping(FE_SimplexP<dim>(1))
      , dof_handler(triangulation)
      , law(law)
    {
      Point<dim> corner;
      for (unsigned int d = 0; d < dim; ++d)
        corner[d] = 1. + 0.25 * d;
      Saltus::GridGenerator::box<dim>(
        triangulation, Point<dim>(), corner, std::vector<unsigned int>(dim, dim == 2 ? 5 : 3), 0.2);
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), Law::n_components));
    }

    /// The constant state plus random modes, small enough to stay admissible.
    dealii::Vector<double>
    random_state(const double amplitude) const
    {
      std::mt19937                           generator(42);
      std::uniform_real_distribution<double> random(-1., 1.);
      const auto                            &fe    = dof_handler.get_fe();
      const auto                             state = constant_state<Law>();
      dealii::Vector<double>                 u(dof_handler.n_dofs());
      std::vector<types::global_dof_index>   indices(fe.n_dofs_per_cell());
      const double                           phi0 = std::sqrt(dim == 2 ? 2. : 6.);
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            {
              const auto [c, m] = fe.system_to_component_index(i);
              u(indices[i]) =
                (m == 0 ? state[c] / phi0 : 0.) + amplitude * random(generator) / (m + 1);
            }
        }
      return u;
    }

    Triangulation<dim> triangulation;
    MappingFE<dim>     mapping;
    DoFHandler<dim>    dof_handler;
    Law                law;
  };

  template <int dim, typename Law, typename Number>
  dealii::Vector<double>
  residual(const Setting<dim, Law>       &setting,
           const BoundaryConditions<dim> &conditions,
           const dealii::Vector<double>  &state,
           const Device                   device)
  {
    ConservationLawOperator<dim, Law, Number>                          op;
    typename ConservationLawOperator<dim, Law, Number>::AdditionalData data;
    data.fields = fields<dim, Law>();
    op.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device, data);
    Saltus::Vector<Number> u, r;
    op.initialize_vector(u);
    op.initialize_vector(r);
    op.copy_from(u, state);
    op.apply(u, r);
    op.check_states();
    dealii::Vector<double> result;
    op.copy_to(result, r);
    return result;
  }

  double
  relative_difference(dealii::Vector<double> a, const dealii::Vector<double> &b)
  {
    const double norm = b.l2_norm();
    a -= b;
    return a.l2_norm() / norm;
  }

  class OnDevice : public testing::TestWithParam<std::string>
  {
  protected:
    void
    SetUp() override
    {
      std::string reason;
      if (GetParam() == "cuda" && !CudaRuntime::usable(0, reason))
        GTEST_SKIP() << reason;
    }

    template <int dim, typename Law>
    void
    compare_with_assembly(const unsigned int max_degree, const Law &law = Law())
    {
      const Device device = Device::from_name(GetParam());
      for (unsigned int degree = 0; degree <= max_degree; ++degree)
        {
          SCOPED_TRACE("degree " + std::to_string(degree));
          const Setting<dim, Law> setting(degree, law);
          const auto              conditions = all_conditions<dim, Law>();
          const auto              u          = setting.random_state(0.02);
          const auto              expected =
            Assembly<dim, Law>(setting.mapping, setting.dof_handler, law).residual(u, conditions);
          EXPECT_LT(relative_difference(residual<dim, Law, double>(setting, conditions, u, device),
                                        expected),
                    1e-11);
          EXPECT_LT(relative_difference(residual<dim, Law, float>(setting, conditions, u, device),
                                        expected),
                    1e-3);
        }
    }
  };

  template <int dim>
  Euler<dim>
  lax_friedrichs()
  {
    Euler<dim> law;
    law.riemann_solver = Euler<dim>::RiemannSolver::lax_friedrichs;
    return law;
  }
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, testing::Values("cpu", "cuda"), [](const auto &info) {
  return info.param;
});

TEST_P(OnDevice, EulerTrianglesHllc)
{
  compare_with_assembly<2, Euler<2>>(5);
}

TEST_P(OnDevice, EulerTrianglesLaxFriedrichs)
{
  compare_with_assembly<2, Euler<2>>(3, lax_friedrichs<2>());
}

TEST_P(OnDevice, EulerTetrahedraHllc)
{
  compare_with_assembly<3, Euler<3>>(2);
}

TEST_P(OnDevice, EulerTetrahedraLaxFriedrichs)
{
  compare_with_assembly<3, Euler<3>>(1, lax_friedrichs<3>());
}

TEST_P(OnDevice, AdvectionTriangles)
{
  compare_with_assembly<2, Advection<2>>(5);
}

TEST_P(OnDevice, AdvectionTetrahedra)
{
  compare_with_assembly<3, Advection<3>>(4);
}

TEST_P(OnDevice, FreeStreamIsPreserved)
{
  const Device device = Device::from_name(GetParam());
  for (unsigned int degree = 0; degree <= 4; ++degree)
    {
      const Setting<3, Euler<3>> setting(degree);
      BoundaryConditions<3>      conditions;
      for (unsigned int id = 0; id < 6; ++id)
        conditions.set_far_field(id, constant_data<3, Euler<3>>());
      const auto r =
        residual<3, Euler<3>, double>(setting, conditions, setting.random_state(0.), device);
      EXPECT_LT(r.linfty_norm(), 1e-11) << "degree " << degree;
    }
}

TEST_P(OnDevice, PeriodicBoxConserves)
{
  const Device               device = Device::from_name(GetParam());
  const Setting<3, Euler<3>> setting(2);
  BoundaryConditions<3>      conditions;
  for (unsigned int d = 0; d < 3; ++d)
    conditions.set_periodic(2 * d, 2 * d + 1);
  ConservationLawOperator<3, Euler<3>> op;
  op.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device);
  Saltus::Vector<double> u, r;
  op.initialize_vector(u);
  op.initialize_vector(r);
  op.copy_from(u, setting.random_state(0.02));
  op.apply(u, r);
  for (const double change : op.integrals(r))
    EXPECT_NEAR(change, 0., 1e-12);
}

TEST_P(OnDevice, BadInputIsRefused)
{
  const Device                         device = Device::from_name(GetParam());
  const Setting<2, Euler<2>>           setting(1);
  ConservationLawOperator<2, Euler<2>> op;
  BoundaryConditions<2>                conditions;
  conditions.set_wall(0);
  EXPECT_THROW(conditions.set_outflow(0), ExceptionBase); // two conditions
  EXPECT_THROW(op.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device),
               ExceptionBase); // ids without a condition
}

TEST_P(OnDevice, InadmissibleStateIsReported)
{
  const Device                         device = Device::from_name(GetParam());
  const Setting<2, Euler<2>>           setting(1);
  ConservationLawOperator<2, Euler<2>> op;
  op.reinit(
    setting.mapping, setting.dof_handler, setting.law, all_conditions<2, Euler<2>>(), device);
  Saltus::Vector<double> u, r;
  op.initialize_vector(u);
  op.initialize_vector(r);
  op.copy_from(u, setting.random_state(0.));
  op.apply(u, r);
  EXPECT_NO_THROW(op.check_states());
  op.copy_from(u, dealii::Vector<double>(setting.dof_handler.n_dofs())); // vacuum
  op.apply(u, r);
  EXPECT_THROW(op.check_states(), ExceptionBase);
}
