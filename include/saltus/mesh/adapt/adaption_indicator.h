// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_adapt_adaption_indicator_h
#define saltus_mesh_adapt_adaption_indicator_h

#include <deal.II/fe/mapping.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/algebra/vector.h>
#include <saltus/mesh/element_mesh.h>

namespace Saltus
{
  /// What a cell's indicator is. All but the last are of the first component of a solution.
  enum class AdaptionIndicator
  {
    kelly,    ///< as that of deal.II's KellyErrorEstimator: jumps of normal derivatives
    gradient, ///< the gradient by differences between the cells' centres, times \f$ h^{1 + d/2} \f$
    jump,     ///< \f$ \|[u]\|_{L^2(\partial K)} \f$, with nothing at the boundary
    /// \f$ \|u - \hat u\| / \|u\| \f$ on the reference cell with the projection \f$ \hat u \f$ onto
    /// polynomials of one degree less (Persson and Peraire, AIAA 2006-112): largest where a
    /// solution is not smooth. Where \f$ \|u\| \f$ is less than a thousandth of the largest one of
    /// a cell that stands in its place: of a function that vanishes the shape is noise.
    smoothness,
    vorticity ///< \f$ h \|\nabla \times v\|_{L^2(K)} \f$ of the velocity
  };

  /// The indicators of the cells, by their active indices. Collective.
  /// @param mesh of quadrilaterals or hexahedra
  /// @param solution on @p mesh, of any number of components
  /// @param first_velocity the first one of its components, for AdaptionIndicator::vorticity
  /// @throws dealii::ExcMessage at degree 0, for indicators that vanish there
  template <int dim, typename Number>
  dealii::Vector<float>
  adaption_indicators(const AdaptionIndicator     kind,
                      const dealii::Mapping<dim> &mapping,
                      const ElementMesh<dim>     &mesh,
                      const Vector<Number>       &solution,
                      const unsigned int          first_velocity);
} // namespace Saltus

#endif
