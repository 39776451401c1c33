// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_special_hypercube_face_h
#define saltus_operators_elliptic_kernels_special_hypercube_face_h

#include <saltus/mesh/affine_geometry.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/line_tables.h>

namespace Saltus
{
  /// A face of one quadrilateral or hexahedron that may have terms of LaplaceOperator which faces
  /// inside do not have: those of a Robin condition, or the given ones of a hanging face. Few faces
  /// have some. The code is short, and needs few registers, so that others are not made slower.
  /// @tparam Lines SymmetricLineTables
  template <GeometryKind kind, int dim, int n, typename Number, int n_components, typename Lines>
  class SpecialHypercubeFace
  {
    using Cube = Hypercube<dim>;

    static constexpr int nf = power(n, dim - 1);

  public:
    SALTUS_HOST_DEVICE
    SpecialHypercubeFace(const LaplaceArguments<Number> &arg,
                         const Lines                    &lines,
                         const int                       element,
                         const int                       f,
                         const int                       component)
      : arg(arg)
      , lines(lines)
      , element(element)
      , f(f)
      , component(component)
      , record(read_face(arg.mesh.faces + point_index(element, f, Cube::n_faces, 1)))
    {}

    SALTUS_HOST_DEVICE
    bool
    is_dirichlet() const
    {
      return record.at_boundary() && arg.kinds[record.neighbor] == EllipticBoundary::dirichlet;
    }

    SALTUS_HOST_DEVICE
    bool
    has_terms() const
    {
      return hangs() ||
             (record.at_boundary() && arg.kinds[record.neighbor] == EllipticBoundary::robin);
    }

    /// `add(m, term)` for the modes on the line behind point @p q.
    template <typename Add>
    SALTUS_HOST_DEVICE
    void
    for_terms(const int q, const Add &add) const
    {
      const int  d = f / 2, stride = Cube::stride(d, n);
      const bool at_end = f % 2 == 1;
      const int  first  = Cube::line(d, q, n) + (at_end ? (n - 1) * stride : 0),
                step    = at_end ? -stride : stride;
      // What values and outward derivatives of test functions are multiplied with.
      const Number value   = hangs() ? given_value(q) : robin_value(q, first, step);
      const Number outward = hangs() ? (at_end ? given(1 + d, q) : -given(1 + d, q)) : Number(0);
      SALTUS_UNROLL_ON_DEVICE(1)
      for (int m = 0; m < n; ++m)
        add(first + m * step, lines.edge[m] * value + lines.slope[m] * outward);
    }

  private:
    SALTUS_HOST_DEVICE
    bool
    hangs() const
    {
      return record.kind == FaceKind::hanging;
    }

    /// With integrals of tangential derivatives of test functions by parts.
    SALTUS_HOST_DEVICE
    Number
    given_value(const int q) const
    {
      Number result = given(0, q);
      for (int t = 0; t + 1 < dim; ++t)
        {
          const int along = Cube::stride(t, n), i = q / along % n, line = q - i * along;
          SALTUS_UNROLL_ON_DEVICE(1)
          for (int m = 0; m < n; ++m)
            result += lines.derivative[m][i] * given(1 + (f / 2 + 1 + t) % dim, line + m * along);
        }
      return result;
    }

    /// What at point @p q the value of test functions (@p i = 0) or the derivative i - 1 is
    /// multiplied with.
    SALTUS_HOST_DEVICE
    Number
    given(const int i, const int q) const
    {
      const std::size_t point = static_cast<std::size_t>(record.neighbor) * nf + q;
      const Number      value =
        arg.hanging.faces.fluxes[(point * (1 + dim) + i) * n_components + component];
      return root(q) * value;
    }

    /// Of one over the weight of point @p q.
    SALTUS_HOST_DEVICE
    Number
    root(const int q) const
    {
      return lines.inverse_root[q % n] * (dim == 3 ? lines.inverse_root[q / n] : Number(1));
    }

    SALTUS_HOST_DEVICE
    Number
    robin_value(const int q, const int first, const int step) const
    {
      const CoefficientLayout layout{n * nf, n_components};
      Number                  inside = 0;
      SALTUS_UNROLL_ON_DEVICE(1)
      for (int m = 0; m < n; ++m)
        inside += lines.edge[m] * arg.u[layout.index(element, first + m * step) + component];
      return arg.robin[record.neighbor] * weight(q) * inside;
    }

    /// Of point @p q in the integral over the face, over its weight on the reference cell.
    SALTUS_HOST_DEVICE
    Number
    weight(const int q) const
    {
      if constexpr (kind == GeometryKind::affine)
        {
          const auto         here = affine_geometry<dim>(arg.mesh.inverse_jacobians, element);
          Array<Number, dim> normal;
          return here.set_normal([&](const int r) { return Number(r == f / 2 ? 1 : 0); }, normal) *
                 here.volume_factor();
        }
      else
        return arg.pointwise.areas[point_index(element - arg.stored.first_block * block_size,
                                               f * nf + q,
                                               Cube::n_faces * nf,
                                               1)] *
               root(q) * root(q);
    }

    const LaplaceArguments<Number> &arg;
    const Lines                    &lines;
    const int                       element, f, component;
    const FaceRecord                record;
  };
} // namespace Saltus

#endif
