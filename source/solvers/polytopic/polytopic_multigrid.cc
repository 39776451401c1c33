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

  namespace
  {
    /// Of a lower degree on the same elements.
    template <int dim>
    struct LowerDegree
    {
      LowerDegree(const PolytopicOperator<dim> &op, const unsigned int degree)
        : space(op.space().shared_mesh(), degrees(op.space(), degree))
      {
        this->op.reinit(space, op.conditions(), op.device(), data_of_coarse_levels(op));
      }

      static std::vector<unsigned int>
      degrees(const PolytopicSpace<dim> &space, const unsigned int degree)
      {
        std::vector<unsigned int> result;
        for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
          result.push_back(std::min(degree, space.degree(e)));
        return result;
      }

      const PolytopicSpace<dim> space;
      PolytopicOperator<dim>    op;
    };
  } // namespace


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::initialize(const PolytopicOperator<dim> &op,
                                              const BlockCSRMatrix<double> &matrix,
                                              const AdditionalData         &additional_data)
  {
    AssertThrow(additional_data.smoother_degree > 0,
                ExcMessage("The Chebyshev smoother needs a degree of at least 1."));
    levels.clear();
    const unsigned int highest = op.space().max_degree();
    if (highest > 1)
      add_level(op, &matrix, additional_data.smoother_degree);
    for (unsigned int degree = highest / 2; degree > 1; degree /= 2)
      {
        const LowerDegree<dim> lower(op, degree);
        BlockCSRMatrix<double> of_lower(lower.op.sparsity(), op.device());
        lower.op.assemble(of_lower);
        add_level(lower.op, &of_lower, additional_data.smoother_degree);
      }
    std::unique_ptr<const LowerDegree<dim>> lowest;
    if (highest > 1)
      lowest = std::make_unique<const LowerDegree<dim>>(op, 1);
    const PolytopicOperator<dim> &linear = lowest ? lowest->op : op;
    add_level(linear, nullptr, 0);

    typename SpreadMultigrid<Number>::AdditionalData data;
    data.cycle                 = additional_data.cycle;
    data.smoother_degree       = additional_data.smoother_degree;
    data.min_unknowns_per_rank = additional_data.min_unknowns_per_rank;
    // The unknowns number the entries.
    std::vector<std::size_t> places(linear.space().n_owned_dofs());
    std::iota(places.begin(), places.end(), 0);
    ElementHierarchy hierarchy = element_hierarchy(linear,
                                                   additional_data.grouping,
                                                   additional_data.ratio,
                                                   data.aggregation.coarse_size);
    agglomerates.initialize(linear.sparsity()->partition,
                            std::move(hierarchy.levels),
                            hierarchy.finest,
                            data,
                            op.device(),
                            CompressedRows::placement(places, places.size()));
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::add_level(const PolytopicOperator<dim> &op,
                                             const BlockCSRMatrix<double> *matrix,
                                             const unsigned int            smoother_degree)
  {
    Level level;
    level.degree     = op.space().max_degree();
    level.first_rows = Memory<int>(op.device(), op.sparsity()->first_rows.host());
    level.b          = op.sparsity()->template vector<Number>(op.device());
    level.x          = level.b;
    level.work       = op.sparsity()->template vector<double>(op.device());
    level.scratch    = level.work;
    if (matrix != nullptr)
      {
        level.residual = level.b;
        level.roots    = std::make_unique<const BlockRoots>(*matrix);
        level.matrix   = level.roots->template scale<Number>(op.sparsity(), *matrix);
        level.smoother =
          chebyshev_weights<Number>(largest_eigenvalue(level.matrix, LinearMap<Number>(), level.b),
                                    smoother_degree);
      }
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
        roots->inverse.vmult(scratch, right_hand_side);
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
    roots->inverse_transposed.vmult(scratch, work);
    return scratch;
  }


  template <int dim, typename Number>
  void
  PolytopicMultigrid<dim, Number>::Level::smooth(const bool from_zero)
  {
    for (std::size_t k = 0; k < smoother.size(); ++k)
      if (from_zero && k == 0)
        x.equ(smoother[k], b);
      else
        {
          matrix.apply(-smoother[k], x, smoother[k], b, residual);
          x.add(1, residual);
        }
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
    Level     &coarse   = levels[number + 1];
    const auto transfer = [&](Vector<double> &large, Vector<double> &small, const bool adds) {
      launch(fine.matrix.device(),
             fine.matrix.sparsity().n_elements(),
             TransferLeadingEntries{
               fine.first_rows.data(), coarse.first_rows.data(), large.data(), small.data(), adds});
    };
    fine.smooth(true);
    fine.matrix.residual(fine.residual, fine.x, fine.b);
    fine.work.convert_from(fine.residual);
    fine.roots->root.vmult(fine.scratch, fine.work);
    transfer(fine.scratch, coarse.work, false);
    coarse.take(coarse.work);
    cycle(number + 1);
    coarse.work  = coarse.solution();
    fine.scratch = 0.;
    transfer(fine.scratch, coarse.work, true);
    fine.roots->transposed.vmult(fine.work, fine.scratch);
    fine.residual.convert_from(fine.work);
    fine.x.add(1, fine.residual);
    fine.smooth(false);
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
               level.scratch.memory_consumption() + level.first_rows.size() * sizeof(int);
        if (!level.is_linear())
          sum += level.roots->memory_consumption() + level.matrix.memory_consumption();
      }
    return sum;
  }


  template class PolytopicMultigrid<2, double>;
  template class PolytopicMultigrid<2, float>;
  template class PolytopicMultigrid<3, double>;
  template class PolytopicMultigrid<3, float>;
} // namespace Saltus
