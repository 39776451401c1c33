// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_gmsh_file_h
#define saltus_mesh_make_gmsh_file_h

#include <deal.II/base/point.h>
#include <deal.II/base/table.h>
#include <deal.II/grid/reference_cell.h>
#include <deal.II/grid/tria_description.h>

#include <set>
#include <string>
#include <vector>

namespace Saltus
{
  /// A mesh of simplices or hypercubes in the form that `Triangulation::create_triangulation`
  /// takes.
  template <int dim>
  struct GmshMesh
  {
    std::vector<dealii::Point<dim>>    vertices;     ///< all nodes, in the file's order
    std::vector<dealii::CellData<dim>> cells;        ///< positively oriented, with material ids
    dealii::SubCellData                faces;        ///< boundary faces that have a physical id
    std::set<unsigned int>             interior_ids; ///< physical ids of faces between two cells
    unsigned int                       degree;       ///< of all elements
    dealii::Table<2, unsigned int>     nodes;        ///< [cell][node], as gmsh_nodes() numbers them
  };

  /// Read the @p text of a Gmsh file in ASCII format 2.2 or 4.1
  /// (https://gmsh.info/doc/texinfo/gmsh.html, "MSH file format"). A byte order mark, line ends
  /// with carriage returns, empty lines and sections other than `$Entities`, `$Nodes` and
  /// `$Elements` are skipped; points, and edges in 3D, as well. The sign of a physical id says how
  /// a face is oriented and is dropped. In 2D all cells lie in one plane \f$z = \mathrm{const}\f$.
  /// All cells are of the shape of @p cell, a simplex or a hypercube, and all elements of one
  /// order, of 1 to @p max_degree, at most 5, with all its nodes. How a cell is oriented is seen
  /// from its vertices alone: whether it is folded further inside is not checked.
  ///
  /// Nothing in the file is trusted: numbers are parsed strictly, counts compared with the lines
  /// that are there (nothing is allocated because of a count), nodes and entities must exist, each
  /// face must belong to one or two cells that differ and have the same nodes there. Each face with
  /// a physical id must belong to a cell. Faces between two cells are left out, only their ids are
  /// returned.
  ///
  /// @throws std::runtime_error "line L ('its text'): what is wrong" for all else
  template <int dim>
  GmshMesh<dim>
  parse_gmsh(const std::string           &text,
             const unsigned int           max_degree,
             const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

  /// The same of a mesh of triangles and quadrilaterals, of first order, whose table of nodes is
  /// left empty.
  GmshMesh<2>
  parse_mixed_gmsh(const std::string &text);
} // namespace Saltus

#endif
