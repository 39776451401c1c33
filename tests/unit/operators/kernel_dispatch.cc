// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What is chosen from the table of compiled kernels, and what is said when nothing fits.
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Compiled for degrees 1 to 3, unrolled for one number of points.
  class TestKernels : public KernelSet
  {
  public:
    using value_type = double;

    explicit TestKernels(const bool general)
      : general(general)
    {}

    const char *
    fallback() const override
    {
      return general ? "there are other points" : nullptr;
    }

    const bool general;
  };

  TestKernels *
  make(const ElementTables<double> &tables, const int)
  {
    return new TestKernels(tables.n_volume_points > 4);
  }

  std::unique_ptr<TestKernels>
  dispatch(const unsigned int degree, const unsigned int volume_degree)
  {
    KernelRegistry<TestKernels>::cpu[instruction_set_level()] = {&make, 1, 3};
    const ReferenceElement<2> reference(degree, volume_degree, 2);
    return make_kernels<TestKernels>(reference, Device::cpu(), "test");
  }
} // namespace

TEST(KernelDispatch, TakesTheFastest)
{
  testing::internal::CaptureStderr();
  EXPECT_FALSE(dispatch(2, 2)->general);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(KernelDispatch, ReportsAFallback)
{
  testing::internal::CaptureStderr();
  EXPECT_TRUE(dispatch(2, 4)->general);
  EXPECT_TRUE(dispatch(2, 4)->general);
  const std::string text    = testing::internal::GetCapturedStderr();
  const std::string message = "the CPU kernels of the test operator in 2D with degree 2 are "
                              "slower: there are other points";
  const std::size_t first   = text.find(message);
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find(message, first + 1), std::string::npos) << "said twice: " << text;
}

/// Ranges have the kernels of their shape and kind; what a mesh does not have need not be compiled.
TEST(KernelDispatch, ByShapeAndKind)
{
  const auto level = instruction_set_level();
  const auto set   = [](auto &back_end, TestKernels *(*make)(const ElementTables<double> &, int)) {
    back_end = {make, 1, 3};
  };
  const auto fastest  = [](const ElementTables<double> &, int) { return new TestKernels(false); };
  const auto slower   = [](const ElementTables<double> &, int) { return new TestKernels(true); };
  constexpr auto kind = GeometryKind::stored;
  set(KernelRegistry<TestKernels>::cpu[level], fastest);
  set(KernelRegistry<TestKernels, kind, ElementShape::hypercube>::cpu[level], slower);

  const ReferenceElement<2> reference(1, 2, 2);
  const ElementRange        affine, stored{ElementShape::simplex, kind},
    curved_quadrilaterals{ElementShape::hypercube, kind};
  KernelsOfRanges<TestKernels> kernels;
  kernels.reinit({affine, curved_quadrilaterals}, reference, Device::cpu(), "test");
  EXPECT_FALSE(kernels[affine].general);
  EXPECT_TRUE(kernels[curved_quadrilaterals].general);
  const std::string message =
    message_of([&]() { kernels.reinit({stored}, reference, Device::cpu(), "test"); });
  EXPECT_TRUE(contains(message, "in 2D for elements of any geometry")) << message;
}

TEST(KernelDispatch, NamesTheDegrees)
{
  for (const unsigned int degree : {0, 4})
    EXPECT_MESSAGE(dispatch(degree, 2),
                   "with degree " + std::to_string(degree) + ", only with 1 to 3.");
}
