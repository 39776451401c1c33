// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_boundary_curves_h
#define saltus_io_results_boundary_curves_h

#include <deal.II/fe/fe_nothing.h>

#include <saltus/io/results/boundary_quantities.h>

namespace Saltus
{
  /// From one vertex to the other with the domain on the left.
  struct BoundaryEdge
  {
    dealii::Point<2> first, second;
    double           length; ///< along the edge, which may be curved
  };

  std::vector<BoundaryEdge>
  directed_edges(const dealii::Mapping<2> &mapping, const std::vector<SurfaceFace<2>> &faces);


  /// Lengths along edges of the boundary.
  class EdgeLengths
  {
  public:
    /// @param points of the reference edge, at least one
    EdgeLengths(const dealii::Mapping<2> &mapping, const std::vector<dealii::Point<1>> &points);

    double
    whole(const SurfaceFace<2> &face);

    /// `[i]`: from the vertex @p begin of the edge to point i
    std::vector<double>
    operator()(const SurfaceFace<2> &face, const dealii::Point<2> &begin);

  private:
    /// From where the reference edge begins, on a curved edge; to the end for the last number.
    double
    up_to(const unsigned int point) const;

    const bool                  straight;
    const unsigned int          n_points;
    const dealii::FE_Nothing<2> nothing;
    const dealii::Quadrature<1> parts; ///< see rules_up_to(); of a straight edge the points
    dealii::FEFaceValues<2>     fe_values;
  };


  /// An edge as a part of a curve.
  struct CurvePiece
  {
    std::size_t  edge;       ///< number in the list of edges
    unsigned int curve;      ///< counted from 0
    double       arc_length; ///< from the beginning of the curve to that of the edge
  };


  /// Join edges to curves. Where several edges begin at the end of one, the curve goes on along the
  /// domain: with the first of them in the clockwise sense. Curves come in the order of their
  /// beginnings: open ones first, then closed ones, each from its vertex with the smallest x (and
  /// then y). Pieces come in the order of the curves and along each.
  std::vector<CurvePiece>
  boundary_curves(const std::vector<BoundaryEdge> &edges);
} // namespace Saltus

#endif
