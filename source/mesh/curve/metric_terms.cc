// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/metric_terms.h>

#include <string>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The rows `[r]` of \f$ \det J \, J^{-1} \f$, without division.
    Tensor<2, 2>
    cofactors(const Tensor<2, 2> &jacobian)
    {
      Tensor<2, 2> result;
      for (unsigned int r = 0; r < 2; ++r)
        for (unsigned int d = 0; d < 2; ++d)
          result[r][d] = (r == d ? 1. : -1.) * jacobian[1 - d][1 - r];
      return result;
    }

    Tensor<2, 3>
    cofactors(const Tensor<2, 3> &jacobian)
    {
      const Tensor<2, 3> tangents = transpose(jacobian);
      Tensor<2, 3>       result;
      for (unsigned int r = 0; r < 3; ++r)
        result[r] = cross_product_3d(tangents[(r + 1) % 3], tangents[(r + 2) % 3]);
      return result;
    }

    /// Whether a rule for degree @p volume_degree and one for @p face_degree on faces integrate a
    /// metric of degree @p metric_degree with all test functions. On simplices these lose a degree
    /// when they are differentiated, on hypercubes in one direction only.
    bool
    are_exact(const unsigned int degree,
              const unsigned int metric_degree,
              const unsigned int volume_degree,
              const unsigned int face_degree,
              const bool         hypercube)
    {
      return volume_degree + !hypercube >= degree + metric_degree &&
             face_degree >= degree + metric_degree;
    }
  } // namespace

  template <int dim>
  MetricForm
  metric_form(const unsigned int degree,
              const unsigned int map_degree,
              const unsigned int volume_degree,
              const unsigned int face_degree,
              const bool         hypercube)
  {
    const unsigned int of_products =
                         hypercube ? (dim - 1) * map_degree - 1 : (dim - 1) * (map_degree - 1),
                       of_curls = degree + hypercube;
    if (are_exact(degree, of_products, volume_degree, face_degree, hypercube))
      return MetricForm::cross_product;
    // Beyond, gradients are not interpolated exactly, and normals would depend on the origin of x.
    const bool         may_be_curls = dim == 3 && map_degree <= degree + 2;
    const unsigned int needed       = degree + (may_be_curls ? of_curls : of_products);
    AssertThrow(may_be_curls && are_exact(degree, of_curls, volume_degree, face_degree, hypercube),
                ExcMessage("A constant state would not be preserved: on elements with maps of "
                           "degree " +
                           std::to_string(map_degree) + ", polynomials of degree " +
                           std::to_string(degree) +
                           " need quadrature rules that integrate degree " +
                           std::to_string(needed - !hypercube) + " in the volume and degree " +
                           std::to_string(needed) + " on faces exactly; these do so for " +
                           std::to_string(volume_degree) + " and " + std::to_string(face_degree) +
                           (hypercube ? ". Take"
                                      : ". Take better rules, in parameter files by "
                                        "Discretization/Quadrature increase, or") +
                           " maps of a lower degree or polynomials of a higher one."));
    return MetricForm::curl;
  }

  template <int dim>
  MetricTerms<dim>::MetricTerms(const MetricForm               form,
                                const unsigned int             degree,
                                const unsigned int             map_degree,
                                const std::vector<Point<dim>> &points,
                                const ReferenceCell           &cell)
    : form(form)
    , nodes(degree + 1, cell)
    , at_nodes(map_degree, nodes.points, cell)
    , at_points(map_degree, points, cell)
  {
    AssertThrow(form != MetricForm::curl || (dim == 3 && map_degree <= degree + 2),
                ExcMessage("Metric terms are curls in 3D, for maps of degrees up to p + 2."));
    if (form != MetricForm::curl)
      return;
    const ModeTable<dim> modes(nodes.degree, points, cell);
    nodal_gradients.reinit(points.size(), nodes.points.size());
    for (unsigned int q = 0; q < points.size(); ++q)
      for (unsigned int i = 0; i < nodes.points.size(); ++i)
        for (unsigned int m = 0; m < nodes.points.size(); ++m)
          nodal_gradients(q, i) += nodes.modes(m, i) * modes.gradients(q, m);
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  MetricTerms<dim>::operator()(const ElementMap<dim> &map) const
  {
    std::vector<Tensor<2, dim>> result;
    if (form == MetricForm::curl)
      result = curls(map);
    else
      for (const Tensor<2, dim> &jacobian : map.jacobians(at_points))
        result.push_back(cofactors(jacobian));
    for (Tensor<2, dim> &metric : result)
      metric *= map.orientation();
    return result;
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  MetricTerms<dim>::curls(const ElementMap<dim> &map) const
  {
    std::vector<Tensor<2, dim>> result(at_points.n_points());
    if constexpr (dim == 3)
      {
        const auto offsets   = map.offsets(at_nodes); // instead of positions: constants cancel
        const auto jacobians = map.jacobians(at_nodes);
        for (unsigned int i = 0; i < offsets.size(); ++i)
          {
            const Point<dim> &x = offsets[i];
            Tensor<2, dim>    potential; // [n]
            for (unsigned int n = 0; n < dim; ++n)
              {
                const unsigned int l = (n + 1) % 3, m = (n + 2) % 3;
                potential[n] = 0.5 * (x[l] * jacobians[i][m] - x[m] * jacobians[i][l]);
              }
            for (unsigned int q = 0; q < result.size(); ++q)
              for (unsigned int n = 0; n < dim; ++n)
                {
                  const Tensor<1, dim> curl = cross_product_3d(nodal_gradients(q, i), potential[n]);
                  for (unsigned int r = 0; r < dim; ++r)
                    result[q][r][n] += curl[r];
                }
          }
      }
    else
      (void)map; // refused by the constructor
    return result;
  }

  template <int dim>
  std::vector<Tensor<1, dim>>
  free_stream_residual(const ReferenceElement<dim>       &reference,
                       const std::vector<Tensor<2, dim>> &volume,
                       const std::vector<Tensor<2, dim>> &faces)
  {
    const unsigned int n_modes = reference.n_modes, n_face_points = reference.n_face_points();
    AssertDimension(volume.size(), reference.n_volume_points());
    AssertDimension(faces.size(), reference.n_faces * n_face_points);
    std::vector<Tensor<1, dim>> residual(n_modes);
    for (unsigned int q = 0; q < volume.size(); ++q)
      for (unsigned int r = 0; r < dim; ++r)
        for (unsigned int m = 0; m < n_modes; ++m)
          residual[m] += reference.volume_weights[q] *
                         reference.volume_gradients[(q * dim + r) * n_modes + m] * volume[q][r];
    for (unsigned int i = 0; i < faces.size(); ++i)
      {
        Tensor<1, dim> normal;
        for (unsigned int r = 0; r < dim; ++r)
          normal += reference.face_normals[i / n_face_points * dim + r] * faces[i][r];
        for (unsigned int m = 0; m < n_modes; ++m)
          residual[m] -= reference.face_weights[i % n_face_points] *
                         reference.face_values[i * n_modes + m] * normal;
      }
    return residual;
  }

#define SALTUS_METRIC_TERMS(dim)                                                                 \
  template MetricForm metric_form<dim>(                                                          \
    const unsigned int, const unsigned int, const unsigned int, const unsigned int, const bool); \
  template class MetricTerms<dim>;                                                               \
  template std::vector<Tensor<1, dim>> free_stream_residual(const ReferenceElement<dim> &,       \
                                                            const std::vector<Tensor<2, dim>> &, \
                                                            const std::vector<Tensor<2, dim>> &);
  SALTUS_METRIC_TERMS(2)
  SALTUS_METRIC_TERMS(3)
#undef SALTUS_METRIC_TERMS
} // namespace Saltus
