// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/operators/polytopic/prism_pieces.h>

namespace Saltus
{
  std::size_t
  PrismPieces::add(const std::size_t  first,
                   const std::size_t  begin,
                   const std::size_t  n,
                   const double       from,
                   const double       to,
                   const unsigned int n_times,
                   const int          owner)
  {
    const auto [place, is_new] =
      first_times.insert({{from, to, n_times}, static_cast<int>(times.size())});
    if (is_new && n_times == 0)
      {
        times.push_back(from);
        weights.push_back(1.);
      }
    else if (is_new)
      {
        const dealii::QGauss<1> rule(n_times);
        for (unsigned int i = 0; i < n_times; ++i)
          {
            times.push_back(from + (to - from) * rule.point(i)[0]);
            weights.push_back((to - from) * rule.weight(i));
          }
      }
    const int n_here = n_times == 0 ? 1 : n_times;
    pieces.push_back({first, begin, static_cast<int>(n), n_here, place->second, owner});
    return n * n_here;
  }


  void
  PrismPieces::copy_to(const Device device)
  {
    std::map<double, std::vector<PieceAtTime>> by_time;
    for (unsigned int p = 0; p < pieces.size(); ++p)
      for (int t = 0; t < pieces[p].n_times; ++t)
        by_time[times[pieces[p].first_time + t]].push_back({static_cast<int>(p), t});
    std::vector<PieceAtTime> all;
    starts.assign(1, 0);
    distinct_times.clear();
    for (const auto &[time, of_time] : by_time)
      {
        distinct_times.push_back(time);
        all.insert(all.end(), of_time.begin(), of_time.end());
        starts.push_back(all.size());
      }
    entries       = Memory<PieceAtTime>(device, all);
    pieces_there  = Memory<PrismPiece>(device, pieces);
    times_there   = Memory<double>(device, times);
    weights_there = Memory<double>(device, weights);
  }


  void
  PrismPieces::for_times(
    const bool                                                                       each_time,
    const std::function<void(const double, const PieceAtTime *, const std::size_t)> &visit) const
  {
    if (empty())
      return;
    if (!each_time)
      visit(0., entries.data(), starts.back());
    else
      for (unsigned int i = 0; i < distinct_times.size(); ++i)
        visit(distinct_times[i], entries.data() + starts[i], starts[i + 1] - starts[i]);
  }
} // namespace Saltus
