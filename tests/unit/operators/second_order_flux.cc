// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Second-order fluxes of conservation laws: viscosity and heat conduction against an assembly with
// deal.II in primitive variables, and artificial viscosity.
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/results/state_output.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <helpers/cell_faces.h>
#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/mixed.h>
#include <helpers/on_device.h>
#include <helpers/time_state.h>
#include <helpers/vectors.h>
#include <helpers/weight_adjusted_mass.h>
#include <memory>
#include <vector>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Less than half of what the gas has: mirrored at the wall, that is no state.
  constexpr double wall_temperature = 0.3;

  /// Of the walls to which the gas sticks.
  template <int dim>
  Tensor<1, dim>
  wall_velocity()
  {
    Tensor<1, dim> velocity;
    for (unsigned int d = 0; d < dim; ++d)
      velocity[d] = 0.125 * (1. - 2. * d);
    return velocity;
  }

  /// Air that is sticky.
  template <int dim>
  Euler<dim>
  viscous_gas(const ViscosityLaw law)
  {
    Euler<dim> gas;
    gas.transport.viscosity              = 0.3;
    gas.transport.law                    = law;
    gas.transport.reference_temperature  = 0.8;
    gas.transport.exponent               = 0.7;
    gas.transport.sutherland_temperature = 0.4;
    return gas;
  }

  /// Primitive variables and what is formed of them, from formulas of their own.
  template <int dim>
  struct Gas
  {
    Gas(const Euler<dim> &law, const dealii::Vector<double> &u)
      : law(law)
      , density(u(0))
      , energy(u(dim + 1))
    {
      for (unsigned int d = 0; d < dim; ++d)
        momentum[d] = u(1 + d);
      velocity           = momentum / density;
      temperature        = (law.gamma - 1.) * (energy / density - 0.5 * velocity * velocity);
      const auto  &t     = law.transport;
      const double ratio = temperature / t.reference_temperature;
      viscosity          = t.viscosity;
      if (t.law == ViscosityLaw::power)
        viscosity *= std::pow(ratio, t.exponent);
      if (t.law == ViscosityLaw::sutherland)
        viscosity *= std::pow(ratio, 1.5) * (t.reference_temperature + t.sutherland_temperature) /
                     (temperature + t.sutherland_temperature);
    }

    /// The flux tensor `[c][d]` for gradients `[c]` of the conserved variables.
    std::vector<Tensor<1, dim>>
    flux(const std::vector<Tensor<1, dim>> &gradient) const
    {
      Tensor<2, dim> of_velocity; // [i][d]
      for (unsigned int i = 0; i < dim; ++i)
        of_velocity[i] =
          gradient[1 + i] / density - gradient[0] * (momentum[i] / (density * density));
      // p = (gamma - 1)(E - m^2 / 2 rho), T = p / rho
      const double   pressure    = density * temperature;
      Tensor<1, dim> of_pressure = gradient[dim + 1];
      for (unsigned int i = 0; i < dim; ++i)
        of_pressure -= velocity[i] * gradient[1 + i];
      of_pressure += 0.5 * velocity.norm_square() * gradient[0];
      of_pressure *= law.gamma - 1.;
      const Tensor<1, dim> of_temperature =
        of_pressure / density - gradient[0] * (pressure / (density * density));
      Tensor<2, dim> stress = of_velocity + transpose(of_velocity);
      for (unsigned int i = 0; i < dim; ++i)
        stress[i][i] -= 2. / 3. * trace(of_velocity);
      stress *= viscosity;
      const double conductivity = viscosity * law.gamma / (law.gamma - 1.) / law.transport.prandtl;

      std::vector<Tensor<1, dim>> result(dim + 2);
      for (unsigned int i = 0; i < dim; ++i)
        result[1 + i] = stress[i];
      result[dim + 1] = velocity * stress + conductivity * of_temperature;
      return result;
    }

    const Euler<dim> law;
    double           density, energy, temperature, viscosity;
    Tensor<1, dim>   momentum, velocity;
  };

  /// A state that is near to 1, at rest and 1 / gamma.
  template <int dim>
  dealii::Vector<double>
  state_near_rest(const DoFHandler<dim> &dof_handler)
  {
    const auto &elements = dof_handler.get_fe_collection();
    auto        u        = random_vector(dof_handler.n_dofs(), 3);
    u *= 0.08 / std::pow(elements.max_degree() + 1., 2); // so that all are admissible
    std::vector<std::vector<double>> ones;
    for (unsigned int i = 0; i < elements.size(); ++i)
      ones.push_back(Basis<dim>(elements[i].reference_cell(), elements[i].degree).constant(1.));
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        const auto                          &fe = cell->get_fe();
        std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
        cell->get_dof_indices(indices);
        for (unsigned int i = 0; i < indices.size(); ++i)
          {
            const auto [c, m] = fe.system_to_component_index(i);
            u(indices[i]) += ones[cell->active_fe_index()][m] *
                             (c == 0 ? 1. : (c == 1 ? 0.3 : (c == dim + 1 ? 2.2 : 0.)));
          }
      }
    return u;
  }

  /// Volumes of cells, which may be curved.
  template <int dim>
  std::vector<double>
  volumes_of(const Mapping<dim> &mapping, const DoFHandler<dim> &dof_handler)
  {
    std::vector<double> volumes;
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        FEValues<dim> values(mapping,
                             cell->get_fe(),
                             cell_quadrature<dim>(cell->reference_cell(), 8),
                             update_JxW_values);
        values.reinit(static_cast<const typename Triangulation<dim>::cell_iterator &>(cell));
        double volume = 0.;
        for (const unsigned int q : values.quadrature_point_indices())
          volume += values.JxW(q);
        volumes.push_back(volume);
      }
    return volumes;
  }

  /// \f$ M^{-1} \f$ times the second-order terms, on the cells with one of the elements.
  /// Boundary ids: 0 given state, 1 adiabatic and 2 isothermal wall, which move, 3 wall with slip,
  /// else natural.
  template <int dim>
  void
  assemble(const Mapping<dim>           &mapping,
           const DoFHandler<dim>        &dof_handler,
           const unsigned int            element,
           const Euler<dim>             &law,
           const dealii::Vector<double> &given,
           const dealii::Vector<double> &u,
           dealii::Vector<double>       &result)
  {
    constexpr unsigned int    n_components = dim + 2;
    const FiniteElement<dim> &fe           = dof_handler.get_fe(element);
    const unsigned int        p = fe.degree, n = fe.n_dofs_per_cell();
    const ReferenceCell       shape = fe.reference_cell();
    const UpdateFlags         flags = update_values | update_gradients | update_JxW_values |
                              update_normal_vectors | update_quadrature_points;
    FEValues<dim> volume(mapping,
                         fe,
                         cell_quadrature<dim>(shape, shape.is_simplex() ? 2 * p - 2 : 2 * p),
                         update_values | update_gradients | update_JxW_values);
    FEValues<dim> of_mass(mapping, fe, cell_quadrature<dim>(shape, 2 * p), update_JxW_values);
    const auto    volumes   = volumes_of(mapping, dof_handler);
    const auto    face_rule = cell_quadrature<dim - 1>(shape.face_reference_cell(0), 2 * p);
    Side<dim>     side_in(mapping, fe, face_rule, flags);
    std::vector<std::unique_ptr<Side<dim>>> sides_out;
    for (unsigned int i = 0; i < dof_handler.get_fe_collection().size(); ++i)
      sides_out.push_back(
        std::make_unique<Side<dim>>(mapping, dof_handler.get_fe(i), face_rule, flags));
    const double                         face_volume = shape.face_reference_cell(0).volume();
    std::vector<types::global_dof_index> indices(n);

    const auto state = [&](const auto &values, const unsigned int q) {
      std::vector<dealii::Vector<double>> all(values.n_quadrature_points,
                                              dealii::Vector<double>(n_components));
      values.get_function_values(u, all);
      return all[q];
    };
    const auto gradient = [&](const auto &values, const unsigned int q) {
      std::vector<std::vector<Tensor<1, dim>>> all(values.n_quadrature_points,
                                                   std::vector<Tensor<1, dim>>(n_components));
      values.get_function_gradients(u, all);
      return all[q];
    };
    const auto outer = [&](const dealii::Vector<double> &a, const Tensor<1, dim> &b) {
      std::vector<Tensor<1, dim>> product(n_components);
      for (unsigned int c = 0; c < n_components; ++c)
        product[c] = a(c) * b;
      return product;
    };
    const auto less = [&](std::vector<Tensor<1, dim>>        a,
                          const double                       factor,
                          const std::vector<Tensor<1, dim>> &b) {
      for (unsigned int c = 0; c < n_components; ++c)
        a[c] -= factor * b[c];
      return a;
    };

    for (const auto &cell : dof_handler.active_cell_iterators())
      if (cell->active_fe_index() == element)
        {
          dealii::Vector<double> rhs(n);
          volume.reinit(cell);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              const auto flux = Gas<dim>(law, state(volume, q)).flux(gradient(volume, q));
              for (unsigned int i = 0; i < n; ++i)
                {
                  const unsigned int c = fe.system_to_component_index(i).first;
                  rhs(i) -= flux[c] * volume.shape_grad_component(i, q, c) * volume.JxW(q);
                }
            }
          for (const unsigned int f : cell->face_indices())
            for (const auto &[here, across] : parts_of_face<dim>(cell, f))
              {
                const bool  at_boundary = !across;
                const auto &inside      = side_in.reinit(here);
                const auto &outside =
                  at_boundary ? inside
                              : sides_out[across->cell->active_fe_index()]->reinit(*across);
                double ratio = faces_over_volume(here, p, volumes[cell->active_cell_index()]);
                if (!at_boundary)
                  ratio = std::max(ratio,
                                   faces_over_volume(*across,
                                                     p,
                                                     volumes[across->cell->active_cell_index()]));
                for (const unsigned int q : inside.quadrature_point_indices())
                  {
                    const double         area = inside.JxW(q) / face_rule.weight(q) * face_volume;
                    const double         penalty      = area * ratio;
                    const Tensor<1, dim> normal       = inside.normal_vector(q);
                    const dealii::Vector<double> here = state(inside, q);
                    const Gas<dim>               gas(law, here);
                    dealii::Vector<double>       flux(n_components), jump(here);
                    double                       weight = 0.5;
                    if (at_boundary)
                      {
                        const unsigned int     id = cell->face(f)->boundary_id();
                        dealii::Vector<double> there(here);
                        if (id == 0)
                          there = given;
                        if (id == 1 || id == 2)
                          {
                            for (unsigned int d = 0; d < dim; ++d)
                              there(1 + d) = here(0) * wall_velocity<dim>()[d];
                            there(dim + 1) =
                              here(0) *
                              ((id == 1 ? gas.temperature : wall_temperature) / (law.gamma - 1.) +
                               0.5 * wall_velocity<dim>().norm_square());
                          }
                        jump -= there;
                        weight = 1.;
                        const auto of_there =
                          Gas<dim>(law, there)
                            .flux(less(gradient(inside, q), 2. * penalty, outer(jump, normal)));
                        for (unsigned int c = 0; c < n_components; ++c)
                          flux(c) = of_there[c] * normal;
                        if (id == 1 || id == 3)
                          flux(dim + 1) = 0.;
                        if (id == 1)
                          for (unsigned int d = 0; d < dim; ++d)
                            flux(dim + 1) += wall_velocity<dim>()[d] * flux(1 + d);
                        if (id == 3)
                          {
                            double along_normal = 0.;
                            for (unsigned int d = 0; d < dim; ++d)
                              along_normal += flux(1 + d) * normal[d];
                            for (unsigned int d = 0; d < dim; ++d)
                              flux(1 + d) = along_normal * normal[d];
                          }
                      }
                    else
                      {
                        unsigned int same = 0;
                        while (outside.quadrature_point(same).distance(inside.quadrature_point(q)) >
                               1e-10)
                          ++same;
                        const auto there = state(outside, same);
                        jump -= there;
                        const auto of_here =
                          gas.flux(less(gradient(inside, q), penalty, outer(jump, normal)));
                        const auto of_there =
                          Gas<dim>(law, there)
                            .flux(less(gradient(outside, same), penalty, outer(jump, normal)));
                        for (unsigned int c = 0; c < n_components; ++c)
                          flux(c) = 0.5 * (of_here[c] + of_there[c]) * normal;
                      }
                    const auto of_jump = gas.flux(outer(jump, normal));
                    for (unsigned int i = 0; i < n; ++i)
                      {
                        const unsigned int c = fe.system_to_component_index(i).first;
                        rhs(i) += (flux(c) * inside.shape_value(i, q) +
                                   weight * of_jump[c] * inside.shape_grad_component(i, q, c)) *
                                  inside.JxW(q);
                      }
                  }
              }
          of_mass.reinit(cell);
          const auto solution = inverse_mass_times(of_mass, rhs);
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < n; ++i)
            result(indices[i]) = solution(i);
        }
  }

  /// On all cells.
  template <int dim>
  dealii::Vector<double>
  assemble(const Mapping<dim>           &mapping,
           const DoFHandler<dim>        &dof_handler,
           const Euler<dim>             &law,
           const dealii::Vector<double> &given,
           const dealii::Vector<double> &u)
  {
    dealii::Vector<double> result(dof_handler.n_dofs());
    for (unsigned int i = 0; i < dof_handler.get_fe_collection().size(); ++i)
      assemble(mapping, dof_handler, i, law, given, u, result);
    return result;
  }

  template <int dim>
  BoundaryConditions<dim>
  conditions_of_all_kinds(const std::string &state)
  {
    BoundaryConditions<dim> conditions;
    conditions.set_prescribed(0, FieldFunction<dim>(Expression(dim, state, dim + 2)));
    std::string velocity;
    for (unsigned int d = 0; d < dim; ++d)
      velocity += "; " + std::to_string(wall_velocity<dim>()[d]);
    conditions.set_no_slip_wall(1, FieldFunction<dim>(Expression(dim, velocity.substr(2), dim)));
    conditions.set_isothermal_wall(
      2, FieldFunction<dim>(Expression(dim, std::to_string(wall_temperature) + velocity, 1 + dim)));
    conditions.set_wall(3);
    for (unsigned int id = 4; id < 2 * dim; ++id)
      conditions.set_outflow(id);
    return conditions;
  }

  template <int dim>
  dealii::Vector<double>
  given_state()
  {
    dealii::Vector<double> state(dim + 2);
    state(0)       = 1.1;
    state(1)       = 0.25;
    state(2)       = -0.1;
    state(dim + 1) = 2.4;
    return state;
  }

  template <int dim>
  std::string
  text_of(const dealii::Vector<double> &state)
  {
    std::string text;
    for (const double entry : state)
      text += (text.empty() ? "" : "; ") + std::to_string(entry);
    return text;
  }

  using SecondOrderFlux = OnDevice;

  /// The loss of the domain passes its boundary; no mass passes a wall, no heat an adiabatic one.
  /// @param residual of @p u
  template <int dim, typename Operator>
  void
  expect_balanced(const Euler<dim>                    &gas,
                  const Operator                      &op,
                  const typename Operator::VectorType &u,
                  const typename Operator::VectorType &residual)
  {
    std::vector<double> sums        = op.integrals(residual), sizes(sums.size());
    double              wall_volume = 0., wall_heat = 0.;
    for (const FluxRule rule : {FluxRule::first_order, FluxRule::second_order})
      for (const auto &face : op.boundary_fluxes(u, 0., {0, 1, 2, 3, 4, 5}, rule))
        for (const auto &point : face.points)
          {
            for (unsigned int c = 0; c < sums.size(); ++c)
              {
                const double flux =
                  rule == FluxRule::first_order ? point.first_order[c] : -point.second_order[c];
                sums[c] += point.weight * flux;
                sizes[c] += point.weight * std::abs(flux);
              }
            const SurfaceFlux<dim> flux = surface_flux(gas, face.kind, point);
            if (face.kind == BoundaryKind::wall || is_no_slip(face.kind))
              wall_volume = std::max(wall_volume, std::abs(flux.volume));
            if (face.kind == BoundaryKind::wall || face.kind == BoundaryKind::no_slip_wall)
              wall_heat = std::max(wall_heat, std::abs(flux.heat));
          }
    for (unsigned int c = 0; c < sums.size(); ++c)
      {
        EXPECT_GT(sizes[c], 1e-3);
        EXPECT_LT(std::abs(sums[c]), 1e-12 * sizes[c]) << "component " << c;
      }
    EXPECT_LT(wall_volume, 1e-14);
    EXPECT_LT(wall_heat, 1e-13);
  }

  /// @param geometry with which operators are set up: the mapping, or a mesh with it
  template <typename Operator, int dim, typename Geometry>
  void
  expect_as_assembled(const Mapping<dim>    &mapping,
                      const Geometry        &geometry,
                      const DoFHandler<dim> &dof_handler,
                      const ViscosityLaw     viscosity,
                      const Device           device)
  {
    const auto given = given_state<dim>();
    const auto all   = conditions_of_all_kinds<dim>(text_of<dim>(given));
    const auto u     = state_near_rest(dof_handler);

    // What a viscosity changes: the difference of two right-hand sides, the second with a gas that
    // has hardly any.
    Euler<dim> gas = viscous_gas<dim>(viscosity), thin = gas;
    thin.transport.viscosity *= 1e-14;
    dealii::Vector<double> found[2];
    for (const bool is_thin : {false, true})
      {
        Operator op;
        op.reinit(geometry, dof_handler, is_thin ? thin : gas, all, device, {});
        auto                          clock = op.make_clock();
        typename Operator::VectorType state, residual;
        op.initialize_vector(state);
        op.initialize_vector(residual);
        op.copy_from(state, u);
        op.apply(clock, state, residual);
        op.check_states(clock);
        op.copy_to(found[is_thin], residual);
        if (!is_thin)
          expect_balanced<dim>(gas, op, state, residual);
      }
    found[0] -= found[1];
    auto expected = assemble(mapping, dof_handler, gas, given, u);
    expected -= found[0];
    EXPECT_LT(expected.linfty_norm(), 1e-11 * found[0].linfty_norm())
      << dof_handler.get_fe(0).get_name();
  }

  /// @param box with mapping and triangulation
  template <int dim, typename SomeBox>
  void
  expect_as_assembled(const SomeBox            &box,
                      const FiniteElement<dim> &fe,
                      const ViscosityLaw        viscosity,
                      const Device              device)
  {
    DoFHandler<dim> dof_handler(box.triangulation);
    dof_handler.distribute_dofs(FESystem<dim>(fe, dim + 2));
    expect_as_assembled<ConservationLawOperator<dim, Euler<dim>>>(
      box.mapping, box.mapping, dof_handler, viscosity, device);
  }

  template <int dim>
  void
  expect_simplices_as_assembled(const unsigned int p, const Device device)
  {
    expect_as_assembled<dim>(Box<dim>(2, 0.2, far_corner<dim>(), Vertices::shuffled),
                             FE_SimplexDGModal<dim>(p),
                             static_cast<ViscosityLaw>(p % 3),
                             device);
  }

  /// Where some cells are curved and the others straight.
  template <int dim>
  void
  expect_curved_as_assembled(const unsigned int p,
                             const unsigned int map_degree,
                             const Device       device)
  {
    SCOPED_TRACE("maps of degree " + std::to_string(map_degree));
    const CurvedSetting<dim, Euler<dim>> setting(p, map_degree, bump_at_side<dim>());
    expect_as_assembled<ConservationLawOperator<dim, Euler<dim>>>(setting.mapping,
                                                                  setting.mesh(),
                                                                  setting.dof_handler,
                                                                  static_cast<ViscosityLaw>(p % 3),
                                                                  device);
  }

  template <int dim>
  void
  expect_hypercubes_as_assembled(const unsigned int p, const Cells cells, const Device device)
  {
    SCOPED_TRACE("mesh " + std::to_string(static_cast<int>(cells)));
    expect_as_assembled<dim>(HypercubeBox<dim>(2, cells),
                             FE_HypercubeDG<dim>(p),
                             static_cast<ViscosityLaw>(p % 3),
                             device);
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SecondOrderFlux)

TEST_P(SecondOrderFlux, TrianglesAsAssembled)
{
  for (unsigned int p = 1; p <= 5; ++p)
    expect_simplices_as_assembled<2>(p, device());
}

TEST_P(SecondOrderFlux, TetrahedraAsAssembled)
{
  for (unsigned int p = 1; p <= 4; ++p)
    expect_simplices_as_assembled<3>(p, device());
}

TEST_P(SecondOrderFlux, CurvedTrianglesAsAssembled)
{
  for (unsigned int p = 1; p <= 5; ++p)
    for (const unsigned int map_degree : {2u, 3u})
      expect_curved_as_assembled<2>(p, map_degree, device());
}

TEST_P(SecondOrderFlux, CurvedTetrahedraAsAssembled)
{
  for (unsigned int p = 1; p <= 4; ++p)
    expect_curved_as_assembled<3>(p, 2, device());
  expect_curved_as_assembled<3>(1, 3, device());
}

TEST_P(SecondOrderFlux, QuadrilateralsAsAssembled)
{
  for (unsigned int p = 1; p <= 6; ++p)
    for (const Cells cells : {Cells::parallelepipeds, Cells::turned})
      expect_hypercubes_as_assembled<2>(p, cells, device());
  for (unsigned int p = 1; p <= 3; ++p)
    expect_hypercubes_as_assembled<2>(p, Cells::refined, device());
}

TEST_P(SecondOrderFlux, TrianglesBesideQuadrilateralsAsAssembled)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 3, 0.2);
  for (unsigned int p = 1; p <= 5; ++p)
    {
      DoFHandler<2> dof_handler(triangulation);
      distribute_mixed_dofs<Euler<2>>(dof_handler, p);
      expect_as_assembled<MixedConservationLawOperator<2, Euler<2>>>(straight_mapping(),
                                                                     straight_mapping(),
                                                                     dof_handler,
                                                                     static_cast<ViscosityLaw>(p %
                                                                                               3),
                                                                     device());
    }
}

TEST_P(SecondOrderFlux, HexahedraAsAssembled)
{
  for (const Cells cells : {Cells::parallelepipeds, Cells::turned, Cells::refined})
    expect_hypercubes_as_assembled<3>(1, cells, device());
  expect_hypercubes_as_assembled<3>(2, Cells::turned, device());
  expect_hypercubes_as_assembled<3>(3, Cells::parallelepipeds, device());
}
