// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_throughput_timing_h
#define applications_throughput_timing_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/cuda_runtime.h>
#include <saltus/base/device.h>
#include <saltus/io/application.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

/// The program `throughput`: what all its timings share.
namespace Saltus::Throughput
{
  /// Median seconds of @p repetitions calls of @p body, after two to warm up.
  template <typename Body>
  double
  median_time(const Device device, const unsigned int repetitions, const Body &body)
  {
    std::vector<double> seconds;
    device.make_current();
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

  /// The same for a @p body that programs call in a loop of steps, on GPUs recorded in a graph as
  /// there: several times in a row.
  template <typename Body>
  double
  median_time_in_steps(const Device device, const unsigned int repetitions, const Body &body)
  {
    if (!device.is_cuda())
      return median_time(device, repetitions, body);
    constexpr unsigned int n_calls = 10;
    CudaRuntime::Graph     graph;
    device.make_current();
    graph.record([&]() {
      for (unsigned int i = 0; i < n_calls; ++i)
        body();
    });
    return median_time(device, repetitions, [&]() { graph.launch(); }) / n_calls;
  }

  /// What a device can do, measured.
  struct Limits
  {
    explicit Limits(const Device device);

    double bandwidth;    ///< bytes a second of a large copy, reads and writes counted
    double flops_double; ///< multiply-adds count twice
    double flops_float;
    double flops_tensor; ///< of tensor cores in double precision; 0: none
  };


  /// What is to be timed, and how.
  struct Parameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a mesh file without its dimension
    void
    check() const;

    std::vector<std::string>  equations    = {"Euler"};
    std::vector<std::string>  parts        = {"operator", "vectors", "smoother", "cycle"};
    std::vector<unsigned int> dimensions   = {2, 3};
    std::vector<unsigned int> degrees      = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<std::string>  precisions   = {"double", "float"};
    bool                      hllc         = true;
    double                    million_dofs = 10.;
    std::string               mesh_file;
    bool                      shuffled    = false;
    unsigned int              repetitions = 20;
  };


  /// Whether @p value is in the list.
  template <typename T, typename Value>
  bool
  contains(const std::vector<T> &list, const Value &value)
  {
    return std::find(list.begin(), list.end(), value) != list.end();
  }


  /// The parameters, and the device with what it can do.
  struct Settings : public Parameters
  {
    Settings(const Parameters &parameters, const RunSettings &run);

    const Device      device;
    const Limits      limits;
    const double      n_dofs;         ///< approximately
    const std::string parameter_file; ///< a mesh file may lie beside it
  };


  /// One row of the table.
  struct Row
  {
    std::string  kernel;
    int          dim;
    unsigned int degree;
    bool         is_double;
    double       n_dofs;
    double       seconds;
    double       bytes  = 0; ///< the fewest that must be moved for a degree of freedom; 0: not said
    double       flops  = 0; ///< in all; 0: not said
    double       memory = 0; ///< bytes an element on the device, vectors apart; 0: not said
  };

  void
  print_header(const Settings &settings);

  void
  print(const Row &row, const Limits &limits);


  /// The mesh that the settings ask for, with about as many elements as have @p per_element
  /// unknowns each.
  template <int dim>
  void
  make_mesh(dealii::Triangulation<dim> &triangulation,
            const Settings             &settings,
            const double                per_element);


  void
  time_conservation_laws(const Settings &settings);

  void
  time_elliptic(const Settings &settings);
} // namespace Saltus::Throughput

#endif
