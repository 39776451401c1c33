// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/fe/collapsed_gauss.h>
#include <saltus/fe/reference_element.h>
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/fe/tetrahedron_rule.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Barycentric coordinates of a point of the reference simplex.
    template <int dim>
    std::array<double, dim + 1>
    barycentric(const Point<dim> &p)
    {
      std::array<double, dim + 1> lambda;
      lambda[0] = 1.;
      for (unsigned int d = 0; d < dim; ++d)
        {
          lambda[d + 1] = p[d];
          lambda[0] -= p[d];
        }
      return lambda;
    }
  } // namespace

  template <int dim>
  unsigned int
  max_symmetric_degree()
  {
    // Those of QWitherdenVincentSimplex; on tetrahedra the rules of deal.II 9.4 beyond degree 10
    // have points outside.
    return dim == 1 ? numbers::invalid_unsigned_int : (dim == 2 ? 14 : 10);
  }

  template <int dim>
  Quadrature<dim>
  simplex_quadrature(const unsigned int degree)
  {
    if constexpr (dim == 1)
      return QGauss<1>(degree / 2 + 1);
    else
      {
        if constexpr (dim == 3)
          if (degree == 11 || degree == 12)
            return tetrahedron_rule_of_degree_12();
        if (degree > max_symmetric_degree<dim>())
          return collapsed_gauss<dim>(degree);
        const bool odd = degree % 2 == 1 || degree == 0;
        return QWitherdenVincentSimplex<dim>(odd ? degree / 2 + 1 : degree / 2, odd);
      }
  }

  template <int dim>
  ReferenceElement<dim>::ReferenceElement(const unsigned int degree,
                                          const unsigned int volume_degree,
                                          const unsigned int face_degree)
    : degree(degree)
    , n_modes(SimplexModalPolynomials<dim>(degree).n())
  {
    set_up_volume(volume_degree);
    set_up_faces(face_degree);
    const SimplexModalPolynomials<dim> polynomials(degree);
    for (const unsigned int v : this->reference_cell.vertex_indices())
      for (unsigned int m = 0; m < n_modes; ++m)
        vertex_values.push_back(
          polynomials.compute_value(m, this->reference_cell.template vertex<dim>(v)));
  }

  template <int dim>
  void
  ReferenceElement<dim>::set_up_volume(const unsigned int volume_degree)
  {
    const SimplexModalPolynomials<dim> polynomials(degree);
    const Quadrature<dim>              quadrature = simplex_quadrature<dim>(volume_degree);
    volume_points                                 = quadrature.get_points();
    volume_weights                                = quadrature.get_weights();
    for (const Point<dim> &point : volume_points)
      {
        for (unsigned int m = 0; m < n_modes; ++m)
          volume_values.push_back(polynomials.compute_value(m, point));
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int m = 0; m < n_modes; ++m)
            volume_gradients.push_back(polynomials.compute_grad(m, point)[r]);
      }
  }

  template <int dim>
  void
  ReferenceElement<dim>::set_up_faces(const unsigned int face_degree)
  {
    AssertThrow(face_degree <= max_symmetric_degree<dim - 1>(),
                ExcMessage("No symmetric quadrature rule on faces integrates degree " +
                           std::to_string(face_degree) + " exactly; the largest degree is " +
                           std::to_string(max_symmetric_degree<dim - 1>()) + "."));
    const SimplexModalPolynomials<dim> polynomials(degree);
    const Quadrature<dim - 1>          quadrature = simplex_quadrature<dim - 1>(face_degree);

    face_weights       = quadrature.get_weights();
    const double total = std::accumulate(face_weights.begin(), face_weights.end(), 0.);
    for (double &weight : face_weights)
      weight /= total;

    for (unsigned int f = 0; f < this->n_faces; ++f)
      {
        for (const Point<dim - 1> &point : quadrature.get_points())
          {
            const auto lambda = barycentric<dim - 1>(point);
            Point<dim> p;
            for (unsigned int j = 0; j < this->n_face_vertices; ++j)
              p += lambda[j] * this->reference_cell.template vertex<dim>(this->face_vertex(f, j));
            face_points.push_back(p);
            for (unsigned int m = 0; m < n_modes; ++m)
              face_values.push_back(polynomials.compute_value(m, p));
            for (unsigned int r = 0; r < dim; ++r)
              for (unsigned int m = 0; m < n_modes; ++m)
                face_gradients.push_back(polynomials.compute_grad(m, p)[r]);
          }
      }
    set_up_permutations(quadrature);
  }

  template <int dim>
  void
  ReferenceElement<dim>::set_up_permutations(const Quadrature<dim - 1> &quadrature)
  {
    AssertThrow(quadrature.size() <= std::numeric_limits<FacePoint>::max(),
                ExcMessage("The face quadrature has too many points."));
    for (unsigned int o = 0; o < this->n_orientations; ++o)
      for (unsigned int q = 0; q < quadrature.size(); ++q)
        {
          const auto    &permutation = this->permutation(o);
          const auto     lambda      = barycentric<dim - 1>(quadrature.point(q));
          Point<dim - 1> seen;
          for (unsigned int j = 0; j < this->n_face_vertices; ++j)
            if (permutation[j] > 0)
              seen[permutation[j] - 1] = lambda[j];
          unsigned int match = 0;
          while (match < quadrature.size() && quadrature.point(match).distance(seen) > 1e-12)
            ++match;
          AssertThrow(match < quadrature.size(),
                      ExcMessage("The face quadrature is not symmetric."));
          face_permutations.push_back(match);
        }
  }

  template Quadrature<1>
  simplex_quadrature<1>(const unsigned int);
  template Quadrature<2>
  simplex_quadrature<2>(const unsigned int);
  template Quadrature<3>
  simplex_quadrature<3>(const unsigned int);

  template unsigned int
  max_symmetric_degree<1>();
  template unsigned int
  max_symmetric_degree<2>();
  template unsigned int
  max_symmetric_degree<3>();

  template class ReferenceElement<2>;
  template class ReferenceElement<3>;
} // namespace Saltus
