// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The GPU programs of launch() are compiled without a GPU: one work of each header with works, and
// each form of works with programs of their own.
#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/algebra/sparse_product.h>
#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/nvrtc.h>
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/blocks/line_sweep.h>
#include <saltus/operators/conservation_law/kernels/hanging_fluxes.h>
#include <saltus/operators/conservation_law/kernels/second_order_hanging.h>
#include <saltus/operators/elliptic/kernels/hanging_terms.h>
#include <saltus/operators/elliptic/kernels/mixed_face_work.h>
#include <saltus/operators/flow/kernels/flow_element_operations.h>
#include <saltus/operators/flow/kernels/hanging_flow.h>
#include <saltus/operators/flow/kernels/mixed_jumps.h>
#include <saltus/operators/polytopic/kernels/coordinate_pieces.h>
#include <saltus/operators/polytopic/kernels/polytopic_records.h>
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>
#include <saltus/operators/polytopic/kernels/prism_pieces.h>
#include <saltus/operators/polytopic/kernels/simplex_points.h>
#include <saltus/operators/polytopic/kernels/space_time_records.h>
#include <saltus/operators/spaces/adaption_work.h>
#include <saltus/operators/spaces/ghost_arrays.h>
#include <saltus/operators/spaces/mixed_traces.h>
#include <saltus/operators/spaces/step_size.h>
#include <saltus/operators/spaces/vertex_work.h>
#include <saltus/physics/euler.h>

#include <gtest/gtest.h>
#include <string>

using namespace Saltus;

namespace
{
  template <typename Work>
  class WorkPrograms : public testing::Test
  {};

  using Works = testing::Types<InvertDiagonalBlocks,
                               ElementOperation::Round<float>,
                               ElementOperation::Scale<double, ElementOperation::ComponentRows>,
                               ElementOperation::MeanSpeed<2, double>,
                               LargerFluxes<Euler<2>, double>,
                               SecondOrderOnParts<Euler<2>, double>,
                               LargerSums<3, float>,
                               MixedFaceSums<2, double>,
                               MixedJumpPoints<2, double>,
                               ProjectedFluxes<JumpFlux<2, double>>,
                               HighestDegrees,
                               MakeScales<2>,
                               MarkNewKeys,
                               CountPrismCells,
                               FirstOfElements<2, std::size_t>,
                               TakeTrace<2>,
                               PackElements<double>,
                               PackGhosts<double>,
                               ReceivedTraces<double>,
                               ShortestStep,
                               LargestOfRanks<float>>;
} // namespace

TYPED_TEST_SUITE(WorkPrograms, Works, );

TYPED_TEST(WorkPrograms, Compile)
{
  if (std::string reason; !Nvrtc::is_available(reason))
    GTEST_SKIP() << reason;
  KernelCompiler::compile(source_of_work<TypeParam>(), GpuLimits::of(90));
  EXPECT_NO_THROW(KernelCompiler::wait_for_all());
}

namespace
{
  /// Begins to compile the kernels that launch() would launch.
  struct Compile
  {
    template <typename Work, typename... Values>
    void
    operator()(const char *program, const std::size_t n, const Work &, const Values... values) const
    {
      if (n > 0)
        KernelCompiler::compile(source_of_work<Work>(program, values...),
                                GpuLimits::of(architecture));
    }

    template <typename Work>
    void
    operator()(const std::size_t n, const Work &work) const
    {
      (*this)(program_of_work<Work>(), n, work);
    }

    int architecture;
  };

  template <typename Work>
  void
  compile(const Work &work, const int architecture = 90)
  {
    launch_on_gpu(1, work, Compile{architecture}, 0);
  }

  template <int dim>
  AssembleRows<dim>
  rows_of_degree(const int degree, const LegendreFamily family = LegendreFamily::total)
  {
    AssembleRows<dim> rows;
    rows.elements.family = family;
    for (int p = degree + 1; p <= max_legendre_degree + 1; ++p)
      rows.by_degree.starts[p] = 1;
    return rows;
  }
} // namespace

TEST(OwnPrograms, Compile)
{
  if (std::string reason; !Nvrtc::is_available(reason))
    GTEST_SKIP() << reason;
  compile(rows_of_degree<2>(2)); // by tensor cores
  compile(rows_of_degree<3>(4));
  compile(rows_of_degree<3>(1, LegendreFamily::tensor)); // without them
  compile(rows_of_degree<2>(1), 75);
  compile(LoadRows<2>());
  for (const int n_modes : {3, 45})
    compile(LineSweep<float>{n_modes});
  ElementOperation::MultiplyRounded<float> multiply{};
  for (const int n_rows : {6, 35})
    {
      multiply.rows = {n_rows};
      compile(multiply);
    }
  ElementOperation::MultiplyRoundedComponents<float> multiply_components{};
  multiply_components.n_modes    = 6;
  multiply_components.n_selected = 2;
  compile(multiply_components);
  compile(BlockProduct<double>{});
  compile(BlockProduct<float>{});
  SparseProduct<float, RowSum::Combine<float>> combine{};
  combine.matrix.n_nonzeros = 30; // many threads a row
  compile(combine);
  compile(SparseProduct<double, RowSum::Smooth<double>>{});
  EXPECT_NO_THROW(KernelCompiler::wait_for_all());
}
