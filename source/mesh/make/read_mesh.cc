// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/bounding_box.h>
#include <deal.II/base/exceptions.h>
#include <deal.II/boost_adaptors/bounding_box.h>
#include <deal.II/boost_adaptors/point.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/numerics/rtree.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/expressions/regular_expression.h>
#include <saltus/base/expressions/text_file.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/make/gmsh_file.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

namespace Saltus::GridGenerator
{
  namespace
  {
    using dealii::Point;
    using dealii::Triangulation;

    /// How far from a face a vertex may be that lies on it, in lengths of the face: far from the
    /// origin, coordinates are rounded more.
    template <int dim>
    double
    relative_tolerance(const std::vector<Point<dim>> &corners)
    {
      constexpr double epsilon = std::numeric_limits<double>::epsilon();
      const double     length  = corners[0].distance(corners[1]);
      return std::clamp(16. * epsilon * corners[0].norm() / length, 1e-8, 1e-3);
    }

    /// Whether @p point lies on the simplex with the @p corners, the first dim ones, of one
    /// dimension less.
    template <int dim>
    bool
    lies_on(const Point<dim> &point, const std::vector<Point<dim>> &corners)
    {
      const double               tolerance = relative_tolerance(corners);
      dealii::Tensor<2, dim - 1> gram;
      dealii::Tensor<1, dim - 1> projection;
      for (unsigned int k = 0; k < dim - 1; ++k)
        {
          projection[k] = (corners[k + 1] - corners[0]) * (point - corners[0]);
          for (unsigned int l = 0; l < dim - 1; ++l)
            gram[k][l] = (corners[k + 1] - corners[0]) * (corners[l + 1] - corners[0]);
        }
      const dealii::Tensor<1, dim - 1> barycentric = invert(gram) * projection;

      dealii::Tensor<1, dim> distance = point - corners[0];
      double                 first    = 1.; // barycentric coordinate of corner 0
      double                 smallest = 1.;
      for (unsigned int k = 0; k < dim - 1; ++k)
        {
          distance -= barycentric[k] * (corners[k + 1] - corners[0]);
          first -= barycentric[k];
          smallest = std::min(smallest, barycentric[k]);
        }
      return std::min(first, smallest) >= -tolerance &&
             distance.norm() <= tolerance * corners[0].distance(corners[1]);
    }


    /// Where two parts of a mesh touch without being joined: a vertex of the boundary lies on a
    /// face of the boundary to which it does not belong. Faces with a physical id are left out,
    /// since they may be the two sides of a slit. Empty if there is none.
    template <int dim>
    std::string
    hanging_vertex(const Triangulation<dim> &tria)
    {
      std::map<unsigned int, Point<dim>>     vertices;
      std::vector<std::vector<unsigned int>> faces;
      for (const auto &face : tria.active_face_iterators())
        if (face->at_boundary())
          {
            std::vector<unsigned int> corners;
            for (const unsigned int v : face->vertex_indices())
              {
                vertices[face->vertex_index(v)] = face->vertex(v);
                corners.push_back(face->vertex_index(v));
              }
            if (face->boundary_id() == 0)
              faces.push_back(corners);
          }

      using Entry = std::pair<Point<dim>, unsigned int>;
      std::vector<Entry> entries;
      for (const auto &[index, point] : vertices)
        entries.emplace_back(point, index);
      const auto tree = dealii::pack_rtree(entries);
      for (const std::vector<unsigned int> &face : faces)
        {
          std::vector<Point<dim>> corners;
          for (const unsigned int v : face)
            corners.push_back(vertices[v]);
          dealii::BoundingBox<dim> box(corners);
          box.extend(relative_tolerance(corners) * corners[0].distance(corners[1]));
          std::vector<Entry> near;
          tree.query(boost::geometry::index::intersects(box), std::back_inserter(near));
          for (const auto &[point, index] : near)
            if (std::find(face.begin(), face.end(), index) == face.end() &&
                (lies_on(point, corners) ||
                 (corners.size() > dim && lies_on(point, {corners.rbegin(), corners.rend()}))))
              {
                std::ostringstream problem;
                problem << "is not conforming: the vertex at (" << point
                        << ") lies on a face without being one of its vertices. Join the parts of "
                        << "the mesh there, or give the faces of a slit a physical id. ";
                return problem.str();
              }
        }
      return "";
    }


    /// Note which physical ids of faces inside the domain have no effect.
    void
    note_interior_ids(const std::set<unsigned int> &ids, const std::string &filename)
    {
      std::string list;
      for (const unsigned int id : ids)
        list += (list.empty() ? "" : ", ") + std::to_string(id);
      if (!list.empty() && this_rank(MPI_COMM_WORLD) == 0)
        say_once("the mesh file '" + filename + "' has faces between cells with the physical ids " +
                 list +
                 ". These faces are ignored: they are no boundaries, and no entry takes "
                 "their ids.");
    }


    /// Positions of the nodes of the cells of @p mesh.
    template <int dim>
    CurvedNodes<dim>
    curved_nodes(const GmshMesh<dim> &mesh)
    {
      CurvedNodes<dim> result;
      result.degree = mesh.degree;
      result.positions.reinit(mesh.nodes.size());
      for (unsigned int c = 0; c < mesh.nodes.size(0); ++c)
        for (unsigned int n = 0; n < mesh.nodes.size(1); ++n)
          result.positions[c][n] = mesh.vertices[mesh.nodes[c][n]];
      return result;
    }

  } // namespace


  template <int dim>
  void
  read_mesh(Triangulation<dim>          &tria,
            const std::string           &filename,
            CurvedNodes<dim>            *nodes,
            const dealii::ReferenceCell &cell)
  {
    const bool         mixed      = cell == dealii::ReferenceCells::Invalid;
    const unsigned int max_degree = nodes != nullptr && !mixed ? 5 : 1;
    const std::string  accepted   = std::string("Accepted are Gmsh meshes of ") +
                                 (mixed                  ? "triangles and quadrilaterals"
                                  : cell.is_hyper_cube() ? dim == 2 ? "quadrilaterals" : "hexahedra"
                                  : dim == 2             ? "triangles"
                                                         : "tetrahedra") +
                                 ", in ASCII format 2.2 or 4.1, " +
                                 (max_degree > 1 ? "of one order from 1 to 5" : "first order") +
                                 ", with numeric physical ids on boundaries.";

    const std::string text = read_text("mesh file", filename);
    std::string       problem;
    try
      {
        GmshMesh<dim> mesh;
        if constexpr (dim == 2)
          mesh = mixed ? parse_mixed_gmsh(text) : parse_gmsh<dim>(text, max_degree, cell);
        else
          mesh = parse_gmsh<dim>(text, max_degree, cell);
        const bool with_nodes = nodes != nullptr && !mixed;
        if (nodes != nullptr)
          *nodes = with_nodes ? curved_nodes(mesh) : CurvedNodes<dim>();
        dealii::GridTools::delete_unused_vertices(mesh.vertices, mesh.cells, mesh.faces);
        if (!mixed && cell.is_hyper_cube())
          dealii::GridTools::consistently_order_cells(mesh.cells);
        tria.create_triangulation(mesh.vertices, mesh.cells, mesh.faces);
        if (with_nodes)
          *nodes = in_order_of(tria, *nodes);
        problem = hanging_vertex(tria);
        note_interior_ids(mesh.interior_ids, filename);
      }
    catch (const dealii::ExceptionBase &exception)
      {
        std::ostringstream reason;
        exception.print_info(reason);
        problem = "cannot be read: " + reason.str() + " ";
      }
    catch (const std::exception &exception)
      {
        problem = std::string("cannot be read: ") + exception.what() + " ";
      }

    if (!problem.empty())
      {
        tria.clear();
        if (nodes != nullptr)
          *nodes = {};
        // deal.II's reasons go over several lines
        problem = replace_matches(problem, "\\s+", " ");
        AssertThrow(false,
                    dealii::ExcMessage("The mesh file '" + filename + "' " + problem + accepted));
      }
  }


  template void
  read_mesh<2>(Triangulation<2> &,
               const std::string &,
               CurvedNodes<2> *,
               const dealii::ReferenceCell &);
  template void
  read_mesh<3>(Triangulation<3> &,
               const std::string &,
               CurvedNodes<3> *,
               const dealii::ReferenceCell &);
} // namespace Saltus::GridGenerator
