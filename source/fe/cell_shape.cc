// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/tensor.h>

#include <saltus/fe/cell_shape.h>

#include <algorithm>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  CellShape<dim>::CellShape(const ReferenceCell &reference_cell)
    : reference_cell(reference_cell)
    , face_cell(reference_cell.face_reference_cell(0))
    , n_faces(reference_cell.n_faces())
    , n_face_vertices(face_cell.n_vertices())
    , n_sub_faces(face_cell.is_hyper_cube() ? n_face_vertices : 0)
    , face_vertices(n_faces)
  {
    AssertThrow(reference_cell == ReferenceCells::get_simplex<dim>() ||
                  reference_cell == ReferenceCells::get_hypercube<dim>(),
                ExcMessage("A " + reference_cell.to_string() +
                           " is neither a simplex nor a hypercube."));
    if (is_simplex())
      {
        opposite_vertices.resize(n_faces);
        opposite_faces.resize(n_faces);
      }
    set_up_orientations();
    for (unsigned int f = 0; f < n_faces; ++f)
      set_up_face(f);
  }

  template <int dim>
  void
  CellShape<dim>::set_up_orientations()
  {
    FaceVertices p{};
    const auto   edge = [&](const unsigned int from, const unsigned int to) {
      return face_cell.template vertex<dim - 1>(to) - face_cell.template vertex<dim - 1>(from);
    };
    std::iota(p.begin(), p.begin() + n_face_vertices, 0);
    do
      {
        Tensor<2, dim - 1> edges;
        for (unsigned int d = 0; d + 1 < dim; ++d)
          edges[d] = edge(p[0], p[d + 1]);
        // A quadrilateral stays one if sides across remain parallel.
        if constexpr (dim == 3)
          if (n_face_vertices == 4 && (edge(p[2], p[3]) - edges[0]).norm() > 1e-12)
            continue;
        permutations.push_back(p);
        permutation_signs.push_back(determinant(edges) > 0. ? 1 : -1);
      }
    while (std::next_permutation(p.begin(), p.begin() + n_face_vertices));
    n_orientations = permutations.size();
  }

  template <int dim>
  void
  CellShape<dim>::set_up_face(const unsigned int face)
  {
    for (unsigned int j = 0; j < n_face_vertices; ++j)
      face_vertices[face][j] = reference_cell.face_to_cell_vertices(face, j, 1);
    if (is_simplex())
      {
        unsigned int opposite = dim * (dim + 1) / 2;
        for (unsigned int j = 0; j < n_face_vertices; ++j)
          opposite -= face_vertex(face, j);
        opposite_vertices[face]  = opposite;
        opposite_faces[opposite] = face;
      }
    const auto vertex = [&](const unsigned int j) {
      return reference_cell.template vertex<dim>(face_vertex(face, j));
    };
    Tensor<1, dim> normal;
    if constexpr (dim == 2)
      normal = cross_product_2d(vertex(1) - vertex(0));
    else
      normal = face_cell.volume() * cross_product_3d(vertex(1) - vertex(0), vertex(2) - vertex(0));
    const bool inward = normal * (vertex(0) - reference_cell.template barycenter<dim>()) < 0;
    if (inward)
      normal *= -1.;
    face_signs.push_back(inward ? -1 : 1);
    for (unsigned int r = 0; r < dim; ++r)
      face_normals.push_back(normal[r]);
  }

  template <int dim>
  unsigned int
  CellShape<dim>::orientation(const FaceVertices &permutation) const
  {
    const auto is_it = [&](const FaceVertices &other) {
      return std::equal(other.begin(), other.begin() + n_face_vertices, permutation.begin());
    };
    const auto found = std::find_if(permutations.begin(), permutations.end(), is_it);
    AssertThrow(found != permutations.end(),
                dealii::ExcMessage(
                  "The vertices of a face do not follow each other as those of the "
                  "face across it do: a cell there is inverted."));
    return found - permutations.begin();
  }

  template <int dim>
  unsigned int
  CellShape<dim>::inverse(const unsigned int orientation) const
  {
    FaceVertices inverse{};
    for (unsigned int j = 0; j < n_face_vertices; ++j)
      inverse[permutation(orientation)[j]] = j;
    return this->orientation(inverse);
  }

  template class CellShape<2>;
  template class CellShape<3>;
} // namespace Saltus
