// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_prism_pieces_h
#define saltus_operators_polytopic_prism_pieces_h

#include <saltus/base/device/memory.h>
#include <saltus/operators/polytopic/kernels/space_time_records.h>

#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace Saltus
{
  /// Sets of points in space and time: points in space that follow one another, at the points of
  /// Gauss' rules in parts of a slab's interval. Times are fractions of that interval.
  class PrismPieces
  {
  public:
    /// @param first number of the first point in space and time; others follow, time by time
    /// @param begin,n points in space
    /// @param from,to part of the interval
    /// @param n_times points in time; 0: one at the beginning, with weight 1
    /// @param owner see PrismPiece
    /// @return how many points these are
    std::size_t
    add(const std::size_t  first,
        const std::size_t  begin,
        const std::size_t  n,
        const double       from,
        const double       to,
        const unsigned int n_times,
        const int          owner);

    /// When all are there.
    void
    copy_to(const Device device);

    bool
    empty() const
    {
      return pieces.empty();
    }

    std::size_t
    size() const
    {
      return pieces.size();
    }

    PrismPieceArrays
    arrays() const
    {
      return {pieces_there.data(), times_there.data(), weights_there.data()};
    }

    /// Call `visit(time, entries, n)` for all times, with what the pieces have then on the device;
    /// or, once, `visit(0, ...)` with all.
    void
    for_times(
      const bool                                                                       each_time,
      const std::function<void(const double, const PieceAtTime *, const std::size_t)> &visit) const;

  private:
    std::vector<PrismPiece> pieces;
    std::vector<double>     times, weights;
    /// `[from, to, number]`: place in these.
    std::map<std::tuple<double, double, unsigned int>, int> first_times;

    Memory<PrismPiece>       pieces_there;
    Memory<double>           times_there, weights_there;
    Memory<PieceAtTime>      entries; ///< by times
    std::vector<double>      distinct_times;
    std::vector<std::size_t> starts; ///< `[distinct time]` of entries, and their number
  };
} // namespace Saltus

#endif
