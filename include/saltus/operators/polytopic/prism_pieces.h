// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_prism_pieces_h
#define saltus_operators_polytopic_prism_pieces_h

#include <saltus/base/device/memory.h>
#include <saltus/operators/polytopic/kernels/prism_pieces.h>

#include <map>
#include <vector>

namespace Saltus
{
  /// Sets of points in space and time on a device: points in space that follow one another, at the
  /// points of Gauss' rules in parts of a slab's interval. Times are fractions of that interval.
  class PrismPieces
  {
  public:
    PrismPieces() = default;

    /// @param sizes `[piece]`: see PrismPiece::size()
    /// @param max_times of all pieces
    PrismPieces(Memory<PrismPiece> &&pieces, const Memory<int> &sizes, const int max_times);

    /// How many points there are.
    std::size_t
    size() const
    {
      return n_points;
    }

    /// `[piece]`, and the number of points.
    const Memory<std::size_t> &
    starts() const
    {
      return first_points;
    }

    /// For those who complete them.
    PrismPiece *
    data()
    {
      return pieces.data();
    }

    PrismPieceArrays
    arrays() const;

    /// The times of points, ascending; found when somebody first asks.
    /// @param parts of which, see PrismPart
    const std::vector<double> &
    times(const int parts) const;

  private:
    Memory<PrismPiece>  pieces;
    Memory<std::size_t> first_points;
    std::size_t         n_points = 0;
    std::vector<double> rule_points; ///< see TimeRules
    Memory<double>      rules_there; ///< points, then weights

    mutable std::map<int, std::vector<double>> times_of_parts;
  };
} // namespace Saltus

#endif
