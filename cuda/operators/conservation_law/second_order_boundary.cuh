// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_boundary_cuh
#define saltus_cuda_operators_conservation_law_second_order_boundary_cuh

// What second-order fluxes have at the boundary, before the passes over the elements: few of these
// have such a face, but their warps would wait for it.

#include <saltus/operators/conservation_law/kernels/second_order_element.h>

namespace Saltus::CudaKernels
{
  /// A point of a boundary face. For the formulas see SecondOrderElement.
  /// @tparam Tables see QuadratureTables
  template <GeometryKind kind, typename Law, typename Number, typename Tables>
  class SecondOrderBoundaryPoint : ElementGroup<kind, Law::dimension, Number, Number, 1, Tables>
  {
    using Group     = ElementGroup<kind, Law::dimension, Number, Number, 1, Tables>;
    using Arguments = SecondOrderArguments<Law, Number>;
    using Terms     = SecondOrderTerms<Law, Number, Number>;
    using Group::geometry;
    using Group::tables;

  public:
    using State = typename Terms::State;

    __device__
    SecondOrderBoundaryPoint(const Arguments &arg, const Tables &tables, const int b, const int q)
      : Group(arg.mesh, arg.stored, tables, arg.boundary.faces[b].element)
      , arg(arg)
      , b(b)
      , q(q)
    {}

    /// See SecondOrderTerms::set_boundary().
    __device__ void
    set(State &flux, State &jump) const
    {
      const int                 f = arg.boundary.faces[b].face;
      typename Terms::Direction normal;
      const Number              length = geometry.set_normal(
        f, q, [&](const int r) { return tables.face_normal(f, r); }, normal);
      for (int d = 0; d < Law::dimension; ++d)
        normal[d] *= length;
      const int   point = f * tables.n_face_points() + q;
      const Terms terms(arg);
      terms.set_boundary(
        b,
        q,
        trace_in_lanes<Terms, 1>(arg, tables, this->elements, &point, geometry.at_face_point(f, q)),
        terms.penalty_factor(Number(1)),
        normal,
        flux,
        jump);
    }

    /// What counts in an integral over the face at this point, in the unit of r.
    __device__ Number
    weight() const
    {
      return tables.face_weight(q) * geometry.volume_factor();
    }

  private:
    const Arguments &arg;
    const int        b, q;
  };

  /// The result of SecondOrderBoundaryProgram at point @p q of boundary face @p b: number 0, the
  /// normal flux, or 1, twice the jump.
  template <int number, typename Law, typename Number, typename State>
  __device__ __forceinline__ void
  read_boundary_term(const SecondOrderArguments<Law, Number> &arg,
                     const int                                b,
                     const int                                q,
                     State                                   &term)
  {
    constexpr int n    = Law::n_components;
    const int     face = b * arg.tables.n_face_points;
    const Number *from = arg.boundary_terms + (static_cast<std::size_t>(face + q) * 2 + number) * n;
#pragma unroll
    for (int c = 0; c < n; ++c)
      term[c] = from[c];
  }
} // namespace Saltus::CudaKernels

#endif
