// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
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


  template <int dim>
  void
  PolytopicMultigrid<dim>::initialize(const PolytopicOperator<dim> &op,
                                      const BlockCSRMatrix<double> &matrix,
                                      const AdditionalData         &additional_data)
  {
    AssertThrow(additional_data.smoother_degree > 0,
                ExcMessage("The Chebyshev smoother needs a degree of at least 1."));
    levels.clear();
    std::unique_ptr<const LowerDegree<dim>> lower;
    for (unsigned int degree = op.space().max_degree(); degree > 1; degree /= 2)
      {
        if (levels.empty())
          {
            // It belongs to somebody else.
            add_level(op,
                      std::shared_ptr<const BlockCSRMatrix<double>>(std::shared_ptr<void>(),
                                                                    &matrix),
                      additional_data.smoother_degree);
            continue;
          }
        lower = std::make_unique<const LowerDegree<dim>>(op, degree);
        const auto of_degree =
          std::make_shared<BlockCSRMatrix<double>>(lower->op.sparsity(), op.device());
        lower->op.assemble(*of_degree);
        add_level(lower->op, of_degree, additional_data.smoother_degree);
      }
    if (!levels.empty())
      lower = std::make_unique<const LowerDegree<dim>>(op, 1);
    const PolytopicOperator<dim> &linear = lower ? lower->op : op;
    add_level(linear, nullptr, 0);

    AlgebraicMultigrid<double>::AdditionalData data;
    data.cycle           = additional_data.cycle;
    data.smoother_degree = additional_data.smoother_degree;
    // The unknowns number the entries.
    std::vector<std::size_t> places(linear.space().n_dofs());
    std::iota(places.begin(), places.end(), 0);
    agglomerates.initialize(element_hierarchy(linear,
                                              additional_data.grouping,
                                              additional_data.ratio,
                                              data.aggregation.coarse_size),
                            data,
                            op.device(),
                            CompressedRows::placement(places, places.size()));
  }


  template <int dim>
  void
  PolytopicMultigrid<dim>::add_level(const PolytopicOperator<dim>                        &op,
                                     const std::shared_ptr<const BlockCSRMatrix<double>> &matrix,
                                     const unsigned int smoother_degree)
  {
    Level level;
    level.degree     = op.space().max_degree();
    level.first_rows = Memory<int>(op.device(), op.sparsity()->first_rows);
    level.b          = algebraic_vector<double>(op.device(), op.space().n_dofs());
    level.x          = level.b;
    if (matrix)
      {
        level.matrix   = matrix;
        level.residual = level.b;
        level.inverse  = inverse_diagonal_blocks(*matrix);
        level.smoother =
          chebyshev_weights<double>(largest_eigenvalue(*matrix, level.inverse, level.b),
                                    smoother_degree);
      }
    levels.push_back(std::move(level));
  }


  template <int dim>
  void
  PolytopicMultigrid<dim>::vmult(Vector<double> &dst, const Vector<double> &src) const
  {
    levels[0].b = src;
    cycle(0);
    dst = levels[0].x;
  }


  template <int dim>
  void
  PolytopicMultigrid<dim>::smooth(Level &level, const bool from_zero) const
  {
    for (std::size_t k = 0; k < level.smoother.size(); ++k)
      if (from_zero && k == 0)
        level.inverse.apply(level.smoother[k], level.b, 0, level.b, level.x);
      else
        {
          level.matrix->residual(level.residual, level.x, level.b);
          level.inverse.apply(level.smoother[k], level.residual, 1, level.x, level.x);
        }
  }


  template <int dim>
  void
  PolytopicMultigrid<dim>::cycle(const unsigned int number) const
  {
    Level &fine = levels[number];
    if (number + 1 == levels.size())
      {
        agglomerates.vmult(fine.x, fine.b);
        return;
      }
    Level     &coarse   = levels[number + 1];
    const auto transfer = [&](Vector<double> &large, Vector<double> &small, const bool adds) {
      launch(fine.matrix->device(),
             fine.matrix->sparsity().n_elements(),
             TransferLeadingEntries{
               fine.first_rows.data(), coarse.first_rows.data(), large.data(), small.data(), adds});
    };
    smooth(fine, true);
    fine.matrix->residual(fine.residual, fine.x, fine.b);
    transfer(fine.residual, coarse.b, false);
    cycle(number + 1);
    transfer(fine.x, coarse.x, true);
    smooth(fine, false);
  }


  template <int dim>
  void
  PolytopicMultigrid<dim>::print(std::ostream &stream) const
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


  template <int dim>
  std::size_t
  PolytopicMultigrid<dim>::memory_consumption() const
  {
    std::size_t sum = agglomerates.memory_consumption();
    for (const Level &level : levels)
      sum += (level.matrix ? level.matrix->memory_consumption() + level.inverse.memory_consumption()
                           : 0) +
             level.b.memory_consumption() + level.x.memory_consumption() +
             level.residual.memory_consumption() + level.first_rows.size() * sizeof(int);
    return sum;
  }


  template class PolytopicMultigrid<2>;
  template class PolytopicMultigrid<3>;
} // namespace Saltus
