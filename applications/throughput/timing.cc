// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "timing.h"

#include <saltus/base/device/memory.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/io/parameters/parameters.h>

#include "../common/riemann_solvers.h"
#include "multiply_adds.h"
#include <cstdio>

namespace Saltus::Throughput
{
  namespace
  {
    double
    copy_bandwidth(const Device device, const unsigned int repetitions)
    {
      const std::size_t    n = std::size_t(1) << 26;
      const Memory<double> from(device, n);
      Memory<double>       to(device, n);
      const double seconds = median_time(device, repetitions, [&]() { to.copy_from(from); });
      return n_ranks() * 2. * n * sizeof(double) / seconds;
    }

    template <typename Unit>
    double
    flops(const Device device, const unsigned int repetitions)
    {
      double       n = 0;
      const double seconds =
        median_time(device, repetitions, [&]() { n = multiply_adds<Unit>(device); });
      return n == 0 ? 0 : n_ranks() * n / seconds;
    }
  } // namespace

  Limits::Limits(const Device device, const unsigned int repetitions)
    : bandwidth(copy_bandwidth(device, repetitions))
    , flops_double(flops<double>(device, repetitions))
    , flops_float(flops<float>(device, repetitions))
    , flops_tensor(flops<TensorCores>(device, repetitions))
  {}

  void
  Parameters::add_parameters(dealii::ParameterHandler &prm)
  {
    using namespace dealii::Patterns;
    prm.add_parameter(
      "Equation",
      equations,
      "Which laws to time: a Runge-Kutta stage of Euler, compressible Navier-Stokes "
      "or advection, the operators of incompressible flow (in double precision), "
      "the parts of an elliptic solver, or assembly and product of the matrix of advection and "
      "diffusion on polytopic elements, or of the heat equation in a slab of space and time over "
      "polygons (in double precision, the latter on one rank).",
      List(Selection("Euler|Navier-Stokes|advection|Flow|Laplace|Polytopic|Slab")));
    prm.add_parameter(
      "Parts",
      parts,
      "Of the elliptic solver; the last one also of flows, for the pressure. Its set-up takes long.",
      List(Selection("operator|vectors|smoother|cycle")));
    add_riemann_solver(prm, solver);
    prm.add_parameter("Shapes",
                      shapes,
                      "Triangles and tetrahedra, or quadrilaterals and hexahedra.",
                      List(Selection("simplices|hypercubes")));
    prm.add_parameter("Dimensions", dimensions, "Which shapes.", List(Integer(2, 3)));
    prm.add_parameter("Degrees",
                      degrees,
                      "Which polynomial degrees, of those that an equation has.",
                      List(Integer(0)));
    prm.add_parameter("Precisions",
                      precisions,
                      "Which number types.",
                      List(Selection("double|float")));
    prm.add_parameter("Million degrees of freedom",
                      million_dofs,
                      "Approximate size of each problem.",
                      Double(0.01));
    prm.add_parameter(
      "Mesh file",
      mesh_file,
      "Gmsh file, refined to the size asked for, for one of the dimensions; relative "
      "to the working directory or to that of the parameter file. Empty: boxes "
      "with displaced vertices.",
      Anything());
    prm.add_parameter("Shuffled",
                      shuffled,
                      "Elements and vertices are numbered at random before they are given to the "
                      "operators, which choose an order of their own.");
    prm.add_parameter("Matching rounds",
                      matching_rounds,
                      "At most so many rounds that give faces the same number on both sides. After "
                      "few of them faces are left over, for which kernels are given the states "
                      "across.");
    prm.add_parameter(
      "Curved share",
      curved_share,
      "Share of the elements that are curved, on boxes, for Flow of hypercubes alone: "
      "smoothly, with maps of degree 2 or more. Of quadrilaterals and "
      "hexahedra those with displaced vertices; the others are parallelepipeds.",
      Double(0, 1));
    add_choice(prm,
               "Map degree",
               map_degree_above,
               {{"p", 0U}, {"p + 1", 1U}},
               "Of curved triangles and tetrahedra with polynomials of degree p.");
    prm.add_parameter(
      "Refined share",
      refined_share,
      "Share of the quadrilaterals or hexahedra that are refined, here and there, so "
      "that there are hanging faces.",
      Double(0, 1));
    prm.add_parameter("Cells per element",
                      cells_per_element,
                      "Of polytopic elements, on average.",
                      Double(1));
    add_choice(prm,
               "Agglomeration",
               grouping,
               {{"METIS", Grouping::metis}, {"boxes", Grouping::boxes}},
               "How cells are grouped to polytopic elements.");
    prm.add_parameter("Repetitions",
                      repetitions,
                      "Timings, of which the median counts.",
                      Integer(3));
    prm.add_parameter("Calls",
                      n_calls,
                      "Calls in a row in a timing of what programs call in steps (on GPUs and on "
                      "several ranks), rounded up to tens. GPUs slow down under load that lasts.",
                      Integer(1));
  }

  void
  Parameters::check() const
  {
    AssertThrow(mesh_file.empty() || dimensions.size() == 1,
                dealii::ExcMessage(
                  "Mesh file = " + mesh_file +
                  " needs one dimension, that of its elements: set Dimensions to 2 "
                  "or to 3."));
    const bool of_hypercubes = contains(shapes, "hypercubes") && shapes.size() == 1;
    AssertThrow(curved_share == 0. ||
                  (mesh_file.empty() && (of_hypercubes || !contains(equations, "Flow"))),
                dealii::ExcMessage("Curved share > 0: there are curved elements on boxes only, and "
                                   "for Equation = Flow with Shapes = hypercubes alone. Leave "
                                   "Mesh file empty."));
    AssertThrow(refined_share == 0. || of_hypercubes,
                dealii::ExcMessage("Refined share > 0: only meshes of quadrilaterals and hexahedra "
                                   "have hanging faces. Set Shapes to hypercubes."));
    AssertThrow(!contains(shapes, "hypercubes") || (mesh_file.empty() && !shuffled),
                dealii::ExcMessage("Shapes = hypercubes are timed on boxes, in deal.II's order: "
                                   "leave Mesh file empty, and Shuffled at false."));
  }

  Settings::Settings(const Parameters &parameters, const RunSettings &run)
    : Parameters(parameters)
    , device(device_of_rank(run.device, MPI_COMM_WORLD))
    , limits(device, parameters.repetitions)
    , n_dofs(1e6 * million_dofs)
    , parameter_file(run.parameter_file)
  {}

  void
  print_header(const Settings &settings)
  {
    if (dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) > 0)
      return;
    const Limits &limits = settings.limits;
    if (n_ranks() > 1)
      std::printf("%u ranks, each with a device like the first's\n", n_ranks());
    std::printf("Device: %s\nCopy: %.0f GB/s; multiply-adds: %.2f TFLOP/s double, %.2f float",
                settings.device.description().c_str(),
                limits.bandwidth / 1e9,
                limits.flops_double / 1e12,
                limits.flops_float / 1e12);
    if (limits.flops_tensor > 0)
      std::printf(", %.2f double on tensor cores", limits.flops_tensor / 1e12);
    std::printf("\n%-17s %-13s %s  %-6s %10s %10s %8s %8s %8s %8s %8s %8s %9s %8s %8s %9s",
                "kernel",
                "shape",
                "p",
                "number",
                "DoFs",
                "seconds",
                "GDoF/s",
                "byte/DoF",
                "of copy",
                "FLOP/DoF",
                "TFLOP/s",
                "of FMA",
                "of tensor",
                "roofline",
                "of it",
                "byte/elem");
    if (n_ranks() > 1)
      std::printf(" %9s %9s", "kB sent", "imbalance");
    std::printf("\n");
  }

  namespace
  {
    const char *
    shape_name(const Row &row)
    {
      if (row.shape == ElementShape::hypercube)
        return row.dim == 2 ? "quadrilateral" : "hexahedron";
      return row.dim == 2 ? "triangle" : "tetrahedron";
    }

    void
    print_column(const int width, const int precision, const bool is_known, const double value)
    {
      if (is_known)
        std::printf(" %*.*f", width, precision, value);
      else
        std::printf(" %*s", width, "-");
    }
  } // namespace

  namespace
  {
    unsigned int n_rows = 0; ///< printed so far
  }

  void
  check_rows()
  {
    AssertThrow(n_rows > 0,
                dealii::ExcMessage("The table is empty: no Equation has kernels for the Shapes, "
                                   "Dimensions, Degrees and Precisions that are given."));
  }

  void
  print(Row row, const Limits &limits)
  {
    ++n_rows;
    namespace MPI                   = dealii::Utilities::MPI;
    const MPI::MinMaxAvg n_elements = MPI::min_max_avg(row.n_elements, MPI_COMM_WORLD);

    row.flops  = MPI::sum(row.flops, MPI_COMM_WORLD);
    row.memory = MPI::max(row.memory, MPI_COMM_WORLD);
    row.sent   = MPI::max(row.sent, MPI_COMM_WORLD);
    if (MPI::this_mpi_process(MPI_COMM_WORLD) > 0)
      return;
    const double rate   = row.n_dofs / row.seconds;
    const double fma    = row.is_double ? limits.flops_double : limits.flops_float;
    const double tensor = row.is_double ? limits.flops_tensor : 0.;
    const bool   bytes = row.bytes > 0, flops = row.flops > 0;
    // Of degrees of freedom, with the fastest units there are.
    const double roofline =
      std::min(limits.bandwidth / row.bytes, std::max(fma, tensor) / (row.flops / row.n_dofs));
    std::printf("%-17s %-13s %u  %-6s %10.0f %10.3e %8.3f",
                row.kernel.c_str(),
                shape_name(row),
                row.degree,
                row.is_double ? "double" : "float",
                row.n_dofs,
                row.seconds,
                rate / 1e9);
    print_column(8, 1, bytes, row.bytes);
    print_column(8, 3, bytes, rate * row.bytes / limits.bandwidth);
    print_column(8, 1, flops, row.flops / row.n_dofs);
    print_column(8, 3, flops, row.flops / row.seconds / 1e12);
    print_column(8, 3, flops, row.flops / row.seconds / fma);
    print_column(9, 3, flops && tensor > 0, row.flops / row.seconds / tensor);
    print_column(8, 3, bytes && flops, roofline / 1e9);
    print_column(8, 3, bytes && flops, rate / roofline);
    print_column(9, 1, row.memory > 0, row.memory);
    if (n_ranks() > 1)
      std::printf(" %9.1f %9.3f", row.sent / 1e3, n_elements.max / n_elements.avg);
    std::printf("\n");
    std::fflush(stdout);
  }
} // namespace Saltus::Throughput
