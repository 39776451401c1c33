// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/multigrid/chebyshev.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  /// The same operator in a smaller space, and its matrix.
  template <int dim>
  struct CoarseOperator
  {
    CoarseOperator(const PolytopicOperator<dim>                    &op,
                   const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                   const std::vector<unsigned int>                 &degrees)
      : space(mesh, degrees)
    {
      this->op.reinit(space, op.conditions(), op.device(), data_of_coarse_levels(op));
    }

    BlockCSRMatrix<double>
    matrix() const
    {
      BlockCSRMatrix<double> result(op.sparsity(), op.device());
      op.assemble(result);
      return result;
    }

    const PolytopicSpace<dim> space;
    PolytopicOperator<dim>    op;
  };


  namespace
  {
    /// Of a lower degree on the same elements.
    template <int dim>
    std::unique_ptr<const CoarseOperator<dim>>
    with_lower_degree(const PolytopicOperator<dim> &op, const unsigned int degree)
    {
      const PolytopicSpace<dim> &space = op.space();
      std::vector<unsigned int>  degrees;
      for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
        degrees.push_back(std::min(degree, space.degree(e)));
      return std::make_unique<const CoarseOperator<dim>>(op, space.shared_mesh(), degrees);
    }

    /// On larger elements, with the highest degree of their parts; none if there are no larger
    /// ones.
    template <int dim>
    std::unique_ptr<const CoarseOperator<dim>>
    on_larger_elements(const PolytopicOperator<dim> &op,
                       const Grouping                grouping,
                       const unsigned int            ratio)
    {
      const PolytopicMesh<dim> &mesh   = op.space().mesh();
      const auto                coarse = coarser_mesh(mesh, grouping, ratio);
      if (!coarse)
        return nullptr;
      const std::vector<unsigned int> larger =
        parents(mesh.cells_of_elements(), coarse->cells_of_elements());
      std::vector<unsigned int> degrees(coarse->n_elements(), 1);
      for (unsigned int e = 0; e < larger.size(); ++e)
        degrees[larger[e]] = std::max(degrees[larger[e]], op.space().degree(e));
      return std::make_unique<const CoarseOperator<dim>>(op, coarse, degrees);
    }

    /// Steps of residual minimization that solve on the coarsest level.
    constexpr unsigned int coarsest_steps = 20;
  } // namespace


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::initialize(const PolytopicOperator<dim> &op,
                                              const BlockCSRMatrix<double> &matrix,
                                              const AdditionalData         &additional_data)
  {
    AssertThrow(additional_data.smoother_degree > 0,
                ExcMessage("The smoother needs a degree of at least 1."));
    AssertThrow(additional_data.ratio > 1,
                ExcMessage("Agglomerates of a hierarchy need at least 2 elements, not " +
                           std::to_string(additional_data.ratio) + "."));
    levels.clear();
    agglomerates                 = {};
    const unsigned int highest   = op.space().max_degree();
    const bool         advection = !op.data().velocity.empty();
    if (highest > 1 || advection)
      add_level(op, matrix, additional_data.smoother_degree);
    std::unique_ptr<const CoarseOperator<dim>> next;
    const auto lowest = [&]() -> const PolytopicOperator<dim> & { return next ? next->op : op; };
    if (additional_data.elements_first && highest > 1)
      next = add_larger_elements(op, additional_data);
    for (unsigned int degree = highest / 2; degree > 0; degree /= 2)
      {
        next = with_lower_degree(lowest(), degree);
        if (degree > 1 || advection)
          add_level(next->op, next->matrix(), additional_data.smoother_degree);
      }
    if (!advection)
      {
        add_symmetric_agglomerates(lowest(), additional_data);
        return;
      }
    add_larger_elements(lowest(), additional_data);
    levels.back().minimization = {coarsest_steps, levels.back().b};
  }


  template <int dim, typename Number>
  std::unique_ptr<const CoarseOperator<dim>>
  PolytopicMultigrid<dim, Number>::add_larger_elements(const PolytopicOperator<dim> &op,
                                                       const AdditionalData &additional_data)
  {
    const std::size_t coarse_size = AggregationHierarchy::Parameters().coarse_size;
    std::unique_ptr<const CoarseOperator<dim>> coarsest;
    const PolytopicOperator<dim>              *fine = &op;
    // So many linear functions can be solved for.
    while ((dim + 1) * fine->space().mesh().n_global_elements() > coarse_size)
      {
        auto larger = on_larger_elements(*fine, additional_data.grouping, additional_data.ratio);
        if (!larger)
          break;
        const CompressedRows embedding = prolongation(fine->space(), larger->space);
        levels.back().prolongation     = {op.device(), embedding};
        levels.back().restriction      = {op.device(), embedding.transpose()};
        add_level(larger->op, larger->matrix(), additional_data.smoother_degree);
        coarsest = std::move(larger);
        fine     = &coarsest->op;
      }
    return coarsest;
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::add_symmetric_agglomerates(const PolytopicOperator<dim> &op,
                                                              const AdditionalData &additional_data)
  {
    levels.push_back(make_level(op));
    typename SpreadMultigrid<Number>::AdditionalData data;
    data.cycle                 = additional_data.cycle;
    data.smoother_degree       = additional_data.smoother_degree;
    data.min_unknowns_per_rank = additional_data.min_unknowns_per_rank;
    // The unknowns number the entries.
    std::vector<std::size_t> places(op.space().n_owned_dofs());
    std::iota(places.begin(), places.end(), 0);
    ElementHierarchy hierarchy = element_hierarchy(op,
                                                   additional_data.grouping,
                                                   additional_data.ratio,
                                                   data.aggregation.coarse_size);
    agglomerates.initialize(op.sparsity()->partition,
                            std::move(hierarchy.levels),
                            hierarchy.finest,
                            data,
                            op.device(),
                            CompressedRows::placement(places, places.size()));
  }


  template <int dim, typename Number>
  typename PolytopicMultigrid<dim, Number>::Level
  PolytopicMultigrid<dim, Number>::make_level(const PolytopicOperator<dim> &op) const
  {
    Level level;
    level.degree     = op.space().max_degree();
    level.first_rows = op.sparsity()->first_rows;
    level.b          = op.sparsity()->template vector<Number>(op.device());
    level.x          = level.b;
    level.work       = op.sparsity()->template vector<double>(op.device());
    level.scratch    = level.work;
    return level;
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::add_level(const PolytopicOperator<dim> &op,
                                             const BlockCSRMatrix<double> &matrix,
                                             const unsigned int            smoother_degree)
  {
    const bool is_symmetric = op.data().velocity.empty();
    Level      level        = make_level(op);
    level.residual = level.correction = level.b;
    level.roots                       = std::make_unique<const BlockRoots>(matrix, is_symmetric);
    level.matrix                      = level.roots->template scale<Number>(op.sparsity(), matrix);
    if (is_symmetric)
      level.weights =
        chebyshev_weights<Number>(largest_eigenvalue(level.matrix, LinearMap<Number>(), level.b),
                                  smoother_degree);
    else
      level.minimization = {smoother_degree, level.b};
    levels.push_back(std::move(level));
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::Level::take(const Vector<double> &right_hand_side)
  {
    if (is_linear())
      b.convert_from(right_hand_side);
    else
      {
        roots->inverse_left.vmult(scratch, right_hand_side);
        b.convert_from(scratch);
      }
  }


  template <int dim, typename Number>
  const Vector<double> &
  PolytopicMultigrid<dim, Number>::Level::solution()
  {
    work.convert_from(x);
    if (is_linear())
      return work;
    roots->inverse_right.vmult(scratch, work);
    return scratch;
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::Level::smooth(const bool from_zero)
  {
    for (std::size_t k = 0; k < weights.size(); ++k)
      if (from_zero && k == 0)
        x.equ(weights[k], b);
      else
        {
          matrix.apply(-weights[k], x, weights[k], b, residual);
          x.add(1, residual);
        }
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::Level::descend()
  {
    if (!weights.empty())
      {
        smooth(true);
        matrix.residual(residual, x, b);
        return;
      }
    x        = Number(0);
    residual = b;
    minimization.smooth(matrix, x, residual);
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::Level::ascend()
  {
    x.add(1, correction);
    if (!weights.empty())
      {
        smooth(false);
        return;
      }
    matrix.residual(residual, x, b);
    minimization.smooth(matrix, x, residual);
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::vmult(Vector<double> &dst, const Vector<double> &src) const
  {
    levels[0].take(src);
    cycle(0);
    dst = levels[0].solution();
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::cycle(const unsigned int number) const
  {
    Level &fine = levels[number];
    if (fine.is_linear())
      {
        agglomerates.vmult(fine.x, fine.b);
        return;
      }
    fine.descend();
    if (number + 1 == levels.size())
      return;
    Level &coarse = levels[number + 1];
    fine.work.convert_from(fine.residual);
    fine.roots->left.vmult(fine.scratch, fine.work);
    transfer(fine, coarse, Direction::to_coarse);
    coarse.take(coarse.work);
    cycle(number + 1);
    coarse.work = coarse.solution();
    transfer(fine, coarse, Direction::to_fine);
    fine.roots->right.vmult(fine.work, fine.scratch);
    fine.correction.convert_from(fine.work);
    fine.ascend();
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::transfer(Level          &fine,
                                            Level          &coarse,
                                            const Direction direction) const
  {
    const bool to_fine = direction == Direction::to_fine;
    if (fine.prolongation.m() > 0)
      {
        if (to_fine)
          fine.prolongation.vmult(fine.scratch, coarse.work);
        else
          fine.restriction.vmult(coarse.work, fine.scratch);
        return;
      }
    if (to_fine)
      fine.scratch = 0.;
    const Device device = fine.matrix.device();
    launch(device,
           fine.matrix.sparsity().n_elements(),
           TransferLeadingEntries{fine.first_rows.on(device).data(),
                                  coarse.first_rows.on(device).data(),
                                  fine.scratch.data(),
                                  coarse.work.data(),
                                  to_fine});
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::print(std::ostream &stream) const
  {
    stream << "  multigrid:";
    for (const Level &level : levels)
      stream << (&level == &levels.front() ? " degree " : ", ") << level.degree << ": "
             << level.b.size();
    const auto &sizes = agglomerates.level_sizes();
    for (std::size_t l = 1; l < sizes.size(); ++l)
      stream << (l == 1 ? "; agglomerates: " : ", ") << sizes[l].n_rows;
    stream << " unknowns" << std::endl;
  }


  template <int dim, typename Number>
  std::size_t
  PolytopicMultigrid<dim, Number>::memory_consumption() const
  {
    std::size_t sum = agglomerates.memory_consumption();
    for (const Level &level : levels)
      {
        sum += level.b.memory_consumption() + level.x.memory_consumption() +
               level.residual.memory_consumption() + level.work.memory_consumption() +
               level.scratch.memory_consumption() + level.correction.memory_consumption();
        if (!level.is_linear())
          sum += level.roots->memory_consumption() + level.matrix.memory_consumption() +
                 level.minimization.memory_consumption() + level.prolongation.memory_consumption() +
                 level.restriction.memory_consumption();
      }
    return sum;
  }


  template class PolytopicMultigrid<2, double>;
  template class PolytopicMultigrid<2, float>;
  template class PolytopicMultigrid<3, double>;
  template class PolytopicMultigrid<3, float>;
} // namespace Saltus
