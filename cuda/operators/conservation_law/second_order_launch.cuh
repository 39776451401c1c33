// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_launch_cuh
#define saltus_cuda_operators_conservation_law_second_order_launch_cuh

// What the fast forms of SecondOrderElement have in common.

#include <saltus/operators/conservation_law/kernels/second_order_element.h>
#include <saltus/operators/conservation_law/kernels/second_order_terms.h>

#include <algorithm>
#include <cuda/base/device/early_launch.cuh>
#include <cuda/operators/conservation_law/second_order_boundary.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <type_traits>

namespace Saltus::CudaKernels
{
  /// On simplices of one degree, with any quadrature: a thread an element.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  class GeneralSecondOrder : public SecondOrderKernels<Law, Number>
  {
    using Tables = DegreeTables<Law::dimension, Number, degree>;

  public:
    /// @param lack see fallback()
    explicit GeneralSecondOrder(const char *lack = nullptr)
      : lack(lack)
    {}

    const char *
    fallback() const override
    {
      return lack;
    }

    void
    apply(const SecondOrderArguments<Law, Number> &arg) const override
    {
      if (arg.mesh.begin == arg.mesh.end)
        return;
      run_element_threads<SecondOrderElement<kind, Law, Number, Number, 1, Tables>, Tables>(arg);
      CudaRuntime::check_launch("second-order flux");
    }

  private:
    const char *const lack;
  };

  /// `body(artificial, varies)` with constants, see SecondOrderTerms, of those that @p arg asks
  /// for.
  template <typename Law, typename Body>
  void
  with_second_order_terms(const SecondOrderArguments<Law, double> &arg, const Body &body)
  {
    if (arg.viscosities.exist())
      body(std::true_type(), std::true_type());
    else if (arg.law.diffusion_varies())
      body(std::false_type(), std::true_type());
    else
      body(std::false_type(), std::false_type());
  }

  /// The same of all that there are.
  template <typename Body>
  void
  for_second_order_terms(const Body &body)
  {
    body(std::true_type(), std::true_type());
    body(std::false_type(), std::true_type());
    body(std::false_type(), std::false_type());
  }

  /// The most shared memory of a block that one of them needs, in bytes.
  template <template <bool artificial, bool varies> typename Form>
  int
  largest_shared_memory()
  {
    int result = 0;
    for_second_order_terms([&](const auto artificial, const auto varies) {
      result = std::max<int>(result, Form<artificial, varies>::shared_bytes);
    });
    return result;
  }

  /// Launch one of them, if there are elements.
  template <typename Arguments, typename Tables>
  void
  launch_second_order(void (*kernel)(Arguments, Tables),
                      const int        n_blocks,
                      const int        n_threads,
                      const int        shared_bytes,
                      const Arguments &arg,
                      const Tables    &tables)
  {
    if (arg.mesh.begin == arg.mesh.end)
      return;
    if (arg.launch.may_begin_early())
      CudaRuntime::launch_early(kernel, n_blocks, n_threads, shared_bytes, arg, tables);
    else
      kernel<<<n_blocks, n_threads, shared_bytes, CudaRuntime::stream()>>>(arg, tables);
    CudaRuntime::check_launch("second-order flux");
  }
} // namespace Saltus::CudaKernels

#endif
