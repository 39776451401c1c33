// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Slabs of prisms on several ranks: matrices and right-hand sides are those of an assembly of its
// own of all elements, and what slabs hand on is that of one rank.
#include <saltus/base/algebra/gathered_matrix.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/polytopes_on_ranks.h>
#include <helpers/prism_setting.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Tests::n_ranks;
  using Tests::this_rank;

  using Operator = SpaceTimeOperator<2>;

  class SpaceTimeOnRanks : public OnDevice
  {};

  /// 1, ..., @p largest for elements by their numbers among all.
  unsigned int
  number(const std::size_t element, const unsigned int largest)
  {
    return 1 + (element * 7 + 1) % largest;
  }

  /// Those of this rank's elements, or of all.
  std::vector<unsigned int>
  numbers(const PolytopicMesh<2> &mesh, const unsigned int largest, const bool of_all)
  {
    std::vector<unsigned int> result;
    const std::size_t         first = of_all ? 0 : mesh.first_element();
    const std::size_t         n     = of_all ? mesh.n_global_elements() : mesh.n_elements();
    for (std::size_t e = 0; e < n; ++e)
      result.push_back(number(first + e, largest));
    return result;
  }

  void
  check(const Device         device,
        const Simplices<2>  &elements,
        const unsigned int   max_degree,
        const unsigned int   max_steps,
        const LegendreFamily family)
  {
    const ParabolicProblem          problem      = varying_problem();
    const Operator::AdditionalData  data         = varying_data(problem, family);
    const PolytopicMesh<2>         &mesh         = *elements.mesh;
    const std::vector<unsigned int> of_all_cells = all_elements(mesh, *elements.whole);
    const PolytopicSpace<2>         space(elements.mesh, numbers(mesh, max_degree, false));
    Operator                        op;
    op.reinit(space, numbers(mesh, max_steps, false), conditions_of_all_kinds(), device, data);
    const double begin = 0.3, length = 0.25;
    EXPECT_TRUE(op.begin_slab(begin, length));
    BlockCSRMatrix<double> matrix(op.sparsity(), device);
    op.assemble(matrix);
    Saltus::Vector<double> before, b, x, y;
    op.project(before, Expression(2, "1+2*x-y", 1));
    op.right_hand_side(b, before);
    op.initialize_vector(x);
    op.initialize_vector(y);
    set_part(x, random_vector<std::vector<double>>(op.n_dofs(), 3));
    matrix.vmult(y, x);
    const auto             all_b = on_first(b), all_x = on_first(x), all_y = on_first(y);
    const GatheredMatrix   all = op.sparsity()->partition
                                   ? gather(op.sparsity()->partition, matrix.distributed_rows())
                                   : GatheredMatrix{matrix.compressed_rows(), {}, {}};
    Saltus::Vector<double> end;
    op.take_trace(end, x);
    EXPECT_EQ(end.size(), space.n_dofs());
    const auto all_end = on_first(end);
    if (this_rank() != 0)
      return;
    const std::vector<unsigned int> degrees = numbers(mesh, max_degree, true),
                                    n_steps = numbers(mesh, max_steps, true);
    const PrismOracle oracle(*elements.whole,
                             of_all_cells,
                             degrees,
                             n_steps,
                             family == LegendreFamily::tensor,
                             problem,
                             begin,
                             length);
    ASSERT_EQ(op.n_dofs(), oracle.n_unknowns);
    ASSERT_EQ(all.rows.n_rows(), oracle.n_unknowns);
    EXPECT_LT(difference(oracle.matrix, all.rows), 1e-11 * oracle.matrix.linfty_norm());
    dealii::Vector<double> product(all_x.size());
    oracle.matrix.vmult(product, dealii::Vector<double>(all_x.begin(), all_x.end()));
    EXPECT_LT(largest_difference(all_b, oracle.right_hand_side),
              1e-11 * oracle.right_hand_side.linfty_norm());
    EXPECT_LT(largest_difference(all_y, product), 1e-11 * product.linfty_norm());
    // The trace of all elements on the first rank.
    const auto whole =
      std::make_shared<const PolytopicMesh<2>>(*elements.mapping,
                                               Agglomeration<2>(*elements.whole, of_all_cells));
    const PolytopicSpace<2> all_elements(whole, degrees);
    for (unsigned int e = 0; e < whole->n_elements(); ++e)
      {
        const Point<2> place = whole->box(e).center;
        const double   value = oracle.value(all_x, e, n_steps[e] - 1, place, begin + length);
        EXPECT_NEAR(all_elements.value(all_end, e, place), value, 1e-11 * (1 + std::abs(value)));
      }
  }

  TEST_P(SpaceTimeOnRanks, TotalDegree)
  {
    for (const Cut cut : {Cut::metis, Cut::scattered, Cut::crowded})
      check(device(), Simplices<2>(4, 8, cut), 3, 1, LegendreFamily::total);
  }

  TEST_P(SpaceTimeOnRanks, LocalSteps)
  {
    check(device(), Simplices<2>(4, 8, Cut::scattered), 2, 3, LegendreFamily::total);
    check(device(), Simplices<2>(4, 8, Cut::crowded), 2, 3, LegendreFamily::tensor);
  }

  /// What an operator makes of vectors that all ranks have, on the first one.
  struct Results
  {
    Results(const Device                                   device,
            const std::shared_ptr<const PolytopicMesh<2>> &mesh,
            const Operator::AdditionalData                &data)
    {
      const PolytopicSpace<2> space(mesh, numbers(*mesh, 3, false));
      Operator                op;
      op.reinit(space, numbers(*mesh, 3, false), conditions_of_all_kinds(), device, data);
      op.begin_slab(0.3, 0.25);
      BlockCSRMatrix<double> matrix(op.sparsity(), device);
      op.assemble(matrix);
      Saltus::Vector<double> x, y, trace;
      op.initialize_vector(x);
      op.initialize_vector(y);
      set_part(x, random_vector<std::vector<double>>(op.n_dofs(), 3));
      matrix.vmult(y, x);
      vectors.push_back(entries(y, *mesh));
      op.initialize_trace(trace);
      set_part(trace, random_vector<std::vector<double>>(space.n_dofs(), 5));
      op.right_hand_side(y, trace);
      vectors.push_back(entries(y, *mesh));
      op.extend_trace(y, trace);
      vectors.push_back(entries(y, *mesh));
      op.project(trace, Expression(2, "exp(x-2*y)", 1));
      vectors.push_back(entries(trace, *mesh));
      vectors.push_back({op.squared_gradient_error(x, Expression(2, "x*y; t", 2))});
    }

    static std::vector<double>
    entries(const Saltus::Vector<double> &vector, const PolytopicMesh<2> &mesh)
    {
      return mesh.ghosts() ? on_first(vector) : vector.entries();
    }

    std::vector<std::vector<double>> vectors;
  };

  // With coefficients that jump between the cells of different ranks, taken in the middle of steps.
  TEST_P(SpaceTimeOnRanks, SameAsOnOneRank)
  {
    for (const Cut cut : {Cut::metis, Cut::scattered, Cut::crowded})
      {
        const Simplices<2> elements(6, 14, cut);
        auto               data = varying_data(varying_problem(), LegendreFamily::tensor);
        data.in_space.diffusion = {Expression(2, "1+x+y*t", 1), Sampling::by_element};
        const auto whole        = std::make_shared<const PolytopicMesh<2>>(
          *elements.mapping,
          Agglomeration<2>(*elements.whole, all_elements(*elements.mesh, *elements.whole)));
        const Results of_one(device(), whole, data), of_all(device(), elements.mesh, data);
        for (unsigned int v = 0; v < of_one.vectors.size() && this_rank() == 0; ++v)
          {
            const std::vector<double> &one = of_one.vectors[v], &all = of_all.vectors[v];
            ASSERT_EQ(one.size(), all.size()) << v;
            const dealii::Vector<double> expected(one.begin(), one.end());
            EXPECT_GT(expected.linfty_norm(), 0.) << v;
            EXPECT_LT(largest_difference(all, expected), 1e-11 * expected.linfty_norm()) << v;
          }
      }
  }

  // What is wrong on one rank stops all.
  TEST_P(SpaceTimeOnRanks, RefusalsOnAllRanks)
  {
    const Simplices<2>        elements(4, 8, Cut::metis);
    const PolytopicSpace<2>   space(elements.mesh, 1);
    std::vector<unsigned int> n_steps(elements.mesh->n_elements(), 1);
    Operator                  op;
    auto                      data = varying_data(varying_problem(), LegendreFamily::total);
    data.source                    = Expression(2, "log(x-0.1)", 1); // at one side
    op.reinit(space, n_steps, conditions_of_all_kinds(), device(), data);
    op.begin_slab(0., 0.1);
    Saltus::Vector<double> b, trace;
    op.initialize_trace(trace);
    EXPECT_MESSAGE(op.right_hand_side(b, trace), "source term");
    data.in_space.diffusion = {Expression(2, "x-0.1", 1), Sampling::by_point};
    op.reinit(space, n_steps, conditions_of_all_kinds(), device(), data);
    EXPECT_MESSAGE(op.begin_slab(0., 0.1), "The diffusion is negative");
    if (this_rank() == 0)
      n_steps[0] = 0;
    EXPECT_MESSAGE(op.reinit(space, n_steps, conditions_of_all_kinds(), device(), data),
                   "Element 0 cannot do 0 steps");
  }

  SALTUS_INSTANTIATE_ON_DEVICES(SpaceTimeOnRanks)
} // namespace
