// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Time one low-storage Runge-Kutta stage of every compiled conservation law.
#include <deal.II/base/function.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/base/multiply_adds.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/application.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/operators/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/runge_kutta.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace dealii;
using namespace Saltus;

namespace
{
  void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Equation",
                      "Euler",
                      Patterns::MultipleSelection("Euler|advection"),
                      "Which laws to time.");
    prm.declare_entry("Numerical flux",
                      "HLLC",
                      Patterns::Selection("HLLC|Lax-Friedrichs"),
                      "Riemann solver (Euler).");
    prm.declare_entry("Dimensions",
                      "2, 3",
                      Patterns::List(Patterns::Integer(2, 3)),
                      "Which shapes.");
    prm.declare_entry("Precisions",
                      "double, float",
                      Patterns::MultipleSelection("double|float"),
                      "Which number types.");
    prm.declare_entry("Million degrees of freedom",
                      "10",
                      Patterns::Double(0.01),
                      "Approximate size of each problem.");
    prm.declare_entry("Repetitions",
                      "20",
                      Patterns::Integer(3),
                      "Timings, of which the median counts.");
  }

  /// Median seconds of @p repetitions calls of @p body, after two to warm up.
  template <typename Body>
  double
  median_time(const Device device, const unsigned int repetitions, const Body &body)
  {
    std::vector<double> seconds;
    for (unsigned int i = 0; i < repetitions + 2; ++i)
      if (device.is_cuda())
        seconds.push_back(CudaRuntime::time(body));
      else
        {
          const auto start = std::chrono::steady_clock::now();
          body();
          seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
    seconds.erase(seconds.begin(), seconds.begin() + 2);
    std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
    return seconds[seconds.size() / 2];
  }

  /// Bytes a second of a large copy, reads and writes counted.
  double
  copy_bandwidth(const Device device)
  {
    const std::size_t    n = std::size_t(1) << 26;
    const Memory<double> from(device, n);
    Memory<double>       to(device, n);
    const double         seconds = median_time(device, 10, [&]() { to.copy_from(from); });
    return 2. * n * sizeof(double) / seconds;
  }

  /// What a device can do, measured.
  struct Limits
  {
    explicit Limits(const Device device)
      : bandwidth(copy_bandwidth(device))
      , flops_double(flops<double>(device))
      , flops_float(flops<float>(device))
    {}

    template <typename Number>
    static double
    flops(const Device device)
    {
      double       n       = 0;
      const double seconds = median_time(device, 10, [&]() { n = multiply_adds<Number>(device); });
      return n / seconds;
    }

    double bandwidth;    ///< bytes a second
    double flops_double; ///< multiply-adds count twice
    double flops_float;
  };

  template <int dim, typename Law>
  StateFunction<dim>
  fields()
  {
    if (Law::n_fields == 0)
      return {};
    return {std::make_shared<Functions::ConstantFunction<dim>>(1., dim), false, false};
  }

  template <int dim, typename Number>
  void
  print(const std::string &kernel,
        const unsigned int degree,
        const unsigned int n_dofs,
        const double       seconds,
        const double       flops,
        const Limits      &limits)
  {
    const bool   is_double = sizeof(Number) == sizeof(double);
    const double rate      = n_dofs / seconds;
    // The fewest bytes: u and the accumulator read, the accumulator and the result written.
    const double bytes = 4. * sizeof(Number);
    std::printf("%-15s %-11s %u  %-6s %10u %10.3e %8.3f %8.3f %8.3f %8.3f\n",
                kernel.c_str(),
                dim == 2 ? "triangle" : "tetrahedron",
                degree,
                is_double ? "double" : "float",
                n_dofs,
                seconds,
                rate / 1e9,
                rate * bytes / limits.bandwidth,
                flops / seconds / 1e12,
                flops / seconds / (is_double ? limits.flops_double : limits.flops_float));
    std::fflush(stdout);
  }

  template <int dim, typename Law, typename Number>
  void
  time_stage(const unsigned int degree,
             const double       n_dofs_wanted,
             const unsigned int repetitions,
             const Device       device,
             const Law         &law,
             const Limits      &limits)
  {
    const FE_SimplexDGModal<dim> fe(degree);
    const double       per_box = (dim == 2 ? 2. : 6.) * fe.n_dofs_per_cell() * Law::n_components;
    const unsigned int n = std::max(2., std::round(std::pow(n_dofs_wanted / per_box, 1. / dim)));
    Point<dim>         corner;
    for (unsigned int d = 0; d < dim; ++d)
      corner[d] = 1.;
    Triangulation<dim> triangulation;
    Saltus::GridGenerator::box<dim>(
      triangulation, Point<dim>(), corner, std::vector<unsigned int>(dim, n), 0.1);
    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(FESystem<dim>(fe, Law::n_components));

    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_outflow(id);
    using Operator = ConservationLawOperator<dim, Law, Number>;
    Operator                          op;
    typename Operator::AdditionalData data;
    data.fields = fields<dim, Law>();
    op.reinit(MappingFE<dim>(FE_SimplexP<dim>(1)), dof_handler, law, conditions, device, data);
    TimeState time;
    time.dt = 1e-9;
    op.set_time_state(time);

    // A gas with some structure; for a scalar only the first expression.
    std::string expressions = "1+0.2*sin(5*x)*cos(4*y)";
    for (int c = 1; c < Law::n_components; ++c)
      expressions += "; 1+0.1*cos(3*x+" + std::to_string(c) + "*y)";
    Saltus::Vector<Number> u, out, accumulator;
    op.initialize_vector(u);
    op.initialize_vector(out);
    op.initialize_vector(accumulator);
    op.project({Expression(dim, expressions, Law::n_components), true}, u);

    const StageCoefficients coefficients = RungeKutta("LSRK45").stages()[1];
    const auto              stage  = [&]() { op.stage(coefficients, u, u, accumulator, out); };
    const auto              report = [&](const std::string &kernel, const auto &body) {
      const double seconds = median_time(device, repetitions, body);
      op.check_states();
      print<dim, Number>(kernel, degree, dof_handler.n_dofs(), seconds, op.stage_flops(), limits);
    };
    report(Law::name, stage);
    if (degree == 1)
      report("  with limiter", [&]() {
        stage();
        op.limit(out);
      });
  }

  bool
  wanted(const ParameterHandler &prm, const std::string &entry, const std::string &value)
  {
    const auto values = Utilities::split_string_list(prm.get(entry));
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  template <int dim, typename Law>
  void
  time_law(const ParameterHandler &prm, const Device device, const Law &law, const Limits &limits)
  {
    if (!wanted(prm, "Equation", Law::name) || !wanted(prm, "Dimensions", std::to_string(dim)))
      return;
    const double       n_dofs      = 1e6 * prm.get_double("Million degrees of freedom");
    const unsigned int repetitions = prm.get_integer("Repetitions");
    for (unsigned int degree = 0; degree <= (dim == 2 ? 5 : 4); ++degree)
      {
        if (wanted(prm, "Precisions", "double"))
          time_stage<dim, Law, double>(degree, n_dofs, repetitions, device, law, limits);
        if (wanted(prm, "Precisions", "float"))
          time_stage<dim, Law, float>(degree, n_dofs, repetitions, device, law, limits);
      }
  }

  template <int dim>
  Euler<dim>
  euler(const ParameterHandler &prm)
  {
    Euler<dim> law;
    if (prm.get("Numerical flux") == "Lax-Friedrichs")
      law.riemann_solver = Euler<dim>::RiemannSolver::lax_friedrichs;
    return law;
  }

  void
  run(ParameterHandler &prm)
  {
    const Device device = Device::from_name(prm.get("Device"));
    const Limits limits(device);
    std::printf("Device: %s\nCopy: %.0f GB/s; multiply-adds: %.2f TFLOP/s double, %.2f float\n",
                device.description().c_str(),
                limits.bandwidth / 1e9,
                limits.flops_double / 1e12,
                limits.flops_float / 1e12);
    std::printf("%-15s %-11s %s  %-6s %10s %10s %8s %8s %8s %8s\n",
                "kernel",
                "shape",
                "p",
                "number",
                "DoFs",
                "seconds",
                "GDoF/s",
                "of copy",
                "TFLOP/s",
                "of FMA");
    time_law<2>(prm, device, euler<2>(prm), limits);
    time_law<3>(prm, device, euler<3>(prm), limits);
    time_law<2>(prm, device, Advection<2>(), limits);
    time_law<3>(prm, device, Advection<3>(), limits);
  }
} // namespace

int
main(int argc, char **argv)
{
  return run_application(
    argc,
    argv,
    "Time one Runge-Kutta stage of conservation laws, as fractions of the time to "
    "move the fewest bytes and to perform the operations as multiply-adds.",
    declare_parameters,
    run);
}
