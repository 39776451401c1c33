// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/collective.h>
#include <saltus/solvers/epetra_matrix.h>
#include <saltus/solvers/spread_multigrid.h>

#include <optional>
#include <utility>

namespace Saltus
{
  namespace
  {
    /// Where unknowns of several ranks are one, all of them get its value.
    CompressedRows
    copies(const std::vector<std::size_t> &places, const std::size_t n_columns)
    {
      CompressedRows result;
      result.n_columns = n_columns;
      for (const std::size_t place : places)
        {
          result.add(place, 1.);
          result.finish_row();
        }
      return result;
    }

    template <typename T>
    T
    take_first(std::vector<T> &values)
    {
      T first = std::move(values.front());
      values.erase(values.begin());
      return first;
    }

    /// The finest level of @p hierarchy, which loses it, in parts for each rank.
    template <typename Number>
    std::vector<LevelPart>
    take_finest(AggregationHierarchy &hierarchy,
                const GatheredMatrix &ranks,
                const unsigned int    smoother_degree,
                const Device          device)
    {
      const std::vector<double> scaling      = hierarchy.scale();
      const CompressedRows      matrix       = take_first(hierarchy.matrices);
      const CompressedRows      prolongation = take_first(hierarchy.prolongations);
      const std::vector<Number> weights =
        smoother_weights(SparseMatrix<Number>(device, matrix), smoother_degree);
      std::vector<LevelPart> parts = make_level_parts(
        matrix, prolongation, scaling, ranks, SpreadLevel<Number>::n_layers(smoother_degree));
      for (LevelPart &part : parts)
        part.smoother.assign(weights.begin(), weights.end());
      return parts;
    }

    /// From the unknowns of a spread level, of which only those of the rank's vectors are needed.
    CompressedRows
    embedding_of(const LevelPart &part, CompressedRows embedding)
    {
      for (int &column : embedding.columns)
        column = part.places[column];
      embedding.n_columns = part.matrix.n_rows();
      embedding.scale(std::vector<double>(embedding.n_rows(), 1.), part.scaling);
      return embedding;
    }

    /// To the contributions of a spread level; those of others are none of its business.
    CompressedRows
    restriction_of(const LevelPart &part, const CompressedRows &embedding)
    {
      CompressedRows rows = embedding;
      rows.n_columns      = part.n_own() + part.received.size();
      return rows.transpose();
    }
  } // namespace

  template <typename Number>
  void
  SpreadMultigrid<Number>::initialize(const std::shared_ptr<const ElementPartition> &partition,
                                      const GatheredMatrix                          &matrix,
                                      const AdditionalData                          &data,
                                      const Device                                   device,
                                      const CompressedRows                          &embedding)
  {
    this->partition = partition;
    n_cycles        = data.n_cycles;
    sizes.clear();
    finest.reset();
    gathered.reset();
    if (!partition)
      {
        algebraic.initialize(*epetra_matrix(matrix.rows), data, device, embedding);
        sizes = algebraic.level_sizes();
        return;
      }
    std::optional<AggregationHierarchy> hierarchy; // of the first rank
    std::vector<LevelPart>              parts;
    auto                                below  = data;
    std::vector<std::size_t>            places = matrix.places;
    on_first_rank(partition->communicator, [&]() {
      hierarchy.emplace(*epetra_matrix(matrix.rows), data.aggregation);
      for (const CompressedRows &level : hierarchy->matrices)
        sizes.push_back({level.n_rows(), level.n_nonzeros()});
      if (hierarchy->n_levels() < 2 ||
          matrix.rows.n_rows() < data.min_unknowns_per_rank * matrix.counts.size())
        return;
      parts = take_finest<Number>(*hierarchy, matrix, data.smoother_degree, device);
      places.clear();
      for (const LevelPart &part : parts)
        places.insert(places.end(), part.coarse.begin(), part.coarse.end());
      below.first_level = 1;
      below.n_cycles    = 1;
    });

    std::size_t    n_gathered = embedding.n_columns;
    const bool     is_spread  = max_over_ranks(partition, parts.empty() ? 0. : 1.) > 0.;
    CompressedRows to_vectors = embedding, from_vectors;
    if (is_spread)
      {
        const LevelPart part = scatter(partition->communicator, std::move(parts));
        finest               = std::make_unique<SpreadLevel<Number>>(partition, device, part);
        to_vectors           = embedding_of(part, embedding);
        from_vectors         = restriction_of(part, to_vectors);
        n_gathered           = part.coarse.size();
      }
    else
      from_vectors = embedding.transpose();
    this->embedding = SparseMatrix<Number>(device, to_vectors);
    restriction     = SparseMatrix<Number>(device, from_vectors);
    gathered        = std::make_unique<GatheredVector<Number>>(partition, device, n_gathered);
    on_first_rank(partition->communicator, [&]() {
      const std::size_t n = hierarchy->matrices[0].n_rows();
      algebraic.initialize(std::move(*hierarchy), below, device, copies(places, n));
    });
  }

  template <typename Number>
  void
  SpreadMultigrid<Number>::solve_on_first() const
  {
    gathered->gather();
    if (this_rank(partition->communicator) == 0)
      algebraic.vmult(gathered->whole, gathered->whole);
    gathered->scatter();
  }

  template <typename Number>
  const Vector<Number> &
  SpreadMultigrid<Number>::solve(const Vector<Number> &src) const
  {
    if (finest)
      {
        restriction.vmult(finest->contributions, src);
        return finest->solve(n_cycles, gathered->part, [this]() { solve_on_first(); });
      }
    restriction.vmult(gathered->part, src);
    solve_on_first();
    return gathered->part;
  }

  template <typename Number>
  void
  SpreadMultigrid<Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    if (partition)
      embedding.vmult(dst, solve(src));
    else
      algebraic.vmult(dst, src);
  }

  template <typename Number>
  void
  SpreadMultigrid<Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    if (partition)
      embedding.vmult_add(dst, solve(src));
    else
      algebraic.vmult_add(dst, src);
  }

  template <typename Number>
  double
  SpreadMultigrid<Number>::time_coarsest() const
  {
    return (finest ? n_cycles : 1) * algebraic.time_coarsest();
  }

  template <typename Number>
  std::size_t
  SpreadMultigrid<Number>::memory_consumption() const
  {
    return algebraic.memory_consumption() + embedding.memory_consumption() +
           restriction.memory_consumption() + (finest ? finest->memory_consumption() : 0) +
           (gathered ? gathered->memory_consumption() : 0);
  }

  template class SpreadMultigrid<double>;
  template class SpreadMultigrid<float>;
} // namespace Saltus
