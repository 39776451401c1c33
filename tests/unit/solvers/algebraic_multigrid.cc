// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Algebraic multigrid as a preconditioner: iterations, symmetry, singular matrices, precision, and
// its use below the interior penalty operator of degree 1.
#include <deal.II/base/mpi.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/solvers/multigrid/algebraic_multigrid.h>
#include <saltus/solvers/multigrid/continuous_coarse_space.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/jacobi.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Matrix = TrilinosWrappers::SparseMatrix;
  using AMG    = AlgebraicMultigrid<double>;

  /// The 5-point Laplacian on n x n points with Dirichlet conditions.
  void
  make_five_point(const unsigned int n, Matrix &A)
  {
    const auto for_entries = [n](const auto &body) {
      for (unsigned int i = 0; i < n; ++i)
        for (unsigned int j = 0; j < n; ++j)
          {
            const unsigned int row = i * n + j;
            body(row, row, 4.);
            if (i > 0)
              body(row, row - n, -1.);
            if (i + 1 < n)
              body(row, row + n, -1.);
            if (j > 0)
              body(row, row - 1, -1.);
            if (j + 1 < n)
              body(row, row + 1, -1.);
          }
    };
    DynamicSparsityPattern pattern(n * n);
    for_entries([&](const unsigned int i, const unsigned int j, double) { pattern.add(i, j); });
    A.reinit(pattern);
    for_entries(
      [&](const unsigned int i, const unsigned int j, const double value) { A.set(i, j, value); });
    A.compress(VectorOperation::insert);
  }

  /// Linear finite elements for the Laplacian, with Dirichlet or Neumann conditions all around.
  template <int dim>
  void
  make_linear_elements(const DoFHandler<dim> &dof_handler, const bool dirichlet, Matrix &A)
  {
    AffineConstraints<double> constraints;
    if (dirichlet)
      DoFTools::make_zero_boundary_constraints(dof_handler, constraints);
    constraints.close();
    DynamicSparsityPattern pattern(dof_handler.n_dofs());
    DoFTools::make_sparsity_pattern(dof_handler, pattern, constraints, false);
    A.reinit(pattern);
    const FiniteElement<dim>            &fe = dof_handler.get_fe();
    const MappingFE<dim>                 mapping(FE_SimplexP<dim>(1));
    FEValues<dim>                        values(mapping,
                         fe,
                         QWitherdenVincentSimplex<dim>(1),
                         update_gradients | update_JxW_values);
    std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
    FullMatrix<double>                   cell_matrix(indices.size(), indices.size());
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        values.reinit(cell);
        cell->get_dof_indices(indices);
        cell_matrix = 0;
        for (const unsigned int q : values.quadrature_point_indices())
          for (unsigned int i = 0; i < indices.size(); ++i)
            for (unsigned int j = 0; j < indices.size(); ++j)
              cell_matrix(i, j) +=
                values.shape_grad(i, q) * values.shape_grad(j, q) * values.JxW(q);
        constraints.distribute_local_to_global(cell_matrix, indices, A);
      }
    A.compress(VectorOperation::add);
  }

  /// The same on an unstructured mesh with straight edges.
  void
  make_linear_elements_on_disc(const unsigned int n_rings, const bool dirichlet, Matrix &A)
  {
    Triangulation<2> triangulation;
    Saltus::GridGenerator::disc(triangulation, 1., n_rings);
    triangulation.set_all_manifold_ids(numbers::flat_manifold_id);
    DoFHandler<2> dof_handler(triangulation);
    dof_handler.distribute_dofs(FE_SimplexP<2>(1));
    make_linear_elements(dof_handler, dirichlet, A);
  }

  /// Iterations of CG to a reduction of the residual by 1e-10, checked against the true residual.
  template <typename SystemMatrix, typename Preconditioner>
  unsigned int
  iterations(const SystemMatrix           &A,
             const Preconditioner         &preconditioner,
             const Saltus::Vector<double> &b,
             const bool                    flexible = false)
  {
    Saltus::Vector<double> x, r;
    x.reinit(b);
    r.reinit(b);
    SolverControl control(300, 1e-10 * b.l2_norm());
    if (flexible)
      SolverFlexibleCG<Saltus::Vector<double>>(control).solve(A, x, b, preconditioner);
    else
      SolverCG<Saltus::Vector<double>>(control).solve(A, x, b, preconditioner);
    A.vmult(r, x);
    r -= b;
    EXPECT_LT(r.l2_norm(), 1e-9 * b.l2_norm());
    return control.last_step();
  }

  /// The interior penalty operator of degree 1 on a box, and its matrix.
  template <int dim>
  struct InteriorPenalty : public Box<dim>
  {
    InteriorPenalty(const unsigned int                     n_subdivisions,
                    const EllipticBoundaryConditions<dim> &conditions,
                    const double                           distortion,
                    const Device                           device)
      : Box<dim>(n_subdivisions, distortion)
      , dof_handler(this->triangulation)
    {
      dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(1));
      op.reinit(this->mapping, dof_handler, conditions, device);
      LaplaceOperator<dim> in_element_order;
      in_element_order.reinit(op, 1);
      assemble(in_element_order, matrix);
      const auto                      &space = op.element_space();
      const ContinuousCoarseSpace<dim> coarse(*space.mesh, space.reference);
      prolongation.reinit(*epetra_matrix(coarse.prolongation()));
      coarse_matrix.reinit(*epetra_matrix(coarse.galerkin_product(op.couplings()).rows));
      const CoefficientLayout layout = space.layout().coefficients();
      for (unsigned int e = 0; e < space.n_elements(); ++e)
        for (int m = 0; m < layout.n_modes; ++m)
          places.push_back(layout.index(e, m));
      array_size = space.make_vector().data_size();
    }

    Saltus::Vector<double>
    random_vector(const unsigned int seed) const
    {
      auto result = copied(op, Tests::random_vector(dof_handler.n_dofs(), seed));
      return result;
    }

    DoFHandler<dim>          dof_handler;
    LaplaceOperator<dim>     op;
    Matrix                   matrix, prolongation, coarse_matrix;
    std::vector<std::size_t> places; ///< of the unknowns in a vector's array
    std::size_t              array_size = 0;
  };

  /// Smoothing on the discontinuous functions about a correction from a cycle below.
  template <int dim>
  class TwoLevel
  {
  public:
    TwoLevel(const InteriorPenalty<dim> &problem, const AMG &cycle)
      : op(problem.op)
      , cycle(cycle)
    {
      typename Chebyshev::AdditionalData data;
      data.degree              = 2;
      data.smoothing_range     = 5;
      data.eig_cg_n_iterations = 15;
      data.preconditioner      = std::make_shared<Jacobi>(op);
      smoother.initialize(op, data);
    }

    void
    vmult(Saltus::Vector<double> &dst, const Saltus::Vector<double> &src) const
    {
      Saltus::Vector<double> r, correction;
      r.reinit(src);
      correction.reinit(src);
      const auto residual = [&]() {
        op.vmult(r, dst);
        r.sadd(-1, src);
      };
      smoother.vmult(dst, src);
      residual();
      cycle.vmult_add(dst, r);
      residual();
      smoother.vmult(correction, r);
      dst += correction;
    }

  private:
    using Chebyshev = PreconditionChebyshev<LaplaceOperator<dim>, Saltus::Vector<double>, Jacobi>;

    const LaplaceOperator<dim> &op;
    const AMG                  &cycle;
    Chebyshev                   smoother;
  };

  enum class Aggregation
  {
    smoothed,
    plain
  };

  AMG::AdditionalData
  settings(const Aggregation aggregation, const AMG::Cycle cycle)
  {
    AMG::AdditionalData data;
    data.aggregation.smoothed = aggregation == Aggregation::smoothed;
    data.cycle                = cycle;
    return data;
  }

  /// A cycle in single precision as a preconditioner in double.
  struct FloatCycle
  {
    const AlgebraicMultigrid<float> &cycle;

    void
    vmult(Saltus::Vector<double> &dst, const Saltus::Vector<double> &src) const
    {
      Saltus::Vector<float> x, b;
      b.convert_from(src);
      x.reinit(b);
      cycle.vmult(x, b);
      dst.convert_from(x);
    }
  };

  class AlgebraicMultigridTest : public OnDevice
  {
  protected:
    /// Iterations with the smoothed V, smoothed K, plain V and plain K cycle, and in float.
    std::array<unsigned int, 5>
    all_iterations(const Matrix &A, const std::string &what) const
    {
      const Saltus::SparseMatrix<double> matrix(device(), compressed_rows(A.trilinos_matrix()));
      const auto                         b = random_vector(device(), A.m(), 1);
      std::array<unsigned int, 5>        result;
      unsigned int                       i = 0;
      for (const auto aggregation : {Aggregation::smoothed, Aggregation::plain})
        for (const auto cycle : {AMG::Cycle::V, AMG::Cycle::K})
          {
            AMG amg;
            amg.initialize(A.trilinos_matrix(), settings(aggregation, cycle), device());
            result[i++] = iterations(matrix, amg, b, cycle == AMG::Cycle::K);
          }
      AlgebraicMultigrid<float> amg;
      amg.initialize(A.trilinos_matrix(), {}, device());
      result[4] = iterations(matrix, FloatCycle{amg}, b);
      std::cout << what << ", " << A.m() << " rows: smoothed V " << result[0] << ", K " << result[1]
                << "; plain V " << result[2] << ", K " << result[3] << "; smoothed V in float "
                << result[4] << std::endl;
      return result;
    }

    /// The bounds that hold for all matrices; plain V cycles slow down with the number of unknowns.
    void
    expect_few(const std::array<unsigned int, 5> &found) const
    {
      EXPECT_LE(found[0], 16U);
      EXPECT_LE(found[1], 15U);
      EXPECT_LE(found[3], 36U);
      EXPECT_LT(found[3], found[2]);
      EXPECT_LE(found[4], found[0] + 2);
    }

    /// Iterations for the interior penalty matrix: algebraic multigrid for the matrix itself, or
    /// for the continuous functions below a smoother.
    template <int dim>
    std::pair<unsigned int, unsigned int>
    interior_penalty_iterations(const InteriorPenalty<dim> &problem, const bool singular) const
    {
      std::pair<unsigned int, unsigned int> best(1000, 1000);
      Saltus::Vector<double>                b = problem.random_vector(1);
      if (singular)
        {
          Saltus::Vector<double> x = b;
          problem.op.vmult(b, x); // in the range
        }
      std::cout << dim << "D, " << problem.matrix.m() << " unknowns";
      for (const auto aggregation : {Aggregation::smoothed, Aggregation::plain})
        for (const auto cycle : {AMG::Cycle::V, AMG::Cycle::K})
          {
            auto data     = settings(aggregation, cycle);
            data.singular = singular;
            AMG continuous, direct;
            continuous.initialize(problem.coarse_matrix.trilinos_matrix(),
                                  data,
                                  device(),
                                  compressed_rows(problem.prolongation.trilinos_matrix())
                                    .with_rows_at(problem.places, problem.array_size));
            data.aggregation.block_size = dim + 1;
            data.aggregation.near_null_vector.assign(problem.matrix.m(), 0.);
            for (std::size_t i = 0; i < problem.matrix.m(); i += dim + 1)
              data.aggregation.near_null_vector[i] = 1.;
            direct.initialize(problem.matrix.trilinos_matrix(),
                              data,
                              device(),
                              CompressedRows::placement(problem.places, problem.array_size));
            const bool flexible = cycle == AMG::Cycle::K;
            const auto below =
              iterations(problem.op, TwoLevel<dim>(problem, continuous), b, flexible);
            const auto itself = iterations(problem.op, direct, b, flexible);
            std::cout << (aggregation == Aggregation::plain ? "; plain " : "; smoothed ")
                      << (flexible ? "K" : "V") << ": continuous " << below << ", direct "
                      << itself;
            best.first  = std::min(best.first, below);
            best.second = std::min(best.second, itself);
          }
      std::cout << std::endl;
      return best;
    }

    void
    expect_few_and_steady(const std::array<unsigned int, 5> &coarse,
                          const std::array<unsigned int, 5> &fine) const
    {
      expect_few(fine);
      EXPECT_LE(fine[0], coarse[0] + 3);
      EXPECT_LE(fine[1], coarse[1] + 3);
      EXPECT_LE(fine[3], coarse[3] + 9);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(AlgebraicMultigridTest)

// Recorded cycles know where arrays are.
TEST_P(AlgebraicMultigridTest, CyclesLeaveArraysInTheirPlaces)
{
  Matrix A;
  make_five_point(5, A);
  const std::size_t n = A.m();
  for (const unsigned int degree : {1, 2, 3, 4})
    {
      AlgebraicLevel<double> level;
      const CompressedRows   ones = CompressedRows::full(1, std::vector<double>(n, 1.));
      level.matrix = Saltus::SparseMatrix<double>(device(), compressed_rows(A.trilinos_matrix()));
      level.prolongation = Saltus::SparseMatrix<double>(device(), ones);
      level.restriction  = Saltus::SparseMatrix<double>(device(), ones.transpose());
      level.smoother.assign(degree, 0.1);
      level.b = level.x = level.residual = random_vector(device(), n, 1);
      auto                coarse         = algebraic_vector<double>(device(), 1);
      const double *const array          = level.x.data();
      level.descend(coarse);
      level.ascend(coarse);
      EXPECT_EQ(level.x.data(), array) << degree;
    }
}

TEST_P(AlgebraicMultigridTest, FivePointLaplacian)
{
  Matrix coarse, fine;
  make_five_point(48, coarse);
  make_five_point(192, fine);
  const auto before = all_iterations(coarse, "5-point Laplacian");
  expect_few_and_steady(before, all_iterations(fine, "5-point Laplacian"));
}

TEST_P(AlgebraicMultigridTest, LinearElements)
{
  std::array<unsigned int, 5> before{};
  for (const unsigned int n_rings : {16, 64})
    {
      Matrix A;
      make_linear_elements_on_disc(n_rings, true, A);
      const auto found = all_iterations(A, "linear triangles");
      if (n_rings > 16)
        expect_few_and_steady(before, found);
      before = found;
    }
}

/// x.By = y.Bx and x.Bx > 0
TEST_P(AlgebraicMultigridTest, VCycleIsSymmetric)
{
  Matrix A;
  make_five_point(100, A);
  for (const auto aggregation : {Aggregation::smoothed, Aggregation::plain})
    for (const unsigned int degree : {1, 2, 3})
      {
        AMG  amg;
        auto data            = settings(aggregation, AMG::Cycle::V);
        data.smoother_degree = degree;
        amg.initialize(A.trilinos_matrix(), data, device());
        const auto x = random_vector(device(), A.m(), 2), y = random_vector(device(), A.m(), 3);
        auto       Bx = x, By = y;
        amg.vmult(Bx, x);
        amg.vmult(By, y);
        EXPECT_NEAR(x * By, y * Bx, 1e-13 * x.l2_norm() * By.l2_norm());
        EXPECT_GT(x * Bx, 0.);
        // The same again, to the last bit, whatever came between.
        auto again = x;
        amg.vmult(again, x);
        EXPECT_EQ(again.max_difference(Bx), 0.);
        amg.vmult_add(again, y);
        again -= By;
        EXPECT_LT(again.max_difference(Bx), 1e-13 * Bx.linfty_norm());
      }
}

/// Pure Neumann conditions.
TEST_P(AlgebraicMultigridTest, SingularMatrix)
{
  Matrix A;
  make_linear_elements_on_disc(40, false, A);
  const Saltus::SparseMatrix<double> matrix(device(), compressed_rows(A.trilinos_matrix()));
  auto                               b = random_vector(device(), A.m(), 1);
  b.add(-b.mean_value());
  for (const auto aggregation : {Aggregation::smoothed, Aggregation::plain})
    for (const auto cycle : {AMG::Cycle::V, AMG::Cycle::K})
      {
        AMG  amg;
        auto data     = settings(aggregation, cycle);
        data.singular = true;
        amg.initialize(A.trilinos_matrix(), data, device());
        EXPECT_LE(iterations(matrix, amg, b, cycle == AMG::Cycle::K),
                  cycle == AMG::Cycle::K                 ? 30U
                  : aggregation == Aggregation::smoothed ? 16U
                                                         : 60U);
        // What is in the kernel's direction has no effect, and nothing comes in this direction.
        auto shifted = b, Bb = b, B_shifted = b;
        shifted.add(1e3);
        amg.vmult(Bb, b);
        amg.vmult(B_shifted, shifted);
        EXPECT_LT(B_shifted.max_difference(Bb), 1e-9 * Bb.linfty_norm());
        EXPECT_LT(std::abs(Bb.mean_value()), 1e-13 * Bb.linfty_norm());
      }
  AlgebraicMultigrid<float>                 amg;
  AlgebraicMultigrid<float>::AdditionalData data;
  data.singular = true;
  amg.initialize(A.trilinos_matrix(), data, device());
  EXPECT_LE(iterations(matrix, FloatCycle{amg}, b), 18U);
}

/// W cycles are symmetric, and with plain aggregation better than V cycles.
TEST_P(AlgebraicMultigridTest, WCycle)
{
  Matrix A;
  make_five_point(80, A);
  const Saltus::SparseMatrix<double> matrix(device(), compressed_rows(A.trilinos_matrix()));
  const auto                         b = random_vector(device(), A.m(), 1);
  const auto                         c = random_vector(device(), A.m(), 2);
  AMG                                v, w;
  v.initialize(A.trilinos_matrix(), settings(Aggregation::plain, AMG::Cycle::V), device());
  w.initialize(A.trilinos_matrix(), settings(Aggregation::plain, AMG::Cycle::W), device());
  auto Wb = b, Wc = c;
  w.vmult(Wb, b);
  w.vmult(Wc, c);
  EXPECT_NEAR(Wb * c, Wc * b, 1e-10 * Wb.l2_norm() * c.l2_norm());
  EXPECT_LT(iterations(matrix, w, b) + 3, iterations(matrix, v, b));
}

/// And two hierarchies of one matrix.
TEST_P(AlgebraicMultigridTest, DevicesAgree)
{
  Matrix A;
  make_five_point(150, A);
  const auto on_cpu = random_vector(Device::cpu(), A.m(), 4);
  const auto here   = random_vector(device(), A.m(), 4);
  for (const auto aggregation : {Aggregation::smoothed, Aggregation::plain})
    for (const auto cycle : {AMG::Cycle::V, AMG::Cycle::W, AMG::Cycle::K})
      {
        const auto data = settings(aggregation, cycle);
        AMG        reference, amg;
        reference.initialize(A.trilinos_matrix(), data, Device::cpu());
        amg.initialize(A.trilinos_matrix(), data, device());
        auto expected = on_cpu, result = here;
        reference.vmult(expected, on_cpu);
        amg.vmult(result, here);
        auto downloaded = expected;
        downloaded.copy_from_host(result.to_host().data());
        EXPECT_LT(downloaded.max_difference(expected), 1e-10 * expected.linfty_norm());
      }
}

/// A matrix that is small enough is inverted.
TEST_P(AlgebraicMultigridTest, SmallMatrixIsSolved)
{
  Matrix A;
  make_five_point(12, A);
  AMG amg;
  amg.initialize(A.trilinos_matrix(), {}, device());
  EXPECT_EQ(amg.n_levels(), 1U);
  const Saltus::SparseMatrix<double> matrix(device(), compressed_rows(A.trilinos_matrix()));
  EXPECT_EQ(iterations(matrix, amg, random_vector(device(), A.m(), 1)), 1U);
}

TEST_P(AlgebraicMultigridTest, Levels)
{
  Matrix A;
  make_five_point(150, A);
  AMG amg;
  amg.initialize(A.trilinos_matrix(), {}, device());
  const auto &sizes = amg.level_sizes();
  ASSERT_GE(amg.n_levels(), 3U);
  EXPECT_EQ(sizes[0].n_rows, A.m());
  EXPECT_EQ(sizes[0].n_nonzeros, A.n_nonzero_elements());
  std::size_t bytes = 0;
  for (unsigned int l = 0; l < amg.n_levels(); ++l)
    {
      bytes += sizes[l].n_nonzeros * (sizeof(double) + sizeof(int));
      EXPECT_TRUE(l == 0 || 4 * sizes[l].n_rows < sizes[l - 1].n_rows);
    }
  EXPECT_LE(sizes.back().n_rows, 200U);
  EXPECT_GT(amg.operator_complexity(), 1.);
  EXPECT_LT(amg.operator_complexity(), 1.5);
  EXPECT_GT(amg.memory_consumption(), bytes);
  EXPECT_LT(amg.memory_consumption(), 5 * bytes);
}

/// The rows of the coarse space reproduce linear functions, and its matrix is that of linear
/// elements where no boundary condition is weak.
TEST(ContinuousCoarseSpace, IsThatOfLinearElements)
{
  const InteriorPenalty<2> problem(7, neumann_conditions<2>(), 0.2, Device::cpu());
  DoFHandler<2>            continuous(problem.triangulation);
  continuous.distribute_dofs(FE_SimplexP<2>(1));
  Matrix expected;
  make_linear_elements(continuous, false, expected);
  ASSERT_EQ(problem.coarse_matrix.m(), expected.m());

  // A linear function of the vertices: what it is among the discontinuous functions shows which
  // unknown belongs to which vertex.
  std::vector<types::global_dof_index> unknown(expected.m(), numbers::invalid_dof_index);
  dealii::Vector<double>               unit(expected.m()), modes(problem.matrix.m());
  std::vector<types::global_dof_index> dofs(3);
  const FE_SimplexDGModal<2>           fe(1);
  for (unsigned int j = 0; j < expected.m(); ++j)
    {
      unit    = 0.;
      unit(j) = 1.;
      problem.prolongation.vmult(modes, unit);
      for (const auto &cell : continuous.active_cell_iterators())
        {
          cell->get_dof_indices(dofs);
          const auto        &order = problem.op.element_space().order;
          const unsigned int e     = order.element_of_cell[cell->active_cell_index()];
          for (unsigned int v = 0; v < 3; ++v)
            {
              const types::global_dof_index dof   = dofs[order.vertices[e][v]];
              double                        value = 0;
              for (unsigned int m = 0; m < 3; ++m)
                value +=
                  modes(3 * e + m) * fe.shape_value(m, ReferenceCells::Triangle.vertex<2>(v));
              if (std::abs(value - 1.) < 1e-12)
                {
                  EXPECT_TRUE(unknown[j] == numbers::invalid_dof_index || unknown[j] == dof);
                  unknown[j] = dof;
                }
              else
                {
                  EXPECT_NEAR(value, 0., 1e-12);
                }
            }
        }
    }
  for (unsigned int i = 0; i < expected.m(); ++i)
    for (unsigned int j = 0; j < expected.m(); ++j)
      EXPECT_NEAR(problem.coarse_matrix.el(i, j), expected.el(unknown[i], unknown[j]), 1e-12);
}

template <int dim>
void
expect_periodic_vertices(const unsigned int n)
{
  const InteriorPenalty<dim> problem(n,
                                     periodic_conditions<EllipticBoundaryConditions, dim>(),
                                     0.2,
                                     Device::cpu());
  EXPECT_EQ(problem.coarse_matrix.m(), Utilities::pow(n, dim));
  // Constants are in the kernel, and the functions are continuous: jumps would be penalised.
  dealii::Vector<double> x(problem.coarse_matrix.m()), y(problem.coarse_matrix.m());
  x = 1.;
  problem.coarse_matrix.vmult(y, x);
  EXPECT_LT(y.linfty_norm(), 1e-12);
}

TEST(ContinuousCoarseSpace, PeriodicBoundariesShareVertices)
{
  expect_periodic_vertices<2>(5);
  expect_periodic_vertices<3>(4);
}

/// The product is that of Trilinos' matrices, also where elements meet at several faces and where
/// two corners of an element are one vertex.
template <int dim>
void
expect_galerkin_product(const unsigned int n, const EllipticBoundaryConditions<dim> &conditions)
{
  const InteriorPenalty<dim> problem(n, conditions, 0.1, Device::cpu());
  Matrix                     AP, expected;
  problem.matrix.mmult(AP, problem.prolongation);
  problem.prolongation.Tmmult(expected, AP);
  ASSERT_EQ(problem.coarse_matrix.m(), expected.m());
  const double size = expected.linfty_norm();
  for (unsigned int i = 0; i < expected.m(); ++i)
    for (unsigned int j = 0; j < expected.m(); ++j)
      EXPECT_NEAR(problem.coarse_matrix.el(i, j), expected.el(i, j), 1e-12 * size);
}

TEST(ContinuousCoarseSpace, GalerkinProduct)
{
  expect_galerkin_product<2>(4, dirichlet_conditions<2>());
  expect_galerkin_product<3>(2, dirichlet_conditions<3>());
  for (const unsigned int n : {2, 3})
    {
      expect_galerkin_product<2>(n, periodic_conditions<EllipticBoundaryConditions, 2>());
      expect_galerkin_product<3>(n, periodic_conditions<EllipticBoundaryConditions, 3>());
    }
}

TEST(ContinuousCoarseSpace, OtherDegreesAreRefused)
{
  const InteriorPenalty<2> problem(2, dirichlet_conditions<2>(), 0., Device::cpu());
  EXPECT_THROW(ContinuousCoarseSpace<2>(*problem.op.element_space().mesh,
                                        ReferenceElement<2>(2, 4, 4)),
               ExceptionBase);
}

TEST_P(AlgebraicMultigridTest, InteriorPenaltyTriangles)
{
  std::pair<unsigned int, unsigned int> before(1000, 1000);
  for (const unsigned int n : {16, 48})
    {
      const InteriorPenalty<2> problem(n, dirichlet_conditions<2>(), 0.2, device());
      const auto               found = interior_penalty_iterations(problem, false);
      EXPECT_LE(found.first, 20U);
      EXPECT_LE(found.first, before.first + 3);
      EXPECT_LE(found.second, 60U);
      before = found;
    }
}

TEST_P(AlgebraicMultigridTest, InteriorPenaltyTetrahedra)
{
  const InteriorPenalty<3> problem(8, dirichlet_conditions<3>(), 0.1, device());
  const auto               found = interior_penalty_iterations(problem, false);
  EXPECT_LE(found.first, 25U);
  EXPECT_LE(found.second, 60U);
}

TEST_P(AlgebraicMultigridTest, InteriorPenaltyPeriodic)
{
  const InteriorPenalty<2> problem(32,
                                   periodic_conditions<EllipticBoundaryConditions, 2>(),
                                   0.2,
                                   device());
  const auto               found = interior_penalty_iterations(problem, true);
  EXPECT_LE(found.first, 20U);
  EXPECT_LE(found.second, 60U);
}

TEST_P(AlgebraicMultigridTest, BadInputIsRefused)
{
  Matrix A;
  make_five_point(20, A);
  const auto refused = [&](const AMG::AdditionalData &data) {
    AMG amg;
    EXPECT_THROW(amg.initialize(A.trilinos_matrix(), data, device()), ExceptionBase);
  };
  AMG::AdditionalData data;
  data.aggregation.block_size = 3;
  refused(data);
  data                              = {};
  data.aggregation.near_null_vector = {1., 2.};
  refused(data);
  data                 = {};
  data.smoother_degree = 0;
  refused(data);
  AMG amg;
  EXPECT_THROW(
    amg.initialize(A.trilinos_matrix(), {}, device(), CompressedRows::placement({0, 1, 2}, 32)),
    ExceptionBase);
  A.set(5, 5, 0.);
  A.compress(VectorOperation::insert);
  refused({});
}

/// A singular matrix that nobody called singular.
TEST_P(AlgebraicMultigridTest, KernelIsNoticed)
{
  Matrix A;
  make_linear_elements_on_disc(6, false, A);
  AMG amg;
  EXPECT_THROW(amg.initialize(A.trilinos_matrix(), {}, device()), ExceptionBase);
}
