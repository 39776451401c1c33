// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_face_points_h
#define saltus_fe_face_points_h

#include <deal.II/base/point.h>
#include <deal.II/base/quadrature.h>

#include <saltus/fe/cell_shape.h>
#include <saltus/fe/simplex.h>

#include <vector>

namespace Saltus
{
  /// The points of a quadrature rule on the faces of a cell and on the parts of hanging ones, and
  /// how the two sides of a face find the same ones.
  ///
  /// Point q of a face is, across, point `number_across(o, q)` of the neighbour's face or of the
  /// part of it that the FaceRecord with the orientation o names. Of a part of a larger face, seen
  /// from that one, it is point `number_across(o, q)` of all of the smaller face, with the
  /// orientation o of FaceConnectivity::HangingFace::parts.
  template <int dim>
  class FacePoints
  {
  public:
    /// @param quadrature a tensor product of Gauss rules, or any other symmetric rule on the faces
    /// @throws dealii::ExcMessage if the rule is not symmetric, or has too many points for
    /// FacePoint
    FacePoints(const CellShape<dim> &shape, const dealii::Quadrature<dim - 1> &quadrature);

    const unsigned int n_points; ///< of a face, or of a part of one

    /// In the cell's coordinates.
    /// @param sub_face as in a FaceRecord: 0 for the whole face, s + 1 for part s
    const dealii::Point<dim> &
    point(const unsigned int face, const unsigned int sub_face, const unsigned int q) const
    {
      return points[(face * (n_sub_faces + 1) + sub_face) * n_points + q];
    }

    FacePoint
    number_across(const unsigned int orientation, const unsigned int q) const
    {
      return permutations[orientation * n_points + q];
    }

    std::vector<FacePoint> permutations; ///< `[o][q]`, see number_across()

  private:
    const unsigned int              n_sub_faces;
    std::vector<dealii::Point<dim>> points; ///< `[f][sub_face][q]`
  };
} // namespace Saltus

#endif
