// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/pack.h>
#include <saltus/base/device/threads.h>

#include <applications/throughput/multiply_adds.h>

namespace
{
  constexpr int n_ranges = 64, n_steps = 100000;
  /// Enough to hide the latency of a multiply-add on two units.
  constexpr int n_chains = 10;

  template <typename Number>
  double
  run()
  {
    constexpr int width = Saltus::vector_bytes / sizeof(Number);
    using T             = Saltus::Pack<Number, width>;
    Saltus::parallel_for(n_ranges, [](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        {
          T values[n_chains];
          for (int chain = 0; chain < n_chains; ++chain)
            values[chain] = T(Number(chain + i));
          const T factor(Number(0.999999)), shift(Number(1e-6));
          for (int step = 0; step < n_steps; ++step)
            for (int chain = 0; chain < n_chains; ++chain)
              values[chain] = values[chain] * factor + shift;
          // The compiler must believe that somebody wants the result.
          asm volatile("" : : "m"(values) : "memory");
        }
    });
    return 2. * n_ranges * n_steps * n_chains * width;
  }

  [[maybe_unused]] const bool registered = [] {
    Saltus::Throughput::MultiplyAddsRegistry<double>::cpu[SALTUS_ISA_LEVEL] = &run<double>;
    Saltus::Throughput::MultiplyAddsRegistry<float>::cpu[SALTUS_ISA_LEVEL]  = &run<float>;
    return true;
  }();
} // namespace
