// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What the smoothers of multigrid consist of: rounded blocks, steps in one pass, lines of elements.
#include <deal.II/lac/full_matrix.h>

#include <saltus/operators/blocks/line_diagonal.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/on_device.h>
#include <map>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class BlockSmootherTest : public OnDevice
  {};

  /// The unit interval times others of length 0.01: elements are stretched 100:1.
  template <int dim>
  struct StretchedBox : public Box<dim>
  {
    explicit StretchedBox(const unsigned int n)
      : Box<dim>(n, 0., dim == 2 ? Point<dim>(1., 0.01) : Point<dim>(1., 0.01, 0.01))
    {}

    template <typename Number>
    void
    reinit(LaplaceOperator<dim, Number> &A, const unsigned int degree, const Device device) const
    {
      A.reinit(this->mesh(),
               degree,
               dirichlet_conditions<dim>(),
               device,
               typename LaplaceOperator<dim, Number>::AdditionalData());
    }
  };

  template <int dim, typename Number>
  Saltus::Vector<Number>
  random_vector(const LaplaceOperator<dim, Number> &A, const unsigned int seed)
  {
    auto x = zeros(A);
    x.set_entries(Tests::random_vector<std::vector<Number>>(A.m(), seed));
    return x;
  }

  template <typename Number>
  double
  relative_difference(const Saltus::Vector<Number> &x, const Saltus::Vector<Number> &expected)
  {
    return x.max_difference(expected) / expected.linfty_norm();
  }

  template <int dim, typename Number>
  BlockDiagonal<Number>
  inverse_blocks(const LaplaceOperator<dim, Number> &A)
  {
    BlockDiagonal<Number> blocks;
    A.compute_block_diagonal(blocks);
    blocks.invert();
    return blocks;
  }

  /// Rounded inverse blocks are nearly the inverse blocks, symmetric and positive.
  template <int dim, typename Number, typename Problem>
  void
  expect_good_rounding(const LaplaceOperator<dim, Number> &A, const Problem &problem)
  {
    SCOPED_TRACE(problem);
    // With n modes, entries change by up to (n + 1) / 65534 of the roots of their diagonals.
    const double                 tolerance = 5e-5 * A.element_space().reference.n_modes;
    const auto                   exact     = inverse_blocks(A);
    RoundedBlockDiagonal<Number> rounded;
    rounded.reinit(exact);
    const auto             x = random_vector(A, 1), y = random_vector(A, 2);
    Saltus::Vector<Number> Bx(x), By(x), expected(x);
    exact.vmult(expected, x);
    rounded.vmult(Bx, x);
    rounded.vmult(By, y);
    EXPECT_LT(relative_difference(Bx, expected), tolerance);
    expect_symmetric_and_positive(x, y, Bx, By, 1e-5);

    expected *= Number(0.5);
    expected += y;
    By = y;
    rounded.vmult_add(By, 0.5, x);
    EXPECT_LT(relative_difference(By, expected), tolerance);
  }

  template <int dim, typename Number>
  void
  expect_good_rounding(const Device device)
  {
    for (unsigned int degree = 1; degree <= (dim == 2 ? 8 : 5); ++degree)
      {
        const EllipticSetting<dim>   setting(degree);
        LaplaceOperator<dim, Number> A;
        A.reinit(setting.mapping, setting.dof_handler, dirichlet_conditions<dim>(), device);
        expect_good_rounding(A, "degree " + std::to_string(degree));
        StretchedBox<dim>(2).reinit(A, degree, device);
        expect_good_rounding(A, "stretched, degree " + std::to_string(degree));
      }
  }

  /// A step, whichever kernel does it, is the residual times the blocks.
  template <int dim, typename Number>
  void
  expect_steps(const Device device, const double tolerance)
  {
    for (unsigned int degree = 1; degree <= (dim == 2 ? 8 : 5); ++degree)
      for (const auto &conditions : {dirichlet_conditions<dim>(), all_elliptic_conditions<dim>()})
        for (const unsigned int n_rounds : {0U, max_matching_rounds})
          {
            SCOPED_TRACE("degree " + std::to_string(degree));
            const EllipticSetting<dim>                            setting(degree, dim == 2);
            typename LaplaceOperator<dim, Number>::AdditionalData data;
            data.reaction = 3.;
            LaplaceOperator<dim, Number> A;
            A.reinit(setting.mesh({}, n_rounds), setting.dof_handler, conditions, device, data);
            RoundedBlockDiagonal<Number> B;
            B.reinit(inverse_blocks(A));
            auto                   x = random_vector(A, 1), b = random_vector(A, 2);
            Saltus::Vector<Number> r(x), expected(x), scratch(x);
            A.compute_residual(r, x, b);
            B.vmult_add(expected, 0.7, r);
            A.smoothing_step(x, b, B, 0.7, scratch);
            EXPECT_LT(relative_difference(x, expected), tolerance);
            // Padding stays zero: the norm of the array is that of the entries.
            double sum = 0;
            for (const Number entry : x.entries())
              sum += double(entry) * entry;
            EXPECT_NEAR(x.norm_sqr(), sum, 1e-5 * sum);
          }
  }

  /// The inverse of the matrix along lines undoes that matrix.
  template <int dim, typename Number>
  void
  expect_inverse(const Device device, const unsigned int degree, const double tolerance)
  {
    LaplaceOperator<dim, Number> A;
    StretchedBox<dim>(3).reinit(A, degree, device);
    const ElementLines lines(A.coupling_strengths());
    ASSERT_FALSE(lines.empty());
    const auto           matrix = A.couplings();
    const auto           x      = random_vector(A, 1);
    LineDiagonal<Number> inverse;
    inverse.reinit(matrix, lines, x);

    // The product along the lines, on the host.
    const unsigned int        n    = matrix.n_modes;
    const std::vector<Number> of_x = x.entries();
    std::vector<Number>       product(of_x.size());
    const auto                add = [&](const int e, const int other, const Number *block) {
      for (unsigned int i = 0; i < n; ++i)
        for (unsigned int j = 0; j < n; ++j)
          {
            product[e * n + i] += block[i * n + j] * of_x[other * n + j];
            if (e != other) // the transposed block
              product[other * n + j] += block[i * n + j] * of_x[e * n + i];
          }
    };
    for (unsigned int e = 0; e < matrix.n_elements; ++e)
      add(e, e, matrix.block(e, 0));
    for (std::size_t place = 0; place < lines.elements.size(); ++place)
      if (lines.couplings[place] >= 0)
        add(lines.elements[place],
            lines.elements[place - 1],
            matrix.block(lines.elements[place], lines.couplings[place]));
    Saltus::Vector<Number> y(x), z(x);
    y.set_entries(product);
    inverse.vmult(z, 2., y);
    z *= Number(0.5);
    EXPECT_LT(relative_difference(z, x), tolerance);
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(BlockSmootherTest)

TEST_P(BlockSmootherTest, Rounding)
{
  expect_good_rounding<2, double>(device());
  expect_good_rounding<3, double>(device());
  expect_good_rounding<2, float>(device());
}

TEST_P(BlockSmootherTest, StepOnTriangles)
{
  expect_steps<2, double>(device(), 1e-12);
  expect_steps<2, float>(device(), 2e-5);
}

TEST_P(BlockSmootherTest, StepOnTetrahedra)
{
  expect_steps<3, double>(device(), 1e-12);
  expect_steps<3, float>(device(), 2e-5);
}

TEST_P(BlockSmootherTest, InverseAlongLines)
{
  for (const unsigned int degree : {1, 2, 4})
    expect_inverse<2, double>(device(), degree, 1e-8);
  expect_inverse<3, double>(device(), 2, 1e-8);
  expect_inverse<2, float>(device(), 1, 1e-2);
}

/// Between the sides of a stretched box runs a line in every column; elsewhere there are none.
TEST(ElementLines, OfABox)
{
  for (const unsigned int n : {3, 6})
    {
      LaplaceOperator<2> A;
      StretchedBox<2>(n).reinit(A, 1, Device::cpu());
      const auto         strengths = A.coupling_strengths();
      const ElementLines lines(strengths);
      EXPECT_EQ(lines.size(), n);
      EXPECT_EQ(lines.elements.size(), 2 * n * n);
      std::map<int, unsigned int> times;
      for (unsigned int line = 0; line < lines.size(); ++line)
        for (int place = lines.starts[line]; place < lines.starts[line + 1]; ++place)
          {
            const int e = lines.elements[place], c = lines.couplings[place];
            ++times[e];
            if (place == lines.starts[line])
              EXPECT_EQ(c, -1);
            else
              EXPECT_EQ(strengths.partner(e, c), lines.elements[place - 1]);
          }
      EXPECT_EQ(times.size(), 2 * n * n); // no element twice
    }
  for (const unsigned int n_refinements : {0, 2})
    {
      const EllipticSetting<2> setting(1, n_refinements);
      LaplaceOperator<2>       A;
      A.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), Device::cpu());
      EXPECT_TRUE(ElementLines(A.coupling_strengths()).empty());
    }
}

/// Elements in a ring, each coupled to the next: the line is not closed.
TEST(ElementLines, OfARing)
{
  const unsigned int       n = 5;
  ElementCouplings<double> ring{n, 4, 1, {}, {}};
  for (int e = 0; e < static_cast<int>(n); ++e)
    for (const auto &[partner, strength] : {std::pair(e, 0.),
                                            std::pair<int, double>((e + 1) % n, 50.),
                                            std::pair<int, double>((e + n - 1) % n, 50.),
                                            std::pair(-1, 1.)})
      {
        ring.partners.push_back(partner);
        ring.values.push_back(strength);
      }
  const ElementLines lines(ring);
  EXPECT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines.elements.size(), n);
}

/// Elements in a row, some of which have no coupling that is weak: they break no line, but begin
/// none.
TEST(ElementLines, PassElementsWithoutAWeakCoupling)
{
  const auto lines_of = [](const std::vector<double> &weakest) {
    const int                n = weakest.size();
    ElementCouplings<double> row{static_cast<unsigned int>(n), 4, 1, {}, {}};
    for (int e = 0; e < n; ++e)
      for (const auto &[partner, strength] : {std::pair(e, 0.),
                                              std::pair(e + 1 < n ? e + 1 : -1, 50.),
                                              std::pair(e - 1, 50.),
                                              std::pair(-1, weakest[e])})
        {
          row.partners.push_back(partner);
          row.values.push_back(strength);
        }
    return ElementLines(row);
  };
  const ElementLines passed = lines_of({1., 10., 10., 10., 1.});
  EXPECT_EQ(passed.size(), 1U);
  EXPECT_EQ(passed.elements.size(), 5U);
  EXPECT_EQ(lines_of({1., 20., 20., 1.}).size(), 2U);
  EXPECT_TRUE(lines_of({10., 10., 10., 10., 10.}).empty());
}

TEST_P(BlockSmootherTest, WrongVectorsAreRefused)
{
  const EllipticSetting<2> setting(2), finer(2, 1);
  LaplaceOperator<2>       A, other;
  A.reinit(setting.mapping, setting.dof_handler, dirichlet_conditions<2>(), device());
  other.reinit(finer.mapping, finer.dof_handler, dirichlet_conditions<2>(), device());
  RoundedBlockDiagonal<double> B, of_other;
  B.reinit(inverse_blocks(A));
  of_other.reinit(inverse_blocks(other));
  auto good = zeros(A), b = good, bad = zeros(other);
  EXPECT_THROW(B.vmult(good, bad), ExceptionBase);
  EXPECT_THROW(B.vmult(bad, good), ExceptionBase);
  EXPECT_THROW(B.vmult(good, good), ExceptionBase);
  Saltus::Vector<double> scratch(good);
  EXPECT_THROW(A.smoothing_step(bad, b, B, 1., scratch), ExceptionBase);
  EXPECT_THROW(A.smoothing_step(good, bad, B, 1., scratch), ExceptionBase);
  EXPECT_THROW(A.smoothing_step(good, b, of_other, 1., scratch), ExceptionBase);
  EXPECT_THROW(A.smoothing_step(good, b, B, 1., bad), ExceptionBase);
}
