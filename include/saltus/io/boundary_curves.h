// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_boundary_curves_h
#define saltus_io_boundary_curves_h

#include <saltus/io/boundary_quantities.h>

namespace Saltus
{
  /// An edge as a part of a curve.
  struct CurvePiece
  {
    unsigned int     face;       ///< number in the list of faces
    unsigned int     curve;      ///< counted from 0
    dealii::Point<2> begin;      ///< the vertex where the piece begins
    double           arc_length; ///< from the beginning of the curve to that vertex
  };


  /// Join edges to curves with the domain on their left. Curves come in the order of their
  /// beginnings: open ones as they do in the list, then closed ones, each from its vertex with the
  /// smallest x (and then y).
  std::vector<CurvePiece>
  boundary_curves(const std::vector<SurfaceFace<2>> &faces);
} // namespace Saltus

#endif
