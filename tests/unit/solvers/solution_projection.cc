// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Initial guesses from earlier solutions.
#include <saltus/solvers/krylov/solution_projection.h>

#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>

using namespace Saltus;

namespace
{
  class SolutionProjectionTest : public Tests::OnDevice
  {
  protected:
    static constexpr unsigned int n = 40;

    Vector<double>
    random_vector(const unsigned int seed) const
    {
      return Tests::random_vector(device(), n, seed);
    }

    /// A diagonal matrix.
    LinearMap<double>
    matrix() const
    {
      std::vector<double> diagonal(n);
      for (unsigned int i = 0; i < n; ++i)
        diagonal[i] = 1. + i * i;
      Vector<double> d(device(), n, 1, 1);
      d.set_entries(diagonal);
      return LinearMap<double>([d](Vector<double> &dst, const Vector<double> &src) {
        dst = src;
        dst.scale(d);
      });
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SolutionProjectionTest)

/// A combination of known solutions is found, and what is known of others is the best in the norm
/// of the matrix: the error is orthogonal to all of them.
TEST_P(SolutionProjectionTest, BestOfWhatIsKnown)
{
  const auto                 A = matrix();
  SolutionProjection<double> projection(4, random_vector(0));
  Vector<double>             x = random_vector(0), b = x, image = x;
  projection.guess(x, b);
  EXPECT_EQ(x.linfty_norm(), 0.);
  for (const unsigned int seed : {1, 2, 3})
    projection.add(random_vector(seed), A);
  EXPECT_EQ(projection.n_solutions(), 3u);

  Vector<double> expected = random_vector(1);
  expected.add(-2., random_vector(3));
  A.vmult(b, expected);
  projection.guess(x, b);
  EXPECT_LT(x.max_difference(expected), 1e-12);

  expected = random_vector(4);
  A.vmult(b, expected);
  projection.guess(x, b);
  EXPECT_GT(x.max_difference(expected), 0.1);
  expected -= x;
  A.vmult(image, expected);
  for (const unsigned int seed : {1, 2, 3})
    EXPECT_NEAR(random_vector(seed) * image, 0., 1e-10 * b.l2_norm());
}

TEST_P(SolutionProjectionTest, NothingNewIsNotKept)
{
  const auto                 A = matrix();
  SolutionProjection<double> projection(3, random_vector(0));
  projection.add(random_vector(1), A);
  Vector<double> x = random_vector(1);
  x *= -3.;
  projection.add(x, A);
  EXPECT_EQ(projection.n_solutions(), 1u);
  x = 0.;
  projection.add(x, A);
  EXPECT_EQ(projection.n_solutions(), 1u);
}

/// When it is full, it begins anew with the last solution; without room it knows nothing.
TEST_P(SolutionProjectionTest, BeginsAnew)
{
  const auto                 A = matrix();
  SolutionProjection<double> projection(2, random_vector(0)), none(0, random_vector(0));
  for (const unsigned int seed : {1, 2, 3})
    {
      projection.add(random_vector(seed), A);
      none.add(random_vector(seed), A);
    }
  EXPECT_EQ(projection.n_solutions(), 1u);
  EXPECT_EQ(none.n_solutions(), 0u);
  Vector<double> x = random_vector(0), b = x;
  A.vmult(b, random_vector(3));
  projection.guess(x, b);
  EXPECT_LT(x.max_difference(random_vector(3)), 1e-12);
}

/// A solution for which the guess was asked costs one product with the matrix, even if little is
/// new in it, and what is known then is the same as without.
TEST_P(SolutionProjectionTest, GuessSparesAProduct)
{
  const auto              A          = matrix();
  unsigned int            n_products = 0;
  const LinearMap<double> counting([&](Vector<double> &dst, const Vector<double> &src) {
    ++n_products;
    A.vmult(dst, src);
  });

  SolutionProjection<double> projection(4, random_vector(0)), unasked(4, random_vector(0));
  Vector<double>             x = random_vector(0), b = x, guess = x;
  for (const unsigned int seed : {1, 2, 3})
    {
      x.add(1e-3, random_vector(seed));
      A.vmult(b, x);
      projection.guess(guess, b);
      projection.add(x, counting);
      unasked.add(x, A);
    }
  EXPECT_EQ(n_products, 3u);
  const auto solutions = projection.solutions(), expected = unasked.solutions();
  ASSERT_EQ(solutions.size(), 3u);
  for (unsigned int i = 0; i < 3; ++i)
    {
      EXPECT_LT(solutions[i].max_difference(expected[i]), 1e-9);
      for (unsigned int j = 0; j < 3; ++j)
        {
          A.vmult(b, solutions[j]);
          EXPECT_NEAR(solutions[i] * b, i == j ? 1. : 0., 1e-12);
        }
    }
}
