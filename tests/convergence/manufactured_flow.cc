// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Gases, viscous or not, whose solution is prescribed: the source is what the equations then leave
// over.
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <helpers/curved_box.h>
#include <helpers/l2_error.h>
#include <helpers/meshes.h>
#include <helpers/on_device.h>
#include <helpers/time_state.h>
#include <helpers/vectors.h>
#include <iostream>
#include <sstream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// A plane wave \f$ \rho = 1 + a s, v = v_0 + b s, T = p / \rho = 1 + d s \f$ with \f$ s =
  /// \sin\phi, \phi = k \cdot x - \omega t \f$, oblique to the mesh, in a flow that crosses all
  /// boundaries everywhere. As all depends on the phase alone, a divergence is k times the
  /// derivative by it, and the derivative by time \f$ -\omega \f$ times it.
  template <int dim>
  class Wave
  {
  public:
    Wave(const Euler<dim> &gas, const double omega)
      : omega(omega)
      , viscosity(gas.transport.viscosity)
      , conductivity(viscosity * gas.gamma / ((gas.gamma - 1.) * gas.transport.prandtl))
      , gamma(gas.gamma)
    {
      const double ks[] = {2., 3., 1.}, vs[] = {0.5, 0.4, 0.3}, bs[] = {0.2, -0.1, 0.1};
      // Without a time in it what stands is evaluated once.
      std::string phase = omega == 0. ? "0" : "-" + text(omega) + "*t";
      for (unsigned int i = 0; i < dim; ++i)
        {
          k[i]  = ks[i];
          v0[i] = vs[i];
          b[i]  = bs[i];
          phase += "+" + text(k[i]) + "*" + std::string(1, "xyz"[i]);
        }
      s = "sin(" + phase + ")";
      c = "cos(" + phase + ")";
    }

    /// Density, velocity, pressure.
    std::string
    primitive() const
    {
      std::string result = density();
      for (unsigned int i = 0; i < dim; ++i)
        result += "; " + velocity(i);
      return result + "; " + pressure();
    }

    std::string
    conserved() const
    {
      std::string result = density();
      for (unsigned int i = 0; i < dim; ++i)
        result += "; " + density() + "*" + velocity(i);
      return result + "; " + energy();
    }

    /// \f$ \frac{d}{d\phi} [u\, (k \cdot v - \omega) + p\, (0, k, k \cdot v) - k \cdot F_v] \f$ for
    /// the conserved variables u.
    std::string
    source() const
    {
      const std::string q = linear(k * v0 - omega, k * b), dq = text(k * b);
      const std::string along = linear(k * v0, k * b); // k . v
      const double      kk = k * k, kb = k * b;
      std::string       result = c + "*(" + text(a) + "*" + q + "+" + density() + "*" + dq + ")";
      for (unsigned int i = 0; i < dim; ++i)
        {
          const std::string slope =
            text(a) + "*" + velocity(i) + "+" + density() + "*" + text(b[i]);
          result += "; " + c + "*((" + slope + ")*" + q + "+" + density() + "*" + velocity(i) +
                    "*" + dq + "+" + pressure_slope() + "*" + text(k[i]) + ")+" + s + "*" +
                    text(viscosity * (kk * b[i] + kb * k[i] / 3.));
        }
      result += "; " + c + "*(" + energy_slope() + "*" + q + "+" + energy() + "*" + dq + "+" +
                pressure_slope() + "*" + along + "+" + pressure() + "*" + dq + ")";
      // Of the work of friction and of the conduction of heat.
      result += "-" + c + "*" + c + "*" + text(viscosity * (kk * (b * b) + kb * kb / 3.));
      return result + "+" + s + "*(" + text(viscosity * kk) + "*" + linear(v0 * b, b * b) + "+" +
             text(viscosity * kb / 3.) + "*" + along + "+" + text(conductivity * kk * d) + ")";
    }

  private:
    static std::string
    text(const double x)
    {
      std::ostringstream result;
      result.precision(17);
      result << '(' << x << ')';
      return result.str();
    }

    /// \f$ x + y s \f$
    std::string
    linear(const double x, const double y) const
    {
      return "(" + text(x) + "+" + text(y) + "*" + s + ")";
    }

    std::string
    density() const
    {
      return linear(1., a);
    }

    std::string
    velocity(const unsigned int i) const
    {
      return linear(v0[i], b[i]);
    }

    std::string
    pressure() const
    {
      return density() + "*" + linear(1., d);
    }

    /// By s.
    std::string
    pressure_slope() const
    {
      return "(" + text(a) + "*" + linear(1., d) + "+" + density() + "*" + text(d) + ")";
    }

    /// \f$ |v|^2 / 2 \f$
    std::string
    speeds() const
    {
      return "(" + text(0.5 * (v0 * v0)) + "+" + s + "*" + linear(v0 * b, 0.5 * (b * b)) + ")";
    }

    std::string
    energy() const
    {
      return "(" + pressure() + "/" + text(gamma - 1.) + "+" + density() + "*" + speeds() + ")";
    }

    /// By s.
    std::string
    energy_slope() const
    {
      return "(" + pressure_slope() + "/" + text(gamma - 1.) + "+" + text(a) + "*" + speeds() +
             "+" + density() + "*" + linear(v0 * b, b * b) + ")";
    }

    static constexpr double a = 0.2, d = 0.1;
    const double            omega, viscosity, conductivity, gamma;
    Tensor<1, dim>          k, v0, b;
    std::string             s, c;
  };

  struct Setting
  {
    double viscosity;
    double omega = 0.; ///< of a wave that stands, the source is constant in time
  };

  /// Errors of density, momentum in each direction, and energy.
  template <int dim, typename BoxType>
  std::vector<double>
  errors(const unsigned int p, const Setting &setting, const BoxType &box, const Device device)
  {
    DoFHandler<dim> dof_handler(box.triangulation);
    dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(p), dim + 2));
    Euler<dim> gas;
    gas.transport.viscosity = setting.viscosity;
    const Wave<dim>          wave(gas, setting.omega);
    const FieldFunction<dim> exact(Expression(dim, wave.primitive(), dim + 2), true);
    BoundaryConditions<dim>  conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_prescribed(id, exact);

    using Operator = ConservationLawOperator<dim, Euler<dim>>;
    Operator                          op;
    typename Operator::AdditionalData data;
    data.source = FieldFunction<dim>(Expression(dim, wave.source(), dim + 2));
    op.reinit(box.mesh(), dof_handler, gas, conditions, device, data);
    constexpr double end   = 0.1;
    TimeClock        clock = op.make_clock(with_cfl(0.7, end));
    auto             u     = zeros(op);
    op.project(exact, u);
    TimeIntegrator<Operator>(op, clock, RungeKutta("LSRK45")).advance(u);
    const Expression    conserved(dim, wave.conserved(), dim + 2);
    const auto          solution = to_dealii(op, u);
    std::vector<double> result;
    for (unsigned int component = 0; component < dim + 2; ++component)
      result.push_back(l2_error(box.mapping, dof_handler, solution, conserved, end, component));
    return result;
  }

  template <int dim>
  Box<dim>
  straight(const unsigned int n)
  {
    return Box<dim>(n, 0.1);
  }

  /// In the middle.
  CurvedBox<2>
  curved_triangles(const unsigned int n)
  {
    return CurvedBox<2>(n, bump_inside<2>(), 3);
  }

  CurvedBox<3>
  curved_tetrahedra(const unsigned int n)
  {
    return CurvedBox<3>(n, bump_inside<3>(0.04), 2);
  }

  /// What rates have at least beside p. Where viscosity rules the elements, density has about half
  /// an order less: on a distorted mesh the divergence of the velocity's error is not zero in the
  /// mean, and nothing diffuses what it leaves. The energy feels that.
  double
  least(const Setting &setting, const bool is_density, const bool is_energy)
  {
    const bool viscous = setting.viscosity > 0.01;
    if (is_density)
      return viscous ? 0.4 : 0.65;
    return is_energy && viscous ? 0.6 : 0.7;
  }

  /// Of all variables, on two meshes.
  /// @param make_box of its number of subdivisions in each direction
  template <int dim, typename MakeBox>
  void
  expect_rates(const MakeBox     &make_box,
               const unsigned int p,
               const Setting     &setting,
               const unsigned int coarse,
               const Device       device)
  {
    const auto of_coarse = errors<dim>(p, setting, make_box(coarse), device);
    const auto of_fine   = errors<dim>(p, setting, make_box(2 * coarse), device);
    for (unsigned int component = 0; component < dim + 2; ++component)
      {
        const double rate = std::log2(of_coarse[component] / of_fine[component]);
        std::cout << dim << "D, p = " << p << ", component " << component << ": errors "
                  << of_coarse[component] << ", " << of_fine[component] << ", rate " << rate
                  << std::endl;
        EXPECT_GT(rate, p + least(setting, component == 0, component == dim + 1))
          << p << ", component " << component;
      }
  }

  const Setting inviscid = {0.}, viscous = {0.002};

  using ManufacturedFlow = OnDevice;
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(ManufacturedFlow)

TEST_P(ManufacturedFlow, MovingWave)
{
  for (unsigned int p = 1; p <= 2; ++p)
    expect_rates<2>(straight<2>, p, {0.002, 1.}, 4, device());
}

TEST_P(ManufacturedFlow, MuchViscosity)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 3 : 2); ++p)
    expect_rates<2>(straight<2>, p, {0.02}, 4, device());
}

TEST_P(ManufacturedFlow, Triangles)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 4 : 3); ++p)
    expect_rates<2>(straight<2>, p, viscous, 6, device());
}

TEST_P(ManufacturedFlow, Tetrahedra)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 2 : 1); ++p)
    expect_rates<3>(straight<3>, p, viscous, 4, device());
}

TEST_P(ManufacturedFlow, CurvedTriangles)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 4 : 3); ++p)
    expect_rates<2>(curved_triangles, p, viscous, 6, device());
}

TEST_P(ManufacturedFlow, CurvedTetrahedra)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 2 : 1); ++p)
    expect_rates<3>(curved_tetrahedra, p, viscous, 4, device());
}

TEST_P(ManufacturedFlow, InviscidCurvedTriangles)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 5 : 3); ++p)
    expect_rates<2>(curved_triangles, p, inviscid, 6, device());
}

TEST_P(ManufacturedFlow, InviscidCurvedTetrahedra)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 4 : 1); ++p)
    expect_rates<3>(curved_tetrahedra, p, inviscid, 4, device());
}
