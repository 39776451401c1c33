// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/periodic_faces.h>

#include <algorithm>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// With digits enough for meshes far from the origin.
    template <int dim>
    std::string
    position(const Point<dim> &point)
    {
      std::ostringstream out;
      out << std::setprecision(9) << '(' << point << ')';
      return out.str();
    }

    template <int dim>
    std::string
    cell_at(const Point<dim> &point)
    {
      return "the cell at " + position(point);
    }

    /// Mean of the centres of the boundary faces with one id: two periodic parts differ by it.
    template <int dim>
    Point<dim>
    boundary_center(const Triangulation<dim> &triangulation, const types::boundary_id id)
    {
      Point<dim>     first;
      Tensor<1, dim> sum; // of differences, which round less than the positions far from the origin
      unsigned int   n = 0;
      for (const auto &cell : triangulation.active_cell_iterators())
        for (const auto &face : cell->face_iterators())
          if (face->at_boundary() && face->boundary_id() == id)
            {
              if (n == 0)
                first = face->center();
              sum += face->center() - first;
              ++n;
            }
      return n > 0 ? first + sum / n : first;
    }

    /// 1 for an even permutation, -1 for an odd one.
    int
    sign(const std::vector<unsigned int> &permutation)
    {
      int result = 1;
      for (unsigned int i = 0; i < permutation.size(); ++i)
        for (unsigned int j = 0; j < i; ++j)
          if (permutation[j] > permutation[i])
            result = -result;
      return result;
    }

    /// 1 if the normal that goes with the order of a face's vertices points out of the reference
    /// cell, -1 if it points into it.
    template <int dim>
    int
    face_sign(const ReferenceElement<dim> &reference, const unsigned int face)
    {
      Tensor<2, dim> edges;
      for (unsigned int j = 0; j < dim; ++j)
        edges[j] = reference.reference_cell.template vertex<dim>(reference.face_vertex(face, j)) -
                   reference.reference_cell.template barycenter<dim>();
      return determinant(edges) > 0. ? 1 : -1;
    }

    /// An element and the number of one of its faces.
    using Side = std::array<unsigned int, 2>;

    /// Elements have positive orientation. If the normals that go with the two orders of a face's
    /// vertices point out of both or into both, they are on one side of it.
    template <int dim>
    void
    check_sides(const ElementOrder<dim>         &order,
                const ReferenceElement<dim>     &reference,
                const Side                      &one,
                const Side                      &other,
                const std::vector<unsigned int> &permutation)
    {
      const auto &cell = order.cells[one[0]], &neighbor = order.cells[other[0]];
      AssertThrow(
        face_sign(reference, one[1]) * face_sign(reference, other[1]) * sign(permutation) == -1,
        ExcMessage("The mesh is tangled at the face with centre " +
                   position(cell->face(one[1])->center()) + ": the cells that share it, at " +
                   position(cell->center()) + " and " + position(neighbor->center()) +
                   ", lie on the same side of it. Move the vertices so that no cells "
                   "overlap."));
    }

    /// What rounding may add up to in a position of the magnitude of @p point that a mapping
    /// computes.
    template <int dim>
    double
    rounding(const Point<dim> &point)
    {
      return 16. * std::numeric_limits<double>::epsilon() * point.norm();
    }

    /// Where a map that is not affine shows: in the middle of the edges, and in the middle of the
    /// cell. (Two edges that bend in opposite directions may leave the cell's middle in its place.)
    template <int dim>
    std::vector<Point<dim>>
    curvature_probes(const ReferenceCell &cell)
    {
      std::vector<Point<dim>> probes(1, cell.template barycenter<dim>());
      for (const unsigned int v : cell.vertex_indices())
        for (unsigned int w = 0; w < v; ++w)
          probes.push_back(cell.template vertex<dim>(v) +
                           0.5 * (cell.template vertex<dim>(w) - cell.template vertex<dim>(v)));
      return probes;
    }
  } // namespace

  template <int dim>
  ElementOrder<dim>::ElementOrder(const Triangulation<dim> &triangulation)
  {
    AssertThrow(triangulation.n_active_cells() > 0, ExcMessage("The triangulation is empty."));
    std::vector<typename Triangulation<dim>::active_cell_iterator> by_index;
    std::vector<Point<dim>>                                        centers;
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        AssertThrow(cell->reference_cell() == ReferenceCells::get_simplex<dim>(),
                    ExcMessage("Only triangles and tetrahedra are supported, but " +
                               cell_at(cell->center()) + " is a " +
                               cell->reference_cell().to_string() + "."));
        by_index.push_back(cell);
        centers.push_back(cell->center());
      }

    constexpr int             bits  = 20; // finer than any mesh that fits into memory
    const auto                curve = Utilities::inverse_Hilbert_space_filling_curve(centers, bits);
    std::vector<unsigned int> cell_of_element(by_index.size());
    std::iota(cell_of_element.begin(), cell_of_element.end(), 0);
    std::stable_sort(cell_of_element.begin(),
                     cell_of_element.end(),
                     [&](const unsigned int a, const unsigned int b) {
                       return curve[a] < curve[b];
                     });

    element_of_cell.resize(by_index.size());
    for (unsigned int e = 0; e < by_index.size(); ++e)
      {
        cells.push_back(by_index[cell_of_element[e]]);
        element_of_cell[cell_of_element[e]] = e;
      }
  }

  template <int dim>
  FaceConnectivity<dim>::FaceConnectivity(const ElementOrder<dim>             &order,
                                          const ReferenceElement<dim>         &reference,
                                          const std::vector<PeriodicBoundary> &periodic_boundaries)
    : neighbors(order.n_elements() * reference.n_faces, -1)
    , neighbor_faces(order.n_elements() * reference.n_faces, 0)
  {
    constexpr unsigned int unset = numbers::invalid_unsigned_int;

    // The first element that shows each face waits for the second.
    const auto        &triangulation = order.cells[0]->get_triangulation();
    const unsigned int n_faces =
      dim == 2 ? triangulation.n_raw_lines() : triangulation.n_raw_faces();
    std::vector<Side> waiting(n_faces, Side{{unset, unset}});
    for (unsigned int e = 0; e < order.n_elements(); ++e)
      for (unsigned int f = 0; f < reference.n_faces; ++f)
        {
          AssertThrow(!order.cells[e]->face(f)->has_children(),
                      ExcMessage("The mesh has hanging nodes at " +
                                 cell_at(order.cells[e]->center()) +
                                 "; only conforming meshes are supported."));
          Side &side = waiting[order.cells[e]->face(f)->index()];
          if (side[0] == unset)
            side = {{e, f}};
          else
            {
              join(order, reference, side, {{e, f}});
              side = {{unset, unset}};
            }
        }

    join_periodic(order, reference, periodic_boundaries);

    for (unsigned int e = 0; e < order.n_elements(); ++e)
      for (unsigned int f = 0; f < reference.n_faces; ++f)
        if (int &neighbor = neighbors[e * reference.n_faces + f]; neighbor < 0)
          {
            AssertThrow(order.cells[e]->face(f)->at_boundary(), // else its other side is refined
                        ExcMessage("The mesh has hanging nodes at " +
                                   cell_at(order.cells[e]->center()) +
                                   "; only conforming meshes are supported."));
            neighbor = -1 - static_cast<int>(boundary_faces.size());
            boundary_faces.push_back({e, f, order.cells[e]->face(f)->boundary_id()});
          }
  }

  template <int dim>
  void
  FaceConnectivity<dim>::join(const ElementOrder<dim>           &order,
                              const ReferenceElement<dim>       &reference,
                              const std::array<unsigned int, 2> &one,
                              const std::array<unsigned int, 2> &other)
  {
    const auto vertex = [&](const std::array<unsigned int, 2> &side, const unsigned int j) {
      return order.cells[side[0]]->vertex_index(reference.face_vertex(side[1], j));
    };
    std::vector<unsigned int> permutation(reference.n_face_vertices);
    for (unsigned int j = 0; j < reference.n_face_vertices; ++j)
      for (unsigned int k = 0; k < reference.n_face_vertices; ++k)
        if (vertex(one, j) == vertex(other, k))
          permutation[j] = k;
    check_sides(order, reference, one, other, permutation);
    connect(reference, one[0], one[1], other[0], other[1], permutation);
  }

  template <int dim>
  void
  FaceConnectivity<dim>::join_periodic(const ElementOrder<dim>             &order,
                                       const ReferenceElement<dim>         &reference,
                                       const std::vector<PeriodicBoundary> &periodic_boundaries)
  {
    if (periodic_boundaries.empty())
      return;
    const auto                     &triangulation = order.cells[0]->get_triangulation();
    std::vector<PeriodicFaces<dim>> periodic_faces;
    for (const auto &pair : periodic_boundaries)
      periodic_faces.push_back(
        {pair.first,
         pair.second,
         boundary_center(triangulation, pair.second) - boundary_center(triangulation, pair.first)});
    for (const auto &pair : match_periodic_faces(triangulation, periodic_faces))
      {
        const Side one   = {{order.element_of_cell[pair.first.cell], pair.first.face}};
        const Side other = {{order.element_of_cell[pair.second.cell], pair.second.face}};
        const std::vector<unsigned int> permutation(pair.vertex_permutation.begin(),
                                                    pair.vertex_permutation.begin() +
                                                      reference.n_face_vertices);
        check_sides(order, reference, one, other, permutation);
        connect(reference, one[0], one[1], other[0], other[1], permutation);
      }
  }

  template <int dim>
  void
  FaceConnectivity<dim>::connect(const ReferenceElement<dim>     &reference,
                                 const unsigned int               element,
                                 const unsigned int               face,
                                 const unsigned int               neighbor,
                                 const unsigned int               neighbor_face,
                                 const std::vector<unsigned int> &permutation)
  {
    std::vector<unsigned int> inverse(permutation.size());
    for (unsigned int j = 0; j < permutation.size(); ++j)
      inverse[permutation[j]] = j;
    const auto set = [&](const unsigned int               e,
                         const unsigned int               f,
                         const unsigned int               e_other,
                         const unsigned int               f_other,
                         const std::vector<unsigned int> &p) {
      neighbors[e * reference.n_faces + f] = e_other;
      neighbor_faces[e * reference.n_faces + f] =
        f_other * reference.n_orientations + reference.orientation(p);
    };
    set(element, face, neighbor, neighbor_face, permutation);
    set(neighbor, neighbor_face, element, face, inverse);
  }

  template <int dim>
  AffineGeometry<dim>::AffineGeometry(const ElementOrder<dim>     &order,
                                      const ReferenceElement<dim> &reference,
                                      const Mapping<dim>          &mapping)
  {
    const std::vector<Point<dim>> probes = curvature_probes<dim>(reference.reference_cell);
    for (const auto &cell : order.cells)
      {
        const Point<dim> origin =
          mapping.transform_unit_to_real_cell(cell,
                                              reference.reference_cell.template vertex<dim>(0));
        Tensor<2, dim> jacobian;
        for (unsigned int r = 0; r < dim; ++r)
          {
            const Tensor<1, dim> column =
              mapping.transform_unit_to_real_cell(
                cell, reference.reference_cell.template vertex<dim>(r + 1)) -
              origin;
            for (unsigned int d = 0; d < dim; ++d)
              jacobian[d][r] = column[d];
          }
        const double size = jacobian.norm();
        const double det  = determinant(jacobian);
        AssertThrow(det > 1e-14 * std::pow(size, dim),
                    ExcMessage("The element of " + cell_at(cell->center()) +
                               " is degenerate or inverted: its Jacobian's determinant is " +
                               std::to_string(det) + "."));
        for (const Point<dim> &probe : probes)
          AssertThrow((mapping.transform_unit_to_real_cell(cell, probe) -
                       (origin + jacobian * probe))
                          .norm() < 1e-10 * size + rounding(origin),
                      ExcMessage("The mapping curves " + cell_at(cell->center()) +
                                 "; only affine elements (a mapping of degree 1) are supported."));
        origins.push_back(origin);
        jacobians.push_back(jacobian);
        inverse_jacobians.push_back(invert(jacobian));
        determinants.push_back(det);
      }
  }

  template <int dim>
  Tensor<1, dim>
  AffineGeometry<dim>::normal(const unsigned int element, const double *reference_normal) const
  {
    Tensor<1, dim> n;
    for (unsigned int d = 0; d < dim; ++d)
      for (unsigned int r = 0; r < dim; ++r)
        n[d] += reference_normal[r] * inverse_jacobians[element][r][d];
    return n / n.norm();
  }

  template class ElementOrder<2>;
  template class ElementOrder<3>;
  template class FaceConnectivity<2>;
  template class FaceConnectivity<3>;
  template class AffineGeometry<2>;
  template class AffineGeometry<3>;
} // namespace Saltus
