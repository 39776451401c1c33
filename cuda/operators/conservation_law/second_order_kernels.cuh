// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_kernels_cuh
#define saltus_cuda_operators_conservation_law_second_order_kernels_cuh

// What adds second-order fluxes, those of artificial viscosity included, for .cu files that hold
// nothing but SALTUS_INSTANTIATE_CUDA_SECOND_ORDER lines, see conservation_law_kernels.cuh.

#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/conservation_law/kernels/second_order_element.h>
#include <saltus/operators/conservation_law/kernels/second_order_hanging.h>

#include <cuda/operators/conservation_law/registration.cuh>
#include <cuda/operators/conservation_law/second_order_columns.cuh>
#include <cuda/operators/conservation_law/second_order_tensor.cuh>
#include <cuda/operators/conservation_law/second_order_thread.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <type_traits>

namespace Saltus::CudaKernels
{
  /// The fastest form for simplices that @p host fits.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  SecondOrderKernels<Law, Number> *
  make_second_order_of_simplices(const ElementTables<Number> &host)
  {
    if constexpr (HasSecondOrderFlux<Law>::value && std::is_same_v<Number, double>)
      {
        using Fast             = std::conditional_t<has_second_order_thread<Law, degree>(),
                                        SecondOrderThreadLauncher<Law, degree, kind>,
                                        SecondOrderLauncher<Law, degree, kind>>;
        const char *const lack = Fast::lack();
        if (lack != nullptr)
          return new GeneralSecondOrder<Law, Number, degree, kind>(lack);
        if (Fast::fits(host))
          return new Fast(host);
      }
    return new GeneralSecondOrder<Law, Number, degree, kind>;
  }

  template <GeometryKind kind, ElementShape shape, typename Law, typename Number>
  SecondOrderKernels<Law, Number> *
  make_second_order(const ElementTables<Number> &host, const int wanted)
  {
    constexpr int n_degrees = max_degree(shape, Law::dimension);
    if constexpr (check_law<Law>())
      return make_for_degree<n_degrees>(
        wanted, [&](const auto number) -> SecondOrderKernels<Law, Number> * {
          constexpr int degree = decltype(number)::value;
          if constexpr (shape == ElementShape::hypercube)
            return new SecondOrderColumnsLauncher<Law, Number, degree, kind>(host);
          else
            return make_second_order_of_simplices<Law, Number, degree, kind>(host);
        });
    else
      return nullptr;
  }

  template <GeometryKind kind, ElementShape shape, typename Law, typename Number>
  void
  register_second_order_of()
  {
    // Degree 0 has no gradients.
    KernelRegistry<SecondOrderKernels<Law, Number>, kind, shape>::cuda = {
      &make_second_order<kind, shape, Law, Number>, 1, max_degree(shape, Law::dimension)};
  }

  template <typename Law, typename Number>
  bool
  register_second_order()
  {
    constexpr auto affine = GeometryKind::affine, stored = GeometryKind::stored;
    constexpr auto simplex = ElementShape::simplex, hypercube = ElementShape::hypercube;
    register_second_order_of<affine, simplex, Law, Number>();
    register_second_order_of<stored, simplex, Law, Number>();
    register_second_order_of<affine, hypercube, Law, Number>();
    register_second_order_of<stored, hypercube, Law, Number>();
    if constexpr (check_law<Law>())
      return SecondOrderHangingWork<Law, Number>::template enrol<CudaThreads<>>();
    return true;
  }
} // namespace Saltus::CudaKernels

/// Compile the CUDA kernels of second-order fluxes of a law in one precision.
#define SALTUS_INSTANTIATE_CUDA_SECOND_ORDER(Number, ...) \
  SALTUS_REGISTER_CUDA(register_second_order, Number, __VA_ARGS__)

#endif
