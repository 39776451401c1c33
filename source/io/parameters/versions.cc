// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/config.h>
#include <deal.II/base/mpi.h>

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/instruction_set.h>
#include <saltus/base/device/kernel_cache.h>
#include <saltus/base/device/nvrtc.h>
#include <saltus/io/parameters/versions.h>
#include <saltus/operators/conservation_law/highest_degree.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/physics/euler.h>

#include <string>

namespace Saltus
{
  namespace
  {
    /// The first line of what the MPI library says of itself, up to a comma.
    std::string
    mpi_version()
    {
      char text[MPI_MAX_LIBRARY_VERSION_STRING];
      int  length = 0;
      MPI_Get_library_version(text, &length);
      const std::string version(text, length);
      return version.substr(0, version.find_first_of(",\n"));
    }

    template <int dim, ElementShape shape>
    void
    print_highest_degrees(std::ostream &stream, const char *cells)
    {
      using Registry =
        KernelRegistry<ConservationLawKernels<Euler<dim>, double>, GeometryKind::affine, shape>;
      const auto highest = highest_degree<dim, shape>;
      stream << "    " << cells << ": CPU "
             << highest(Registry::cpu[instruction_set_level()].max_degree);
      if (Registry::cuda.make != nullptr)
        stream << ", CUDA " << highest(Registry::cuda.max_degree);
      stream << '\n';
    }

    void
    print_gpus(std::ostream &stream)
    {
      for (int ordinal = 0; ordinal < CudaRuntime::n_devices(); ++ordinal)
        {
          std::string reason;
          stream << "  GPU " << ordinal << ": "
                 << (CudaRuntime::usable(ordinal, reason) ? CudaRuntime::description(ordinal)
                                                          : "not usable: " + reason)
                 << '\n';
        }
      if (CudaRuntime::n_devices() == 0)
        stream << "  GPUs: none\n";
    }
  } // namespace


  std::vector<std::pair<std::string, std::string>>
  versions()
  {
    const auto numbers = [](const int major, const int minor, const int patch) {
      return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
    };
    return {{"Saltus", SALTUS_VERSION},
            {"deal.II", DEAL_II_PACKAGE_VERSION},
            {"Trilinos",
             numbers(DEAL_II_TRILINOS_VERSION_MAJOR,
                     DEAL_II_TRILINOS_VERSION_MINOR,
                     DEAL_II_TRILINOS_VERSION_SUBMINOR)},
            {"p4est",
             numbers(DEAL_II_P4EST_VERSION_MAJOR,
                     DEAL_II_P4EST_VERSION_MINOR,
                     DEAL_II_P4EST_VERSION_SUBMINOR)},
            {"MPI", mpi_version()}};
  }


  void
  print_versions(std::ostream &stream)
  {
    for (const auto &[name, version] : versions())
      stream << (name == "Saltus" ? "" : "  ") << name << ' ' << version << '\n';
    std::string       reason;
    const bool        compiles = Nvrtc::is_available(reason);
    const KernelCache cache("");
    stream << "  NVRTC " << (compiles ? Nvrtc::version() : "none: " + reason) << '\n'
           << "  GPU kernels are kept in " << cache.folder() << '\n';
    stream << "  instruction sets: x86-64 levels " SALTUS_ISA_LEVELS_TEXT "; used: level "
           << instruction_set_level() << '\n';
    print_gpus(stream);
    stream << "  highest degrees of Euler's equations:\n";
    print_highest_degrees<2, ElementShape::simplex>(stream, "triangles");
    print_highest_degrees<2, ElementShape::hypercube>(stream, "quadrilaterals");
    print_highest_degrees<3, ElementShape::simplex>(stream, "tetrahedra");
    print_highest_degrees<3, ElementShape::hypercube>(stream, "hexahedra");
  }
} // namespace Saltus
