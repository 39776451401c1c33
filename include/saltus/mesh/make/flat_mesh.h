// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_flat_mesh_h
#define saltus_mesh_make_flat_mesh_h

#include <deal.II/grid/tria.h>

#include <saltus/mesh/make/cut_graph.h>

#include <vector>

namespace Saltus
{
  /// A mesh of one level: cells by their vertices, and ids. It takes a fraction of the memory of a
  /// triangulation, since it has neither faces nor edges.
  template <int dim>
  struct FlatMesh
  {
    enum class Kind : unsigned char
    {
      boundary, ///< boundary id of a face
      face,     ///< manifold id of a face
      line      ///< manifold id of an edge in 3D
    };

    /// An id other than the default, which is boundary 0 and a flat manifold.
    struct Id
    {
      unsigned int  cell;
      unsigned int  id;
      Kind          kind;
      unsigned char number; ///< of the face or edge in the cell
    };

    std::vector<dealii::Point<dim>>         vertices;
    std::vector<unsigned int>               starts = {0}; ///< number of cells plus one
    std::vector<unsigned int>               corners;      ///< from `starts[cell]` on
    std::vector<dealii::types::material_id> material_ids; ///< `[cell]`
    std::vector<dealii::types::manifold_id> manifold_ids; ///< `[cell]`
    std::vector<Id>                         ids;          ///< by ascending cell

    unsigned int
    n_cells() const
    {
      return starts.size() - 1;
    }

    /// Adds a cell with the default ids.
    /// @param vertices of the cell, in deal.II's order
    template <typename Vertices>
    void
    add_cell(const Vertices &vertices)
    {
      corners.insert(corners.end(), vertices.begin(), vertices.end());
      starts.push_back(corners.size());
      material_ids.push_back(0);
      manifold_ids.push_back(dealii::numbers::flat_manifold_id);
    }
  };

  /// The active cells of a serial triangulation. They must not have hanging nodes.
  template <int dim>
  FlatMesh<dim>
  flatten(const dealii::Triangulation<dim> &triangulation);

  /// Takes the cells from a mesh, for deal.II's functions. The mesh keeps its vertices and the ids
  /// of faces and edges.
  template <int dim>
  std::vector<dealii::CellData<dim>>
  take_cells(FlatMesh<dim> &mesh);

  /// Sets the ids of the faces and edges of a triangulation whose coarse cells are those of a mesh.
  template <int dim>
  void
  set_ids(const std::vector<typename FlatMesh<dim>::Id> &ids,
          dealii::Triangulation<dim>                    &triangulation);

  /// Fills an empty serial triangulation.
  template <int dim>
  void
  create_triangulation(FlatMesh<dim> mesh, dealii::Triangulation<dim> &triangulation);

  /// Cells as nodes, with an edge for each face between two of them.
  template <int dim>
  WeightedGraph
  face_graph(const FlatMesh<dim> &mesh);
} // namespace Saltus

#endif
