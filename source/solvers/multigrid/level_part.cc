// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/gather.h>
#include <saltus/solvers/multigrid/level_part.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Saltus
{
  namespace
  {
    /// Unknowns of a level in the order in which they are met.
    class Selection
    {
    public:
      explicit Selection(const std::size_t n)
        : numbers(n, none)
      {}

      /// The number of unknown @p i here, a new one if it has none.
      int
      add(const std::size_t i)
      {
        if (numbers[i] == none)
          {
            numbers[i] = members.size();
            members.push_back(i);
          }
        return numbers[i];
      }

      /// -1 for one that is not here.
      int
      number(const std::size_t i) const
      {
        return numbers[i];
      }

      std::vector<std::size_t>
      clear()
      {
        for (const std::size_t i : members)
          numbers[i] = none;
        return std::exchange(members, {});
      }

      std::vector<std::size_t> members;

    private:
      static constexpr int none = -1;
      std::vector<int>     numbers;
    };

    /// @return `[l]`: how many unknowns there are with l layers
    std::vector<std::size_t>
    add_layers(const CompressedRows &matrix, const unsigned int n_layers, Selection &unknowns)
    {
      std::vector<std::size_t> sizes{unknowns.members.size()};
      std::size_t              next = 0;
      while (sizes.size() <= n_layers)
        {
          for (; next < sizes.back(); ++next)
            {
              const std::size_t row = unknowns.members[next];
              for (std::size_t k = matrix.row_starts[row]; k < matrix.row_starts[row + 1]; ++k)
                unknowns.add(matrix.columns[k]);
            }
          sizes.push_back(unknowns.members.size());
        }
      return sizes;
    }

    /// The rows of @p members, the first @p n of them with the columns that @p number gives for
    /// them, if not negative, the others empty.
    template <typename NumberOf>
    CompressedRows
    select(const CompressedRows           &matrix,
           const std::vector<std::size_t> &members,
           const std::size_t               n,
           const NumberOf                 &number)
    {
      CompressedRows result;
      for (std::size_t i = 0; i < members.size(); ++i)
        {
          const std::size_t row = members[i];
          for (std::size_t k = matrix.row_starts[row]; i < n && k < matrix.row_starts[row + 1]; ++k)
            if (const int column = number(matrix.columns[k]); column >= 0)
              result.add(column, matrix.values[k]);
          result.finish_row();
        }
      return result;
    }

    /// An unknown of a rank's vectors.
    struct Holder
    {
      int rank;
      int number; ///< in the rank's part
    };

    /// Who has which unknowns, `[starts[i]]` to `[starts[i + 1] - 1]` those of i by ascending
    /// ranks.
    struct Holders
    {
      Holders(const std::vector<std::vector<std::size_t>> &of_ranks, const std::size_t n)
        : starts(n + 1)
      {
        for (const auto &unknowns : of_ranks)
          for (const std::size_t i : unknowns)
            ++starts[i + 1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        all.resize(starts.back());
        std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
        for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
          for (std::size_t k = 0; k < of_ranks[rank].size(); ++k)
            all[next[of_ranks[rank][k]]++] = {static_cast<int>(rank), static_cast<int>(k)};
      }

      std::vector<std::size_t> starts;
      std::vector<Holder>      all;
    };

    void
    add_message(std::vector<RankPart> &parts, const int rank)
    {
      if (parts.empty() || parts.back().rank != rank)
        parts.push_back({rank, 0});
      ++parts.back().size;
    }

    /// What rank @p to gets for its unknowns @p members from others that have them, too.
    void
    connect(const int                       to,
            const std::vector<std::size_t> &members,
            const Holders                  &holders,
            std::vector<LevelPart>         &parts)
    {
      std::vector<std::pair<Holder, int>> needed;
      for (std::size_t k = 0; k < members.size(); ++k)
        for (std::size_t h = holders.starts[members[k]]; h < holders.starts[members[k] + 1]; ++h)
          if (holders.all[h].rank != to)
            needed.emplace_back(holders.all[h], k);
      std::stable_sort(needed.begin(), needed.end(), [](const auto &a, const auto &b) {
        return a.first.rank < b.first.rank;
      });
      for (const auto &[holder, k] : needed)
        {
          parts[holder.rank].sent.push_back(holder.number);
          add_message(parts[holder.rank].to, to);
          parts[to].received.push_back(k);
          add_message(parts[to].from, holder.rank);
        }
    }
  } // namespace

  std::size_t
  LevelPart::n_own() const
  {
    return of_vectors.empty() ? 0 : 1 + *std::max_element(of_vectors.begin(), of_vectors.end());
  }

  std::vector<LevelPart>
  make_level_parts(const CompressedRows      &matrix,
                   const CompressedRows      &prolongation,
                   const std::vector<double> &scaling,
                   const GatheredMatrix      &ranks,
                   const LevelPart::Layers   &layers)
  {
    const std::size_t                     n_ranks = ranks.counts.size(), n = matrix.n_rows();
    std::vector<LevelPart>                parts(n_ranks);
    std::vector<std::vector<std::size_t>> own(n_ranks), members(n_ranks);
    Selection                             unknowns(n), coarse(prolongation.n_columns);
    auto                                  place      = ranks.places.begin();
    std::size_t                           n_nonzeros = 0; // of all parts
    for (std::size_t rank = 0; rank < n_ranks; ++rank)
      {
        LevelPart &part = parts[rank];
        for (int i = 0; i < ranks.counts[rank]; ++i)
          part.of_vectors.push_back(unknowns.add(*place++));
        own[rank]                            = unknowns.members;
        const std::vector<std::size_t> sizes = add_layers(matrix, layers.all, unknowns);
        part.matrix = select(matrix, unknowns.members, sizes.back(), [&](const int i) {
          return unknowns.number(i);
        });
        part.prolongation =
          select(prolongation, unknowns.members, sizes[layers.corrected], [&](const int j) {
            return coarse.add(j);
          });
        members[rank] = unknowns.clear();
        n_nonzeros += part.matrix.n_nonzeros();
        part.coarse = coarse.clear();
        for (const std::size_t i : members[rank])
          part.scaling.push_back(scaling[i]);
      }
    CompressedRows::check_32_bit(0, 0, n_nonzeros, "The finest level of algebraic multigrid");
    const Holders holders(own, n);
    for (std::size_t i = 0; i < n; ++i)
      {
        const Holder &first = holders.all[holders.starts[i]];
        parts[first.rank].owned.push_back(first.number);
      }
    for (std::size_t rank = 0; rank < n_ranks; ++rank)
      connect(rank, members[rank], holders, parts);
    return parts;
  }

  LevelPart
  scatter(const MPI_Comm communicator, std::vector<LevelPart> parts)
  {
    LevelPart  result;
    const auto receive = [&](const auto &member) {
      auto                                                     &own = member(result);
      OfRanks<typename std::decay_t<decltype(own)>::value_type> all;
      if (!parts.empty())
        all.starts = {0};
      for (LevelPart &part : parts)
        {
          const auto values = std::move(member(part));
          all.values.insert(all.values.end(), values.begin(), values.end());
          all.starts.push_back(all.values.size());
        }
      own = scatter_from_first(communicator, all);
    };
    const auto receive_rows = [&](CompressedRows LevelPart::*const rows) {
      receive([=](LevelPart & part) -> auto & { return (part.*rows).row_starts; });
      receive([=](LevelPart & part) -> auto & { return (part.*rows).columns; });
      receive([=](LevelPart & part) -> auto & { return (part.*rows).values; });
    };
    receive_rows(&LevelPart::matrix);
    receive_rows(&LevelPart::prolongation);
    receive([](LevelPart & part) -> auto & { return part.coarse; });
    receive([](LevelPart & part) -> auto & { return part.scaling; });
    receive([](LevelPart & part) -> auto & { return part.of_vectors; });
    receive([](LevelPart & part) -> auto & { return part.owned; });
    receive([](LevelPart & part) -> auto & { return part.sent; });
    receive([](LevelPart & part) -> auto & { return part.received; });
    receive([](LevelPart & part) -> auto & { return part.to; });
    receive([](LevelPart & part) -> auto & { return part.from; });
    receive([](LevelPart & part) -> auto & { return part.smoother; });
    result.matrix.n_columns       = result.matrix.n_rows();
    result.prolongation.n_columns = result.coarse.size();
    return result;
  }
} // namespace Saltus
