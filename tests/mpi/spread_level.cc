// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Two-level cycles of which every rank does its part against the same cycles on the whole matrix.
#include <saltus/base/algebra/gathered_vector.h>
#include <saltus/solvers/multigrid/spread_level.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Numbers = std::vector<double>;

  constexpr int          n = 30; // points in each direction
  const Numbers          weights{0.4, 0.7, 1.3};
  constexpr unsigned int n_cycles = 2;

  /// The 5-point matrix with a unit diagonal.
  CompressedRows
  five_point()
  {
    CompressedRows A;
    A.n_columns = n * n;
    for (int i = 0; i < n * n; ++i)
      {
        for (const int neighbor :
             {i - n, i % n > 0 ? i - 1 : -1, i % n + 1 < n ? i + 1 : -1, i + n})
          if (neighbor >= 0 && neighbor < n * n)
            A.add(neighbor, -0.25);
        A.add(i, 1.);
        A.finish_row();
      }
    return A;
  }

  int
  coarse_unknown(const int i)
  {
    return i / n / 3 * (n / 3) + i % n / 3;
  }

  /// From squares of nine points, and a little of their neighbours.
  CompressedRows
  prolongation(const CompressedRows &A)
  {
    CompressedRows P;
    P.n_columns = (n / 3) * (n / 3);
    for (int i = 0; i < n * n; ++i)
      {
        for (std::size_t k = A.row_starts[i]; k < A.row_starts[i + 1]; ++k)
          P.add(coarse_unknown(A.columns[k]), A.columns[k] == i ? 0.6 : 0.1);
        P.finish_row();
      }
    return P;
  }

  Numbers
  product(const CompressedRows &A, const Numbers &x)
  {
    Numbers y(A.n_rows());
    for (std::size_t i = 0; i < y.size(); ++i)
      for (std::size_t k = A.row_starts[i]; k < A.row_starts[i + 1]; ++k)
        y[i] += A.values[k] * x[A.columns[k]];
    return y;
  }

  void
  add(Numbers &x, const double factor, const Numbers &y)
  {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += factor * y[i];
  }

  double
  coarse_factor(const std::size_t j)
  {
    return 1. + 0.01 * j;
  }

  Numbers
  residual(const CompressedRows &A, const Numbers &x, const Numbers &b)
  {
    Numbers r = b;
    add(r, -1., product(A, x));
    return r;
  }

  Numbers
  cycles_on_whole(const CompressedRows &A, const CompressedRows &P, Numbers b)
  {
    Numbers total(b.size());
    for (unsigned int cycle = 0; cycle < n_cycles; ++cycle)
      {
        Numbers x(b.size());
        for (const double weight : weights)
          add(x, weight, residual(A, x, b));
        Numbers coarse = product(P.transpose(), residual(A, x, b));
        for (std::size_t j = 0; j < coarse.size(); ++j)
          coarse[j] *= coarse_factor(j);
        add(x, 1., product(P, coarse));
        for (const double weight : weights)
          add(x, weight, residual(A, x, b));
        add(total, 1., x);
        b = residual(A, x, b);
      }
    return total;
  }

  /// Unknowns of a rank's vectors: a stripe and a row of points beyond it, and one of them twice.
  /// The last of several ranks has none.
  std::vector<std::size_t>
  unknowns_of(const int rank)
  {
    const int                n_stripes = std::max<int>(1, n_ranks() - 1);
    std::vector<std::size_t> result;
    if (rank >= n_stripes)
      return result;
    const int begin = n * rank / n_stripes, end = std::min(n, n * (rank + 1) / n_stripes + 1);
    for (int i = begin * n; i < end * n; ++i)
      result.push_back(i);
    result.push_back(begin * n + 1);
    return result;
  }

  /// How many ranks have unknown @p i.
  int
  n_holders(const std::size_t i)
  {
    int sum = 0;
    for (unsigned int rank = 0; rank < n_ranks(); ++rank)
      {
        const auto unknowns = unknowns_of(rank);
        sum += std::count(unknowns.begin(), unknowns.end(), i) > 0;
      }
    return sum;
  }

  class SpreadLevelTest : public OnDevice
  {
  protected:
    const std::shared_ptr<ElementPartition> partition =
      std::make_shared<ElementPartition>(MPI_COMM_WORLD, 1, 0);
    const CompressedRows     A = five_point(), P = prolongation(A);
    std::vector<std::size_t> coarse_unknowns; ///< of all parts, on all ranks

    LevelPart
    make_part()
    {
      GatheredMatrix ranks;
      for (unsigned int rank = 0; rank < n_ranks(); ++rank)
        {
          const auto unknowns = unknowns_of(rank);
          ranks.counts.push_back(unknowns.size());
          ranks.places.insert(ranks.places.end(), unknowns.begin(), unknowns.end());
        }
      auto parts = make_level_parts(
        A, P, Numbers(n * n, 1.), ranks, SpreadLevel<double>::layers(weights.size()));
      for (LevelPart &part : parts)
        {
          part.smoother = weights;
          coarse_unknowns.insert(coarse_unknowns.end(), part.coarse.begin(), part.coarse.end());
        }
      if (this_rank() != 0)
        parts.clear();
      return scatter(MPI_COMM_WORLD, std::move(parts));
    }

    /// On the first rank, multiplication by numbers.
    void
    solve_coarse(GatheredVector<double> &coarse) const
    {
      coarse.gather();
      if (this_rank() == 0)
        {
          Numbers of_parts = coarse.whole.entries(), sums(P.n_columns);
          for (std::size_t k = 0; k < of_parts.size(); ++k)
            sums[coarse_unknowns[k]] += of_parts[k];
          for (std::size_t k = 0; k < of_parts.size(); ++k)
            of_parts[k] = coarse_factor(coarse_unknowns[k]) * sums[coarse_unknowns[k]];
          coarse.whole.set_entries(of_parts);
        }
      coarse.scatter();
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SpreadLevelTest)

TEST_P(SpreadLevelTest, Cycles)
{
  Numbers b;
  for (int i = 0; i < n * n; ++i)
    b.push_back(std::sin(3. * i) + 0.2);
  const Numbers expected = cycles_on_whole(A, P, b);

  const LevelPart        part = make_part();
  const auto             own  = unknowns_of(this_rank());
  SpreadLevel<double>    level(partition, device(), part);
  GatheredVector<double> coarse(partition, device(), part.coarse.size());
  Numbers                contributions(level.contributions.locally_owned_size());
  for (std::size_t k = 0; k < own.size(); ++k)
    contributions[part.of_vectors[k]] = b[own[k]] / n_holders(own[k]);
  for (unsigned int repetition = 0; repetition < 3; ++repetition)
    {
      level.contributions.set_entries(contributions);
      const Numbers solution =
        level.solve(n_cycles, coarse.part, [&]() { solve_coarse(coarse); }).entries();
      for (std::size_t k = 0; k < own.size(); ++k)
        ASSERT_NEAR(solution[part.of_vectors[k]], expected[own[k]], 1e-12) << own[k];
    }
}
