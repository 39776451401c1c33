// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/face_points.h>

#include <limits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Image of a point of the reference face under the affine map that leads its vertices j to
    /// `vertex(j)`.
    template <int dim, typename Vertex>
    auto
    image(const Point<dim> &point, const Vertex &vertex)
    {
      auto result = vertex(0);
      for (unsigned int d = 0; d < dim; ++d)
        result += point[d] * (vertex(d + 1) - vertex(0));
      return result;
    }

    /// Number of the point of a rule that is at @p position.
    template <int dim>
    FacePoint
    number_at(const Point<dim> &position, const Quadrature<dim> &quadrature)
    {
      unsigned int q = 0;
      while (q < quadrature.size() && quadrature.point(q).distance(position) > 1e-12)
        ++q;
      AssertThrow(q < quadrature.size(), ExcMessage("The face quadrature is not symmetric."));
      return q;
    }
  } // namespace

  template <int dim>
  FacePoints<dim>::FacePoints(const CellShape<dim> &shape, const Quadrature<dim - 1> &quadrature)
    : n_points(quadrature.size())
    , n_sub_faces(shape.n_sub_faces)
  {
    AssertThrow(n_points <= std::numeric_limits<FacePoint>::max(),
                ExcMessage("The face quadrature has too many points."));
    const auto corner = [&](const unsigned int j) {
      return shape.face_cell.template vertex<dim - 1>(j);
    };
    for (unsigned int f = 0; f < shape.n_faces; ++f)
      for (unsigned int sub_face = 0; sub_face <= n_sub_faces; ++sub_face)
        for (Point<dim - 1> point : quadrature.get_points())
          {
            if (sub_face > 0)
              point = corner(sub_face - 1) + 0.5 * (point - corner(sub_face - 1));
            points.push_back(image(point, [&](const unsigned int j) {
              return shape.reference_cell.template vertex<dim>(shape.face_vertex(f, j));
            }));
          }
    for (unsigned int o = 0; o < shape.n_orientations; ++o)
      for (const Point<dim - 1> &point : quadrature.get_points())
        permutations.push_back(number_at(
          image(point, [&](const unsigned int j) { return corner(shape.permutation(o)[j]); }),
          quadrature));
  }

  template class FacePoints<2>;
  template class FacePoints<3>;
} // namespace Saltus
