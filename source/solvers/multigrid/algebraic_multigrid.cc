// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <saltus/base/device/stopwatch.h>
#include <saltus/solvers/multigrid/algebraic_multigrid.h>

#include <cmath>
#include <numeric>
#include <sstream>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    /// Largest coarsest matrix that is inverted.
    constexpr std::size_t max_coarse_size = 2000;

    std::vector<std::size_t>
    natural_order(const std::size_t n)
    {
      std::vector<std::size_t> positions(n);
      std::iota(positions.begin(), positions.end(), 0);
      return positions;
    }

    /// A row in consecutive pieces, each a row of its own, about as many as a piece has entries.
    CompressedRows
    pieces(const std::vector<double> &row)
    {
      const std::size_t length = std::ceil(std::sqrt(row.size()));
      CompressedRows    result;
      result.n_columns = row.size();
      for (std::size_t i = 0; i < row.size(); ++i)
        {
          result.add(i, row[i]);
          if ((i + 1) % length == 0 || i + 1 == row.size())
            result.finish_row();
        }
      return result;
    }

    /// The inverse of a symmetric positive definite matrix or, if it is @p singular with a kernel
    /// of dimension one, the inverse on the kernel's complement.
    CompressedRows
    inverse_matrix(const CompressedRows &rows, const bool singular)
    {
      const unsigned int n = rows.n_rows();
      AssertThrow(n <= max_coarse_size,
                  ExcMessage("The coarsest level of algebraic multigrid has " + std::to_string(n) +
                             " unknowns, too many for a direct solver (" +
                             std::to_string(max_coarse_size) +
                             "); allow more levels, or a smaller drop threshold."));
      dealii::LAPACKFullMatrix<double> matrix(n, n);
      double                           largest_sum = 0;
      for (unsigned int row = 0; row < n; ++row)
        {
          double sum = 0;
          for (std::size_t k = rows.row_starts[row]; k < rows.row_starts[row + 1]; ++k)
            {
              matrix(row, rows.columns[k]) = rows.values[k];
              sum += std::abs(rows.values[k]);
            }
          largest_sum = std::max(largest_sum, sum);
        }
      dealii::Vector<double>     eigenvalues;
      dealii::FullMatrix<double> eigenvectors;
      matrix.compute_eigenvalues_symmetric(
        -2. * largest_sum, 2. * largest_sum, 0., eigenvalues, eigenvectors);
      // LAPACK finds fewer where entries are not finite, or so small that products underflow.
      std::ostringstream message;
      message << "The coarsest matrix of algebraic multigrid has entries that are too small, too "
                 "large or not finite. The largest sum of magnitudes in a row is "
              << largest_sum << '.';
      AssertThrow(eigenvalues.size() == n, ExcMessage(message.str()));
      const unsigned int first = singular ? 1 : 0;
      AssertThrow(first == n || eigenvalues(first) > 1e-13 * largest_sum,
                  ExcMessage("The coarsest matrix of algebraic multigrid is not positive " +
                             std::string(singular ? "definite on the complement of its kernel"
                                                  : "definite") +
                             ": it has the eigenvalue " + std::to_string(eigenvalues(first)) +
                             ". Is the problem singular?"));
      dealii::LAPACKFullMatrix<double> factor(n, n), product(n, n);
      for (unsigned int k = first; k < n; ++k)
        for (unsigned int i = 0; i < n; ++i)
          factor(i, k) = eigenvectors(i, k) / std::sqrt(eigenvalues(k));
      factor.mTmult(product, factor);
      std::vector<double> entries(n * n);
      for (unsigned int i = 0; i < n; ++i)
        for (unsigned int j = 0; j < n; ++j)
          entries[i * n + j] = product(i, j);
      return CompressedRows::full(n, entries);
    }
  } // namespace

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::initialize(const Epetra_CrsMatrix &A,
                                         const AdditionalData   &additional_data,
                                         const Device            device)
  {
    const std::size_t n = A.NumGlobalRows64();
    initialize(A, additional_data, device, CompressedRows::placement(natural_order(n), n));
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::initialize(const Epetra_CrsMatrix &A,
                                         const AdditionalData   &additional_data,
                                         const Device            device,
                                         const CompressedRows   &embedding)
  {
    initialize(AggregationHierarchy(A, additional_data.aggregation),
               additional_data,
               device,
               embedding);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::initialize(AggregationHierarchy  hierarchy,
                                         const AdditionalData &additional_data,
                                         const Device          device,
                                         const CompressedRows &embedding)
  {
    AssertThrow(additional_data.smoother_degree > 0,
                ExcMessage("The Chebyshev smoother needs a degree of at least 1."));
    AssertThrow(additional_data.first_level == 0 || additional_data.n_cycles == 1,
                ExcMessage("A hierarchy whose finer levels are treated elsewhere does one cycle of "
                           "algebraic multigrid at a time, not " +
                           std::to_string(additional_data.n_cycles) + "."));
    AssertThrow(embedding.n_columns == hierarchy.matrices[0].n_rows(),
                ExcMessage("The embedding of a matrix with " +
                           std::to_string(hierarchy.matrices[0].n_rows()) +
                           " rows must have as many columns, not " +
                           std::to_string(embedding.n_columns) + "."));
    data  = additional_data;
    total = Vector<Number>();
    graph.reset();
    sizes.clear();
    levels.clear();
    const std::vector<double> factors = hierarchy.scale(data.singular);
    for (const CompressedRows &matrix : hierarchy.matrices)
      sizes.push_back({matrix.n_rows(), matrix.n_nonzeros()});
    for (unsigned int l = 0; l < n_levels(); ++l)
      make_level(hierarchy.matrices[l], device);
    for (unsigned int l = 0; l + 1 < n_levels(); ++l)
      {
        const CompressedRows &prolongation = hierarchy.prolongations[l];
        levels[l].prolongation             = SparseMatrix<Number>(device, prolongation);
        levels[l].restriction              = SparseMatrix<Number>(device, prolongation.transpose());
      }
    coarse_inverse =
      SparseMatrix<Number>(device, inverse_matrix(hierarchy.matrices.back(), data.singular));

    CompressedRows scaled_embedding = embedding;
    scaled_embedding.scale(std::vector<double>(embedding.n_rows(), 1.), factors);
    this->embedding      = SparseMatrix<Number>(device, scaled_embedding);
    embedding_transposed = SparseMatrix<Number>(device, scaled_embedding.transpose());
    make_projections(factors, device);
    record_graph();
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::make_level(const CompressedRows &matrix, const Device device)
  {
    const unsigned int l = levels.size();
    levels.emplace_back();
    Level &level = levels.back();
    level.b = level.x = algebraic_vector<Number>(device, matrix.n_rows());
    if (l + 1 == n_levels())
      return;
    level.matrix   = SparseMatrix<Number>(device, matrix);
    level.residual = level.b;
    level.smoother = smoother_weights(level.matrix, data.smoother_degree);
    if (has_k_cycle(l))
      level.direction = level.image = level.b;
    else if (data.cycle == Cycle::W && is_between(l))
      level.direction = level.b;
  }

  template <typename Number>
  AlgebraicMultigrid<Number>::Projection::Projection(const std::vector<double> &removed,
                                                     const std::vector<double> &measured,
                                                     const Device               device)
    : parts(device, pieces(measured))
    , total(device, CompressedRows::full(parts.m(), std::vector<double>(parts.m(), -1.)))
    , column(device, CompressedRows::full(1, removed))
    , sums(algebraic_vector<Number>(device, parts.m()))
    , component(algebraic_vector<Number>(device, 1))
  {}

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::Projection::apply(Vector<Number> &x) const
  {
    parts.vmult(sums, x);
    total.vmult(component, sums);
    column.vmult_add(x, component);
  }

  template <typename Number>
  std::size_t
  AlgebraicMultigrid<Number>::Projection::memory_consumption() const
  {
    return parts.memory_consumption() + total.memory_consumption() + column.memory_consumption() +
           (sums.data_size() + component.data_size()) * sizeof(Number);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::make_projections(const std::vector<double> &scaling,
                                               const Device               device)
  {
    projections.clear();
    if (!data.singular || data.first_level > 0)
      return;
    std::vector<double> kernel = data.aggregation.near_null_vector;
    kernel.resize(scaling.size(), 1.); // ones if there is none
    const double norm =
      std::sqrt(std::inner_product(kernel.begin(), kernel.end(), kernel.begin(), 0.));
    std::vector<double> in_range(kernel.size());
    for (std::size_t i = 0; i < kernel.size(); ++i)
      {
        in_range[i] = kernel[i] / norm * scaling[i];
        kernel[i] /= norm * scaling[i];
      }
    projections.emplace_back(in_range, kernel, device);
    projections.emplace_back(kernel, in_range, device);
  }

  template <typename Number>
  bool
  AlgebraicMultigrid<Number>::is_between(const unsigned int level) const
  {
    return data.first_level + level > 0 && level + 1 < n_levels();
  }

  template <typename Number>
  bool
  AlgebraicMultigrid<Number>::has_k_cycle(const unsigned int level) const
  {
    return data.cycle == Cycle::K && is_between(level) &&
           data.first_level + level <= data.n_k_levels;
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::record_graph()
  {
    if (!levels[0].b.device().is_cuda() || n_levels() < 2)
      return;
    graph_level = 0;
    while (has_k_cycle(graph_level + 1))
      ++graph_level;
    enqueue_cycle(graph_level); // whatever is set up in a first call cannot be recorded
    CudaRuntime::synchronize();
    // The solution is where the recorded cycle leaves it: a cycle leaves all arrays in their
    // places.
    graph = std::make_unique<CudaRuntime::Graph>();
    graph->record([&]() { enqueue_cycle(graph_level); });
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    solve(src);
    embedding.vmult(dst, levels[0].x);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    solve(src);
    embedding.vmult_add(dst, levels[0].x);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::solve(const Vector<Number> &src) const
  {
    embedding_transposed.vmult(levels[0].b, src);
    if (!projections.empty())
      projections[0].apply(levels[0].b);
    solve(0U);
    if (data.n_cycles > 1 && n_levels() > 1)
      repeat();
    if (!projections.empty())
      projections[1].apply(levels[0].x);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::repeat() const
  {
    Level &finest = levels[0];
    total         = finest.x;
    for (unsigned int cycle = 1; cycle < data.n_cycles; ++cycle)
      {
        finest.matrix.residual(finest.b, finest.x, finest.b);
        solve(0U);
        total += finest.x;
      }
    finest.x = total; // not swapped: a recorded cycle knows where it is
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::solve(const unsigned int level) const
  {
    if (level + 1 == n_levels())
      coarse_inverse.vmult(levels[level].x, levels[level].b);
    else if (has_k_cycle(level))
      flexible_cg(level);
    else if (data.cycle == Cycle::W && is_between(level))
      two_cycles(level);
    else
      cycle(level);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::two_cycles(const unsigned int l) const
  {
    Level &level = levels[l];
    cycle(l);
    level.direction.equ(1, level.x);
    level.matrix.residual(level.b, level.x, level.b);
    cycle(l);
    level.x.add(1, level.direction);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::flexible_cg(const unsigned int l) const
  {
    /// One step is enough if it reduces the residual by this factor.
    constexpr Number enough = 0.25;

    Level &level = levels[l];
    cycle(l);
    level.direction = level.x;
    level.matrix.vmult(level.image, level.direction);
    const Number rho1 = level.direction * level.image, alpha1 = level.direction * level.b;
    if (!(rho1 > 0)) // the right-hand side is zero
      return;
    const Number before = level.b.norm_sqr();
    const Number after  = level.b.add_and_dot(-alpha1 / rho1, level.image, level.b);
    if (after <= enough * enough * before)
      {
        level.x *= alpha1 / rho1;
        return;
      }
    cycle(l);
    level.matrix.vmult(level.residual, level.x);
    const Number gamma = level.x * level.image, alpha2 = level.x * level.b;
    const Number rho2 = level.x * level.residual - gamma * gamma / rho1;
    if (rho2 > 0)
      level.x.sadd(alpha2 / rho2, (alpha1 - gamma * alpha2 / rho2) / rho1, level.direction);
    else // the second direction is the first
      level.x.equ(alpha1 / rho1, level.direction);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::cycle(const unsigned int level) const
  {
    if (graph != nullptr && level == graph_level && !CudaRuntime::is_recording())
      graph->launch();
    else
      enqueue_cycle(level);
  }

  template <typename Number>
  void
  AlgebraicMultigrid<Number>::enqueue_cycle(const unsigned int l) const
  {
    Level &level = levels[l], &coarse = levels[l + 1];
    level.descend(coarse.b);
    solve(l + 1);
    level.ascend(coarse.x);
  }

  template <typename Number>
  double
  AlgebraicMultigrid<Number>::operator_complexity() const
  {
    double sum = 0;
    for (const LevelSize &size : sizes)
      sum += size.n_nonzeros;
    return sum / sizes[0].n_nonzeros;
  }

  template <typename Number>
  double
  AlgebraicMultigrid<Number>::time_coarsest() const
  {
    if (levels.empty())
      return 0.;
    Level    &coarsest = levels.back();
    Stopwatch watch(coarsest.b.device());
    watch.lap();
    for (unsigned int cycle = 0; cycle < data.n_cycles; ++cycle)
      coarse_inverse.vmult(coarsest.x, coarsest.b);
    return watch.lap();
  }

  template <typename Number>
  std::size_t
  AlgebraicMultigrid<Number>::memory_consumption() const
  {
    std::size_t sum = embedding.memory_consumption() + embedding_transposed.memory_consumption() +
                      coarse_inverse.memory_consumption() + total.data_size() * sizeof(Number);
    for (const Projection &projection : projections)
      sum += projection.memory_consumption();
    for (const Level &level : levels)
      sum += level.memory_consumption() +
             (level.direction.data_size() + level.image.data_size()) * sizeof(Number);
    return sum;
  }

  template class AlgebraicMultigrid<double>;
  template class AlgebraicMultigrid<float>;
} // namespace Saltus
