// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "multiply_adds.h"

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/instruction_set.h>
#include <saltus/base/device/launch.h>

namespace Saltus::Throughput
{
  namespace
  {
    constexpr int n_blocks = 132 * 16, n_steps = 2000;
    /// Chains of a thread; of tensor cores half as many, each as long as two others.
    constexpr int n_chains = 8, n_chains_of_matrices = n_chains / 2;

    template <typename Number>
    KernelSource
    source_of_numbers()
    {
      return {instance_name("MultiplyAddProgram",
                            {type_name<Number>(), cpp_value(n_chains), cpp_value(n_steps)}),
              {KernelSource::Argument::of<Number>(),
               KernelSource::Argument::of<Number>(),
               KernelSource::Argument::of<Number *>()}};
    }

    KernelSource
    source_of_matrices()
    {
      return {instance_name("MatrixMultiplyAddProgram",
                            {cpp_value(n_chains_of_matrices), cpp_value(n_steps)}),
              {KernelSource::Argument::of<double>(), KernelSource::Argument::of<double *>()}};
    }
  } // namespace

  template <typename Number>
  double
  multiply_adds(const Device device)
  {
    if (!device.is_cuda())
      {
        const auto run = MultiplyAddsRegistry<Number>::cpu[instruction_set_level()];
        return run == nullptr ? 0 : run();
      }
    Number *const    sink   = nullptr; // never written
    const GpuKernel &kernel = kernel_on<source_of_numbers<Number>>(device.ordinal());
    kernel.launch(n_blocks, {}, Number(0.999999), Number(1e-6), sink);
    return 2. * n_chains * n_steps * kernel.shape().n_threads * n_blocks;
  }

  template <>
  double
  multiply_adds<TensorCores>(const Device device)
  {
    if (!device.is_cuda() || !CudaRuntime::limits(device.ordinal()).has_double_tensor_cores)
      return 0;
    double *const    sink   = nullptr; // never written
    const GpuKernel &kernel = kernel_on<source_of_matrices>(device.ordinal());
    kernel.launch(n_blocks, {}, 1e-3, sink);
    // A warp multiplies matrices of 16 x 8 and 8 x 8 numbers.
    return 2. * 16 * 8 * 8 * n_chains_of_matrices * n_steps * (kernel.shape().n_threads / 32) *
           n_blocks;
  }

  template double
  multiply_adds<double>(const Device);
  template double
  multiply_adds<float>(const Device);
} // namespace Saltus::Throughput
