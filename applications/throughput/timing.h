// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_throughput_timing_h
#define applications_throughput_timing_h

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/device.h>
#include <saltus/base/device/stopwatch.h>
#include <saltus/base/ranks/element_partition.h>
#include <saltus/fe/dg_element.h>
#include <saltus/io/parameters/application.h>
#include <saltus/mesh/agglomerate/agglomeration.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/physics/euler.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

/// The program `throughput`: what all its timings share.
namespace Saltus::Throughput
{
  /// Ranks that the program was started on.
  inline unsigned int
  n_ranks()
  {
    return dealii::Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD);
  }

  /// Seconds from when all ranks begin with @p body until the last one is done.
  template <typename Body>
  double
  wall_time(const Device device, const Body &body)
  {
    Stopwatch watch(device);
    watch.lap();
    MPI_Barrier(MPI_COMM_WORLD);
    watch.lap();
    body();
    return dealii::Utilities::MPI::max(watch.lap(), MPI_COMM_WORLD);
  }

  /// Median seconds of @p repetitions calls of @p body, after two to warm up.
  template <typename Body>
  double
  median_time(const Device device, const unsigned int repetitions, const Body &body)
  {
    std::vector<double> seconds;
    device.make_current();
    for (unsigned int i = 0; i < repetitions + 2; ++i)
      seconds.push_back(device.is_cuda() && n_ranks() == 1 ? CudaRuntime::time(body)
                                                           : wall_time(device, body));
    seconds.erase(seconds.begin(), seconds.begin() + 2);
    std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
    return seconds[seconds.size() / 2];
  }

  /// The rates that the devices of all ranks reach together: medians of @p repetitions timings.
  struct Limits
  {
    Limits(const Device device, const unsigned int repetitions);

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

    /// @throws dealii::ExcMessage for a mesh file without its dimension, and for curved elements
    /// where there are none
    void
    check() const;

    std::vector<std::string>  equations    = {"Euler"};
    std::vector<std::string>  parts        = {"operator", "vectors", "smoother", "cycle"};
    std::vector<std::string>  shapes       = {"simplices"};
    std::vector<unsigned int> dimensions   = {2, 3};
    std::vector<unsigned int> degrees      = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<std::string>  precisions   = {"double", "float"};
    RiemannSolver             solver       = RiemannSolver::hllc;
    double                    million_dofs = 10.;
    std::string               mesh_file;
    bool                      shuffled          = false;
    unsigned int              matching_rounds   = max_matching_rounds;
    double                    curved_share      = 0.;
    unsigned int              map_degree_above  = 1; ///< the degree of polynomials
    double                    refined_share     = 0.;
    double                    cells_per_element = 4.;
    Grouping                  grouping          = Grouping::boxes;
    unsigned int              repetitions       = 20;
    unsigned int              n_calls           = 10;
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


  /// median_time() of a @p body that programs call in a loop of steps, so many times in a row on
  /// GPUs and on several ranks as the settings say; on GPUs ten and ten recorded in a graph as
  /// there, where the exchange between ranks allows it.
  template <typename Body>
  double
  median_time_in_steps(const Settings                                &settings,
                       const std::shared_ptr<const ElementPartition> &partition,
                       const Body                                    &body)
  {
    const Device &device = settings.device;
    if (!device.is_cuda() && n_ranks() == 1)
      return median_time(device, settings.repetitions, body);
    const auto ten_calls = [&]() {
      for (unsigned int i = 0; i < 10; ++i)
        body();
    };
    CudaRuntime::Graph graph;
    const bool         records = exchanges_on_device(partition, device) && device.is_cuda();
    device.make_current();
    if (records)
      graph.record(ten_calls);
    const unsigned int n_tens = (settings.n_calls + 9) / 10;
    const auto         calls  = [&]() {
      for (unsigned int i = 0; i < n_tens; ++i)
        records ? graph.launch() : ten_calls();
    };
    return median_time(device, settings.repetitions, calls) / (10 * n_tens);
  }


  /// One row of the table.
  struct Row
  {
    std::string  kernel;
    int          dim;
    unsigned int degree;
    bool         is_double;
    double       n_dofs; ///< of all ranks
    double       seconds;
    double       bytes  = 0; ///< the fewest that must be moved for a degree of freedom; 0: not said
    double       flops  = 0; ///< of this rank; 0: not said
    double       memory = 0; ///< bytes an element on the device, vectors apart; 0: not said
    // Of this rank, on several:
    double n_elements = 0;
    double sent       = 0; ///< bytes that it sends

    ElementShape shape = ElementShape::simplex;
  };

  /// The fewest bytes that first derivatives need of an element's place in the mesh: the inverse
  /// Jacobian and the faces.
  template <int dim, typename Number>
  constexpr double
  bytes_of_geometry(const unsigned int n_faces = dim + 1)
  {
    return dim * dim * sizeof(Number) + n_faces * sizeof(FaceRecord);
  }

  /// The same for the interior penalty operator: the stiffness of linear functions, whose rows add
  /// up to zero, and a code of each face.
  template <int dim, typename Number>
  constexpr double
  bytes_of_stiffness()
  {
    return dim * (dim + 1) / 2 * sizeof(Number) + (dim + 1) * sizeof(unsigned int);
  }

  /// The same of quadrilaterals and hexahedra: the form on the reference cell with the factor of
  /// its penalty, and the faces.
  template <int dim, typename Number>
  constexpr double
  bytes_of_form()
  {
    return (dim * (dim + 1) / 2 + 1) * sizeof(Number) + 2 * dim * sizeof(FaceRecord);
  }

  void
  print_header(const Settings &settings);

  /// Collective.
  void
  print(Row row, const Limits &limits);

  /// @throws dealii::ExcMessage if no row was printed
  void
  check_rows();


  /// The element of a shape.
  template <int dim>
  std::unique_ptr<dealii::FiniteElement<dim>>
  make_element(const ElementShape shape, const unsigned int degree)
  {
    return dg_element<dim>(shape == ElementShape::hypercube
                             ? dealii::ReferenceCells::get_hypercube<dim>()
                             : dealii::ReferenceCells::get_simplex<dim>(),
                           degree);
  }

  /// Whether the settings ask for it.
  inline bool
  is_wanted(const Settings &settings, const ElementShape shape)
  {
    return contains(settings.shapes, shape == ElementShape::simplex ? "simplices" : "hypercubes");
  }

  /// The mesh that the settings ask for, with about as many elements as have @p per_element
  /// unknowns each, spread over the ranks.
  template <int dim>
  std::unique_ptr<dealii::Triangulation<dim>>
  make_mesh(const Settings    &settings,
            const double       per_element,
            const ElementShape shape = ElementShape::simplex);

  /// The same as operators see it, all elements being affine.
  template <int dim>
  std::shared_ptr<const ElementMesh<dim>>
  make_element_mesh(const Settings &settings, const dealii::Triangulation<dim> &triangulation);

  /// The same with the share of curved elements that the settings ask for, of hypercubes of
  /// bilinear or trilinear ones: those in a slab on one side of the box.
  /// @param degree of the polynomials on them
  template <int dim>
  std::shared_ptr<const ElementMesh<dim>>
  make_element_mesh(const Settings                   &settings,
                    const dealii::Triangulation<dim> &triangulation,
                    const unsigned int                degree);


  void
  time_conservation_laws(const Settings &settings);

  void
  time_flow(const Settings &settings);

  void
  time_elliptic(const Settings &settings);

  void
  time_polytopic(const Settings &settings);
} // namespace Saltus::Throughput

#endif
