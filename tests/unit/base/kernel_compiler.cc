// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The compiler of GPU kernels, which needs no GPU. The kernels of operators have tests beside their
// operators.
#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/nvrtc.h>

#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

using namespace Saltus;

namespace
{
  /// A program of a header that only this test has.
  KernelSource
  program(const std::string &name, const std::string &body, const std::size_t size_of_int = 4)
  {
    add_device_header("tests/" + name + ".h",
                      "#include <saltus/base/device/launch_shape.h>\nstruct " + name +
                        "\n{\n  static constexpr Saltus::LaunchShape shape{64, 64};\n"
                        "  static __device__ void run(const int n, double *const x)\n  {\n    " +
                        body + "\n  }\n};\n");
    return {name, {{"int", size_of_int}, KernelSource::Argument::of<double *>()}, {}};
  }

  std::string
  message_of(const KernelSource &source)
  {
    try
      {
        KernelCompiler::compile(source, GpuLimits::of(90)).get();
      }
    catch (const std::runtime_error &error)
      {
        return error.what();
      }
    return "";
  }

  class KernelCompilers : public testing::Test
  {
  protected:
    void
    SetUp() override
    {
      if (std::string reason; !Nvrtc::is_available(reason))
        GTEST_SKIP() << reason;
    }
  };
} // namespace

TEST_F(KernelCompilers, MakeCodeForEachArchitecture)
{
  const KernelSource source = program("Doubled", "if (threadIdx.x < n) x[threadIdx.x] *= 2;");
  for (const int architecture : {75, 80, 90, 120})
    EXPECT_GT(KernelCompiler::compile(source, GpuLimits::of(architecture)).get().size(), 1000u);
  const auto ptx = KernelCompiler::compile(source, GpuLimits::of(999)).get();
  EXPECT_NE(std::string(ptx.data()).find(".target sm_"), std::string::npos);
}

TEST_F(KernelCompilers, CompileEachSourceOnce)
{
  const KernelSource source = program("Halved", "x[0] /= 2;");
  KernelCompiler::compile(source, GpuLimits::of(90)).get();
  const auto before = KernelCompiler::report();
  KernelCompiler::compile(source, GpuLimits::of(90)).get();
  const auto after = KernelCompiler::report();
  EXPECT_EQ(before.n_compiled + before.n_read, after.n_compiled + after.n_read);
}

/// A process may end while compilations run.
TEST_F(KernelCompilers, MayRunAtTheEndOfTheProcess)
{
  const auto end = []() {
    const std::string is_new = "/* " + std::to_string(getpid()) + " */";
    for (const char *const name : {"First", "Second", "Third"})
      KernelCompiler::compile(program(name,
                                      is_new +
                                        "\n#pragma unroll\n"
                                        "for (int i = 0; i < 100; ++i) x[i] = sin(x[i + n]);"),
                              GpuLimits::of(90));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

/// A message shows the line of the user's header.
TEST_F(KernelCompilers, ShowErrors)
{
  const std::string message = message_of(program("Wrong", "x[0] = no_such_name;"));
  EXPECT_NE(message.find("tests/Wrong.h(7)"), std::string::npos) << message;
  EXPECT_NE(message.find("no_such_name"), std::string::npos) << message;
}

TEST_F(KernelCompilers, CompareSizesOfHostAndDevice)
{
  const std::string message = message_of(program("Sizes", "x[0] = n;", 8));
  EXPECT_NE(message.find("The host and the device differ in the size of int"), std::string::npos)
    << message;
}

TEST(GpuLimits, AreThoseOfTheArchitectures)
{
  EXPECT_EQ(GpuLimits::of(75).shared_memory, 64 << 10);
  EXPECT_EQ(GpuLimits::of(80).shared_memory, 163 << 10);
  EXPECT_EQ(GpuLimits::of(89).shared_memory, 99 << 10);
  EXPECT_EQ(GpuLimits::of(90).shared_memory, 227 << 10);
  EXPECT_EQ(GpuLimits::of(120).shared_memory, 99 << 10);
  EXPECT_TRUE(GpuLimits::of(90).has_double_tensor_cores);
  EXPECT_FALSE(GpuLimits::of(89).has_double_tensor_cores);
}

TEST(KernelSources, NameTypesAsCodeDoes)
{
  EXPECT_EQ(type_name<double *>(), "double*");
  EXPECT_EQ(instance_name("Program", {"int", cpp_value(true)}),
            "Saltus::CudaKernels::Program<int, (bool)1>");
  EXPECT_EQ(hash_of(""), "6c62272e07bb014262b821756295c58d"); // of FNV-1a's definition
  EXPECT_EQ(hash_of("a"), "d228cb696f1a8caf78912b704e4a8964");
}
