// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Counts beyond 2^31 and 2^32, without the memory.
#include <deal.II/base/exceptions.h>

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/algebra/compressed_rows.h>
#include <saltus/base/algebra/vector.h>
#include <saltus/base/device/threads.h>
#include <saltus/operators/blocks/element_couplings.h>
#include <saltus/operators/blocks/element_kernels.h>

#include <atomic>
#include <gtest/gtest.h>
#include <type_traits>

using namespace Saltus;

TEST(LargeCounts, RangesOfThreads)
{
  for (const std::size_t n : {std::size_t(0),
                              std::size_t(1),
                              std::size_t(7),
                              std::size_t(3000000000),
                              (std::size_t(1) << 40) + 3})
    {
      std::atomic<std::size_t> total{0}, largest{0};
      parallel_for(n, [&](const std::size_t begin, const std::size_t end) {
        EXPECT_LE(begin, end);
        EXPECT_LE(end, n);
        total += end - begin;
        std::size_t seen = largest;
        while (seen < end && !largest.compare_exchange_weak(seen, end))
          ;
      });
      EXPECT_EQ(total, n);
      EXPECT_EQ(largest, n);
    }
}

TEST(LargeCounts, PositionsOfCoefficients)
{
  // The last of 2^30 elements, as many modes as degree 6 has on tetrahedra
  const int         element = (1 << 30) - 1, n_modes = 84, n_components = 5;
  const std::size_t all = (std::size_t(1) << 30) * n_modes * n_components;
  EXPECT_EQ(point_index(element, n_modes - 1, n_modes, n_components), all - n_components);
  EXPECT_EQ(ElementOperation::position(element / 32, n_modes - 1, n_modes, 31),
            all / n_components - 1);
  const VectorLayout layout{Device::cpu(), 1U << 30, n_modes, n_components};
  EXPECT_EQ(layout.coefficients().index(element, n_modes - 1), all - n_components);
  EXPECT_EQ(layout.array_size(), all);
}

TEST(LargeCounts, SizesOfVectorsAndMatrices)
{
  EXPECT_TRUE((std::is_same<decltype(Saltus::Vector<double>().size()), std::size_t>::value));
  EXPECT_TRUE(
    (std::is_same<decltype(CompressedRows().row_starts)::value_type, std::size_t>::value));
  const std::size_t many = std::size_t(1) << 31;
  EXPECT_NO_THROW(CompressedRows::check_32_bit(many - 1, many - 1, many - 1, "matrix"));
  EXPECT_THROW(CompressedRows::check_32_bit(many, 1, 1, "matrix"), dealii::ExceptionBase);
  EXPECT_THROW(CompressedRows::check_32_bit(1, many, 1, "matrix"), dealii::ExceptionBase);
  EXPECT_THROW(CompressedRows::check_32_bit(1, 1, many, "matrix"), dealii::ExceptionBase);
}

TEST(LargeCounts, BlocksOfCouplings)
{
  ElementCouplings<double> couplings;
  couplings.n_elements  = 1U << 30;
  couplings.n_couplings = 5;
  couplings.n_modes     = 4;
  const auto first      = reinterpret_cast<std::uintptr_t>(couplings.block(0, 0));
  const auto last       = reinterpret_cast<std::uintptr_t>(couplings.block((1U << 30) - 1, 4));
  EXPECT_EQ((last - first) / sizeof(double), ((std::size_t(1) << 30) * 5 - 1) * 16);
}
