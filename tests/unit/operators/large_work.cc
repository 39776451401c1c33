// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Work for more numbers than 32 bits count, without the memory.
#include <saltus/base/device/launch.h>
#include <saltus/io/files/estimate_table.h>
#include <saltus/io/files/solver_table.h>
#include <saltus/io/results/error_table.h>
#include <saltus/operators/spaces/adaption_work.h>
#include <saltus/operators/spaces/vertex_work.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <sstream>
#include <type_traits>
#include <vector>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Work whose numbers have few bits.
  struct Mark
  {
    void
    operator()(const unsigned char i) const
    {
      ++marks[i];
    }

    int *marks;
  };

  template <typename Work>
  constexpr bool counts_beyond_32_bits =
    std::is_same<typename WorkIndex<Work>::type, std::size_t>::value;
} // namespace

TEST(LargeWork, IsRefusedWhereNumbersAreTooSmall)
{
  std::vector<int> marks(256, 0);
  launch(Device::cpu(), 255, Mark{marks.data()});
  for (unsigned int i = 0; i < 256; ++i)
    EXPECT_EQ(marks[i], i < 255 ? 1 : 0);
  // As 2^32 is in a count of 32 bits, 256 is 0 in one of 8.
  EXPECT_MESSAGE(launch(Device::cpu(), 256, Mark{marks.data()}), "has work for 256 numbers");
  EXPECT_MESSAGE(launch(Device::cpu(), 257, Mark{marks.data()}), "Use more ranks.");
}

TEST(LargeWork, ModesAndPointsOfAllElementsAreCounted)
{
  EXPECT_TRUE(counts_beyond_32_bits<PackElements<double>>);
  EXPECT_TRUE(counts_beyond_32_bits<AdaptElements<double>>);
  EXPECT_TRUE(counts_beyond_32_bits<MultiplyByDeterminants<double>>);
  EXPECT_TRUE(counts_beyond_32_bits<KeepIntegrals<double>>);
  EXPECT_TRUE(counts_beyond_32_bits<BetweenVertices<double>>);
}

TEST(LargeWork, TablesShowLargeCounts)
{
  const std::uint64_t n = 6000000000;
  std::ostringstream  text;
  ErrorTable          errors({"L2"});
  errors.add(0, n + 1, n + 2, {1.});
  errors.print(text, 3);
  EXPECT_TRUE(contains(text.str(), "6000000001"));
  EXPECT_TRUE(contains(text.str(), "6000000002"));

  text.str("");
  SolverTable iterations;
  iterations.add({n + 3, 10, 1., 1., 1e-8});
  iterations.print(text);
  EXPECT_TRUE(contains(text.str(), "6000000003"));

  text.str("");
  EstimateTable estimates;
  estimates.add({n + 4, 1, 2, n + 5, 1., {}});
  estimates.print(text);
  EXPECT_TRUE(contains(text.str(), "6000000004"));
  EXPECT_TRUE(contains(text.str(), "6000000005"));
}
