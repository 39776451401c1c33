// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The GPU kernels of incompressible flows compile, which needs no GPU: each form once.
#include <saltus/operators/flow/kernels/flow_element.h>
#include <saltus/operators/flow/kernels/slip_wall.h>
#include <saltus/operators/flow/kernels/stabilization_element.h>
#include <saltus/operators/spaces/table_memory.h>

#include <helpers/gpu_programs.h>
#include <memory>

using namespace Saltus;

namespace
{
  constexpr auto simplex = ElementShape::simplex, hypercube = ElementShape::hypercube;
  constexpr auto affine = GeometryKind::affine, stored = GeometryKind::stored;

  class FlowPrograms : public Tests::GpuPrograms
  {};

  /// Compile the kernels of a family.
  template <typename Family, ElementShape shape, GeometryKind kind>
  void
  compile(const unsigned int degree, const unsigned int quadrature_degree)
  {
    using Kernels = RangeKernels<typename Family::Arguments>;
    using dealii::ReferenceCells::get_hypercube, dealii::ReferenceCells::get_simplex;
    constexpr int                  dim = Family::dim;
    const ReferenceElement<dim>    reference(degree,
                                          quadrature_degree,
                                          quadrature_degree,
                                          shape == simplex ? get_simplex<dim>()
                                                              : get_hypercube<dim>());
    const TableMemory<double>      host(reference, Device::cpu());
    const std::unique_ptr<Kernels> kernels(
      KernelRegistry<Kernels, kind, shape>::cuda.make(host.arrays(), degree));
    kernels->prepare({});
  }
} // namespace

INSTANTIATE_TEST_SUITE_P(Architectures,
                         FlowPrograms,
                         testing::Values(75, 90),
                         testing::PrintToStringParamName());

TEST_P(FlowPrograms, Compile)
{
  using Convection2   = FlowFamily<Convection<2, true>, double>;
  using Convection3   = FlowFamily<Convection<3, true>, double>;
  using Stabilization = StabilizationFamily<2, double>;
  compile<Convection2, simplex, affine>(2, 6);
  compile<Stabilization, simplex, affine>(2, 4);
  if (GetParam() < 90) // with less shared memory
    compile<Convection3, hypercube, stored>(5, 15);
  else
    {
      compile<FlowFamily<PressureGradient<2>, double>, simplex, affine>(1, 2);
      compile<FlowFamily<VelocityDivergence<2>, double>, simplex, stored>(2, 4);
      compile<Convection2, hypercube, affine>(2, 6);
      compile<Convection2, hypercube, stored>(1, 4);
      compile<Stabilization, hypercube, stored>(1, 2);
      compile<SlipWallFamily<2, double>, hypercube, affine>(1, 2);
    }
  EXPECT_NO_THROW(KernelCompiler::wait_for_all());
}
