// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/tensor.h>

#include <saltus/fe/cell_shape.h>

#include <algorithm>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// 1 for an even permutation, -1 for an odd one.
    template <typename Permutation>
    int
    sign(const Permutation &permutation)
    {
      int result = 1;
      for (unsigned int i = 0; i < permutation.size(); ++i)
        for (unsigned int j = 0; j < i; ++j)
          if (permutation[j] > permutation[i])
            result = -result;
      return result;
    }
  } // namespace

  template <int dim>
  CellShape<dim>::CellShape()
    : reference_cell(ReferenceCells::get_simplex<dim>())
    , n_faces(reference_cell.n_faces())
    , n_face_vertices(reference_cell.face_reference_cell(0).n_vertices())
  {
    FaceVertices p;
    std::iota(p.begin(), p.end(), 0);
    do
      {
        permutations.push_back(p);
        permutation_signs.push_back(sign(p));
      }
    while (std::next_permutation(p.begin(), p.end()));
    n_orientations = permutations.size();
    for (unsigned int f = 0; f < n_faces; ++f)
      set_up_face(f);
  }

  template <int dim>
  void
  CellShape<dim>::set_up_face(const unsigned int face)
  {
    unsigned int sum = 0; // of all numbers but that of the vertex opposite
    for (unsigned int j = 0; j < n_face_vertices; ++j)
      {
        face_vertices[face][j] = reference_cell.face_to_cell_vertices(face, j, 1);
        sum += face_vertices[face][j];
      }
    opposite_vertices[face]                 = dim * (dim + 1) / 2 - sum;
    opposite_faces[opposite_vertices[face]] = face;
    const auto vertex                       = [&](const unsigned int j) {
      return reference_cell.template vertex<dim>(face_vertex(face, j));
    };
    Tensor<1, dim> normal;
    if constexpr (dim == 2)
      normal = cross_product_2d(vertex(1) - vertex(0));
    else
      normal = 0.5 * cross_product_3d(vertex(1) - vertex(0), vertex(2) - vertex(0));
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
    return std::find(permutations.begin(), permutations.end(), permutation) - permutations.begin();
  }

  template class CellShape<2>;
  template class CellShape<3>;
} // namespace Saltus
