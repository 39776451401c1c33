// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Slabs of prisms against an assembly of their own, and polynomials that they reproduce.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/base/expressions/parsed_function.h>

#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/on_device.h>
#include <helpers/prism_setting.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Operator = SpaceTimeOperator<2>;

  constexpr auto total = LegendreFamily::total, tensor = LegendreFamily::tensor;

  class SpaceTimeOperatorTest : public OnDevice
  {};

  /// Agglomerates of triangles.
  struct Elements
  {
    Elements(const unsigned int n, const unsigned int n_elements)
      : mapping(FE_SimplexP<2>(1))
    {
      make_box(triangulation, n, 0.2);
      mesh =
        std::make_shared<PolytopicMesh<2>>(mapping,
                                           agglomerate(triangulation, Grouping::metis, n_elements));
    }

    /// 1, ..., @p largest in turn.
    std::vector<unsigned int>
    numbers(const unsigned int largest, const unsigned int first = 0) const
    {
      std::vector<unsigned int> result;
      for (unsigned int e = 0; e < mesh->n_elements(); ++e)
        result.push_back(1 + (first + e) % largest);
      return result;
    }

    Triangulation<2>                        triangulation;
    MappingFE<2>                            mapping;
    std::shared_ptr<const PolytopicMesh<2>> mesh;
  };

  FullMatrix<double>
  full_matrix(const BlockCSRMatrix<double> &matrix)
  {
    FullMatrix<double>   result(matrix.m(), matrix.m());
    const CompressedRows rows = matrix.compressed_rows();
    for (unsigned int i = 0; i < rows.n_rows(); ++i)
      for (std::size_t k = rows.row_starts[i]; k < rows.row_starts[i + 1]; ++k)
        result(i, rows.columns[k]) = rows.values[k];
    return result;
  }

  void
  compare(const Device                     device,
          const Elements                  &elements,
          const std::vector<unsigned int> &degrees,
          const std::vector<unsigned int> &n_steps,
          const LegendreFamily             family,
          const ParabolicProblem          &problem  = varying_problem(),
          const Operator::AdditionalData  *all_data = nullptr)
  {
    const PolytopicSpace<2> space(elements.mesh, degrees);
    Operator                op;
    op.reinit(space,
              n_steps,
              conditions_of_all_kinds(),
              device,
              all_data != nullptr ? *all_data : varying_data(problem, family));
    EXPECT_TRUE(op.begin_slab(0., 0.1)); // which is another one
    const double begin = 0.3, length = 0.25;
    EXPECT_TRUE(op.begin_slab(begin, length));
    BlockCSRMatrix<double> matrix(op.sparsity(), device);
    op.assemble(matrix);
    Saltus::Vector<double> before, b;
    op.project(before, Expression(2, "1+2*x-y", 1));
    op.right_hand_side(b, before);

    const PrismOracle oracle(elements.triangulation,
                             elements.mesh->cells_of_elements().elements(),
                             degrees,
                             n_steps,
                             family == tensor,
                             problem,
                             begin,
                             length);
    ASSERT_EQ(op.n_dofs(), oracle.n_unknowns);
    FullMatrix<double> difference = full_matrix(matrix);
    difference.add(-1., oracle.matrix);
    EXPECT_LT(difference.linfty_norm(), 1e-11 * oracle.matrix.linfty_norm());
    const auto entries = b.entries();
    double     largest = 0;
    for (unsigned int i = 0; i < entries.size(); ++i)
      largest = std::max(largest, std::abs(entries[i] - oracle.right_hand_side[i]));
    EXPECT_LT(largest, 1e-11 * oracle.right_hand_side.linfty_norm());

    // The function, inside and at the end.
    const auto             coefficients = random_vector<std::vector<double>>(entries.size(), 4);
    Saltus::Vector<double> x(b), trace;
    x.set_entries(coefficients);
    op.take_trace(trace, x);
    const auto at_end = trace.entries();
    for (unsigned int e = 0; e < elements.mesh->n_elements(); ++e)
      {
        const Point<2>     place = elements.mesh->box(e).center + Tensor<1, 2>({0.01, -0.02});
        const unsigned int last  = n_steps[e] - 1;
        const double       time  = (last + 0.7) / n_steps[e];
        const double inside = oracle.value(coefficients, e, last, place, begin + length * time);
        EXPECT_NEAR(op.value(coefficients, e, place, time), inside, 1e-11 * (1 + std::abs(inside)));
        const double end = oracle.value(coefficients, e, last, place, begin + length);
        EXPECT_NEAR(space.value(at_end, e, place), end, 1e-11 * (1 + std::abs(end)));
        EXPECT_NEAR(op.value(coefficients, e, place, 1.), end, 1e-11 * (1 + std::abs(end)));
      }
  }

  TEST_P(SpaceTimeOperatorTest, TotalDegree)
  {
    const Elements elements(4, 6);
    compare(device(), elements, elements.numbers(4), elements.numbers(1), total);
  }

  TEST_P(SpaceTimeOperatorTest, TensorInTime)
  {
    const Elements elements(4, 6);
    compare(device(), elements, elements.numbers(3), elements.numbers(1), tensor);
  }

  // Neighbours meet in pieces.
  TEST_P(SpaceTimeOperatorTest, LocalSteps)
  {
    const Elements elements(4, 7);
    for (const LegendreFamily family : {total, tensor})
      compare(device(), elements, elements.numbers(2, 1), elements.numbers(3), family);
  }

  TEST_P(SpaceTimeOperatorTest, OtherPenalties)
  {
    const Elements elements(4, 6);
    auto           problem = varying_problem();
    for (const int penalty : {1, 2})
      {
        problem.penalty = penalty;
        compare(device(), elements, elements.numbers(2), elements.numbers(2), total, problem);
      }
  }

  // Of a number without a velocity, of a field that is taken at centres of cells in the middle of
  // steps, and of kernels for one degree.
  TEST_P(SpaceTimeOperatorTest, OtherCoefficients)
  {
    const Elements elements(3, 4);
    auto           problem = varying_problem();
    problem.velocity       = [](const Point<2> &, const double) { return Tensor<1, 2>(); };
    problem.diffusion      = [](const Point<2> &, const double) {
      SymmetricTensor<2, 2> A;
      A[0][0] = A[1][1] = 0.5;
      return A;
    };
    problem.reaction = [](const Point<2> &, const double) { return 2.; };
    for (unsigned int degree = 1; degree <= 5; ++degree)
      for (const LegendreFamily family : {total, tensor})
        {
          auto data               = varying_data(problem, family);
          data.in_space.diffusion = 0.5;
          data.in_space.reaction  = 2.;
          data.in_space.velocity  = {};
          compare(device(),
                  elements,
                  std::vector<unsigned int>(elements.mesh->n_elements(), degree),
                  elements.numbers(2),
                  family,
                  problem,
                  &data);
          if (degree > 3)
            break;
        }
  }

  TEST_P(SpaceTimeOperatorTest, CoefficientsByCell)
  {
    const Elements elements(4, 6);
    // Constant in each cell and step: as given there.
    auto problem      = varying_problem();
    problem.diffusion = [](const Point<2> &, const double t) {
      SymmetricTensor<2, 2> A;
      A[0][0] = A[1][1] = t < 0.425 ? 2. : 3.;
      return A;
    };
    auto data               = varying_data(problem, total);
    data.in_space.diffusion = {Expression(2, "if(t < 0.425, 2, 3)", 1), Sampling::by_element};
    compare(device(),
            elements,
            elements.numbers(3),
            std::vector<unsigned int>(elements.mesh->n_elements(), 2),
            total,
            problem,
            &data);
  }

  // Only where the length changes, or a coefficient.
  TEST_P(SpaceTimeOperatorTest, MatricesAreKept)
  {
    const Elements           elements(3, 4);
    const PolytopicSpace<2>  space(elements.mesh, 1);
    Operator                 op;
    Operator::AdditionalData data;
    data.source = Expression(2, "t", 1);
    op.reinit(space, elements.numbers(1), conditions_of_all_kinds(), device(), data);
    EXPECT_TRUE(op.begin_slab(0., 0.1));
    EXPECT_FALSE(op.begin_slab(0.1, 0.1));
    EXPECT_TRUE(op.begin_slab(0.2, 0.2));
    data.in_space.reaction = {Expression(2, "t", 1), Sampling::by_element};
    op.reinit(space, elements.numbers(1), conditions_of_all_kinds(), device(), data);
    EXPECT_TRUE(op.begin_slab(0., 0.1));
    EXPECT_TRUE(op.begin_slab(0.1, 0.1));
    EXPECT_THROW(op.begin_slab(0.2, 0.), ExcMessage);
    EXPECT_THROW(op.reinit(space, elements.numbers(1, 0), {}, device(), data), ExceptionBase);
    EXPECT_THROW(op.reinit(space,
                           std::vector<unsigned int>(elements.mesh->n_elements(), 0),
                           conditions_of_all_kinds(),
                           device(),
                           data),
                 ExcMessage);
    EXPECT_THROW(op.reinit(space, {1}, conditions_of_all_kinds(), device(), data), ExcMessage);
  }

  // Polynomials of the degree stay what they are, over several slabs.
  TEST_P(SpaceTimeOperatorTest, PolynomialsAreReproduced)
  {
    const Elements          elements(4, 7);
    const PolytopicSpace<2> space(elements.mesh, 3);
    struct Case
    {
      LegendreFamily family;
      std::string    solution, source, gradient;
    };
    for (const Case &test :
         {Case{total,
               "x*y*t + x^2 - t^3 + 2*y*t",
               "x*y - 3*t^2 + 2*y - 4 - 0.6*t + y*t + 2*x + 0.5*(x*t + 2*t)"
               " + 2*(x*y*t + x^2 - t^3 + 2*y*t)",
               "y*t + 2*x; x*t + 2*t"},
          Case{tensor,
               "x^2*y*t^3",
               "3*x^2*y*t^2 - (4*y + 1.2*x)*t^3 + 2*x*y*t^3 + 0.5*x^2*t^3 + 2*x^2*y*t^3",
               "2*x*y*t^3; x^2*t^3"}})
      {
        const Expression              solution(2, test.solution, 1);
        EllipticBoundaryConditions<2> conditions;
        for (unsigned int id = 0; id < 4; ++id)
          conditions.set_dirichlet(id, solution);
        Operator::AdditionalData data;
        data.in_space.diffusion = {Expression(2, "2; 0.3; 1", 3), Sampling::by_element};
        data.in_space.velocity  = Expression(2, "1; 0.5", 2);
        data.in_space.reaction  = 2.;
        data.source             = Expression(2, test.source, 1);
        data.family             = test.family;
        Operator op;
        op.reinit(space, elements.numbers(3), conditions, device(), data);
        Saltus::Vector<double> state, x, b;
        op.project(state, solution);
        FullMatrix<double> matrix, inverse;
        double             time = 0., error = 0.;
        for (unsigned int slab = 0; slab < 3; ++slab, time += 0.2)
          {
            if (op.begin_slab(time, 0.2))
              {
                BlockCSRMatrix<double> blocks(op.sparsity(), device());
                op.assemble(blocks);
                matrix = inverse = full_matrix(blocks);
                inverse.gauss_jordan();
              }
            op.right_hand_side(b, state);
            const auto             of_b = b.entries();
            dealii::Vector<double> residual(of_b.begin(), of_b.end()), result(of_b.size());
            for (unsigned int i = 0; i < 3; ++i) // with what rounding has left over
              {
                inverse.vmult_add(result, residual);
                matrix.residual(residual, result, dealii::Vector<double>(of_b.begin(), of_b.end()));
              }
            x = b;
            x.set_entries({result.begin(), result.end()});
            error += op.squared_gradient_error(x, Expression(2, test.gradient, 2));
            op.take_trace(state, x);
          }
        EXPECT_LT(std::sqrt(error), 1e-9);
        const auto at_end   = state.entries();
        const auto function = parsed_function<2>(solution, time);
        for (unsigned int c = 0; c < elements.triangulation.n_active_cells(); ++c)
          {
            const Point<2> place = elements.mesh->cell_center(c);
            EXPECT_NEAR(space.value(at_end, elements.mesh->element_of(c), place),
                        function->value(place),
                        1e-11);
          }
      }
  }

  // The first guess is what was at the bottom.
  TEST_P(SpaceTimeOperatorTest, ConstantInTime)
  {
    const Elements          elements(4, 7);
    const PolytopicSpace<2> space(elements.mesh, elements.numbers(4));
    for (const LegendreFamily family : {total, tensor})
      {
        Operator::AdditionalData data;
        data.family = family;
        Operator op;
        op.reinit(space, elements.numbers(3), conditions_of_all_kinds(), device(), data);
        op.begin_slab(1., 0.3);
        Saltus::Vector<double> trace, x, end;
        op.initialize_trace(trace);
        trace.set_entries(random_vector<std::vector<double>>(trace.size(), 5));
        op.extend_trace(x, trace);
        op.take_trace(end, x);
        EXPECT_LT(end.max_difference(trace), 1e-14);
        const auto coefficients = x.entries(), at_bottom = trace.entries();
        for (unsigned int e = 0; e < elements.mesh->n_elements(); ++e)
          for (const double time : {0., 0.4, 0.9})
            EXPECT_NEAR(op.value(coefficients, e, elements.mesh->box(e).center, time),
                        space.value(at_bottom, e, elements.mesh->box(e).center),
                        1e-12);
      }
  }

  SALTUS_INSTANTIATE_ON_DEVICES(SpaceTimeOperatorTest)
} // namespace
