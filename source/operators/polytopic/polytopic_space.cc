// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <saltus/fe/dg_element.h>
#include <saltus/fe/legendre.h>
#include <saltus/fe/reference_element.h>
#include <saltus/operators/polytopic/polytopic_space.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  PolytopicSpace<dim>::PolytopicSpace(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                                      const std::vector<unsigned int>                 &degrees)
    : polytopes(mesh)
    , degrees(degrees)
    , first_dofs(1, 0)
  {
    AssertThrow(degrees.size() == mesh->n_elements(),
                ExcMessage(std::to_string(degrees.size()) + " degrees are given for " +
                           std::to_string(mesh->n_elements()) + " elements."));
    for (unsigned int e = 0; e < degrees.size(); ++e)
      {
        AssertThrow(degrees[e] >= 1 && degrees[e] <= max_legendre_degree,
                    ExcMessage("Element " + std::to_string(e) + " cannot have the degree " +
                               std::to_string(degrees[e]) + ": those of polytopic elements are 1 " +
                               "to " + std::to_string(max_legendre_degree) + "."));
        first_dofs.push_back(first_dofs.back() + n_legendre_modes<dim>(degrees[e]));
      }
  }


  template <int dim>
  PolytopicSpace<dim>::PolytopicSpace(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                                      const unsigned int                               degree)
    : PolytopicSpace(mesh, std::vector<unsigned int>(mesh->n_elements(), degree))
  {}


  template <int dim>
  unsigned int
  PolytopicSpace<dim>::max_degree() const
  {
    return *std::max_element(degrees.begin(), degrees.end());
  }


  template <int dim>
  template <typename Take>
  void
  PolytopicSpace<dim>::for_modes(const unsigned int element,
                                 const Point<dim>  &x,
                                 const Take        &take) const
  {
    const ElementBox<dim> &box   = mesh().box(element);
    const Point<dim>       xi    = box.reference_point(x);
    const double           scale = 1. / std::sqrt(box.volume());
    std::array<std::array<double, max_legendre_degree + 1>, dim> value, slope;
    for (unsigned int d = 0; d < dim; ++d)
      legendre(degrees[element], xi[d], [&](const int k, const double v, const double s) {
        value[d][k] = v;
        slope[d][k] = s;
      });
    for_legendre_modes<dim>(degrees[element], [&](const int m, const Array<int, dim> &powers) {
      double         product = scale;
      Tensor<1, dim> gradient;
      for (unsigned int d = 0; d < dim; ++d)
        {
          product *= value[d][powers[d]];
          gradient[d] = scale;
          for (unsigned int e = 0; e < dim; ++e)
            gradient[d] *= e == d ? slope[e][powers[e]] : value[e][powers[e]];
        }
      take(m, product, gradient);
    });
  }


  template <int dim>
  double
  PolytopicSpace<dim>::value(const std::vector<double> &coefficients,
                             const unsigned int         element,
                             const Point<dim>          &x) const
  {
    double        sum   = 0;
    const double *first = coefficients.data() + first_dof(element);
    for_modes(element, x, [&](const int m, const double value, const Tensor<1, dim> &) {
      sum += first[m] * value;
    });
    return sum;
  }


  template <int dim>
  Tensor<1, dim>
  PolytopicSpace<dim>::gradient(const std::vector<double> &coefficients,
                                const unsigned int         element,
                                const Point<dim>          &x) const
  {
    Tensor<1, dim> sum;
    const double  *first = coefficients.data() + first_dof(element);
    for_modes(element, x, [&](const int m, const double, const Tensor<1, dim> &gradient) {
      sum += first[m] * gradient;
    });
    return transpose(mesh().box(element).to_reference) * sum;
  }


  template <int dim>
  std::vector<typename PolytopicSpace<dim>::Mode>
  PolytopicSpace<dim>::modes(const unsigned int element, const Point<dim> &x) const
  {
    const Tensor<2, dim> to_space = transpose(mesh().box(element).to_reference);
    std::vector<Mode>    result(n_dofs(element));
    for_modes(element, x, [&](const int m, const double value, const Tensor<1, dim> &gradient) {
      result[m] = {value, to_space * gradient};
    });
    return result;
  }


  template <int dim>
  template <typename Result>
  void
  PolytopicSpace<dim>::copy_to_cells(const std::vector<double> &coefficients,
                                     const DoFHandler<dim>     &dof_handler,
                                     Result                    &result) const
  {
    AssertThrow(&dof_handler.get_triangulation() == &mesh().triangulation(),
                ExcMessage("A polytopic function is copied to the cells of its own mesh only."));
    for (const auto &shape : mesh().triangulation().get_reference_cells())
      {
        const FiniteElement<dim> &fe = element_on(dof_handler, shape);
        AssertThrow(fe.degree >= max_degree(),
                    ExcMessage("Polytopic functions of degree " + std::to_string(max_degree()) +
                               " have no room in the element " + fe.get_name() + "."));
        const Quadrature<dim> rule = cell_quadrature<dim>(shape, 2 * fe.degree);
        FEValues<dim>         values(mesh().mapping(), fe, rule, update_quadrature_points);
        std::vector<types::global_dof_index> dofs(fe.n_dofs_per_cell());
        for (const auto &cell : dof_handler.active_cell_iterators())
          {
            if (cell->reference_cell() != shape)
              continue;
            values.reinit(cell);
            const unsigned int  element = mesh().element_of(cell->active_cell_index());
            std::vector<double> sums(dofs.size(), 0.);
            for (unsigned int q = 0; q < rule.size(); ++q)
              {
                const double weighted =
                  rule.weight(q) * value(coefficients, element, values.quadrature_point(q));
                for (unsigned int i = 0; i < sums.size(); ++i)
                  sums[i] += weighted * fe.shape_value(i, rule.point(q));
              }
            cell->get_dof_indices(dofs);
            for (unsigned int i = 0; i < sums.size(); ++i)
              result(dofs[i]) = sums[i];
          }
      }
  }


#define SALTUS_INSTANTIATE(dim)                                                                  \
  template class PolytopicSpace<dim>;                                                            \
  template void PolytopicSpace<dim>::copy_to_cells(const std::vector<double> &,                  \
                                                   const DoFHandler<dim> &,                      \
                                                   LinearAlgebra::distributed::Vector<double> &) \
    const;                                                                                       \
  template void PolytopicSpace<dim>::copy_to_cells(const std::vector<double> &,                  \
                                                   const DoFHandler<dim> &,                      \
                                                   dealii::Vector<double> &) const;
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
