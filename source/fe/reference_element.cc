// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/fe/collapsed_gauss.h>
#include <saltus/fe/face_points.h>
#include <saltus/fe/reference_element.h>
#include <saltus/fe/tetrahedron_rule.h>

#include <numeric>

namespace Saltus
{
  using namespace dealii;

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
  Quadrature<dim>
  cell_quadrature(const ReferenceCell &cell, const unsigned int degree)
  {
    return cell.is_hyper_cube() ? gauss_rule<dim>(true, degree) : simplex_quadrature<dim>(degree);
  }

  namespace
  {
    /// What the rule for degree @p degree integrates: Gauss's are of odd degrees.
    unsigned int
    exact_degree(const ReferenceCell &cell, const unsigned int degree)
    {
      return cell.is_hyper_cube() ? degree | 1U : degree;
    }
  } // namespace

  template <int dim>
  ReferenceElement<dim>::ReferenceElement(const unsigned int   degree,
                                          const unsigned int   volume_degree,
                                          const unsigned int   face_degree,
                                          const ReferenceCell &cell)
    : CellShape<dim>(cell)
    , degree(degree)
    , volume_degree(exact_degree(cell, volume_degree))
    , face_degree(exact_degree(cell, face_degree))
    , basis(this->reference_cell, degree)
    , n_modes(basis.n_modes())
  {
    set_up_volume();
    set_up_faces();
    const auto &polynomials = basis.polynomials();
    for (const unsigned int v : this->reference_cell.vertex_indices())
      for (unsigned int m = 0; m < n_modes; ++m)
        vertex_values.push_back(
          polynomials.compute_value(m, this->reference_cell.template vertex<dim>(v)));
  }

  template <int dim>
  void
  ReferenceElement<dim>::set_up_volume()
  {
    const auto           &polynomials = basis.polynomials();
    const Quadrature<dim> quadrature  = cell_quadrature<dim>(this->reference_cell, volume_degree);
    volume_points                     = quadrature.get_points();
    volume_weights                    = quadrature.get_weights();
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
  ReferenceElement<dim>::set_up_faces()
  {
    AssertThrow(!this->is_simplex() || face_degree <= max_symmetric_degree<dim - 1>(),
                ExcMessage("No symmetric quadrature rule on faces integrates degree " +
                           std::to_string(face_degree) + " exactly; the largest degree is " +
                           std::to_string(max_symmetric_degree<dim - 1>()) + "."));
    const auto               &polynomials = basis.polynomials();
    const Quadrature<dim - 1> quadrature  = cell_quadrature<dim - 1>(this->face_cell, face_degree);

    face_weights       = quadrature.get_weights();
    const double total = std::accumulate(face_weights.begin(), face_weights.end(), 0.);
    for (double &weight : face_weights)
      weight /= total;

    const FacePoints<dim> points(*this, quadrature);
    for (unsigned int f = 0; f < this->n_faces; ++f)
      for (unsigned int q = 0; q < points.n_points; ++q)
        {
          const Point<dim> &p = points.point(f, 0, q);
          face_points.push_back(p);
          for (unsigned int m = 0; m < n_modes; ++m)
            face_values.push_back(polynomials.compute_value(m, p));
          for (unsigned int r = 0; r < dim; ++r)
            for (unsigned int m = 0; m < n_modes; ++m)
              face_gradients.push_back(polynomials.compute_grad(m, p)[r]);
        }
    face_permutations = points.permutations;
  }

  template Quadrature<1>
  simplex_quadrature<1>(const unsigned int);
  template Quadrature<2>
  simplex_quadrature<2>(const unsigned int);
  template Quadrature<3>
  simplex_quadrature<3>(const unsigned int);

  template Quadrature<1>
  cell_quadrature<1>(const ReferenceCell &, const unsigned int);
  template Quadrature<2>
  cell_quadrature<2>(const ReferenceCell &, const unsigned int);
  template Quadrature<3>
  cell_quadrature<3>(const ReferenceCell &, const unsigned int);

  template unsigned int
  max_symmetric_degree<1>();
  template unsigned int
  max_symmetric_degree<2>();
  template unsigned int
  max_symmetric_degree<3>();

  template class ReferenceElement<2>;
  template class ReferenceElement<3>;
} // namespace Saltus
