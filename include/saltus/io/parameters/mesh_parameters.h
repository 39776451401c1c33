// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_mesh_parameters_h
#define saltus_io_parameters_mesh_parameters_h

#include <deal.II/base/mpi.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/tria.h>

#include <saltus/io/parameters/curving_parameters.h>
#include <saltus/mesh/curve/gmsh_nodes.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/mesh/make/spread_triangulation.h>
#include <saltus/mesh/mixed_mesh.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// A mesh, and where the points of its cells are.
  template <int dim>
  struct MappedMesh
  {
    std::unique_ptr<dealii::Triangulation<dim>> triangulation;
    /// Affine, of degree 1, or a NodalMapping; of hypercubes MappingQ or a CoarseCellMapping.
    std::unique_ptr<dealii::Mapping<dim>> mapping;
    /// What is to be said about it, on the ranks that made it: the quality of curved cells.
    std::string report;
    double      curving_time = 0.; ///< seconds, on these ranks

    /// Its elements, with maps of the degree of the mapping. They refer to the triangulation.
    /// @throws dealii::ExcMessage what ElementMesh throws
    std::shared_ptr<const ElementMesh<dim>>
    elements(const std::vector<PeriodicBoundary> &periodic) const
    {
      return std::make_shared<const ElementMesh<dim>>(*mapping,
                                                      *triangulation,
                                                      periodic,
                                                      max_matching_rounds,
                                                      typename ElementOrder<dim>::Kinds(),
                                                      mapping_degree(*mapping));
    }

    /// The same one shape a part.
    MixedMesh<dim>
    parts(const std::vector<PeriodicBoundary> &periodic) const
    {
      if (triangulation->is_mixed_mesh())
        return make_mixed_mesh(*mapping, *triangulation, periodic);
      return {elements(periodic)};
    }

    /// With a given order of the vertices, see ElementMesh.
    MixedMesh<dim>
    parts(const std::vector<PeriodicBoundary>       &periodic,
          const std::vector<VertexPermutation<dim>> &vertices) const
    {
      if (triangulation->is_mixed_mesh())
        return make_mixed_mesh(*mapping, *triangulation, periodic, vertices);
      return {std::make_shared<const ElementMesh<dim>>(
        *mapping, *triangulation, periodic, vertices, mapping_degree(*mapping))};
    }
  };


  /// The section `Mesh`: a generated mesh (see GridGenerator) or a file, manifolds of its boundary,
  /// and refinements.
  struct MeshParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// Make the mesh, straight or curved, spread over the ranks of @p communicator, see
    /// spread_triangulation().
    /// @param cycle further refinements
    /// @param parameter_file a mesh file is looked for in the working directory and beside this
    /// file
    /// @param on_p4est whether it will be adapted: then it is made on every rank
    /// @param periodic boundaries of a mesh that will be adapted
    /// @param cut how the mesh is spread, see spread_triangulation()
    /// @param saves whether the mesh of the first cycle is written to the file of `Curving`
    /// @param begin called with the number of elements that there will be, before the refinements,
    /// on the ranks that make the mesh: the first one of each node. What it throws, all ranks throw
    /// @throws dealii::ExcMessage naming the entry for lists of the wrong length, meshes that do
    /// not exist in this dimension, a degree of curved elements besides that of the mesh file, and
    /// what GridGenerator and attach_manifold() refuse
    template <int dim>
    MappedMesh<dim>
    make(
      const unsigned int                   cycle,
      const std::string                   &parameter_file,
      const MPI_Comm                       communicator,
      const std::function<void(double)>   &begin    = [](const double) {},
      const bool                           on_p4est = false,
      const std::vector<PeriodicBoundary> &periodic = {},
      const MeshCut<dim>                  &cut      = {},
      const bool                           saves    = true) const;

    /// Whether triangles and quadrilaterals are mixed.
    bool
    is_mixed() const
    {
      return cells == "mixed";
    }

    /// @throws dealii::ExcMessage if they are in three dimensions
    void
    check_dimension(const unsigned int dim) const
    {
      AssertThrow(!is_mixed() || dim == 2,
                  dealii::ExcMessage("Mesh/Cells = mixed is for Equation/Dimension = 2."));
    }

    /// The shape of the cells, where all have one.
    template <int dim>
    dealii::ReferenceCell
    reference_cell() const
    {
      return cells == "hypercubes" ? dealii::ReferenceCells::get_hypercube<dim>()
                                   : dealii::ReferenceCells::get_simplex<dim>();
    }

    template <int dim>
    std::vector<dealii::ReferenceCell>
    shapes() const
    {
      if (is_mixed())
        return mixed_shapes<dim>();
      return {reference_cell<dim>()};
    }

    std::string               type         = "box", file, manifolds;
    std::string               cells        = "simplices";
    std::vector<double>       lower_corner = {0., 0.}, upper_corner = {1., 1.};
    std::vector<unsigned int> subdivisions = {8, 8};
    std::vector<double>       radii        = {1., 1.384};
    unsigned int n_rings = 6, n_triangles = 2000, n_refinements = 0, geometry_degree = 1;
    double       distortion = 0.;

    CurvingParameters curving;

  private:
    template <int dim>
    void
    make_coarse_mesh(dealii::Triangulation<dim> &triangulation,
                     CurvedNodes<dim>           &nodes,
                     const std::string          &parameter_file) const;

    /// Of quadrilaterals or hexahedra.
    template <typename Generate>
    void
    make_annulus(dealii::Triangulation<2> &triangulation, const Generate &generate) const;

    template <int dim>
    void
    make_hypercubes(dealii::Triangulation<dim> &triangulation) const;

    template <int dim>
    void
    read_file(dealii::Triangulation<dim> &triangulation,
              CurvedNodes<dim>           &nodes,
              const std::string          &parameter_file) const;

    /// @param nodes of a mesh file that has curved cells
    /// @param curved with the report and the time of curving
    template <int dim>
    void
    refine(dealii::Triangulation<dim> &triangulation,
           CurvedNodes<dim>           &nodes,
           const unsigned int          n_halvings,
           const std::string          &parameter_file,
           MappedMesh<dim>            &curved) const;

    template <int dim>
    void
    attach_manifolds(dealii::Triangulation<dim> &triangulation) const;
  };
} // namespace Saltus

#endif
