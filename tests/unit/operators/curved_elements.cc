// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Conservation laws on curved elements, beside affine ones: the right-hand side against an assembly
// with deal.II, and its properties.
#include <deal.II/fe/fe_values.h>

#include <saltus/mesh/curve/nodal_mapping.h>
#include <saltus/mesh/element_metrics.h>
#include <saltus/physics/advection.h>
#include <saltus/solvers/time/time_integrator.h>

#include <helpers/curved_box.h>
#include <helpers/l2_error.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>
#include <helpers/time_state.h>
#include <helpers/weight_adjusted_mass.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// The right-hand side by deal.II's FEValues, times the weight-adjusted inverse of the mass
  /// matrix.
  template <int dim, typename Law>
  class CurvedAssembly
  {
    static constexpr int n_components = Law::n_components;
    using State                       = Array<double, n_components>;
    using Cell                        = typename DoFHandler<dim>::active_cell_iterator;

  public:
    CurvedAssembly(const Mapping<dim> &mapping, const DoFHandler<dim> &dof_handler)
      : dof_handler(dof_handler)
      , fe(dof_handler.get_fe())
      , volume(mapping,
               fe,
               simplex_quadrature<dim>(2 * fe.degree),
               update_values | update_gradients | update_JxW_values | update_quadrature_points)
      , inside(make_faces(mapping))
      , outside(make_faces(mapping))
    {}

    dealii::Vector<double>
    residual(const dealii::Vector<double> &u, const BoundaryConditions<dim> &conditions)
    {
      const unsigned int                   n = fe.n_dofs_per_cell();
      dealii::Vector<double>               result(dof_handler.n_dofs());
      std::vector<types::global_dof_index> indices(n);
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          dealii::Vector<double> rhs(n);
          add_volume(cell, u, rhs);
          for (const unsigned int f : cell->face_indices())
            add_face(cell, f, u, conditions, rhs);
          const auto solution = inverse_mass_times(volume, rhs);
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < n; ++i)
            result(indices[i]) = solution(i);
        }
      return result;
    }

  private:
    FEFaceValues<dim>
    make_faces(const Mapping<dim> &mapping) const
    {
      return {mapping,
              fe,
              simplex_quadrature<dim - 1>(2 * fe.degree + 1),
              update_values | update_JxW_values | update_normal_vectors | update_quadrature_points};
    }

    static Array<double, Law::n_fields>
    field_at(const Point<dim> &x)
    {
      const Velocity<dim>          velocity;
      Array<double, Law::n_fields> field;
      for (int d = 0; d < Law::n_fields; ++d)
        field[d] = velocity.value(x, d);
      return field;
    }

    template <typename Values>
    static State
    state_at(const Values &values, const unsigned int q, const dealii::Vector<double> &u)
    {
      dealii::Vector<double>              value(n_components);
      std::vector<dealii::Vector<double>> all(values.n_quadrature_points, value);
      values.get_function_values(u, all);
      State state;
      for (int c = 0; c < n_components; ++c)
        state[c] = all[q](c);
      return state;
    }

    void
    add_volume(const Cell &cell, const dealii::Vector<double> &u, dealii::Vector<double> &rhs)
    {
      volume.reinit(cell);
      for (const unsigned int q : volume.quadrature_point_indices())
        {
          const State state = state_at(volume, q, u);
          for (unsigned int i = 0; i < rhs.size(); ++i)
            {
              const unsigned int c = fe.system_to_component_index(i).first;
              Array<double, dim> gradient;
              for (unsigned int d = 0; d < dim; ++d)
                gradient[d] = volume.shape_grad_component(i, q, c)[d];
              rhs(i) +=
                law.flux(state, field_at(volume.quadrature_point(q)), gradient)[c] * volume.JxW(q);
            }
        }
    }

    void
    add_face(const Cell                    &cell,
             const unsigned int             f,
             const dealii::Vector<double>  &u,
             const BoundaryConditions<dim> &conditions,
             dealii::Vector<double>        &rhs)
    {
      inside.reinit(cell, f);
      if (!cell->at_boundary(f))
        outside.reinit(cell->neighbor(f), cell->neighbor_of_neighbor(f));
      for (const unsigned int q : inside.quadrature_point_indices())
        {
          const Point<dim>   x = inside.quadrature_point(q);
          Array<double, dim> normal;
          for (unsigned int d = 0; d < dim; ++d)
            normal[d] = inside.normal_vector(q)[d];
          const State here = state_at(inside, q, u);
          State       there{};
          if (cell->at_boundary(f))
            there = boundary_state(conditions.conditions().at(cell->face(f)->boundary_id()),
                                   here,
                                   normal);
          else
            {
              unsigned int same = 0;
              while (outside.quadrature_point(same).distance(x) > 1e-10)
                ++same;
              there = state_at(outside, same, u);
            }
          const State flux = law.numerical_flux(here, there, field_at(x), normal);
          for (unsigned int i = 0; i < rhs.size(); ++i)
            rhs(i) -= flux[fe.system_to_component_index(i).first] * inside.shape_value(i, q) *
                      inside.JxW(q);
        }
    }

    /// The data are constant.
    State
    boundary_state(const typename BoundaryConditions<dim>::Condition &condition,
                   const State                                       &here,
                   const Array<double, dim>                          &normal) const
    {
      State data{};
      if (!condition.data.empty())
        for (unsigned int c = 0; c < condition.data.n_components(); ++c)
          data[c] = condition.data.function->value(Point<dim>(), c);
      return law.boundary_state(condition.kind, here, data, normal);
    }

    const Law                 law{};
    const DoFHandler<dim>    &dof_handler;
    const FiniteElement<dim> &fe;
    FEValues<dim>             volume;
    FEFaceValues<dim>         inside, outside;
  };

  template <int dim, typename Law, typename Number>
  dealii::Vector<double>
  residual(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const DoFHandler<dim>                         &dof_handler,
           const BoundaryConditions<dim>                 &conditions,
           const dealii::Vector<double>                  &state,
           const Device                                   device)
  {
    ConservationLawOperator<dim, Law, Number>                          op;
    typename ConservationLawOperator<dim, Law, Number>::AdditionalData data;
    data.fields = fields<dim, Law>();
    op.reinit(mesh, dof_handler, Law(), conditions, device, data);
    auto      u = copied(op, state), r = zeros(op);
    TimeClock clock = op.make_clock();
    op.apply(clock, u, r);
    op.check_states(clock);
    return to_dealii(op, r);
  }

  template <int dim>
  unsigned int
  n_curved(const ElementMesh<dim> &mesh)
  {
    unsigned int n = 0;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      n += mesh.geometry.curved_map(e) != nullptr;
    return n;
  }

  /// @param make_mesh after a number of rounds of matching
  template <int dim, typename Law, typename MakeMesh>
  void
  compare_with_assembly(const Mapping<dim>            &mapping,
                        const DoFHandler<dim>         &dof_handler,
                        const BoundaryConditions<dim> &conditions,
                        const MakeMesh                &make_mesh,
                        const Device                   device)
  {
    const auto u        = random_state<dim, Law>(dof_handler, 0.02);
    const auto expected = CurvedAssembly<dim, Law>(mapping, dof_handler).residual(u, conditions);
    for (const unsigned int matching_rounds : {max_matching_rounds, 0u})
      {
        const auto mesh = make_mesh(matching_rounds);
        EXPECT_LT(relative_difference(
                    residual<dim, Law, double>(mesh, dof_handler, conditions, u, device), expected),
                  1e-11);
        EXPECT_LT(relative_difference(
                    residual<dim, Law, float>(mesh, dof_handler, conditions, u, device), expected),
                  1e-3);
      }
  }

  template <int dim, typename Law>
  void
  compare_with_assembly(const unsigned int degree,
                        const unsigned int map_degree,
                        const Device       device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree) + ", of maps " + std::to_string(map_degree));
    const CurvedSetting<dim, Law> setting(degree, map_degree, bump_at_side<dim>());
    const auto                    mesh = setting.mesh();
    EXPECT_GT(n_curved(*mesh), mesh->n_elements() / 4);
    EXPECT_LT(n_curved(*mesh), mesh->n_elements());
    compare_with_assembly<dim, Law>(
      setting.mapping,
      setting.dof_handler,
      all_conditions<dim, Law>(),
      [&](const unsigned int matching_rounds) { return setting.mesh({}, matching_rounds); },
      device);
  }

  /// Where metrics are curls, which are not those of deal.II: one kernel against the other.
  template <int dim>
  void
  compare_with_cpu(const unsigned int degree, const unsigned int map_degree, const Device device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree) + ", of maps " + std::to_string(map_degree));
    using Law = Euler<dim>;
    const CurvedSetting<dim, Law> setting(degree, map_degree, bump_at_side<dim>());
    const auto                    conditions = all_conditions<dim, Law>();
    const auto                    u          = random_state<dim, Law>(setting.dof_handler, 0.02);
    const auto                    r          = [&](const Device device) {
      return residual<dim, Law, double>(setting.mesh(), setting.dof_handler, conditions, u, device);
    };
    EXPECT_LT(relative_difference(r(device), r(Device::cpu())), 1e-12);
  }

  /// On the curved cells of a file of Gmsh, the sides of which are walls.
  template <int dim>
  void
  compare_on_file(const std::string &name, const unsigned int degree, const Device device)
  {
    SCOPED_TRACE(name + ", degree " + std::to_string(degree));
    using Law = Euler<dim>;
    Triangulation<dim> triangulation;
    CurvedNodes<dim>   nodes;
    Saltus::GridGenerator::read_mesh(triangulation,
                                     SALTUS_SOURCE_DIR "tests/unit/mesh/meshes/" + name + ".msh",
                                     &nodes);
    const NodalMapping<dim> mapping(nodes);
    DoFHandler<dim>         dof_handler(triangulation);
    dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), Law::n_components));
    BoundaryConditions<dim> conditions;
    for (const auto id : triangulation.get_boundary_ids())
      conditions.set_wall(id);
    const auto make_mesh = [&](const unsigned int matching_rounds) {
      return make_curved_mesh<dim>(mapping, triangulation, nodes.degree, {}, matching_rounds);
    };
    EXPECT_GT(n_curved(*make_mesh(0)), 0u);
    compare_with_assembly<dim, Law>(mapping, dof_handler, conditions, make_mesh, device);
  }

  /// A constant state stays where it is, whatever the form of the metric.
  template <int dim>
  void
  test_free_stream(const unsigned int degree, const unsigned int map_degree, const Device device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree) + ", of maps " + std::to_string(map_degree));
    using Law = Euler<dim>;
    const CurvedSetting<dim, Law> setting(degree, map_degree, bump_at_side<dim>());
    BoundaryConditions<dim>       conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_far_field(id, constant_data<dim, Law>());
    const auto of_state = [&](const double amplitude) {
      const auto u = random_state<dim, Law>(setting.dof_handler, amplitude);
      return residual<dim, Law, double>(setting.mesh(), setting.dof_handler, conditions, u, device)
        .linfty_norm();
    };
    EXPECT_LT(of_state(0.), 1e-12 * of_state(0.02));
  }

  template <int dim>
  void
  test_conservation(const unsigned int degree, const unsigned int map_degree, const Device device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree) + ", of maps " + std::to_string(map_degree));
    using Law = Euler<dim>;
    const CurvedSetting<dim, Law>     setting(degree, map_degree, bump_inside<dim>());
    const auto                        conditions = periodic_conditions<BoundaryConditions, dim>();
    ConservationLawOperator<dim, Law> op;
    op.reinit(
      setting.mesh(conditions.periodic()), setting.dof_handler, Law(), conditions, device, {});
    auto      u = copied(op, random_state<dim, Law>(setting.dof_handler, 0.02)), r = zeros(op);
    TimeClock clock = op.make_clock();
    op.apply(clock, u, r);
    for (const double change : op.integrals(r))
      EXPECT_NEAR(change, 0., 1e-12);
  }

  /// What steps change is what leaves through the boundary.
  template <int dim>
  void
  test_outflow(const unsigned int degree, const unsigned int map_degree, const Device device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree) + ", of maps " + std::to_string(map_degree));
    using Law = Euler<dim>;
    const CurvedSetting<dim, Law>     setting(degree, map_degree, bump_at_side<dim>());
    ConservationLawOperator<dim, Law> op;
    op.reinit(setting.mesh(), setting.dof_handler, Law(), all_conditions<dim, Law>(), device, {});
    auto       u      = copied(op, random_state<dim, Law>(setting.dof_handler, 0.02));
    const auto before = op.integrals(u);
    TimeClock  clock  = op.make_clock(with_cfl(0.5));
    TimeIntegrator(op, clock, RungeKutta("LSRK45")).advance(u, 5);
    op.check_states(clock);
    const auto after = op.integrals(u), outflow = clock.outflow();
    for (unsigned int c = 0; c < before.size(); ++c)
      {
        EXPECT_NEAR(after[c] + outflow[c], before[c], 1e-12);
        EXPECT_GT(std::abs(outflow[c]), 1e-6);
      }
  }

  /// Initial states keep the integral of the function, and are near it; constants are exact.
  template <int dim>
  void
  test_projection(const unsigned int degree, const unsigned int map_degree, const Device device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree) + ", of maps " + std::to_string(map_degree));
    using Law = Saltus::Advection<dim>;
    const CurvedSetting<dim, Law>     setting(degree, map_degree, bump_at_side<dim>());
    ConservationLawOperator<dim, Law> op;
    typename ConservationLawOperator<dim, Law>::AdditionalData data;
    data.fields = fields<dim, Law>();
    op.reinit(setting.mesh(), setting.dof_handler, Law(), all_conditions<dim, Law>(), device, data);
    auto       u         = zeros(op);
    const auto projected = [&](const std::string &formula) {
      const Expression expression(dim, formula, 1);
      op.project(FieldFunction<dim>(expression), u);
      return l2_error(setting.mapping, setting.dof_handler, to_dealii(op, u), expression);
    };
    EXPECT_LT(projected("3"), 1e-13);
    if (degree >= map_degree)
      EXPECT_LT(projected(dim == 2 ? "1+x-2*y" : "1+x-2*y+z"), 1e-13);
    EXPECT_LT(projected("sin(2*x)*cos(y)"), 0.3 * std::pow(0.1, degree));

    FEValues<dim> values(setting.mapping,
                         setting.dof_handler.get_fe(),
                         simplex_quadrature<dim>(2 * degree),
                         update_JxW_values | update_quadrature_points);
    double        integral = 0.;
    for (const auto &cell : setting.dof_handler.active_cell_iterators())
      {
        values.reinit(cell);
        for (const unsigned int q : values.quadrature_point_indices())
          {
            const Point<dim> x = values.quadrature_point(q);
            integral += values.JxW(q) * std::sin(2. * x[0]) * std::cos(x[1]);
          }
      }
    EXPECT_NEAR(op.integrals(u)[0], integral, 1e-13);
  }

  /// What a source adds to the residual is its projection at the time of the stage, in updates,
  /// too.
  template <int dim, typename Number>
  void
  test_source(const unsigned int degree, const std::string &formula, const Device device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree) + ", source " + formula);
    using Law      = Euler<dim>;
    using Operator = ConservationLawOperator<dim, Law, Number>;
    const CurvedSetting<dim, Law> setting(degree, 2, bump_at_side<dim>());
    const FieldFunction<dim>      source(Expression(dim, formula, dim + 2));
    const auto                    make = [&](const FieldFunction<dim> &function) {
      Operator                          op;
      typename Operator::AdditionalData data;
      data.source = function;
      op.reinit(
        setting.mesh(), setting.dof_handler, Law(), all_conditions<dim, Law>(), device, data);
      return op;
    };
    const Operator op = make(source), without = make({});
    TimeState      start;
    start.time      = 0.3;
    start.max_dt    = 0.02;
    TimeClock clock = op.make_clock(start);
    auto      u     = copied(op, random_state<dim, Law>(setting.dof_handler, 0.02));
    auto      r = zeros(op), r_without = r, projected = r, out = r;
    op.begin_step(clock, u); // the step is of length 0.02 then
    op.apply(clock, u, r, 0.5);
    without.apply(clock, u, r_without, 0.5);
    op.project(source, projected, 0.31, ProjectionMass::of_scheme);
    const double tolerance = std::is_same<Number, double>::value ? 1e-12 : 1e-4;
    projected.add(1., r_without);
    EXPECT_GT(relative_difference(to_dealii(op, r), to_dealii(op, r_without)), 1e-3);
    EXPECT_LT(relative_difference(to_dealii(op, r), to_dealii(op, projected)), tolerance);

    StageCoefficients k;
    k.A = 0.3, k.w = 0.7, k.a = 0.2, k.has_base = true, k.c = 0.4, k.d = 0.6, k.time = 0.5;
    const auto base = copied(op, random_state<dim, Law>(setting.dof_handler, 0.1));
    auto       s = base, expected_s = base, expected = u;
    op.stage(clock, k, u, base, s, out);
    expected_s.sadd(k.A, k.w * 0.02, r);
    expected.sadd(k.a, 1. - k.a, base);
    expected.add(k.c * 0.02, r);
    expected.add(k.d, expected_s);
    EXPECT_LT(relative_difference(to_dealii(op, s), to_dealii(op, expected_s)), tolerance);
    EXPECT_LT(relative_difference(to_dealii(op, out), to_dealii(op, expected)), tolerance);
  }
} // namespace

using CurvedElementsTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(CurvedElementsTest)

TEST_P(CurvedElementsTest, EulerTriangles)
{
  compare_with_assembly<2, Euler<2>>(1, 2, device());
  compare_with_assembly<2, Euler<2>>(1, 3, device());
  compare_with_assembly<2, Euler<2>>(2, 2, device());
  compare_with_assembly<2, Euler<2>>(2, 3, device());
  compare_with_assembly<2, Euler<2>>(4, 3, device());
  compare_with_assembly<2, Euler<2>>(4, 5, device());
  compare_with_assembly<2, Euler<2>>(5, 3, device());
  compare_with_assembly<2, Euler<2>>(5, 6, device());
}

TEST_P(CurvedElementsTest, EulerTetrahedra)
{
  compare_with_assembly<3, Euler<3>>(1, 2, device());
  compare_with_assembly<3, Euler<3>>(2, 2, device());
  compare_with_assembly<3, Euler<3>>(3, 3, device());
}

TEST_P(CurvedElementsTest, Advection)
{
  compare_with_assembly<2, Saltus::Advection<2>>(3, 3, device());
  compare_with_assembly<3, Saltus::Advection<3>>(2, 2, device());
}

TEST_P(CurvedElementsTest, EulerTetrahedraOfHighMapDegrees)
{
  compare_with_cpu<3>(1, 3, device());
  compare_with_cpu<3>(2, 3, device());
  compare_with_cpu<3>(3, 2, device());
  compare_with_cpu<3>(3, 4, device());
  compare_with_cpu<3>(4, 3, device());
  compare_with_cpu<3>(4, 5, device());
}

TEST_P(CurvedElementsTest, GmshFiles)
{
  compare_on_file<2>("annulus_2_22", 2, device());
  compare_on_file<2>("annulus_4_41", 3, device());
  compare_on_file<2>("annulus_5_22", 4, device());
  compare_on_file<3>("ball_2_41", 2, device());
  compare_on_file<3>("ball_3_22", 3, device());
}

TEST_P(CurvedElementsTest, FreeStream)
{
  for (unsigned int degree = 1; degree <= 5; ++degree)
    test_free_stream<2>(degree, 3, device());
  for (unsigned int degree = 1; degree <= 4; ++degree)
    for (const unsigned int map_degree : {2, 3}) // in part by curls
      test_free_stream<3>(degree, map_degree, device());
}

TEST_P(CurvedElementsTest, Conservation)
{
  test_conservation<2>(2, 3, device());
  test_conservation<3>(2, 3, device());
  test_outflow<2>(3, 3, device());
  test_outflow<3>(2, 3, device());
}

TEST_P(CurvedElementsTest, Projection)
{
  test_projection<2>(1, 2, device());
  test_projection<2>(3, 3, device());
  test_projection<3>(2, 2, device());
}

TEST_P(CurvedElementsTest, Source)
{
  for (const std::string formula : {"x; 2-y; x*y; 30*y", "x*t; 2-y; 9*t; 30*y*t*t"})
    {
      test_source<2, double>(3, formula, device());
      test_source<2, float>(1, formula, device());
    }
  test_source<3, double>(2, "z; x*t; 2-y; t*t; 30*y", device());

  const CurvedSetting<2, Euler<2>>                     setting(1, 2, bump_at_side<2>());
  ConservationLawOperator<2, Euler<2>>                 op;
  ConservationLawOperator<2, Euler<2>>::AdditionalData data;
  data.source = FieldFunction<2>(Expression(2, "1; 2", 2));
  EXPECT_MESSAGE(op.reinit(setting.mesh(),
                           setting.dof_handler,
                           Euler<2>(),
                           all_conditions<2, Euler<2>>(),
                           device(),
                           data),
                 "The source of Euler has 2 components, but 4 are needed");
}

/// Integrals and norms of a state are exact; those that the scheme conserves have its own rule.
TEST_P(CurvedElementsTest, Statistics)
{
  // The integrands are of degree 4 + 4: determinants have twice the degree of the maps less 2.
  const CurvedSetting<2, Euler<2>>     setting(2, 3, bump_at_side<2>());
  ConservationLawOperator<2, Euler<2>> op;
  op.reinit(
    setting.mesh(), setting.dof_handler, Euler<2>(), all_conditions<2, Euler<2>>(), device(), {});
  const auto state = random_state<2, Euler<2>>(setting.dof_handler, 0.3);
  const auto by    = [&](const Quadrature<2> &rule) {
    FEValues<2>                         volume(setting.mapping,
                       setting.dof_handler.get_fe(),
                       rule,
                       update_values | update_JxW_values);
    std::vector<dealii::Vector<double>> values(rule.size(), dealii::Vector<double>(4));
    StateStatistics                     result;
    result.integrals.resize(4);
    result.norms.resize(4);
    for (const auto &cell : setting.dof_handler.active_cell_iterators())
      {
        volume.reinit(cell);
        volume.get_function_values(state, values);
        for (unsigned int q = 0; q < rule.size(); ++q)
          for (unsigned int c = 0; c < 4; ++c)
            {
              result.integrals[c] += values[q](c) * volume.JxW(q);
              result.norms[c] += values[q](c) * values[q](c) * volume.JxW(q);
            }
      }
    return result;
  };
  const StateStatistics exact         = by(simplex_quadrature<2>(10)),
                        of_scheme     = by(simplex_quadrature<2>(4)),
                        statistics    = op.statistics(copied(op, state));
  const std::vector<double> integrals = op.integrals(copied(op, state));
  for (unsigned int c = 0; c < 4; ++c)
    {
      EXPECT_NEAR(statistics.integrals[c], exact.integrals[c], 1e-13);
      EXPECT_NEAR(statistics.norms[c], std::sqrt(exact.norms[c]), 1e-13);
      EXPECT_NEAR(integrals[c], of_scheme.integrals[c], 1e-13);
    }
  EXPECT_GT(std::abs(exact.norms[0] - of_scheme.norms[0]), 1e-8);
}

/// That cross products of tangents are the metrics, and that modes beyond the degree of either are
/// 0, so that kernels need not read them.
void
test_tangent_modes(const unsigned int degree, const unsigned int map_degree)
{
  const CurvedBox<3>            box(3, bump_at_side<3>(), map_degree);
  const ElementSpace<3, double> space(
    box.mesh(), degree, 1, 2 * degree, 2 * degree + 1, Device::cpu());
  const ReferenceElement<3> &reference = space.reference;
  const ElementMetrics<3>    of_element(reference, space.geometry);
  const auto                 value = [&](const auto &modes, const double *row) {
    Tensor<2, 3> result;
    for (unsigned int m = 0; m < reference.n_modes; ++m)
      result += row[m] * modes[m];
    return result;
  };
  ASSERT_TRUE(of_element.has_tangent_modes());
  unsigned int n_curved = 0;
  for (unsigned int e = 0; e < space.order.n_elements(); ++e)
    if (space.geometry.curved_map(e) != nullptr)
      {
        ++n_curved;
        const auto modes   = of_element.tangent_modes(e);
        const auto metrics = of_element.metrics(e);
        for (unsigned int q = 0; q < reference.n_volume_points(); ++q)
          {
            const auto   tangents = value(modes, &reference.volume_values[q * reference.n_modes]);
            const double sign     = determinant(tangents) < 0. ? -1. : 1.;
            for (unsigned int r = 0; r < 3; ++r)
              EXPECT_LT((sign * cross_product_3d(tangents[(r + 1) % 3], tangents[(r + 2) % 3]) -
                         metrics[q][r])
                          .norm(),
                        1e-13 * metrics[q].norm());
          }
        for (unsigned int m = Simplex<3>::n_modes(map_degree - 1); m < reference.n_modes; ++m)
          EXPECT_LT(modes[m].norm(), 1e-13 * modes[0].norm());
      }
  EXPECT_GT(n_curved, 0U);
}

TEST(Curved, MetricsFromTangentModes)
{
  test_tangent_modes(1, 2);
  test_tangent_modes(2, 2);
  test_tangent_modes(3, 3);
}

TEST(Curved, MetricModesEndWithTheirDegree)
{
  const unsigned int            degree = 4, map_degree = 3;
  const CurvedBox<2>            box(3, bump_at_side<2>(), map_degree);
  const ElementSpace<2, double> space(
    box.mesh(), degree, 1, 2 * degree, 2 * degree + 1, Device::cpu());
  const ElementMetrics<2> of_element(space.reference, space.geometry);
  ASSERT_TRUE(of_element.has_metric_modes());
  EXPECT_EQ(of_element.n_metric_modes(),
            static_cast<unsigned int>(Simplex<2>::n_modes(map_degree - 1)));
  for (unsigned int e = 0; e < space.order.n_elements(); ++e)
    {
      const auto modes = of_element.metric_modes(e);
      for (unsigned int m = of_element.n_metric_modes(); m < modes.size(); ++m)
        EXPECT_LT(modes[m].norm(), 1e-13 * modes[0].norm());
    }
}

TEST_P(CurvedElementsTest, BadInputIsRefused)
{
  const CurvedBox<2> box(6, bump_at_side<2>(), 2);
  const auto         with_maps = [&](const unsigned int degree) {
    ElementMesh<2>(box.mapping, box.triangulation, {}, max_matching_rounds, {}, degree);
  };
  EXPECT_MESSAGE(with_maps(1), "affine cells only");
  EXPECT_MESSAGE(with_maps(9), "from 1 to 8, not 9");
  EXPECT_MESSAGE(CurvedBox<2>(6, bump_inside<2>(0.3), 3).mesh(), "is folded");

  const auto make_space = [&](const unsigned int volume_degree, const StoredMetrics metrics) {
    ElementSpace<2, double>(box.mesh(), 2, 1, volume_degree, 4, device(), metrics);
  };
  EXPECT_MESSAGE(make_space(1, StoredMetrics::for_curved_elements),
                 "constant state would not be preserved");
}
