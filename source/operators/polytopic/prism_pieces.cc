// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/operators/polytopic/prism_pieces.h>

#include <algorithm>
#include <set>

namespace Saltus
{
  PrismPieces::PrismPieces(Memory<PrismPiece> &&all_pieces,
                           const Memory<int>   &sizes,
                           const int            max_times)
    : pieces(std::move(all_pieces))
    , first_points(prefix_sums<std::size_t>(sizes))
    , n_points(last_of(first_points))
  {
    std::vector<double> weights;
    for (int n = 1; n <= max_times; ++n)
      {
        const dealii::QGauss<1> rule(n);
        for (int i = 0; i < n; ++i)
          {
            rule_points.push_back(rule.point(i)[0]);
            weights.push_back(rule.weight(i));
          }
      }
    std::vector<double> numbers = rule_points;
    numbers.insert(numbers.end(), weights.begin(), weights.end());
    rules_there = Memory<double>(pieces.device(), numbers);
  }


  PrismPieceArrays
  PrismPieces::arrays() const
  {
    return {static_cast<int>(pieces.size()),
            pieces.data(),
            first_points.data(),
            {rules_there.data(), rules_there.data() + rule_points.size()}};
  }


  const std::vector<double> &
  PrismPieces::times(const int parts) const
  {
    const auto [found, is_new] = times_of_parts.insert({parts, {}});
    if (is_new)
      {
        const TimeRules  rules{rule_points.data(), nullptr};
        std::set<double> times;
        for (const PrismPiece &piece : pieces.to_host())
          if (piece.n > 0 && (static_cast<int>(piece.part) & parts) != 0)
            for (int i = 0; i < std::max(1, piece.n_times); ++i)
              times.insert(rules.time(piece, i));
        found->second.assign(times.begin(), times.end());
      }
    return found->second;
  }
} // namespace Saltus
