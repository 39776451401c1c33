// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Work on elements against dense matrices on the host, for vectors of all numbers of components.
#include <deal.II/lac/full_matrix.h>

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/blocks/component_transfer.h>
#include <saltus/operators/blocks/mode_transfer.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr unsigned int n_elements = 45; // a last block that is not full

  class ElementOperationsTest : public OnDevice
  {
  protected:
    template <typename Number>
    Saltus::Vector<Number>
    zeros(const unsigned int n_modes, const unsigned int n_components) const
    {
      return Saltus::Vector<Number>(device(), n_elements, n_modes, n_components);
    }

    template <typename Number>
    Saltus::Vector<Number>
    random(const unsigned int n_modes, const unsigned int n_components, const int seed) const
    {
      auto x = zeros<Number>(n_modes, n_components);
      x.set_entries(random_vector<std::vector<Number>>(x.size(), seed));
      return x;
    }

    template <typename Number>
    void
    block_diagonals(const unsigned int n_modes, const unsigned int n_components) const;

    template <typename Number>
    void
    products_of_components(const unsigned int n_modes, const unsigned int n_components) const;

    template <typename Number>
    void
    moments(const unsigned int n_modes, const unsigned int n_components) const;
  };

  /// Entries `[e][m][c]` are as expected, and padding is zero.
  template <typename Number>
  void
  expect_entries(const Saltus::Vector<Number> &x,
                 const std::vector<double>    &expected,
                 const double                  tolerance)
  {
    const std::vector<Number> entries = x.entries();
    ASSERT_EQ(entries.size(), expected.size());
    double sum = 0, sum_of_array = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      {
        ASSERT_NEAR(entries[i], expected[i], tolerance) << "entry " << i;
        sum += std::abs(entries[i]);
      }
    for (const Number value : x.to_host())
      sum_of_array += std::abs(value);
    EXPECT_NEAR(sum_of_array, sum, 1e-12 * sum) << "The padding is not zero.";
  }

  /// A symmetric positive definite matrix for each element.
  std::vector<FullMatrix<double>>
  random_matrices(const unsigned int n_rows)
  {
    std::vector<FullMatrix<double>> matrices(n_elements, FullMatrix<double>(n_rows));
    const auto values = random_vector<std::vector<double>>(n_elements * n_rows * n_rows, 1);
    for (unsigned int e = 0; e < n_elements; ++e)
      for (unsigned int i = 0; i < n_rows; ++i)
        for (unsigned int j = 0; j <= i; ++j)
          matrices[e](i, j) = matrices[e](j, i) =
            (i == j ? 2. * n_rows : values[(e * n_rows + i) * n_rows + j]);
    return matrices;
  }

  /// What rounding can change in their products with numbers up to 1: up to 3 n / 65534 an entry.
  double
  rounding(const unsigned int n_rows)
  {
    return 5e-5 * n_rows * n_rows;
  }

  template <typename Number>
  BlockDiagonal<Number>
  upload(const std::vector<FullMatrix<double>> &matrices, const Saltus::Vector<Number> &like)
  {
    const unsigned int    n_rows = matrices[0].m();
    BlockDiagonal<Number> blocks;
    blocks.reinit(like);
    Saltus::Vector<Number> column(like);
    for (unsigned int j = 0; j < n_rows; ++j)
      {
        std::vector<Number> entries;
        for (const FullMatrix<double> &matrix : matrices)
          for (unsigned int i = 0; i < n_rows; ++i)
            entries.push_back(matrix(i, j));
        column.set_entries(entries);
        blocks.set_column(j, column);
      }
    return blocks;
  }

  /// `A x` for numbers `[e][i]`
  template <typename Number>
  std::vector<double>
  product(const std::vector<FullMatrix<double>> &matrices, const std::vector<Number> &x)
  {
    const unsigned int  n_rows = matrices[0].m();
    std::vector<double> result(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      for (unsigned int j = 0; j < n_rows; ++j)
        result[k] += matrices[k / n_rows](k % n_rows, j) * x[k / n_rows * n_rows + j];
    return result;
  }

  template <typename Number>
  void
  ElementOperationsTest::block_diagonals(const unsigned int n_modes,
                                         const unsigned int n_components) const
  {
    SCOPED_TRACE(std::to_string(n_components) + " components");
    const bool         in_double = std::is_same<Number, double>::value;
    const unsigned int n_rows    = n_modes * n_components;
    const auto         x         = random<Number>(n_modes, n_components, 2);
    const auto         matrices  = random_matrices(n_rows);
    const auto         expected  = product(matrices, x.entries());
    auto               blocks    = upload(matrices, x);
    auto               y         = random<Number>(n_modes, n_components, 3);
    const auto         old_y     = y.entries();

    RoundedBlockDiagonal<Number> rounded;
    rounded.reinit(blocks);
    rounded.vmult_add(y, 0.5, x);
    std::vector<double> sums;
    for (std::size_t i = 0; i < expected.size(); ++i)
      sums.push_back(old_y[i] + 0.5 * expected[i]);
    expect_entries(y, sums, rounding(n_rows));

    blocks.vmult(y, x);
    expect_entries(y, expected, in_double ? 1e-12 : 2e-4);
    std::vector<double> diagonal;
    for (const FullMatrix<double> &matrix : matrices)
      for (unsigned int i = 0; i < n_rows; ++i)
        diagonal.push_back(matrix(i, i));
    auto z = zeros<Number>(n_modes, n_components);
    blocks.extract_diagonal(z);
    expect_entries(z, diagonal, 1e-12);
    blocks.invert();
    blocks.vmult(z, y);
    z -= x;
    EXPECT_LT(z.linfty_norm(), in_double ? 1e-12 : 1e-5);
  }

  template <typename Number>
  void
  ElementOperationsTest::products_of_components(const unsigned int n_modes,
                                                const unsigned int n_components) const
  {
    SCOPED_TRACE(std::to_string(n_components) + " components");
    const auto                   matrices = random_matrices(n_modes);
    RoundedBlockDiagonal<Number> rounded;
    rounded.reinit(upload(matrices, zeros<Number>(n_modes, 1)));
    const auto x = random<double>(n_modes, n_components, 2);
    for (const unsigned int left_out : {n_components, 0U, n_components - 1})
      {
        auto                      y    = random<double>(n_modes, n_components, 3);
        const auto                of_x = x.entries(), of_y = y.entries();
        std::vector<double>       expected(of_y.begin(), of_y.end());
        std::vector<unsigned int> components;
        for (unsigned int c = 0; c < n_components; ++c)
          if (c != left_out)
            {
              components.push_back(c);
              std::vector<double> part;
              for (std::size_t i = c; i < of_x.size(); i += n_components)
                part.push_back(of_x[i]);
              part = product(matrices, part);
              for (std::size_t i = 0; i < part.size(); ++i)
                expected[i * n_components + c] = part[i];
            }
        rounded.vmult_components(y, x, components);
        expect_entries(y, expected, rounding(n_modes));
      }
  }

  template <typename Number>
  void
  ElementOperationsTest::moments(const unsigned int n_modes, const unsigned int n_components) const
  {
    SCOPED_TRACE(std::to_string(n_components) + " components");
    const unsigned int n_points = 3;
    const auto         table    = random_vector<std::vector<Number>>(n_points * n_modes, 4);
    const auto         weights  = random_vector<std::vector<Number>>(n_points, 5);
    auto       factors = std::vector<Number>(n_blocks(n_elements) * block_size * n_components);
    auto       values  = std::vector<Number>(n_points * factors.size());
    auto       b       = random<Number>(n_modes, n_components, 6);
    const auto of_b    = b.entries();

    std::vector<double> expected(of_b.begin(), of_b.end());
    for (unsigned int e = 0; e < n_elements; ++e)
      for (unsigned int c = 0; c < n_components; ++c)
        {
          factors[point_index(e, 0, 1, n_components) + c] = 1 + 0.1 * e + c;
          for (unsigned int q = 0; q < n_points; ++q)
            {
              const Number f                                        = std::sin(e + 3. * c + 7. * q);
              values[point_index(e, q, n_points, n_components) + c] = f;
              for (unsigned int m = 0; m < n_modes; ++m)
                expected[(e * n_modes + m) * n_components + c] +=
                  0.5 * (1 + 0.1 * e + c) * weights[q] * table[q * n_modes + m] * f;
            }
        }
    const Memory<Number> of_table(device(), table), of_weights(device(), weights),
      of_factors(device(), factors), of_values(device(), values);
    const CoefficientLayout layout = b.layout().coefficients();
    with_rows(!layout.element_by_element(), [&](auto rows) {
      launch(device(),
             n_elements,
             ElementOperation::Integrate<Number, decltype(rows)>{rows.of(layout),
                                                                 rows.of({1, layout.n_components}),
                                                                 static_cast<int>(n_modes),
                                                                 static_cast<int>(n_points),
                                                                 of_table.data(),
                                                                 of_weights.data(),
                                                                 of_factors.data(),
                                                                 of_values.data(),
                                                                 Number(0.5),
                                                                 b.data()});
    });
    expect_entries(b, expected, std::is_same<Number, double>::value ? 1e-12 : 5e-5);
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(ElementOperationsTest)

TEST_P(ElementOperationsTest, BlockDiagonals)
{
  for (const unsigned int n_components : {1, 2, 4, 5, 6})
    {
      block_diagonals<double>(4, n_components);
      block_diagonals<float>(4, n_components);
    }
}

/// With matrices of a size that GPUs have kernels for, and of another.
TEST_P(ElementOperationsTest, ProductsOfComponents)
{
  for (const unsigned int n_modes : {4, 5})
    for (const unsigned int n_components : {2, 3, 5, 7})
      {
        products_of_components<double>(n_modes, n_components);
        products_of_components<float>(n_modes, n_components);
      }
}

TEST_P(ElementOperationsTest, OnlyScalarBlocksMultiplyComponents)
{
  auto                         x = random<double>(3, 5, 1), y = x;
  RoundedBlockDiagonal<double> rounded;
  rounded.reinit(upload(random_matrices(15), x));
  EXPECT_TRUE(contains(message_of([&]() { rounded.vmult_components(y, x, {0}); }),
                       "cannot multiply components"));
}

TEST_P(ElementOperationsTest, Components)
{
  for (const unsigned int n_components : {1, 3, 5})
    {
      SCOPED_TRACE(std::to_string(n_components) + " components");
      const auto          x       = random<double>(4, n_components, 1);
      const auto          entries = x.entries();
      auto                y = zeros<double>(4, n_components), z = y;
      auto                part    = zeros<double>(4, 1);
      auto                rounded = zeros<float>(4, 1);
      std::vector<double> all(entries.begin(), entries.end());
      for (unsigned int c = 0; c < n_components; ++c)
        {
          std::vector<double> expected;
          for (std::size_t i = c; i < entries.size(); i += n_components)
            expected.push_back(entries[i]);
          extract_component(part, x, c);
          expect_entries(part, expected, 0.);
          insert_component(y, part, c);
          extract_component(rounded, x, c);
          insert_component(z, rounded, c);
        }
      expect_entries(y, all, 0.);
      expect_entries(z, all, 1e-7);
    }
}

TEST_P(ElementOperationsTest, Scaling)
{
  for (const unsigned int n_components : {1, 3, 5})
    {
      SCOPED_TRACE(std::to_string(n_components) + " components");
      const auto             x        = random<double>(4, n_components, 1);
      const auto             factors  = random_vector<std::vector<double>>(n_elements, 2);
      std::vector<double>    expected = x.entries();
      ElementScaling<double> scaling;
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] *= factors[i / (4 * n_components)];
      scaling.reinit(device(), factors, n_components);
      auto y = zeros<double>(4, n_components);
      scaling.vmult(y, x);
      expect_entries(y, expected, 1e-15);
    }
}

TEST_P(ElementOperationsTest, FewerModes)
{
  const unsigned int n_fine = 6, n_coarse = 3;
  for (const unsigned int n_components : {1, 3, 5})
    {
      SCOPED_TRACE(std::to_string(n_components) + " components");
      auto                fine     = random<double>(n_fine, n_components, 1);
      auto                coarse   = zeros<double>(n_coarse, n_components);
      std::vector<double> all      = fine.entries(), first;
      const unsigned int  n_all    = n_fine * n_components;
      const unsigned int  n_firsts = n_coarse * n_components;
      for (unsigned int e = 0; e < n_elements; ++e)
        first.insert(first.end(), &all[e * n_all], &all[e * n_all] + n_firsts);
      ModeTransfer<double>().project(coarse, fine);
      expect_entries(coarse, first, 0.);
      for (unsigned int e = 0; e < n_elements; ++e)
        for (unsigned int i = 0; i < n_firsts; ++i)
          all[e * n_all + i] *= 1.5;
      ModeTransfer<double>().add_embedded(fine, coarse, 0.5);
      expect_entries(fine, all, 1e-15);
    }
}

TEST_P(ElementOperationsTest, Moments)
{
  for (const unsigned int n_components : {1, 3, 5})
    {
      moments<double>(4, n_components);
      moments<float>(4, n_components);
    }
}
