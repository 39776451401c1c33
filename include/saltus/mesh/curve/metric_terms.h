// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_metric_terms_h
#define saltus_mesh_curve_metric_terms_h

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/element_map.h>

#include <vector>

namespace Saltus
{
  /// How the vectors \f$ J a^r \f$, the gradients of the reference coordinates times \f$ \det J
  /// \f$, are made of an element's map. What decides is that a constant flux must have a residual
  /// of zero: \f$ \sum_r \partial_r (J a^r) = 0 \f$ in the weak form, with the rules in use.
  enum class MetricForm
  {
    /// \f$ J a^r = x_{,s} \times x_{,t} \f$, (r, s, t) cyclic; in 2D the other tangent, rotated.
    /// Exact, free of divergence, and of degree `(dim - 1)(q - 1)`; on hypercubes, where degrees
    /// are counted in each direction, `(dim - 1) q - 1` along the faces of constant \f$ \hat x_r
    /// \f$.
    cross_product,
    /// \f$ (J a^r)_n = \frac12 (\nabla \times I(x_l \nabla x_m - x_m \nabla x_l))_r \f$, (n, l, m)
    /// cyclic, with interpolation I at the map_nodes() of degree p + 1: free of divergence by
    /// construction, and of degree p for all maps, on hexahedra p + 1. In 3D only. As values and
    /// tangential derivatives on a face give its normals, both sides have the same.
    ///
    /// Source: D. A. Kopriva, Metric identities and the discontinuous spectral element method on
    /// curvilinear meshes, J. Sci. Comput. 26 (2006).
    curl
  };

  /// The form for test functions of degree @p degree on elements with maps of degree
  /// @p map_degree: the cross product wherever both rules integrate its products with test
  /// functions exactly, else the curl. On simplices that is
  /// volume_degree >= p - 1 + (dim - 1)(q - 1) and face_degree >= p + (dim - 1)(q - 1), on
  /// hypercubes p + (dim - 1) q - 1 in both.
  /// @param volume_degree,face_degree what the quadrature integrates exactly
  /// @throws dealii::ExcMessage if no form has exact integrals
  template <int dim>
  MetricForm
  metric_form(const unsigned int degree,
              const unsigned int map_degree,
              const unsigned int volume_degree,
              const unsigned int face_degree,
              const bool         hypercube = false);

  /// The vectors \f$ J a^r \f$ of elements at certain points.
  template <int dim>
  class MetricTerms
  {
  public:
    /// @param degree that of the test functions, p
    /// @param points of the reference cell
    MetricTerms(const MetricForm                       form,
                const unsigned int                     degree,
                const unsigned int                     map_degree,
                const std::vector<dealii::Point<dim>> &points,
                const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

    /// `[q][r][d]`. As determinants, they are multiplied with the orientation of the element, so
    /// that \f$ \sum_r \hat n_r J a^r \f$ points out of it for an outward reference normal
    /// \f$ \hat n \f$.
    std::vector<dealii::Tensor<2, dim>>
    operator()(const ElementMap<dim> &map) const;

  private:
    std::vector<dealii::Tensor<2, dim>>
    curls(const ElementMap<dim> &map) const;

    const MetricForm     form;
    const MapNodes<dim>  nodes;    ///< of the interpolation
    const ModeTable<dim> at_nodes; ///< the modes of maps there
    const ModeTable<dim> at_points;
    /// `(q, i)`: of the polynomial that is 1 at node i only
    dealii::Table<2, dealii::Tensor<1, dim>> nodal_gradients;
  };

  /// The residual of a constant flux in direction d, `[m][d]`,
  /// \f[ \sum_q w_q \sum_r \partial_r \phi_m\, (J a^r)_d
  ///   - \sum_f \sum_q w_q\, \phi_m \sum_r \hat n_r (J a^r)_d, \f]
  /// which is 0 for forms with exact integrals.
  /// @param volume,faces \f$ J a^r \f$, `[q][r][d]` and `[f][q][r][d]`
  template <int dim>
  std::vector<dealii::Tensor<1, dim>>
  free_stream_residual(const ReferenceElement<dim>               &reference,
                       const std::vector<dealii::Tensor<2, dim>> &volume,
                       const std::vector<dealii::Tensor<2, dim>> &faces);
} // namespace Saltus

#endif
