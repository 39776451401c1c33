// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The GPU kernels of the Laplace operator compile, which needs no GPU: each form once.
#include <saltus/operators/elliptic/kernels/gpu_laplace.h>
#include <saltus/operators/spaces/table_memory.h>

#include <helpers/gpu_programs.h>

using namespace Saltus;

namespace
{
  constexpr auto affine = GeometryKind::affine, stored = GeometryKind::stored;

  const double           number[1]   = {0};
  const EllipticBoundary no_kinds[1] = {};

  class LaplacePrograms : public Tests::GpuPrograms
  {};

  /// Arguments of a product with the whole matrix, with the arrays of the fast forms.
  template <typename Number>
  LaplaceArguments<Number>
  whole(const bool has_robin = false)
  {
    LaplaceArguments<Number> arg{};
    arg.stiffness           = reinterpret_cast<const Number *>(number);
    arg.pointwise.map_modes = reinterpret_cast<const Number *>(number);
    arg.kinds               = no_kinds;
    arg.has_robin           = has_robin;
    return arg;
  }

  template <int dim, typename Number, int n_components = 1>
  void
  compile_affine(const int degree)
  {
    GpuLaplace<dim, Number, n_components>(degree).prepare(whole<Number>(true));
  }

  template <int dim, typename Number, int n_components = 1>
  void
  compile_curved(const int degree)
  {
    const ReferenceElement<dim> reference(degree,
                                          curved_form_degree(dim, degree, degree),
                                          2 * degree);
    const TableMemory<Number>   host(reference, Device::cpu());
    GpuCurvedLaplace<dim, Number, n_components>(host.arrays(), degree).prepare(whole<Number>());
  }

  template <int dim, typename Number, int n_components = 1>
  void
  compile_hypercubes(const GeometryKind kind, const int degree)
  {
    GpuHypercubeLaplace<dim, Number, n_components>(kind, degree).prepare(whole<Number>());
  }
} // namespace

INSTANTIATE_TEST_SUITE_P(Architectures,
                         LaplacePrograms,
                         testing::Values(75, 90),
                         testing::PrintToStringParamName());

TEST_P(LaplacePrograms, OfSimplices)
{
  if (GetParam() < 90) // without tensor cores for double precision
    compile_curved<2, double, 2>(4);
  else
    {
      compile_affine<2, double>(3);
      compile_affine<3, double>(5);
      compile_affine<2, double, 2>(2);
      compile_curved<2, double>(2);
      compile_curved<3, double>(1);
      compile_curved<3, float, 3>(2);
    }
  EXPECT_NO_THROW(KernelCompiler::wait_for_all());
}

TEST_P(LaplacePrograms, OfHypercubes)
{
  if (GetParam() < 90) // with too little shared memory for planes
    compile_hypercubes<3, double, 3>(stored, 5);
  else
    {
      compile_hypercubes<2, double, 2>(affine, 2);
      compile_hypercubes<2, float>(affine, 5);
      compile_hypercubes<3, double, 3>(affine, 3);
      compile_hypercubes<3, double, 3>(stored, 1);
      compile_hypercubes<2, double, 2>(stored, 4);
    }
  EXPECT_NO_THROW(KernelCompiler::wait_for_all());
}
