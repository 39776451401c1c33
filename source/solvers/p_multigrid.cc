// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/epetra_matrix.h>
#include <saltus/base/stopwatch.h>
#include <saltus/operators/mode_transfer.h>
#include <saltus/solvers/continuous_coarse_space.h>
#include <saltus/solvers/p_multigrid.h>

#include <iomanip>
#include <type_traits>

namespace Saltus
{
  using namespace dealii;

  template <int dim, typename Number>
  template <typename OuterNumber>
  void
  PMultigrid<dim, Number>::initialize(const LaplaceOperator<dim, OuterNumber> &A,
                                      const AdditionalData                    &additional_data)
  {
    AssertThrow(additional_data.smoother_degree > 0,
                ExcMessage("The Chebyshev smoother needs a degree of at least 1."));
    Stopwatch watch(A.element_space().device);
    data = additional_data;
    levels.clear();
    for (unsigned int degree = A.degree(); degree > 0; degree /= 2)
      {
        auto level = std::make_unique<Level>();
        if (levels.empty())
          level->matrix.reinit(A, degree);
        else
          level->matrix.reinit(levels.back()->matrix, degree);
        level->matrix.initialize_vector(level->b);
        level->matrix.initialize_vector(level->x);
        if (!is_algebraic(*level))
          {
            level->matrix.initialize_vector(level->residual);
            level->smoother.initialize(level->matrix, data.smoother_degree);
          }
        levels.push_back(std::move(level));
      }
    seconds.levels = watch.lap();
    set_up_coarse();
  }

  template <int dim, typename Number>
  void
  PMultigrid<dim, Number>::set_up_coarse()
  {
    const LaplaceOperator<dim, Number> &linear  = levels.back()->matrix;
    const ElementSpace<dim, Number>    &space   = linear.element_space();
    const unsigned int                  n_modes = space.reference.n_modes;
    Stopwatch                           watch(space.device);
    std::vector<std::size_t>            positions;
    positions.reserve(linear.m());
    for (unsigned int e = 0; e < space.n_elements(); ++e)
      for (unsigned int m = 0; m < n_modes; ++m)
        positions.push_back(coefficient_index(e, m, n_modes, 1));

    std::unique_ptr<Epetra_CrsMatrix> matrix;
    CompressedRows                    embedding;
    const std::size_t                 array_size = levels.back()->b.data_size();
    auto                             &parameters = data.algebraic;
    parameters.singular                          = linear.is_singular();
    if (data.coarse_space == CoarseSpace::continuous)
      {
        const ContinuousCoarseSpace<dim> coarse(*space.mesh, space.reference);
        matrix    = epetra_matrix(coarse.galerkin_product(linear.couplings()));
        embedding = coarse.prolongation().with_rows_at(positions, array_size);
      }
    else
      {
        TrilinosWrappers::SparseMatrix A;
        linear.assemble(A);
        matrix    = std::make_unique<Epetra_CrsMatrix>(A.trilinos_matrix());
        embedding = CompressedRows::placement(positions, array_size);
        // Constants are the first modes.
        auto &aggregation      = parameters.aggregation;
        aggregation.block_size = n_modes;
        aggregation.near_null_vector.assign(A.m(), 0.);
        for (std::size_t i = 0; i < A.m(); i += n_modes)
          aggregation.near_null_vector[i] = 1.;
      }
    seconds.coarse_matrix = watch.lap();
    algebraic.initialize(*matrix, parameters, space.device, embedding);
    seconds.algebraic = watch.lap();
  }

  template <int dim, typename Number>
  template <typename OuterNumber>
  void
  PMultigrid<dim, Number>::vmult(Vector<OuterNumber> &dst, const Vector<OuterNumber> &src) const
  {
    AssertThrow(!levels.empty(), ExcMessage("p-multigrid is not set up: call initialize() first."));
    const Level &finest = *levels.front();
    check_shape(src.shape(), finest.b.shape(), "p-multigrid");
    finest.b.convert_from(src);
    cycle(0);
    if (finest.matrix.is_singular())
      finest.matrix.remove_null_space(finest.x);
    dst.convert_from(finest.x);
  }

  template <int dim, typename Number>
  void
  PMultigrid<dim, Number>::cycle(const unsigned int l) const
  {
    const Level &level = *levels[l];
    if (is_algebraic(level))
      {
        algebraic.vmult(level.x, level.b);
        return;
      }
    level.smoother.smooth(level.x, level.b, true);
    level.matrix.compute_residual(level.residual, level.x, level.b);
    if (l + 1 == levels.size())
      algebraic.vmult_add(level.x, level.residual);
    else
      {
        const Level &coarse = *levels[l + 1];
        truncate_modes(coarse.b, level.residual);
        cycle(l + 1);
        add_truncated_modes(level.x, coarse.x);
      }
    level.smoother.smooth(level.x, level.b, false);
  }

  template <int dim, typename Number>
  std::size_t
  PMultigrid<dim, Number>::Level::memory_consumption() const
  {
    return matrix.memory_consumption() + smoother.memory_consumption() +
           (b.data_size() + x.data_size() + residual.data_size()) * sizeof(Number);
  }

  template <int dim, typename Number>
  std::size_t
  PMultigrid<dim, Number>::memory_consumption() const
  {
    std::size_t sum = algebraic.memory_consumption();
    for (const auto &level : levels)
      sum += level->memory_consumption();
    return sum;
  }

  template <int dim, typename Number>
  double
  PMultigrid<dim, Number>::memory_per_element() const
  {
    return double(memory_consumption()) / levels.front()->b.n_elements();
  }

  template <int dim, typename Number>
  void
  PMultigrid<dim, Number>::print(std::ostream &stream) const
  {
    const double       n_elements = levels.front()->b.n_elements();
    std::ostringstream text;
    text << std::fixed << std::setprecision(0);
    for (const auto &level : levels)
      text << "  degree " << level->matrix.degree() << ": " << level->matrix.m() << " unknowns, "
           << level->memory_consumption() / n_elements << " bytes an element\n";
    for (const auto &size : algebraic.level_sizes())
      text << "  algebraic: " << size.n_rows << " unknowns, " << size.n_nonzeros << " entries\n";
    text << "  algebraic levels: " << algebraic.memory_consumption() / n_elements
         << " bytes an element; in all " << memory_per_element() << " bytes an element\n";
    stream << text.str();
  }

  template class PMultigrid<2, double>;
  template class PMultigrid<2, float>;
  template class PMultigrid<3, double>;
  template class PMultigrid<3, float>;

#define SALTUS_P_MULTIGRID(dim, Number, OuterNumber)                                               \
  template void PMultigrid<dim, Number>::initialize(const LaplaceOperator<dim, OuterNumber> &,     \
                                                    const AdditionalData &);                       \
  template void PMultigrid<dim, Number>::vmult(Vector<OuterNumber> &, const Vector<OuterNumber> &) \
    const;
  SALTUS_P_MULTIGRID(2, double, double)
  SALTUS_P_MULTIGRID(2, float, double)
  SALTUS_P_MULTIGRID(2, float, float)
  SALTUS_P_MULTIGRID(3, double, double)
  SALTUS_P_MULTIGRID(3, float, double)
  SALTUS_P_MULTIGRID(3, float, float)
#undef SALTUS_P_MULTIGRID
} // namespace Saltus
