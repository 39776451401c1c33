// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_throughput_multigrid_cost_h
#define applications_throughput_multigrid_cost_h

#include <saltus/solvers/multigrid/p_multigrid.h>

#include "timing.h"

namespace Saltus::Throughput
{
  /// What must at least be moved and computed, on this rank.
  struct Cost
  {
    double bytes = 0, flops = 0;

    Cost &
    operator+=(const Cost &other)
    {
      bytes += other.bytes;
      flops += other.flops;
      return *this;
    }

    Cost
    operator*(const double n) const
    {
      return {n * bytes, n * flops};
    }
  };

  /// The multiplication of a vector with the inverse blocks: of a block the scaling of each mode
  /// and the entries below the diagonal, of two bytes.
  template <int dim, typename Number>
  Cost
  cost_of_blocks(const LaplaceOperator<dim, Number> &A)
  {
    const double n_modes    = A.element_space().reference.n_modes;
    const double n_unknowns = A.element_space().n_elements() * n_modes;
    return {n_unknowns * (sizeof(Number) + n_modes - 1.), n_unknowns * 2. * n_modes};
  }

  /// Of an element whose geometry is stored: the form at its points, or the modes of its map where
  /// kernels make the form of them, and of its faces the records and penalties.
  template <int dim, typename Number>
  double
  bytes_of_stored_form(const ElementSpace<dim, Number> &space)
  {
    const ReferenceElement<dim> &reference = space.reference;
    const unsigned int           degree = reference.degree, map_degree = space.geometry.map_degree;
    const bool                   has_modes = space.device.is_cuda() && reference.is_simplex() &&
                           threads_make_form(dim, degree, map_degree);
    const double n_numbers =
      has_modes ? dim * (Simplex<dim>::n_modes(mapped_laplace_degree(degree, map_degree)) - 1)
                : reference.n_volume_points() * dim * (dim + 1) / 2 +
                    reference.n_faces * reference.n_face_points() * (1 + dim);
    return n_numbers * sizeof(Number) + reference.n_faces * (sizeof(FaceRecord) + sizeof(Number));
  }

  /// The operator with @p n_vectors vectors of which each is read or written.
  template <int dim, typename Number>
  Cost
  cost_of_operator(const LaplaceOperator<dim, Number> &A, const unsigned int n_vectors)
  {
    const ElementSpace<dim, Number> &space = A.element_space();
    const double of_vectors = double(n_vectors) * space.reference.n_modes * sizeof(Number);
    const double of_affine  = space.reference.is_simplex() ? bytes_of_stiffness<dim, Number>()
                                                           : bytes_of_form<dim, Number>();
    double       bytes      = 0.;
    for (const ElementRange &range : space.order.ranges)
      bytes += (range.end - range.begin) *
               (of_vectors +
                (range.kind == GeometryKind::affine ? of_affine : bytes_of_stored_form(space)));
    return {bytes, A.flops()};
  }

  /// A step of the smoother: x and b read and x written.
  template <int dim, typename Number>
  Cost
  cost_of_smoothing_step(const LaplaceOperator<dim, Number> &A)
  {
    Cost cost = cost_of_operator(A, 3);
    cost += cost_of_blocks(A);
    return cost;
  }

  /// A cycle of p-multigrid, of the levels that are matrix-free: what comes below them is not
  /// counted.
  /// @tparam Number of the levels
  template <int dim, typename Number, typename OuterNumber>
  Cost
  cost_of_cycle(const LaplaceOperator<dim, OuterNumber> &A, const unsigned int smoother_degree)
  {
    const auto n_unknowns = [](const auto &level) {
      return double(level.element_space().n_elements()) * level.element_space().reference.n_modes;
    };
    // The vectors are converted to the precision of the levels and back.
    Cost sum{2 * n_unknowns(A) * (sizeof(OuterNumber) + sizeof(Number)), 0.};
    for (unsigned int degree = A.degree(); degree > 0; degree /= 2)
      {
        LaplaceOperator<dim, Number> level;
        level.reinit(A, degree);
        const double size = n_unknowns(level) * sizeof(Number);
        // The first step begins with zero: b is read and x written.
        sum += cost_of_blocks(level);
        sum += {2 * size, 0.};
        sum += cost_of_smoothing_step(level) * (2. * smoother_degree - 1.);
        sum += cost_of_operator(level, 3); // the residual
        if (degree < A.degree())           // its transfer, and that of the correction
          sum += {5 * size, n_unknowns(level)};
      }
    return sum;
  }
} // namespace Saltus::Throughput

#endif
