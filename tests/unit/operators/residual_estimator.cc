// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Estimates of errors on polytopic elements against an evaluation with deal.II, and beside errors.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/operators/polytopic/residual_estimator.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/on_device.h>
#include <helpers/polytopes.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class ResidualEstimatorTest : public OnDevice
  {};

  /// The squares of an estimate and of the energy of a function, with the shape functions, rules,
  /// faces and penalties of the oracle of matrices.
  template <int dim>
  class EstimateOracle : public PolytopicOracle<dim>
  {
  public:
    using Base = PolytopicOracle<dim>;
    using typename Base::Cell;

    /// @param divergence of the columns of the diffusion
    EstimateOracle(const Mapping<dim>                                      &mapping,
                   const Triangulation<dim>                                &triangulation,
                   const std::vector<unsigned int>                         &elements,
                   const std::vector<unsigned int>                         &degrees,
                   const PolytopicProblem<dim>                             &problem,
                   const std::function<Tensor<1, dim>(const Point<dim> &)> &divergence,
                   const std::vector<double>                               &coefficients)
      : Base(mapping, triangulation, elements, degrees, problem)
      , coefficients(coefficients)
      , estimate(degrees.size())
      , energies(degrees.size(), 0.)
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          add_cell(cell, divergence);
          this->for_faces(
            cell,
            [&](const unsigned int f) { add_boundary(cell, f); },
            [&](const Cell &neighbor, const Cell &owner, const unsigned int f, const double sign) {
              add_interface(cell, neighbor, owner, f, sign);
            });
        }
    }

  private:
    struct Local
    {
      double                  value = 0;
      Tensor<1, dim>          gradient;
      SymmetricTensor<2, dim> hessian;
    };

    Local
    at(const unsigned int e, const Point<dim> &x) const
    {
      Local        result;
      const auto   values = this->values(e, x);
      const auto   slopes = this->gradients(e, x);
      unsigned int i      = this->first[e];
      for (unsigned int m = 0; m < values.size(); ++m, ++i)
        {
          result.value += coefficients[i] * values[m];
          result.gradient += coefficients[i] * slopes[m];
          for (unsigned int d = 0; d < dim; ++d)
            for (unsigned int k = d; k < dim; ++k)
              {
                double product = coefficients[i];
                for (unsigned int c = 0; c < dim; ++c)
                  product *= this->polynomial(e, c, this->powers[e][m][c], x)[(c == d) + (c == k)];
                result.hessian[d][k] += product;
              }
        }
      return result;
    }

    double
    length(const unsigned int e) const
    {
      double longest = 0;
      for (unsigned int d = 0; d < dim; ++d)
        longest = std::max(longest, this->highest[e][d] - this->lowest[e][d]);
      return longest / this->degrees[e];
    }

    double
    alpha(const unsigned int e,
          const Point<dim>  &x,
          const double       diffusion,
          const double       speed) const
    {
      const double h = length(e);
      return std::min({h * h / diffusion, h / speed, 1. / this->problem.reaction(x)});
    }

    void
    add_cell(const Cell &cell, const std::function<Tensor<1, dim>(const Point<dim> &)> &divergence)
    {
      const unsigned int e = this->element(cell);
      this->for_points(cell, [&](const Point<dim> &x, const double w) {
        const Local  u        = at(e, x);
        const auto   A        = this->diffusion(cell, x);
        const auto   b        = this->problem.velocity(x);
        const double c        = this->problem.reaction(x);
        const double residual = this->problem.source(x) + A * u.hessian +
                                divergence(x) * u.gradient - b * u.gradient - c * u.value;
        // The smallest eigenvalue by the formula for 2 x 2 matrices.
        double least = A[0][0];
        if constexpr (dim == 2)
          least =
            .5 * trace(A) - std::sqrt(std::pow(.5 * (A[0][0] - A[1][1]), 2) + A[0][1] * A[0][1]);
        estimate.residuals[e] += w * alpha(e, x, least, b.norm()) * residual * residual;
        energies[e] += w * (u.gradient * (A * u.gradient) + c * u.value * u.value);
      });
    }

    void
    add_interface(const Cell        &cell,
                  const Cell        &neighbor,
                  const Cell        &owner,
                  const unsigned int f,
                  const double       sign)
    {
      const unsigned int e = this->element(cell), k = this->element(neighbor);
      this->for_points(
        owner,
        f,
        [&](const Point<dim> &x, const double w, const Tensor<1, dim> &normal, const double area) {
          const Tensor<1, dim> n = sign * normal;
          const auto           A = this->diffusion(cell, x), B = this->diffusion(neighbor, x);
          const Local          u = at(e, x), v = at(k, x);
          const double         largest = std::max(n * (A * n), n * (B * n));
          const double         along   = e == k ? 0. : this->problem.velocity(x) * n;
          const double         beta    = std::sqrt(alpha(e, x, largest, std::abs(along)) / largest);
          const double         flux    = n * (A * u.gradient) - n * (B * v.gradient);
          estimate.fluxes[e] += .5 * w * beta * flux * flux;
          if (e == k)
            return;
          Tensor<1, dim> t = u.gradient - v.gradient;
          t -= (t * n) * n;
          estimate.fluxes[e] += .5 * w * length(e) * std::max(t * (A * t), t * (B * t));
          const double sigma = std::max(this->penalty(cell, area, n * (A * n)),
                                        this->penalty(neighbor, area, n * (B * n))) -
                               std::min(along, 0.);
          const double jump = .5 * w * sigma * (u.value - v.value) * (u.value - v.value);
          estimate.jumps[e] += jump;
          energies[e] += jump;
        });
    }

    void
    add_boundary(const Cell &cell, const unsigned int f)
    {
      const unsigned int e    = this->element(cell);
      const int          kind = this->problem.kind(cell->face(f)->boundary_id());
      this->for_points(
        cell,
        f,
        [&](const Point<dim> &x, const double w, const Tensor<1, dim> &n, const double area) {
          const auto   A       = this->diffusion(cell, x);
          const Local  u       = at(e, x);
          const double g       = this->problem.value(x);
          const double through = n * (A * n), along = this->problem.velocity(x) * n;
          if (kind == 0)
            {
              const double sigma = this->penalty(cell, area, through) - std::min(along, 0.);
              const double jump  = w * sigma * (u.value - g) * (u.value - g);
              estimate.jumps[e] += jump;
              energies[e] += jump;
            }
          else
            {
              const double residual =
                g - (kind == 2 ? this->problem.robin * u.value : 0.) - n * (A * u.gradient);
              estimate.fluxes[e] += w * std::sqrt(alpha(e, x, through, std::abs(along)) / through) *
                                    residual * residual;
            }
        });
    }

    const std::vector<double> coefficients;

  public:
    ResidualEstimate    estimate;
    std::vector<double> energies;
  };

  template <int dim>
  void
  expect_equal(const std::vector<double> &values,
               const std::vector<double> &expected,
               const double               tolerance)
  {
    const double largest = *std::max_element(expected.begin(), expected.end());
    ASSERT_EQ(values.size(), expected.size());
    EXPECT_GT(largest, 0.);
    for (unsigned int e = 0; e < values.size(); ++e)
      EXPECT_NEAR(values[e], expected[e], tolerance * largest) << "element " << e;
  }

  /// What the problem is in words for Saltus.
  template <int dim>
  struct Texts
  {
    std::string diffusion, velocity, reaction;
    Sampling    sampling = Sampling::by_point;
  };

  /// With a source and boundary data that are polynomials.
  template <int dim>
  PolytopicProblem<dim>
  problem_with(const std::function<SymmetricTensor<2, dim>(const Point<dim> &)> &diffusion,
               const Tensor<1, dim>                                             &velocity,
               const double                                                      reaction)
  {
    PolytopicProblem<dim> problem;
    problem.diffusion = diffusion;
    problem.velocity  = [velocity](const Point<dim> &) { return velocity; };
    problem.reaction  = [reaction](const Point<dim> &) { return reaction; };
    problem.source    = [](const Point<dim> &x) { return 1 + x[0] * x[0]; };
    problem.value     = [](const Point<dim> &x) { return 2 - x[1]; };
    problem.kind      = [](const types::boundary_id id) { return id == 1 ? 1 : id == 3 ? 2 : 0; };
    problem.robin     = 0.7;
    problem.penalty_factor = 4.;
    problem.penalty        = 0;
    problem.by_cell        = false;
    return problem;
  }

  /// Of a random function.
  template <int dim>
  void
  check(
    const Device                                             device,
    const bool                                               simplices,
    const unsigned int                                       n,
    const PolytopicProblem<dim>                             &problem,
    const Texts<dim>                                        &texts,
    const std::function<Tensor<1, dim>(const Point<dim> &)> &divergence =
      [](const Point<dim> &) { return Tensor<1, dim>(); },
    const double tolerance = 1e-11)
  {
    Triangulation<dim>            triangulation;
    std::unique_ptr<Mapping<dim>> mapping;
    if (simplices)
      {
        make_box(triangulation, n, 0.2);
        mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
      }
    else // with hanging nodes
      {
        dealii::GridGenerator::subdivided_hyper_cube(triangulation, n, 0., 1., true);
        triangulation.begin_active()->set_refine_flag();
        triangulation.execute_coarsening_and_refinement();
        mapping = std::make_unique<MappingQ1<dim>>();
      }
    const auto elements =
      agglomerate(triangulation, Grouping::metis, triangulation.n_active_cells() / 7);
    const auto                mesh = std::make_shared<PolytopicMesh<dim>>(*mapping, elements);
    std::vector<unsigned int> degrees;
    for (unsigned int e = 0; e < mesh->n_elements(); ++e)
      degrees.push_back(1 + (e * 7 + 1) % (dim == 2 ? 5 : 2));
    const PolytopicSpace<dim>       space(mesh, degrees);
    const FieldFunction<dim>        value(Expression(dim, "2-y", 1));
    EllipticBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (id == 1)
        conditions.set_neumann(id, value);
      else if (id == 3)
        conditions.set_robin(id, problem.robin, value);
      else
        conditions.set_dirichlet(id, value);
    typename PolytopicOperator<dim>::AdditionalData data;
    const bool is_tensor = texts.diffusion.find(';') != std::string::npos;
    data.diffusion       = {Expression(dim, texts.diffusion, is_tensor ? dim * (dim + 1) / 2 : 1),
                            texts.sampling};
    data.reaction        = {Expression(dim, texts.reaction, 1), Sampling::by_point};
    data.velocity        = Expression(dim, texts.velocity, dim);
    data.extra_quadrature_degree = 2 + problem.extra_points;
    PolytopicOperator<dim> op;
    op.reinit(space, conditions, device, data);
    const ResidualEstimator<dim> estimator(op, Expression(dim, "1+x^2", 1));
    const auto coefficients = random_vector<std::vector<double>>(space.n_dofs(), 4);

    const ResidualEstimate    estimate = estimator.estimate(coefficients);
    const EstimateOracle<dim> oracle(
      *mapping, triangulation, elements.elements(), degrees, problem, divergence, coefficients);
    expect_equal<dim>(estimate.residuals, oracle.estimate.residuals, tolerance);
    expect_equal<dim>(estimate.fluxes, oracle.estimate.fluxes, tolerance);
    expect_equal<dim>(estimate.jumps, oracle.estimate.jumps, tolerance);
    double sum = 0, energy = 0;
    for (unsigned int e = 0; e < degrees.size(); ++e)
      {
        const double of_element =
          oracle.estimate.residuals[e] + oracle.estimate.fluxes[e] + oracle.estimate.jumps[e];
        EXPECT_NEAR(estimate.of_elements()[e], std::sqrt(of_element), 1e-4 * std::sqrt(of_element));
        sum += of_element;
        energy += oracle.energies[e];
      }
    EXPECT_NEAR(estimate.sum(), std::sqrt(sum), tolerance * std::sqrt(sum));
    // The energy is that of the error if the solution is zero.
    const double of_error =
      estimator.energy_error(coefficients,
                             Expression(dim, "0", 1),
                             Expression(dim, dim == 2 ? "0; 0" : "0; 0; 0", dim));
    EXPECT_NEAR(of_error, std::sqrt(energy), tolerance * std::sqrt(energy));
  }

  SymmetricTensor<2, 2>
  tensor(const double xx, const double xy, const double yy)
  {
    SymmetricTensor<2, 2> A;
    A[0][0] = xx;
    A[0][1] = xy;
    A[1][1] = yy;
    return A;
  }

  TEST_P(ResidualEstimatorTest, ConstantTensor)
  {
    const auto problem = problem_with<2>([](const Point<2> &) { return tensor(2., .5, 1.); },
                                         Tensor<1, 2>({.1, .2}),
                                         .3);
    for (const bool simplices : {true, false})
      check<2>(device(), simplices, 6, problem, {"2; 0.5; 1", "0.1; 0.2", "0.3"});
  }

  TEST_P(ResidualEstimatorTest, AdvectionDecides)
  {
    const auto problem = problem_with<2>([](const Point<2> &) { return tensor(1e-3, 0., 1e-3); },
                                         Tensor<1, 2>({1., 2.}),
                                         .3);
    check<2>(device(), true, 6, problem, {"0.001", "1; 2", "0.3"});
  }

  TEST_P(ResidualEstimatorTest, ReactionDecides)
  {
    const auto problem = problem_with<2>([](const Point<2> &) { return tensor(1e-2, 0., 1e-2); },
                                         Tensor<1, 2>({.01, .02}),
                                         500.);
    check<2>(device(), true, 6, problem, {"0.01", "0.01; 0.02", "500"});
  }

  // The weights are no polynomials.
  TEST_P(ResidualEstimatorTest, VaryingTensor)
  {
    auto problem =
      problem_with<2>([](
                        const Point<2> &x) { return tensor(3 + x[0] * x[1], .3 * x[0], 2 + x[1]); },
                      Tensor<1, 2>({.1, .2}),
                      .3);
    problem.extra_points  = 10;
    const auto divergence = [](const Point<2> &x) { return Tensor<1, 2>({x[1], .3 + 1.}); };
    check<2>(
      device(), true, 4, problem, {"3+x*y; 0.3*x; 2+y", "0.1; 0.2", "0.3"}, divergence, 1e-8);
  }

  // Fluxes between the cells of an element.
  TEST_P(ResidualEstimatorTest, DiffusionByCell)
  {
    auto problem =
      problem_with<2>([](
                        const Point<2> &x) { return tensor(3 + x[0] * x[1], .3 * x[0], 2 + x[1]); },
                      Tensor<1, 2>({.1, .2}),
                      .3);
    problem.by_cell = true;
    for (const bool simplices : {true, false})
      check<2>(device(),
               simplices,
               4,
               problem,
               {"3+x*y; 0.3*x; 2+y", "0.1; 0.2", "0.3", Sampling::by_element});
  }

  TEST_P(ResidualEstimatorTest, ThreeDimensions)
  {
    const auto problem =
      problem_with<3>([](const Point<3> &) { return 2. * unit_symmetric_tensor<3>(); },
                      Tensor<1, 3>({.1, .2, .1}),
                      .3);
    check<3>(device(), true, 2, problem, {"2", "0.1; 0.2; 0.1", "0.3"});
    check<3>(device(), false, 2, problem, {"2", "0.1; 0.2; 0.1", "0.3"});
  }

  /// A problem with a known solution.
  struct Solution
  {
    std::string value, gradient, source;
  };

  struct Solved
  {
    Solved(const Device       device,
           const Solution    &solution,
           const unsigned int n,
           const unsigned int degree)
      : mapping(FE_SimplexP<2>(1))
    {
      make_box(triangulation, n, 0.2, Point<2>(1., 1.));
      space = std::make_unique<PolytopicSpace<2>>(
        std::make_shared<PolytopicMesh<2>>(
          mapping, agglomerate(triangulation, Grouping::metis, triangulation.n_active_cells() / 8)),
        degree);
      const FieldFunction<2> exact(Expression(2, solution.value, 1)),
        source(Expression(2, solution.source, 1));
      EllipticBoundaryConditions<2> conditions;
      for (unsigned int id = 0; id < 4; ++id)
        conditions.set_dirichlet(id, exact);
      PolytopicOperator<2> op;
      op.reinit(*space, conditions, device);
      BlockCSRMatrix<double> A(op.sparsity(), device);
      op.assemble(A);
      Saltus::Vector<double> x, b;
      op.initialize_vector(x);
      op.right_hand_side(b, source);
      PolytopicMultigrid<2, double> multigrid;
      multigrid.initialize(op, A);
      solve_cg(A, x, b, multigrid, {1e-12, 1000, SolutionCheck::tolerant});
      const ResidualEstimator<2> estimator(op, source);
      estimate = estimator.estimate(x.entries()).sum();
      error    = estimator.energy_error(x.entries(), exact, Expression(2, solution.gradient, 2));
    }

    Triangulation<2>                   triangulation;
    MappingFE<2>                       mapping;
    std::unique_ptr<PolytopicSpace<2>> space;
    double                             estimate, error;
  };

  TEST_P(ResidualEstimatorTest, NothingForAPolynomial)
  {
    const Solved solved(device(), {"1+x-3*x*y+y^2", "1-3*y; -3*x+2*y", "-2"}, 8, 2);
    EXPECT_LT(solved.estimate, 1e-8);
    EXPECT_LT(solved.error, 1e-8);
    const Solved linear(device(), {"1+x-3*x*y+y^2", "1-3*y; -3*x+2*y", "-2"}, 8, 1);
    EXPECT_GT(linear.estimate, 1e-2);
  }

  // Between fixed bounds whatever the elements and the degree are.
  TEST_P(ResidualEstimatorTest, Efficiency)
  {
    const Solution smooth = {"sin(pi*x)*sin(pi*y)",
                             "pi*cos(pi*x)*sin(pi*y); pi*sin(pi*x)*cos(pi*y)",
                             "2*pi^2*sin(pi*x)*sin(pi*y)"};
    for (unsigned int degree = 1; degree <= 6; ++degree)
      for (const unsigned int n : {8, 16})
        {
          const Solved solved(device(), smooth, n, degree);
          EXPECT_GT(solved.estimate, 1. * solved.error) << degree << " " << n;
          EXPECT_LT(solved.estimate, 6. * solved.error) << degree << " " << n;
        }
  }

  SALTUS_INSTANTIATE_ON_DEVICES(ResidualEstimatorTest)
} // namespace
