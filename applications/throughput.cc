// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Time one low-storage Runge-Kutta stage of every compiled conservation law.
#include <deal.II/base/function.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>

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

  template <int dim, typename Law>
  StateFunction<dim>
  fields()
  {
    if (Law::n_fields == 0)
      return {};
    return {std::make_shared<Functions::ConstantFunction<dim>>(1., dim), false, false};
  }

  template <int dim, typename Law, typename Number>
  void
  time_stage(const unsigned int degree,
             const double       n_dofs_wanted,
             const unsigned int repetitions,
             const Device       device,
             const double       bandwidth)
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
    op.reinit(MappingFE<dim>(FE_SimplexP<dim>(1)), dof_handler, Law(), conditions, device, data);
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
    const double            seconds =
      median_time(device, repetitions, [&]() { op.stage(coefficients, u, u, accumulator, out); });
    op.check_states();
    const double rate = dof_handler.n_dofs() / seconds;
    // The fewest bytes: u, the accumulator and the result, read or written once.
    const double limit = bandwidth / (4. * sizeof(Number));
    std::printf("%-10s %-11s %u  %-6s %12u %12.3e %10.3f %9.3f\n",
                Law::name,
                dim == 2 ? "triangle" : "tetrahedron",
                degree,
                sizeof(Number) == 8 ? "double" : "float",
                static_cast<unsigned int>(dof_handler.n_dofs()),
                seconds,
                rate / 1e9,
                rate / limit);
    std::fflush(stdout);
  }

  bool
  wanted(const ParameterHandler &prm, const std::string &entry, const std::string &value)
  {
    const auto values = Utilities::split_string_list(prm.get(entry));
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  template <int dim, typename Law>
  void
  time_law(const ParameterHandler &prm, const Device device, const double bandwidth)
  {
    if (!wanted(prm, "Equation", Law::name) || !wanted(prm, "Dimensions", std::to_string(dim)))
      return;
    const double       n_dofs      = 1e6 * prm.get_double("Million degrees of freedom");
    const unsigned int repetitions = prm.get_integer("Repetitions");
    for (unsigned int degree = 0; degree <= (dim == 2 ? 5 : 4); ++degree)
      {
        if (wanted(prm, "Precisions", "double"))
          time_stage<dim, Law, double>(degree, n_dofs, repetitions, device, bandwidth);
        if (wanted(prm, "Precisions", "float"))
          time_stage<dim, Law, float>(degree, n_dofs, repetitions, device, bandwidth);
      }
  }

  void
  run(ParameterHandler &prm)
  {
    const Device device    = Device::from_name(prm.get("Device"));
    const double bandwidth = copy_bandwidth(device);
    std::printf("Device: %s; copy: %.0f GB/s\n", device.description().c_str(), bandwidth / 1e9);
    std::printf("%-10s %-11s %s  %-6s %12s %12s %10s %9s\n",
                "law",
                "shape",
                "p",
                "number",
                "DoFs",
                "seconds",
                "GDoF/s",
                "of limit");
    time_law<2, Euler<2>>(prm, device, bandwidth);
    time_law<3, Euler<3>>(prm, device, bandwidth);
    time_law<2, Advection<2>>(prm, device, bandwidth);
    time_law<3, Advection<3>>(prm, device, bandwidth);
  }
} // namespace

int
main(int argc, char **argv)
{
  return run_application(
    argc,
    argv,
    "Time one Runge-Kutta stage of conservation laws; the limit is the time to "
    "move the fewest bytes.",
    declare_parameters,
    run);
}
