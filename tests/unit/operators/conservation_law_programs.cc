// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The GPU kernels of conservation laws compile, which needs no GPU: each form of the stage and of
// second-order fluxes once.
#include <saltus/operators/conservation_law/kernels/gpu_kernels.h>
#include <saltus/operators/conservation_law/kernels/second_order_terms.h>
#include <saltus/operators/spaces/table_memory.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include <helpers/gpu_programs.h>

using namespace Saltus;

namespace
{
  constexpr auto simplex = ElementShape::simplex, hypercube = ElementShape::hypercube;
  constexpr auto affine = GeometryKind::affine, stored = GeometryKind::stored;

  class LawPrograms : public Tests::GpuPrograms
  {};

  /// Compile the kernels of a stage.
  /// @param change of the arguments, which choose the form
  template <typename Law, typename Number, typename Change>
  void
  compile(const ElementShape shape,
          const GeometryKind kind,
          const unsigned int degree,
          const bool         second_order,
          const Change      &change)
  {
    constexpr int                     dim   = Law::dimension;
    const bool                        cubes = shape == hypercube;
    const auto                        cell  = cubes ? dealii::ReferenceCells::get_hypercube<dim>()
                                                    : dealii::ReferenceCells::get_simplex<dim>();
    const bool                        more  = second_order && !cubes;
    const ReferenceElement<dim>       reference(degree,
                                          more ? second_order_volume_degree(degree) : 2 * degree,
                                          more ? second_order_face_degree(degree) : 2 * degree + 1,
                                          cell);
    const TableMemory<Number>         host(reference, Device::cpu());
    SecondOrderArguments<Law, Number> arg{};
    arg.mesh.shape = shape;
    arg.mesh.kind  = kind;
    arg.tables     = host.arrays();
    change(arg);
    if (second_order)
      GpuSecondOrder<Law, Number>(host.arrays(), shape, kind, degree).prepare(arg);
    else
      GpuConservationLaw<Law, Number>(host.arrays(), shape, kind, degree).prepare(arg);
  }

  /// No change.
  const auto as_it_is = [](auto &) {};
  /// Curved simplices with the arrays of a fast form.
  const auto with_modes = [](auto &arg) {
    static const double number       = 0;
    arg.stored.metric_modes          = &number;
    arg.stored.groups                = &number;
    arg.stored.modes_are_of_tangents = true;
    arg.stored.has_face_frames       = true;
  };
} // namespace

INSTANTIATE_TEST_SUITE_P(Architectures,
                         LawPrograms,
                         testing::Values(75, 90),
                         testing::PrintToStringParamName());

TEST_P(LawPrograms, Compile)
{
  using Gas2 = Euler<2>;
  using Gas3 = Euler<3>;
  compile<Gas2, double>(simplex, affine, 1, false, as_it_is);
  compile<Gas3, double>(simplex, affine, 2, false, as_it_is);
  EXPECT_NO_THROW(KernelCompiler::wait_for_all());
  if (GetParam() < 90) // without tensor cores for double precision
    return;
  compile<Gas2, double>(simplex, affine, 3, false, as_it_is);
  compile<Gas2, double>(simplex, stored, 3, false, with_modes);
  compile<Gas2, float>(simplex, affine, 3, false, as_it_is);
  compile<Gas3, double>(simplex, stored, 3, false, with_modes);
  compile<Gas2, double>(hypercube, affine, 2, false, as_it_is);
  compile<Gas3, double>(hypercube, stored, 2, false, [](auto &arg) { arg.hanging.n_faces = 1; });
  compile<Advection<2>, double>(simplex, affine, 2, false, as_it_is);
  compile<Gas2, double>(simplex, affine, 1, true, as_it_is);
  compile<Gas2, double>(simplex, stored, 3, true, with_modes);
  compile<Gas2, double>(hypercube, affine, 2, true, as_it_is);
  compile<Advection<2>, double>(simplex, affine, 1, true, as_it_is);
  EXPECT_NO_THROW(KernelCompiler::wait_for_all());
}
