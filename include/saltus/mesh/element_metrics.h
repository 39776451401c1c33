// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_element_metrics_h
#define saltus_mesh_element_metrics_h

#include <deal.II/base/symmetric_tensor.h>

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/metric_terms.h>
#include <saltus/mesh/element_mesh.h>

#include <memory>
#include <optional>
#include <vector>

namespace Saltus
{
  /// What integrals see of the geometry of elements, affine or curved, at the points of a reference
  /// element; everything but gradients over the mean of \f$ |\det J| \f$ in the element. A constant
  /// flux has no residual with it, see MetricForm, and both sides of a face have the same normals.
  template <int dim>
  class ElementMetrics
  {
  public:
    /// @param form of the metric; if none is given that with which a constant flux has no residual
    /// @throws dealii::ExcMessage if the mesh has curved elements and the rules of @p reference
    /// are too weak for such a form
    ElementMetrics(const ReferenceElement<dim>    &reference,
                   const ElementGeometry<dim>     &geometry,
                   const std::optional<MetricForm> form = {});

    /// `[q]`: \f$ |\det J| \f$
    std::vector<double>
    determinants(const unsigned int element) const;

    /// `[q]`: see inverse_projected_determinants()
    std::vector<double>
    inverse_masses(const unsigned int element) const;

    /// `[q][r][d]`: \f$ J a^r \f$
    std::vector<dealii::Tensor<2, dim>>
    metrics(const unsigned int element) const;

    /// Whether metrics() and what normals() are made of are polynomials of the degree of the
    /// reference element, whose modes say all.
    bool
    has_metric_modes() const;

    /// Those up to the metrics' degree: all others are 0.
    unsigned int
    n_metric_modes() const;

    /// `[m][r][d]`: these modes.
    std::vector<dealii::Tensor<2, dim>>
    metric_modes(const unsigned int element) const;

    /// In 3D, whether metrics() and what normals() are made of are the cross products of two
    /// derivatives of the map, \f$ J a^r = \pm x_{,s} \times x_{,t} \f$ with the sign of the
    /// determinant and (r, s, t) cyclic, and these are polynomials of that degree.
    bool
    has_tangent_modes() const;

    /// `[m][r][d]`: the modes of \f$ \partial x_d / \partial \hat x_r \f$ over the root of the mean
    /// of \f$ |\det J| \f$
    std::vector<dealii::Tensor<2, dim>>
    tangent_modes(const unsigned int element) const;

    /// `[f][q][d]`: \f$ \sum_r \hat n_r J a^r \f$, outward, as long as what the area of the face is
    /// multiplied with there
    std::vector<dealii::Tensor<1, dim>>
    normals(const unsigned int element) const;

    /// `[f][q][r][d]`: \f$ \partial \hat x_r / \partial x_d \f$ on faces
    std::vector<dealii::Tensor<2, dim>>
    face_gradients(const unsigned int element) const;

    /// `[f][q][d][r]`: \f$ \partial x_d / \partial \hat x_r \f$ on faces
    std::vector<dealii::Tensor<2, dim>>
    face_jacobians(const unsigned int element) const;

    /// Whether FaceFrame has what kernels read: the degree is low, normals() are products of
    /// derivatives along faces, and these are known everywhere if they are at the frame's points.
    bool
    has_face_frames() const;

    /// `[f]`: what takes the place of \f$ |F| \f$ over the mean of \f$ |\det J| \f$ in
    /// \f$ \int_F |\nabla u|^2 \le C \int_K |\nabla u|^2 \f$, the inequality for polynomials on
    /// affine elements. With the gradient h of u in the affine element of the same volume, \f$
    /// \nabla u = E h \f$, \f$ E = J^{-T} J_0^T \f$, it is
    /// \f[ \frac{\max_F |n| \, \sigma_{\max}^2(E)}{\min_K |\det J| \, \sigma_{\min}^2(E)}, \f]
    /// n being those of normals(), with the singular values of E at the points of the rules: for
    /// these, it holds for sums over points.
    std::vector<double>
    trace_areas(const unsigned int element) const;

  private:
    /// The modes of a function with the values @p values at the volume points.
    std::vector<dealii::Tensor<2, dim>>
    modes_of(const std::vector<dealii::Tensor<2, dim>> &values) const;

    /// \f$ E^T E \f$ where the gradients of the reference coordinates are these, see trace_areas().
    dealii::SymmetricTensor<2, dim>
    deformation(const unsigned int element, const dealii::Tensor<2, dim> &gradients) const;

    const ReferenceElement<dim> &reference;
    const ElementGeometry<dim>  &geometry;
    unsigned int                 metric_degree = 0;     ///< of metrics() as polynomials
    bool                         are_products  = false; ///< metrics() of derivatives of the map

    // Where elements are curved.
    std::unique_ptr<const MetricTerms<dim>> in_volume, on_faces;
    std::unique_ptr<const ModeTable<dim>>   modes, face_modes; ///< of maps at the points
  };
} // namespace Saltus

#endif
