// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/solvers/krylov/epetra_matrix.h>
#include <saltus/solvers/multigrid/spread_multigrid.h>

#include <optional>
#include <utility>

namespace Saltus
{
  namespace
  {
    template <typename T>
    T
    take_first(std::vector<T> &values)
    {
      T first = std::move(values.front());
      values.erase(values.begin());
      return first;
    }

    /// What the first rank makes of all levels.
    template <typename Number>
    struct WholeHierarchy
    {
      using Settings = typename SpreadMultigrid<Number>::AdditionalData;

      /// With the parts of the finest level if it is to be spread.
      WholeHierarchy(AggregationHierarchy  hierarchy,
                     const GatheredMatrix &finest,
                     const Settings       &settings)
        : levels(std::move(hierarchy))
        , data(settings)
        , places(finest.places)
      {
        for (const CompressedRows &level : levels.matrices)
          sizes.push_back({level.n_rows(), level.n_nonzeros()});
        if (levels.n_levels() > 1 &&
            sizes[0].n_rows >= settings.min_unknowns_per_rank * finest.counts.size())
          take_finest(finest);
      }

      AggregationHierarchy                                levels; ///< of the first rank
      typename AlgebraicMultigrid<Number>::AdditionalData data;   ///< of these
      std::vector<std::size_t> places; ///< in the finest, of all that ranks gather
      std::vector<LevelPart>   parts;
      std::vector<typename AlgebraicMultigrid<Number>::LevelSize> sizes; ///< of all levels

    private:
      void
      take_finest(const GatheredMatrix &ranks)
      {
        // Once scaled, the other levels stay as they are when they are scaled again.
        const std::vector<double> scaling = levels.scale(data.singular);
        const CompressedRows      matrix  = take_first(levels.matrices),
                             prolongation = take_first(levels.prolongations);
        const std::vector<Number> weights =
          smoother_weights(SparseMatrix<Number>(Device::cpu(), matrix), data.smoother_degree);
        parts = make_level_parts(
          matrix, prolongation, scaling, ranks, SpreadLevel<Number>::layers(data.smoother_degree));
        places.clear();
        for (LevelPart &part : parts)
          {
            part.smoother.assign(weights.begin(), weights.end());
            places.insert(places.end(), part.coarse.begin(), part.coarse.end());
          }
        data.first_level = 1;
        data.n_cycles    = 1; // all of them begin on the finest level
      }
    };

    /// From the unknowns of a spread level, of which only those of the rank's vectors are needed.
    CompressedRows
    embedding_of(const LevelPart &part, CompressedRows embedding)
    {
      for (int &column : embedding.columns)
        column = part.of_vectors[column];
      embedding.n_columns = part.matrix.n_rows();
      embedding.scale(std::vector<double>(embedding.n_rows(), 1.), part.scaling);
      return embedding;
    }

    /// To the contributions of a spread level. Rows for those of others stay empty: messages fill
    /// their places.
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
    const auto aggregate = [&]() {
      return AggregationHierarchy(*epetra_matrix(matrix.rows), data.aggregation);
    };
    initialize_with(partition, aggregate, matrix, data, device, embedding);
  }

  template <typename Number>
  void
  SpreadMultigrid<Number>::initialize(const std::shared_ptr<const ElementPartition> &partition,
                                      AggregationHierarchy                           hierarchy,
                                      const GatheredMatrix                          &finest,
                                      const AdditionalData                          &data,
                                      const Device                                   device,
                                      const CompressedRows                          &embedding)
  {
    const auto take = [&]() { return std::move(hierarchy); };
    initialize_with(partition, take, finest, data, device, embedding);
  }

  template <typename Number>
  void
  SpreadMultigrid<Number>::initialize_with(const std::shared_ptr<const ElementPartition> &partition,
                                           const std::function<AggregationHierarchy()>   &make,
                                           const GatheredMatrix                          &ranks,
                                           const AdditionalData                          &data,
                                           const Device                                   device,
                                           const CompressedRows                          &embedding)
  {
    this->partition = partition;
    n_cycles        = data.n_cycles;
    sizes.clear();
    algebraic       = {};
    this->embedding = {};
    restriction     = {};
    finest.reset();
    gathered.reset();
    if (!partition)
      {
        algebraic.initialize(make(), data, device, embedding);
        sizes = algebraic.level_sizes();
        return;
      }
    std::optional<WholeHierarchy<Number>> whole; // on the first rank
    on_first_rank(partition->communicator, [&]() {
      whole.emplace(make(), ranks, data);
      sizes = whole->sizes;
    });
    std::vector<LevelPart> parts = whole ? std::move(whole->parts) : std::vector<LevelPart>();
    if (max_over_ranks(partition, parts.empty() ? 0. : 1.) > 0.)
      {
        const LevelPart part = scatter(partition->communicator, std::move(parts));
        finest               = std::make_unique<SpreadLevel<Number>>(partition, device, part);
        const CompressedRows to_vectors = embedding_of(part, embedding);
        connect(device, to_vectors, restriction_of(part, to_vectors), part.coarse.size());
      }
    else
      connect(device, embedding, embedding.transpose(), embedding.n_columns);
    on_first_rank(partition->communicator, [&]() {
      // Where unknowns of several ranks are one, all of them get its value.
      const auto copies =
        CompressedRows::selection(whole->places, whole->levels.matrices[0].n_rows());
      algebraic.initialize(std::move(whole->levels), whole->data, device, copies);
    });
  }

  template <typename Number>
  void
  SpreadMultigrid<Number>::connect(const Device          device,
                                   const CompressedRows &to_vectors,
                                   const CompressedRows &from_vectors,
                                   const std::size_t     n_gathered)
  {
    embedding   = SparseMatrix<Number>(device, to_vectors);
    restriction = SparseMatrix<Number>(device, from_vectors);
    gathered    = std::make_unique<GatheredVector<Number>>(partition, device, n_gathered);
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
