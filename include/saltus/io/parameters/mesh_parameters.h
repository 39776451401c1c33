// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_mesh_parameters_h
#define saltus_io_parameters_mesh_parameters_h

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// The section `Mesh`: a generated mesh (see GridGenerator) or a file, manifolds of its boundary,
  /// and refinements.
  struct MeshParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// Make the mesh, spread over the ranks of @p communicator, see spread_triangulation().
    /// @param cycle further refinements
    /// @param parameter_file a mesh file is looked for in the working directory and beside this
    /// file
    /// @param begin called with the number of elements that there will be, before the refinements,
    /// on the ranks that make the mesh: the first one of each node. What it throws, all ranks throw
    /// @throws dealii::ExcMessage naming the entry for lists of the wrong length, meshes that do
    /// not exist in this dimension and what GridGenerator and attach_manifold() refuse
    template <int dim>
    std::unique_ptr<dealii::Triangulation<dim>>
    make(
      const unsigned int                 cycle,
      const std::string                 &parameter_file,
      const MPI_Comm                     communicator,
      const std::function<void(double)> &begin = [](const double) {}) const;

    std::string               type         = "box", file, manifolds;
    std::vector<double>       lower_corner = {0., 0.}, upper_corner = {1., 1.};
    std::vector<unsigned int> subdivisions = {8, 8};
    std::vector<double>       radii        = {1., 1.384};
    unsigned int              n_rings = 6, n_triangles = 2000, n_refinements = 0;
    double                    distortion = 0.;

  private:
    template <int dim>
    void
    make_coarse_mesh(dealii::Triangulation<dim> &triangulation,
                     const std::string          &parameter_file) const;

    template <int dim>
    void
    attach_manifolds(dealii::Triangulation<dim> &triangulation) const;
  };
} // namespace Saltus

#endif
