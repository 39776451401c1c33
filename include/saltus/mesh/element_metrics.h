// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_element_metrics_h
#define saltus_mesh_element_metrics_h

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/metric_terms.h>
#include <saltus/mesh/element_mesh.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// What integrals see of the geometry of elements, affine or curved, at the points of a reference
  /// element; everything over the mean of \f$ |\det J| \f$ in the element. A constant flux has no
  /// residual with it, see MetricForm, and both sides of a face have the same normals.
  template <int dim>
  class ElementMetrics
  {
  public:
    /// @throws dealii::ExcMessage if the mesh has curved elements and the rules of @p reference
    /// are too weak for them
    ElementMetrics(const ReferenceElement<dim> &reference, const ElementGeometry<dim> &geometry);

    /// `[q]`: \f$ |\det J| \f$
    std::vector<double>
    determinants(const unsigned int element) const;

    /// `[q]`: see inverse_projected_determinants()
    std::vector<double>
    inverse_masses(const unsigned int element) const;

    /// `[q][r][d]`: \f$ J a^r \f$
    std::vector<dealii::Tensor<2, dim>>
    metrics(const unsigned int element) const;

    /// `[f][q][d]`: \f$ \sum_r \hat n_r J a^r \f$, outward, as long as what the area of the face is
    /// multiplied with there
    std::vector<dealii::Tensor<1, dim>>
    normals(const unsigned int element) const;

  private:
    const ReferenceElement<dim> &reference;
    const ElementGeometry<dim>  &geometry;

    // Where elements are curved.
    std::unique_ptr<const MetricTerms<dim>> in_volume, on_faces;
    std::unique_ptr<const ModeTable<dim>>   modes; ///< of maps at the volume points
  };
} // namespace Saltus

#endif
