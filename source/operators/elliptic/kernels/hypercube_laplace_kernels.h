// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_hypercube_laplace_kernels_h
#define saltus_source_operators_elliptic_kernels_hypercube_laplace_kernels_h

// Kernels of the Laplace operator on quadrilaterals and hexahedra for one set of vector
// instructions.
#include <saltus/operators/spaces/hypercube_tables.h>

#include "hypercube_laplace_tile.h"
#include "quadrature_laplace.h"

namespace
{
  using namespace Saltus;

  /// Of quadrilaterals or hexahedra with the points of their basis. Of several components all of
  /// the operator is applied, with constants as coefficients: general kernels are for one alone.
  template <GeometryKind kind, int dim, typename Number, int degree, int n_components>
  class CpuHypercubeKernels : public LaplaceKernels<dim, Number, n_components>
  {
    static constexpr int width = vector_bytes / sizeof(Number);
    using T                    = Pack<Number, width>;
    using Whole = HypercubeLaplaceElement<kind, dim, degree + 1, T, Number, width, n_components>;
    using Lines = typename Whole::Lines;

  public:
    explicit CpuHypercubeKernels(const ElementTables<Number> &tables)
      : lines(Lines::template make<dim>(tables))
      , half_lines(lines)
    {}

    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      constexpr bool is_affine = kind == GeometryKind::affine;
      if (n_components > 1 || (is_affine ? arg.is_sparse() : arg.is_whole()))
        {
          if constexpr (is_affine)
            apply_by_tiles<dim, degree + 1, Number, n_components>(arg, lines, half_lines);
          else
            for_element_groups(arg.mesh, width, [&](const int first) {
              const typename Whole::Tables tables(arg.tables);
              for (int c = 0; c < n_components; ++c)
                Whole(arg, tables, lines, first, c).run();
            });
        }
      else if constexpr (n_components == 1)
        apply_by_quadrature<kind, dim, HypercubeTables<dim, Number, degree>, n_components>(arg);
    }

  private:
    const Lines                         lines;
    const HalfLines<Number, degree + 1> half_lines;
  };

  template <GeometryKind kind, int dim, typename Number, int n_components, int degree = 1>
  LaplaceKernels<dim, Number, n_components> *
  make(const ElementTables<Number> &tables, const int wanted)
  {
    if constexpr (degree <= max_laplace_degree(dim, ElementShape::hypercube))
      {
        if (wanted != degree)
          return make<kind, dim, Number, n_components, degree + 1>(tables, wanted);
        if (LineTables<Number, degree + 1>::template fit<dim>(tables))
          return new CpuHypercubeKernels<kind, dim, Number, degree, n_components>(tables);
      }
    return nullptr;
  }

  template <GeometryKind kind, int dim, typename Number, int n_components>
  bool
  enrol_hypercubes_of_kind()
  {
    using Kernels        = LaplaceKernels<dim, Number, n_components>;
    constexpr auto shape = ElementShape::hypercube;
    KernelRegistry<Kernels, kind, shape>::cpu[SALTUS_ISA_LEVEL] = {
      &make<kind, dim, Number, n_components>, 1, max_laplace_degree(dim, shape)};
    return true;
  }

  template <int dim, typename Number, int n_components>
  bool
  enrol_laplace_on_hypercubes()
  {
    return enrol_hypercubes_of_kind<GeometryKind::affine, dim, Number, n_components>() &&
           enrol_hypercubes_of_kind<GeometryKind::stored, dim, Number, n_components>();
  }
} // namespace

#endif
