// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_weight_adjusted_mass_h
#define saltus_mesh_curve_weight_adjusted_mass_h

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/element_map.h>

#include <vector>

namespace Saltus
{
  /// What the weight-adjusted inverse of a curved element's mass matrix,
  /// \f$ y_m = \sum_q w_q \tilde J_q^{-1} \phi_m(\hat x_q) \sum_n \phi_n(\hat x_q) r_n \f$, is made
  /// of: \f$ 1 / \tilde J_q \f$ at the volume points, `[q]`. \f$ \tilde J \f$ is the projection of
  /// the determinant onto the polynomials of the reference element's degree p. The inverse takes
  /// the modes of \f$ \tilde J \f$ to those of 1, so that \f$ \sum_q w_q \tilde J_q y(\hat x_q) \f$
  /// and, with the true determinant, \f$ \sum_q w_q J_q y(\hat x_q) \f$ are the moment of r with 1:
  /// nothing is lost.
  ///
  /// Source: J. Chan, R. J. Hewett, T. Warburton, Weight-adjusted discontinuous Galerkin methods:
  /// curvilinear meshes, SIAM J. Sci. Comput. 39 (2017).
  ///
  /// @param reference with a volume rule that is exact for degree 2p
  /// @param at_volume_points the modes of maps at the reference element's volume points
  /// @throws dealii::ExcMessage if \f$ \tilde J \f$ is not positive at a point
  template <int dim>
  std::vector<double>
  inverse_projected_determinants(const ReferenceElement<dim> &reference,
                                 const ModeTable<dim>        &at_volume_points,
                                 const ElementMap<dim>       &map);
} // namespace Saltus

#endif
