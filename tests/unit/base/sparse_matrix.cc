// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// SparseMatrix against deal.II's, also between arrays with padding, and the host's form of it.
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/algebra/sparse_matrix.h>

#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <limits>
#include <random>

using namespace dealii;
using Saltus::CompressedRows;

namespace
{
  std::mt19937 generator(7);

  double
  random_number()
  {
    return std::uniform_real_distribution<double>(-1, 1)(generator);
  }

  /// Random entries in a few columns of each row; every fifth row is empty, one is long.
  CompressedRows
  random_matrix(const unsigned int n_rows, const unsigned int n_columns)
  {
    CompressedRows matrix;
    matrix.n_columns = n_columns;
    for (unsigned int row = 0; row < n_rows; ++row)
      {
        const unsigned int stride = row == 3 ? 1 : 17;
        if (row % 5 != 0)
          for (unsigned int column = row % stride; column < n_columns; column += stride)
            matrix.add(column, random_number());
        matrix.finish_row();
      }
    return matrix;
  }

  /// Random sizes from @p min_size to @p max_size, consecutive columns from a random one on.
  CompressedRows
  matrix_of_row_sizes(const unsigned int n_rows,
                      const unsigned int n_columns,
                      const unsigned int min_size,
                      const unsigned int max_size)
  {
    CompressedRows matrix;
    matrix.n_columns = n_columns;
    for (unsigned int row = 0; row < n_rows; ++row)
      {
        const auto size =
          std::uniform_int_distribution<unsigned int>(min_size, max_size)(generator);
        const auto first = std::uniform_int_distribution<unsigned int>(0, n_columns - 1)(generator);
        for (unsigned int i = 0; i < size; ++i)
          matrix.add((first + i) % n_columns, random_number());
        matrix.finish_row();
      }
    return matrix;
  }

  FullMatrix<double>
  full(const CompressedRows &from)
  {
    FullMatrix<double> to(from.n_rows(), from.n_columns);
    for (unsigned int row = 0; row < from.n_rows(); ++row)
      for (std::size_t k = from.row_starts[row]; k < from.row_starts[row + 1]; ++k)
        to(row, from.columns[k]) += from.values[k];
    return to;
  }

  double
  difference(FullMatrix<double> a, const FullMatrix<double> &b)
  {
    a.add(-1., b);
    return a.linfty_norm();
  }

  template <typename Number>
  Saltus::Vector<Number>
  random_vector(const Saltus::Device device, const unsigned int n)
  {
    Saltus::Vector<Number> to(device, n, 1, 1);
    std::vector<Number>    values(to.data_size());
    for (unsigned int i = 0; i < n; ++i)
      values[i] = random_number();
    to.copy_from_host(values.data());
    return to;
  }

  template <typename Number>
  dealii::Vector<double>
  download(const Saltus::Vector<Number> &from)
  {
    const auto values = from.to_host();
    for (std::size_t i = from.size(); i < values.size(); ++i)
      EXPECT_EQ(values[i], 0.) << "The padding is not zero.";
    return dealii::Vector<double>(values.begin(), values.begin() + from.size());
  }

  class SparseMatrixTest : public Saltus::Tests::OnDevice
  {
  protected:
    template <typename Number>
    void
    compare(const CompressedRows &rows)
    {
      const unsigned int n_rows = rows.n_rows(), n_columns = rows.n_columns;
      const double       tolerance = 20 * n_columns * std::numeric_limits<Number>::epsilon();
      const auto         expected  = full(rows);
      const Saltus::SparseMatrix<Number> A(device(), rows);
      EXPECT_EQ(A.m(), n_rows);
      EXPECT_EQ(A.n(), n_columns);
      EXPECT_EQ(A.n_nonzeros(), rows.n_nonzeros());
      EXPECT_GE(A.memory_consumption(), rows.n_nonzeros() * (sizeof(int) + sizeof(Number)));

      const auto x = random_vector<Number>(device(), n_columns);
      const auto b = random_vector<Number>(device(), n_rows);
      auto       y = random_vector<Number>(device(), n_rows);
      y            = std::numeric_limits<Number>::quiet_NaN(); // must not be read
      dealii::Vector<double> Ax(n_rows);
      expected.vmult(Ax, download(x));
      const auto same = [&](dealii::Vector<double> z, const char *what) {
        z -= download(y);
        EXPECT_LT(z.linfty_norm(), tolerance) << what;
      };
      A.vmult(y, x);
      same(Ax, "vmult");
      A.vmult_add(y, x);
      auto twice = Ax;
      twice *= 2;
      same(twice, "vmult_add");
      auto residual = download(b);
      residual -= Ax;
      A.residual(y, x, b);
      same(residual, "residual");
      y = b;
      A.residual(y, x, y);
      same(residual, "residual in place");
      if (n_rows == n_columns)
        {
          A.smoothing_step(y, x, 0.75, b);
          auto step = download(x);
          step.add(0.75, residual);
          same(step, "smoothing step");
          EXPECT_THROW(A.smoothing_step(y, y, 1, b), ExceptionBase);
        }
      else
        EXPECT_THROW(A.smoothing_step(y, b, 1, b), ExceptionBase);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SparseMatrixTest)

TEST_P(SparseMatrixTest, DoubleLikeDealii)
{
  compare<double>(random_matrix(1003, 517));
  compare<double>(random_matrix(31, 700));
  for (const unsigned int n : {1, 90, 900})
    compare<double>(random_matrix(n, n));
}

/// On GPUs, the longer the rows, the more threads a row.
TEST_P(SparseMatrixTest, RowsOfEverySize)
{
  for (const unsigned int mean_size : {1, 2, 3, 5, 6, 11, 12, 23, 24, 47, 48, 200})
    {
      SCOPED_TRACE(mean_size);
      compare<double>(matrix_of_row_sizes(333, 420, 0, 2 * mean_size));
      compare<double>(matrix_of_row_sizes(420, 420, mean_size, mean_size));
    }
  compare<double>(matrix_of_row_sizes(1, 100003, 100003, 100003));
  compare<double>(matrix_of_row_sizes(1, 1, 1, 1));
}

/// Each product needs the one before: entries move by one place a product, so that each has to
/// arrive, also if kernels begin while the one before still runs.
TEST_P(SparseMatrixTest, ChainOfProducts)
{
  constexpr unsigned int n = 40001, n_products = 500;
  CompressedRows         shift, identity;
  shift.n_columns = identity.n_columns = n;
  for (unsigned int row = 0; row < n; ++row)
    {
      shift.add((row + 1) % n, 1.);
      shift.finish_row();
      identity.add(row, 1.);
      identity.finish_row();
    }
  const Saltus::SparseMatrix<double> S(device(), shift), I(device(), identity);
  const auto                         start = random_vector<double>(device(), n);
  auto                               x = start, y = start, z = start;
  for (unsigned int i = 0; i < n_products; ++i)
    {
      S.vmult(y, x);
      I.residual(z, y, x);
      I.smoothing_step(x, y, 1, z); // x = x_before - y
      x.add(1., y);                 // x = x_before
      S.vmult(y, x);
      x.swap(y);
    }
  const auto first = start.to_host(), last = x.to_host();
  for (unsigned int i = 0; i < n; ++i)
    ASSERT_NEAR(last[i], first[(i + n_products) % n], 1e-12);
}

TEST_P(SparseMatrixTest, FloatLikeDealii)
{
  compare<float>(random_matrix(1003, 517));
}

/// Unknowns scattered over the array of a coefficient vector.
TEST_P(SparseMatrixTest, Placement)
{
  const Saltus::Vector<double> shape(device(), 45, 3, 1);
  std::vector<std::size_t>     positions;
  for (unsigned int e = 0; e < 45; ++e)
    for (unsigned int m = 0; m < 3; ++m)
      positions.push_back(shape.layout().coefficients().index(e, m));
  const auto placement = CompressedRows::placement(positions, shape.data_size());
  const Saltus::SparseMatrix<double> place(device(), placement);
  const Saltus::SparseMatrix<double> take(device(), placement.transpose());
  const auto                         x = random_vector<double>(device(), positions.size());
  auto                               y = shape, z = x;
  place.vmult(y, x);
  const auto expected = x.to_host();
  for (unsigned int i = 0; i < positions.size(); ++i)
    EXPECT_EQ(y(i), expected[i]);
  take.vmult(z, y);
  EXPECT_EQ(z.max_difference(x), 0.);
  EXPECT_NEAR(y.norm_sqr(), x.norm_sqr(), 1e-12);
}

TEST_P(SparseMatrixTest, WithoutEntries)
{
  CompressedRows rows;
  rows.n_columns = 5;
  for (unsigned int row = 0; row < 40; ++row)
    rows.finish_row();
  const Saltus::SparseMatrix<double> A(device(), rows);
  const auto                         x = random_vector<double>(device(), 5);
  const auto                         b = random_vector<double>(device(), 40);
  auto                               y = b;
  A.residual(y, x, b);
  EXPECT_EQ(y.max_difference(b), 0.);
  A.vmult(y, x);
  EXPECT_TRUE(y.all_zero());
}

TEST_P(SparseMatrixTest, WrongSizesAreRefused)
{
  const Saltus::SparseMatrix<double> A(device(), random_matrix(100, 50));
  const auto                         x = random_vector<double>(device(), 50);
  auto                               y = random_vector<double>(device(), 50);
  EXPECT_THROW(A.vmult(y, x), ExceptionBase);
  y = random_vector<double>(device(), 100);
  EXPECT_THROW(A.vmult(y, y), ExceptionBase);
  EXPECT_THROW(A.vmult(y, {}), ExceptionBase);
  const Saltus::SparseMatrix<double> square(device(), random_matrix(50, 50));
  auto                               z = x;
  EXPECT_THROW(square.vmult(z, z), ExceptionBase);
  if (device().is_cuda())
    {
      EXPECT_THROW(A.vmult(y, random_vector<double>(Saltus::Device::cpu(), 50)), ExceptionBase);
    }
  EXPECT_THROW(CompressedRows::placement({1, 3, 1}, 5), ExceptionBase);
  EXPECT_THROW(CompressedRows::placement({1, 5}, 5), ExceptionBase);
}

TEST(CompressedRowsTest, LikeFullMatrix)
{
  auto               matrix   = random_matrix(40, 23);
  FullMatrix<double> expected = full(matrix), transposed(23, 40);
  transposed.copy_transposed(expected);
  EXPECT_EQ(difference(full(matrix.transpose()), transposed), 0.);

  std::vector<double> left(40), right(23);
  for (unsigned int i = 0; i < 40; ++i)
    left[i] = random_number();
  for (unsigned int j = 0; j < 23; ++j)
    right[j] = random_number();
  matrix.scale(left, right);
  for (unsigned int i = 0; i < 40; ++i)
    for (unsigned int j = 0; j < 23; ++j)
      expected(i, j) *= left[i] * right[j];
  EXPECT_LT(difference(full(matrix), expected), 1e-15);

  const auto square   = random_matrix(23, 23);
  const auto diagonal = square.diagonal();
  for (unsigned int i = 0; i < 23; ++i)
    EXPECT_EQ(diagonal[i], full(square)(i, i));

  const auto entries = CompressedRows::full(2, {1., 2., 3., 4., 5., 6.});
  EXPECT_EQ(entries.n_rows(), 3u);
  EXPECT_EQ(full(entries)(2, 1), 6.);
}
