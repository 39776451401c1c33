// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Fluxes, Riemann solvers and boundary states by themselves.
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/physics/lax_friedrichs.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/exact_riemann.h>
#include <laws/nine_advections.h>
#include <limits>
#include <random>

using namespace Saltus;
using Saltus::Tests::ExactRiemann;
using Saltus::Tests::Gas;

namespace
{
  /// Rounding errors of a few hundred operations.
  template <typename T>
  constexpr double tolerance = 500 * std::numeric_limits<T>::epsilon();

  template <typename T, int n>
  void
  expect_near(const Array<T, n> &found, const Array<T, n> &expected, const char *what = "")
  {
    double scale = 1.;
    for (int c = 0; c < n; ++c)
      scale = std::max<double>(scale, std::abs(expected[c]));
    for (int c = 0; c < n; ++c)
      EXPECT_NEAR(found[c], expected[c], tolerance<T> * scale) << what << ", component " << c;
  }

  /// Random arguments of a law's functions.
  template <typename T>
  class Random
  {
  public:
    T
    number(const double from, const double to)
    {
      return std::uniform_real_distribution<double>(from, to)(generator);
    }

    template <int dim>
    Array<T, dim>
    direction()
    {
      Array<double, dim> n;
      double             square = 0.;
      while (square < 1e-2)
        {
          square = 0.;
          for (int d = 0; d < dim; ++d)
            {
              n[d] = std::normal_distribution<double>()(generator);
              square += n[d] * n[d];
            }
        }
      Array<T, dim> result;
      for (int d = 0; d < dim; ++d)
        result[d] = n[d] / std::sqrt(square);
      return result;
    }

    template <int n>
    Array<T, n>
    numbers(const double from, const double to)
    {
      Array<T, n> result;
      for (int i = 0; i < n; ++i)
        result[i] = number(from, to);
      return result;
    }

    template <typename Law>
    Array<T, Law::n_components>
    state(const Law &)
    {
      return numbers<Law::n_components>(-1., 1.);
    }

    /// Mach numbers up to about 2.
    template <int dim>
    Array<T, dim + 2>
    state(const Euler<dim> &law)
    {
      auto w     = numbers<dim + 2>(-1.5, 1.5);
      w[0]       = number(0.2, 2.);
      w[dim + 1] = number(0.2, 2.);
      return law.conserved(w);
    }

  private:
    std::mt19937 generator{1234};
  };

  template <int dim>
  Euler<dim>
  euler(const typename Euler<dim>::RiemannSolver solver, const double gamma = 1.4)
  {
    Euler<dim> law;
    law.gamma          = gamma;
    law.riemann_solver = solver;
    return law;
  }

  template <typename T, int n>
  Array<T, n>
  operator-(const Array<T, n> &a)
  {
    Array<T, n> result;
    for (int i = 0; i < n; ++i)
      result[i] = -a[i];
    return result;
  }

  /// \f$ \hat F(u, u, n) = F(u) n \f$ and \f$ \hat F(a, b, n) = -\hat F(b, a, -n) \f$.
  template <typename T, typename Law>
  void
  check_numerical_flux(const Law &law)
  {
    SCOPED_TRACE(std::string(Law::name) + " in " + std::to_string(Law::dimension) + "D");
    Random<T> random;
    for (unsigned int i = 0; i < 200; ++i)
      {
        const auto a = random.state(law), b = random.state(law);
        const auto n     = random.template direction<Law::dimension>();
        const auto field = random.template numbers<Law::n_fields>(-1., 1.);
        expect_near(law.numerical_flux(a, a, field, n), law.flux(a, field, n), "consistency");
        expect_near(law.numerical_flux(a, b, field, n),
                    -law.numerical_flux(b, a, field, -n),
                    "antisymmetry");
      }
  }

  /// The short form for gases against the definition.
  template <typename T, int dim>
  void
  check_gas_lax_friedrichs()
  {
    const auto        law = euler<dim>(Euler<dim>::RiemannSolver::lax_friedrichs);
    const Array<T, 0> none{};
    Random<T>         random;
    for (unsigned int i = 0; i < 200; ++i)
      {
        const auto a = random.state(law), b = random.state(law);
        const auto n = random.template direction<dim>();
        expect_near(law.numerical_flux(a, b, none, n), lax_friedrichs_flux(law, a, b, none, n));
      }
  }

  template <typename T, int dim>
  void
  check_all_fluxes()
  {
    check_gas_lax_friedrichs<T, dim>();
    using Solver = typename Euler<dim>::RiemannSolver;
    check_numerical_flux<T>(euler<dim>(Solver::hllc));
    check_numerical_flux<T>(euler<dim>(Solver::hllc, 5. / 3.));
    check_numerical_flux<T>(euler<dim>(Solver::hybrid));
    check_numerical_flux<T>(euler<dim>(Solver::lax_friedrichs));
    check_numerical_flux<T>(Advection<dim>());
    check_numerical_flux<T>(Tests::NineAdvections<dim>());
  }

  /// Primitive state with the velocity @p along @p n and the rest tangential.
  template <typename T, int dim>
  Array<T, dim + 2>
  with_normal_velocity(Array<T, dim + 2> w, const Array<T, dim> &n, const T along)
  {
    T before = 0;
    for (int d = 0; d < dim; ++d)
      before += w[1 + d] * n[d];
    for (int d = 0; d < dim; ++d)
      w[1 + d] += (along - before) * n[d];
    return w;
  }

  template <typename T, int dim>
  T
  normal_velocity(const Array<T, dim + 2> &w, const Array<T, dim> &n)
  {
    T velocity = 0;
    for (int d = 0; d < dim; ++d)
      velocity += w[1 + d] * n[d];
    return velocity;
  }

  template <typename T, int dim>
  void
  check_upwinding()
  {
    const Euler<dim>  law;
    const Array<T, 0> none{};
    Random<T>         random;
    for (unsigned int i = 0; i < 100; ++i)
      {
        const auto n      = random.template direction<dim>();
        const auto faster = [&](const Array<T, dim + 2> &u, const T mach) {
          const auto w = law.primitive(u);
          return law.conserved(
            with_normal_velocity<T, dim>(w, n, mach * std::sqrt(T(1.4) * w[dim + 1] / w[0])));
        };
        // Also Roe's average of two such states is supersonic if they are so by a margin.
        const auto inside = faster(random.state(law), 4), outside = faster(random.state(law), 4);
        expect_near(law.numerical_flux(inside, outside, none, n), law.flux(inside, none, n));
        expect_near(law.numerical_flux(faster(outside, -4), faster(inside, -4), none, n),
                    law.flux(faster(inside, -4), none, n));
      }

    const Advection<dim> advection;
    for (unsigned int i = 0; i < 100; ++i)
      {
        const auto n = random.template direction<dim>(), a = random.template direction<dim>();
        const auto inside = random.state(advection), outside = random.state(advection);
        const T    speed = dot<dim>(a, n);
        EXPECT_EQ(advection.numerical_flux(inside, outside, a, n)[0],
                  speed * (speed > 0 ? inside[0] : outside[0]));
      }
  }

  /// The gas of @p one_dimensional in the direction of @p n, its tangential velocity along @p t.
  template <typename T, int dim>
  Array<T, dim + 2>
  conserved(const Gas &gas, const Array<T, dim> &n, const Array<T, dim> &t, const Euler<dim> &law)
  {
    Array<T, dim + 2> w;
    w[0] = gas.density;
    for (int d = 0; d < dim; ++d)
      w[1 + d] = gas.velocity * n[d] + gas.tangential * t[d];
    w[dim + 1] = gas.pressure;
    return law.conserved(w);
  }

  /// A direction normal to @p n.
  template <typename T, int dim>
  Array<T, dim>
  tangent(const Array<T, dim> &n, Random<T> &random)
  {
    Array<T, dim> t;
    T             length = 0;
    while (length < 0.1)
      {
        t             = random.template direction<dim>();
        const T along = dot<dim>(t, n);
        length        = 0;
        for (int d = 0; d < dim; ++d)
          {
            t[d] -= along * n[d];
            length += t[d] * t[d];
          }
        length = std::sqrt(length);
      }
    for (int d = 0; d < dim; ++d)
      t[d] /= length;
    return t;
  }

  /// The flux of @p law between @p left and @p right and that of the exact solution, in rotated
  /// frames.
  template <typename T, int dim>
  void
  expect_exact(const Euler<dim> &law, const Gas &left, const Gas &right)
  {
    const Array<T, 0> none{};
    const Gas         between = ExactRiemann(left, right).at(0.);
    Random<T>         random;
    for (unsigned int i = 0; i < 10; ++i)
      {
        const auto n = random.template direction<dim>();
        const auto t = tangent<T, dim>(n, random);
        expect_near(law.numerical_flux(conserved<T, dim>(left, n, t, law),
                                       conserved<T, dim>(right, n, t, law),
                                       none,
                                       n),
                    law.flux(conserved<T, dim>(between, n, t, law), none, n));
      }
  }

  /// The state behind a shock of Mach number @p mach that runs to the right into @p ahead.
  Gas
  behind_shock(const Gas &ahead, const double mach)
  {
    const double g = 1.4, c = std::sqrt(g * ahead.pressure / ahead.density), m2 = mach * mach;
    return {ahead.density * (g + 1.) * m2 / ((g - 1.) * m2 + 2.),
            ahead.velocity + 2. * c / (g + 1.) * (mach - 1. / mach),
            ahead.pressure * (2. * g * m2 - (g - 1.)) / (g + 1.),
            ahead.tangential};
  }

  template <typename T, int dim>
  void
  check_single_contacts(const Euler<dim> &law)
  {
    for (const double velocity : {-0.7, 0., 0.3})
      {
        SCOPED_TRACE("velocity " + std::to_string(velocity));
        expect_exact<T>(law, {1., velocity, 0.8}, {0.2, velocity, 0.8});            // contact
        expect_exact<T>(law, {1., velocity, 0.8, 0.4}, {1., velocity, 0.8, -0.9});  // shear
        expect_exact<T>(law, {1., velocity, 0.8, 0.4}, {0.2, velocity, 0.8, -0.9}); // both
      }
  }

  template <typename T, int dim>
  void
  check_single_shocks(const Euler<dim> &law)
  {
    for (const double mach : {1.2, 3., 10.})
      for (const double velocity : {0., -0.9 * mach, -1.1 * mach}) // of the gas ahead
        {
          SCOPED_TRACE("shock of Mach number " + std::to_string(mach));
          const Gas ahead{1.4, velocity, 1., 0.3};
          const Gas behind = behind_shock(ahead, mach);
          expect_exact<T>(law, behind, ahead);
          expect_exact<T>(law,
                          {ahead.density, -ahead.velocity, ahead.pressure},
                          {behind.density, -behind.velocity, behind.pressure});
        }
  }

  struct Problem
  {
    Gas    left, right;
    double pressure, velocity; ///< between the outer waves, as Toro's table 4.2 has them
  };

  /// Toro, table 4.1.
  const Problem toro[] = {
    {{1., 0., 1.}, {0.125, 0., 0.1}, 0.30313, 0.92745},
    {{1., -2., 0.4}, {1., 2., 0.4}, 0.00189, 0.},
    {{1., 0., 1000.}, {1., 0., 0.01}, 460.894, 19.5975},
    {{1., 0., 0.01}, {1., 0., 100.}, 46.0950, -6.19633},
    {{5.99924, 19.5975, 460.894}, {5.99242, -6.19633, 46.0950}, 1691.64, 8.68975}};

  /// Between HLLC and Lax-Friedrichs by the jump of the pressure, relative to a tenth of the lower
  /// one.
  template <typename T, int dim>
  void
  check_hybrid_weight()
  {
    const Array<T, 0> none{};
    Random<T>         random;
    const Euler<dim>  hybrid        = euler<dim>(RiemannSolver::hybrid),
                     hllc           = euler<dim>(RiemannSolver::hllc),
                     lax_friedrichs = euler<dim>(RiemannSolver::lax_friedrichs);
    for (const double weight : {0., 0.5, 1., 8.})
      for (unsigned int i = 0; i < 50; ++i)
        {
          const auto n = random.template direction<dim>();
          auto       a = random.state(hybrid), b = hybrid.primitive(random.state(hybrid));
          b[dim + 1] = (1 + T(0.1 * weight)) * hybrid.pressure(a);
          b          = hybrid.conserved(b);
          if (i % 2 == 0)
            std::swap(a, b);
          const auto complete  = hllc.numerical_flux(a, b, none, n);
          const auto diffusive = lax_friedrichs.numerical_flux(a, b, none, n);
          auto       expected  = complete;
          for (int c = 0; c < dim + 2; ++c)
            expected[c] += T(std::min(weight, 1.)) * (diffusive[c] - complete[c]);
          // The rounding of the pressures counts ten times.
          auto found = hybrid.numerical_flux(a, b, none, n);
          for (int c = 0; c < dim + 2; ++c)
            found[c] = expected[c] + T(0.1) * (found[c] - expected[c]);
          expect_near(found, expected);
        }
  }

  /// A step of the scheme of degree 0 in one dimension, the waves from both sides of an element not
  /// meeting, leaves density and pressure positive.
  template <int dim>
  void
  check_positivity(const RiemannSolver solver)
  {
    const Euler<dim>       law = euler<dim>(solver);
    const Array<double, 0> none{};
    Random<double>         random;
    for (unsigned int i = 0; i < 1000; ++i)
      {
        const auto n     = random.template direction<dim>();
        const auto state = [&]() { // jumps by factors of 10,000, Mach numbers up to 10
          auto w     = random.template numbers<dim + 2>(-1., 1.);
          w[0]       = std::pow(10., random.number(-2., 2.));
          w[dim + 1] = std::pow(10., random.number(-2., 2.));
          for (int d = 0; d < dim; ++d)
            w[1 + d] *= 10 * std::sqrt(w[dim + 1] / w[0]);
          return law.conserved(w);
        };
        const auto left = state(), middle = state(), right = state();
        double     fastest = 0.;
        for (const auto &[a, b] : {std::pair(left, middle), std::pair(middle, right)})
          {
            const auto l = gas_side(law, a, n), r = gas_side(law, b, n);
            const auto speeds = hllc_speeds(l, r, roe_average(law, a, b, l, r));
            for (const double speed : {law.wave_speed(a, none, n),
                                       law.wave_speed(b, none, n),
                                       -speeds.left,
                                       speeds.right})
              fastest = std::max(fastest, speed);
          }
        const auto in  = law.numerical_flux(left, middle, none, n),
                   out = law.numerical_flux(middle, right, none, n);
        auto after     = middle;
        for (int c = 0; c < dim + 2; ++c)
          after[c] += 0.5 / fastest * (in[c] - out[c]);
        EXPECT_TRUE(law.admissible(after));
      }
  }

  template <typename T, int dim>
  void
  check_walls()
  {
    using Solver = typename Euler<dim>::RiemannSolver;
    const Array<T, 0> none{};
    for (const auto solver : {Solver::hllc, Solver::hybrid, Solver::lax_friedrichs})
      {
        const auto law = euler<dim>(solver);
        Random<T>  random;
        for (unsigned int i = 0; i < 100; ++i)
          {
            const auto n       = random.template direction<dim>();
            const auto inside  = random.state(law);
            const auto outside = law.boundary_state(BoundaryKind::wall, inside, inside, n);
            const auto flux    = law.numerical_flux(inside, outside, none, n);
            const T    scale   = 1 + law.wave_speed(inside, none, n) * inside[dim + 1];
            EXPECT_NEAR(flux[0], 0., tolerance<T> * scale);
            EXPECT_NEAR(flux[dim + 1], 0., tolerance<T> * scale);
            for (int d = 0; d < dim; ++d) // the pressure only
              for (int k = 0; k < d; ++k)
                EXPECT_NEAR(flux[1 + d] * n[k], flux[1 + k] * n[d], tolerance<T> * scale);
          }
      }
  }

  /// Numbers by hand: the speed of sound is 1 on both sides.
  template <typename T, int dim>
  void
  check_far_field()
  {
    const Euler<dim> law;
    Random<T>        random;
    for (unsigned int i = 0; i < 20; ++i)
      {
        const auto n = random.template direction<dim>();
        const auto t = tangent<T, dim>(n, random);
        const auto gas =
          [&](const double density, const double vn, const double p, const double vt) {
            return conserved<T, dim>({density, vn, p, vt}, n, t, law);
          };
        const auto outside = [&](const double vn_inside, const double vn_data) {
          return law.boundary_state(BoundaryKind::far_field,
                                    gas(1.4, vn_inside, 1., 0.3),
                                    gas(1.4, vn_data, 1., -0.5),
                                    n);
        };
        // Enters: invariants 0 + 5 and -0.2 - 5, so v_n = -0.1 and c = 1.02.
        expect_near(outside(0., -0.2), gas(1.54571312448, -0.1, 1.14868566764928, -0.5));
        // Leaves: 0 + 5 and 0.2 - 5, so v_n = 0.1 and c = 0.98.
        expect_near(outside(0., 0.2), gas(1.26548911552, 0.1, 0.86812553324672, 0.3));
        // A change of entropy makes no sound: pressure and normal velocity stay.
        for (const double vn : {0.2, -0.2})
          expect_near(law.boundary_state(
                        BoundaryKind::far_field, gas(0.7, vn, 1., 0.3), gas(1.4, vn, 1., -0.5), n),
                      vn > 0. ? gas(0.7, vn, 1., 0.3) : gas(1.4, vn, 1., -0.5));
        // Supersonic.
        expect_near(outside(1.5, 0.2), gas(1.4, 1.5, 1., 0.3));
        expect_near(outside(0., -1.5), gas(1.4, -1.5, 1., -0.5));
        // Nothing to adjust.
        expect_near(law.boundary_state(BoundaryKind::far_field,
                                       gas(0.7, -0.2, 0.6, 0.4),
                                       gas(0.7, -0.2, 0.6, 0.4),
                                       n),
                    gas(0.7, -0.2, 0.6, 0.4));
      }
  }

  /// As the wall sees it, the velocity is reversed, if it moves along itself.
  template <typename T, int dim>
  void
  check_no_slip_walls()
  {
    const Euler<dim> law;
    Random<T>        random;
    for (unsigned int i = 0; i < 100; ++i)
      {
        const auto n       = random.template direction<dim>();
        const auto w       = law.primitive(random.state(law));
        const auto of_wall = random.template direction<dim>();
        const T    normal  = dot<dim>(of_wall, n);
        for (const auto kind : {BoundaryKind::no_slip_wall, BoundaryKind::isothermal_wall})
          for (const bool moves : {false, true})
            {
              Array<T, dim + 2> data{};
              const int         first = kind == BoundaryKind::isothermal_wall ? 1 : 0;
              if (first > 0)
                data[0] = random.number(0.5, 2.);
              auto expected = w;
              for (unsigned int d = 0; d < dim; ++d)
                {
                  if (moves)
                    data[first + d] = of_wall[d];
                  const T along   = moves ? of_wall[d] - normal * n[d] : T(0);
                  expected[1 + d] = along - (w[1 + d] - along);
                }
              expect_near(law.primitive(law.boundary_state(kind, law.conserved(w), data, n)),
                          expected,
                          "no-slip wall");
            }
      }
  }

  /// What the characteristics of a primitive state carry.
  template <typename T, int dim>
  T
  outgoing_invariant(const Array<T, dim + 2> &w, const Array<T, dim> &n)
  {
    return normal_velocity<T, dim>(w, n) + 5 * std::sqrt(T(1.4) * w[dim + 1] / w[0]);
  }

  template <typename T, int dim>
  void
  check_pressure_outlet()
  {
    const Euler<dim> law;
    Random<T>        random;
    for (unsigned int i = 0; i < 100; ++i)
      {
        const auto n       = random.template direction<dim>();
        auto       w       = law.primitive(random.state(law));
        const T    c       = std::sqrt(T(1.4) * w[dim + 1] / w[0]);
        w                  = with_normal_velocity<T, dim>(w, n, T(random.number(-0.5, 0.9)) * c);
        const T    p       = random.number(0.8, 1.2) * w[dim + 1];
        const auto outside = [&](const Array<T, dim + 2> &inside, const T pressure) {
          Array<T, dim + 2> data{};
          data[0] = pressure;
          return law.primitive(
            law.boundary_state(BoundaryKind::pressure_outlet, law.conserved(inside), data, n));
        };
        const auto out = outside(w, p);
        EXPECT_NEAR(out[dim + 1], p, tolerance<T> * p);
        EXPECT_NEAR(out[dim + 1] / std::pow(out[0], T(1.4)),
                    w[dim + 1] / std::pow(w[0], T(1.4)),
                    tolerance<T> * w[dim + 1] / std::pow(w[0], T(1.4)));
        EXPECT_NEAR((outgoing_invariant<T, dim>(out, n)),
                    (outgoing_invariant<T, dim>(w, n)),
                    tolerance<T> * 10);
        // Only the normal velocity changes.
        expect_near(with_normal_velocity<T, dim>(out, n, 0), [&]() {
          auto expected     = with_normal_velocity<T, dim>(w, n, 0);
          expected[0]       = out[0];
          expected[dim + 1] = out[dim + 1];
          return expected;
        }());
        expect_near(outside(w, w[dim + 1]), w, "the pressure that it has");
        const auto supersonic = with_normal_velocity<T, dim>(w, n, T(1.1) * c);
        expect_near(outside(supersonic, p), supersonic, "supersonic");
      }
  }

  template <typename T, int dim>
  void
  check_total_pressure_inlet()
  {
    const Euler<dim> law;
    Random<T>        random;
    for (unsigned int i = 0; i < 100; ++i)
      {
        const auto n         = random.template direction<dim>();
        auto       direction = random.template direction<dim>();
        T          inward    = -dot<dim>(direction, n);
        if (inward < 0)
          {
            direction = -direction;
            inward *= -1;
          }
        if (inward < 0.2)
          continue;
        // A subsonic state by the isentropic relations for the Mach number m.
        const T    p_total = random.number(0.5, 2.), t_total = random.number(0.5, 2.);
        const T    length     = random.number(0.3, 3.);
        const auto isentropic = [&](const T m) {
          const T           ratio = 1 + T(0.2) * m * m, t = t_total / ratio;
          Array<T, dim + 2> w;
          w[dim + 1] = p_total * std::pow(ratio, T(-3.5));
          w[0]       = w[dim + 1] / t;
          for (int d = 0; d < dim; ++d)
            w[1 + d] = m * std::sqrt(T(1.4) * t) * direction[d];
          return w;
        };
        Array<T, dim + 2> data{};
        data[0] = p_total;
        data[1] = t_total;
        for (int d = 0; d < dim; ++d)
          data[2 + d] = length * direction[d];
        const auto outside = [&](const Array<T, dim + 2> &inside) {
          return law.primitive(
            law.boundary_state(BoundaryKind::total_pressure_inlet, law.conserved(inside), data, n));
        };
        const auto total = [&](const Array<T, dim + 2> &w) { // pressure and temperature
          T v2 = 0;
          for (int d = 0; d < dim; ++d)
            v2 += w[1 + d] * w[1 + d];
          const T t = w[dim + 1] / w[0], t_t = t + v2 / 7;
          return Array<T, 2>{{w[dim + 1] * std::pow(t_t / t, T(3.5)), t_t}};
        };
        const T    mach = random.number(0.1, 0.9);
        const auto w    = isentropic(mach);
        expect_near(outside(w), w, "the state that it has");

        // Another state inside: what is given holds, and the outgoing invariant is that of inside.
        auto inside = isentropic(T(0.5));
        inside[0] *= T(random.number(0.98, 1.02));
        inside[dim + 1] *= T(random.number(0.98, 1.02));
        const auto out = outside(inside);
        expect_near(total(out), Array<T, 2>{{p_total, t_total}}, "totals");
        EXPECT_NEAR((outgoing_invariant<T, dim>(out, n)),
                    (outgoing_invariant<T, dim>(inside, n)),
                    tolerance<T> * 20);
        for (int d = 0; d < dim; ++d)
          for (int k = 0; k < d; ++k)
            EXPECT_NEAR(out[1 + d] * direction[k], out[1 + k] * direction[d], tolerance<T> * 10);
        EXPECT_LT((normal_velocity<T, dim>(out, n)), 0.);

        // A gas inside that would flow out meets one at rest, one that is sucked out a sonic flow.
        expect_near(outside(with_normal_velocity<T, dim>(isentropic(T(0)), n, T(0.1))),
                    isentropic(T(0)),
                    "at rest");
        expect_near(outside(isentropic(T(3.))), isentropic(T(1)), "sonic");
      }
  }

  /// The forms of the second-order flux that kernels with little to do at a point use, against that
  /// for any gradient.
  template <typename T, int dim>
  void
  check_forms_of_second_order_flux()
  {
    using State = Array<T, dim + 2>;
    Euler<dim> law;
    law.transport.viscosity = 0.3;
    law.transport.law       = ViscosityLaw::sutherland;
    Random<T> random;
    for (unsigned int i = 0; i < 100; ++i)
      {
        const auto  at    = law.medium(random.state(law), law.template diffusion<T>());
        const auto  n     = random.template numbers<dim>(-2., 2.);
        const auto  m     = random.template numbers<dim>(-2., 2.);
        const T     alpha = random.number(-2., 2.);
        const State a     = random.template numbers<dim + 2>(-1., 1.);
        StateGradient<T, dim, dim + 2> general;
        Array<State, dim>              gradient;
        for (int d = 0; d < dim; ++d)
          {
            gradient[d] = general.derivatives[d] = random.template numbers<dim + 2>(-1., 1.);
            for (int k = 0; k < dim; ++k)
              general.directions[k][d] = k == d ? 1. : 0.;
          }
        const StateGradient<T, dim, dim + 2, 1> jump{{{n}}, {{a}}};
        const State                             expected = law.second_order_flux(at, general, n);

        const auto in_space = law.second_order_fluxes(at, gradient);
        State      along_n{}, with_jump = law.second_order_flux(at, jump, n);
        for (int c = 0; c < dim + 2; ++c)
          {
            for (int d = 0; d < dim; ++d)
              along_n[c] += n[d] * in_space[d][c];
            with_jump[c] = expected[c] + alpha * with_jump[c];
          }
        expect_near(along_n, expected, "in all directions");

        auto normal_gradient = law.normal_gradient(gradient, n);
        expect_near(law.second_order_flux(at, normal_gradient, n), expected, "through a plane");
        law.add_jump(alpha, a, n, normal_gradient);
        expect_near(law.second_order_flux(at, normal_gradient, n), with_jump, "with a jump");
        expect_near(law.part_along(law.jump_flux(at, a, n), n, m),
                    law.second_order_flux(at, jump, m),
                    "of a jump");

        // In the directions of a face with this normal, of which the others are perpendicular to
        // it.
        FaceGradient<T, dim, dim + 2>          at_face;
        StateGradient<T, dim, dim + 2>         same;
        const FaceGradient<T, dim, dim + 2, 0> of_jump{{}, {}, a};
        at_face.across = same.derivatives[dim - 1] = gradient[dim - 1];
        same.directions[dim - 1]                   = n;
        for (int k = 0; k < dim - 1; ++k)
          {
            auto    t    = random.template numbers<dim>(-2., 2.);
            const T part = dot<dim>(t, n) / dot<dim>(n, n);
            for (int d = 0; d < dim; ++d)
              t[d] -= part * n[d];
            at_face.tangents[k] = same.directions[k] = t;
            at_face.derivatives[k] = same.derivatives[k] = gradient[k];
            expect_near(law.tangential_flux(at, a, n, t),
                        law.second_order_flux(at, jump, t),
                        "of a jump along a face");
          }
        expect_near(law.normal_flux(at, at_face, n),
                    law.second_order_flux(at, same, n),
                    "through a face");
        expect_near(law.normal_flux(at, of_jump, n),
                    law.second_order_flux(at, jump, n),
                    "of a jump through a face");
      }
  }

  template <typename T, int dimension>
  struct Case
  {
    using Number             = T;
    static constexpr int dim = dimension;
  };

  template <typename>
  class InEveryNumber : public testing::Test
  {};
} // namespace

using Cases = testing::Types<Case<double, 2>, Case<double, 3>, Case<float, 2>, Case<float, 3>>;
TYPED_TEST_SUITE(InEveryNumber, Cases);

TYPED_TEST(InEveryNumber, NumericalFluxesAreConsistentAndAntisymmetric)
{
  check_all_fluxes<typename TypeParam::Number, TypeParam::dim>();
}

TYPED_TEST(InEveryNumber, SupersonicFlowIsUpwind)
{
  check_upwinding<typename TypeParam::Number, TypeParam::dim>();
}

TYPED_TEST(InEveryNumber, NoMassThroughWalls)
{
  check_walls<typename TypeParam::Number, TypeParam::dim>();
}

TYPED_TEST(InEveryNumber, FarFieldByHand)
{
  check_far_field<typename TypeParam::Number, TypeParam::dim>();
}

TYPED_TEST(InEveryNumber, PressureOutletIsIsentropic)
{
  check_pressure_outlet<typename TypeParam::Number, TypeParam::dim>();
}

TYPED_TEST(InEveryNumber, FlowTurnsBackAtNoSlipWalls)
{
  check_no_slip_walls<typename TypeParam::Number, TypeParam::dim>();
}

TYPED_TEST(InEveryNumber, TotalPressureInletIsIsentropic)
{
  check_total_pressure_inlet<typename TypeParam::Number, TypeParam::dim>();
}

TYPED_TEST(InEveryNumber, FormsOfSecondOrderFluxAgree)
{
  check_forms_of_second_order_flux<typename TypeParam::Number, TypeParam::dim>();
}

TEST(ExactRiemann, PublishedStarStates)
{
  for (const Problem &problem : toro)
    {
      const ExactRiemann exact(problem.left, problem.right);
      EXPECT_NEAR(exact.star_pressure, problem.pressure, 1e-5 * std::max(1., problem.pressure));
      EXPECT_NEAR(exact.star_velocity, problem.velocity, 1e-5 * std::max(1., problem.velocity));
      // The same through both waves.
      EXPECT_NEAR(exact.at(exact.star_velocity - 1e-9).pressure,
                  exact.at(exact.star_velocity + 1e-9).pressure,
                  1e-12 * problem.left.pressure);
    }
}

/// Contacts, shear waves and single shocks.
TEST(Hllc, SingleDiscontinuitiesAreExact)
{
  check_single_contacts<double>(Euler<2>());
  check_single_contacts<double>(Euler<3>());
  check_single_shocks<double>(Euler<2>());
  check_single_shocks<double>(Euler<3>());
}

TEST(HybridFlux, ContactsAndShearWavesAreExact)
{
  check_single_contacts<double>(euler<2>(RiemannSolver::hybrid));
  check_single_contacts<double>(euler<3>(RiemannSolver::hybrid));
}

TYPED_TEST(InEveryNumber, WeightByJumpOfPressureOfHybridFlux)
{
  check_hybrid_weight<typename TypeParam::Number, TypeParam::dim>();
}

TEST(Physics, FluxesArePositive)
{
  for (const auto solver :
       {RiemannSolver::hllc, RiemannSolver::hybrid, RiemannSolver::lax_friedrichs})
    {
      check_positivity<2>(solver);
      check_positivity<3>(solver);
    }
}

namespace
{
  /// The states between HLLC's outer waves, along the x axis.
  struct HllcStar
  {
    HllcStar(const Gas &left, const Gas &right)
    {
      const Euler<2>         law;
      const Array<double, 2> n{{1., 0.}};
      const auto             u_l = conserved<double, 2>(left, n, n, law),
                 u_r             = conserved<double, 2>(right, n, n, law);
      const auto l = gas_side(law, u_l, n), r = gas_side(law, u_r, n);
      const auto s     = hllc_speeds(l, r, roe_average(law, u_l, u_r, l, r));
      contact          = s.contact;
      left_pressure    = pressure(l, s.left);
      right_pressure   = pressure(r, s.right);
      internal_energy  = std::min(energy(l, s.left, u_l[3]), energy(r, s.right, u_r[3]));
      smallest_density = std::min(density(l, s.left), density(r, s.right));
    }

    double contact, left_pressure, right_pressure, internal_energy, smallest_density;

  private:
    double
    density(const GasSide<double> &side, const double s) const
    {
      return side.density * (s - side.velocity) / (s - contact);
    }

    /// Toro, equation 10.36.
    double
    pressure(const GasSide<double> &side, const double s) const
    {
      return side.pressure + side.density * (s - side.velocity) * (contact - side.velocity);
    }

    /// Toro, equation 10.39, less the kinetic energy.
    double
    energy(const GasSide<double> &side, const double s, const double total) const
    {
      return density(side, s) *
             (total / side.density +
              (contact - side.velocity) *
                (contact + side.pressure / (side.density * (s - side.velocity))) -
              0.5 * contact * contact);
    }
  };
} // namespace

/// Of several strong waves HLLC knows that there are a contact with one pressure on both sides, and
/// which way it moves; density and internal energy stay positive even where the exact pressure
/// almost vanishes. The star pressure itself is off by up to a third (in the second problem it is
/// negative): the next test says when it is right.
TEST(Hllc, StarStatesOfTorosProblems)
{
  for (const Problem &problem : toro)
    {
      const HllcStar star(problem.left, problem.right);
      EXPECT_NEAR(star.left_pressure,
                  star.right_pressure,
                  1e-12 * std::max(problem.left.pressure, problem.right.pressure));
      EXPECT_NEAR(star.contact * problem.velocity,
                  std::abs(star.contact * problem.velocity),
                  1e-12);
      EXPECT_GT(star.smallest_density, 0.);
      EXPECT_GT(star.internal_energy, 0.);
    }
}

/// The error of star pressure and velocity is of second order in the jump.
TEST(Hllc, StarStatesOfWeakWaves)
{
  for (const auto &[density, velocity, pressure] :
       {std::tuple(0.5, 0.3, 0.4), std::tuple(-0.4, -0.6, 0.2), std::tuple(0., 0., -0.5)})
    {
      double p_before = 0., v_before = 0.;
      for (double jump = 0.1; jump > 1e-3; jump *= 0.5)
        {
          const Gas left{1., 0.2, 1.};
          const Gas right{1. + jump * density, 0.2 + jump * velocity, 1. + jump * pressure};
          const ExactRiemann exact(left, right);
          const HllcStar     star(left, right);
          const double       p_error = std::abs(star.left_pressure - exact.star_pressure),
                       v_error       = std::abs(star.contact - exact.star_velocity);
          EXPECT_LT(p_error, 0.5 * jump * jump);
          EXPECT_LT(v_error, 0.5 * jump * jump);
          if (p_before > 0.)
            {
              EXPECT_LT(p_error, 0.3 * p_before);
              EXPECT_LT(v_error, 0.3 * v_before);
            }
          p_before = p_error;
          v_before = v_error;
        }
    }
}
