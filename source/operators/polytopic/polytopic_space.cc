// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/fe/dg_element.h>
#include <saltus/fe/legendre.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/operators/polytopic/polytopic_space.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  PolytopicSpace<dim>::PolytopicSpace(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                                      const std::vector<unsigned int>                 &degrees)
    : polytopes(mesh)
    , present_degrees(max_legendre_degree + 1, false)
  {
    const MPI_Comm communicator = mesh->triangulation().get_communicator();
    on_all_ranks(communicator, [&]() {
      AssertThrow(degrees.size() == mesh->n_elements(),
                  ExcMessage(std::to_string(degrees.size()) + " degrees are given for " +
                             std::to_string(mesh->n_elements()) + " elements."));
      for (unsigned int e = 0; e < degrees.size(); ++e)
        AssertThrow(degrees[e] >= 1 && degrees[e] <= max_legendre_degree,
                    ExcMessage("Element " + std::to_string(mesh->first_element() + e) +
                               " cannot have the degree " + std::to_string(degrees[e]) +
                               ": those of polytopic elements are 1 to " +
                               std::to_string(max_legendre_degree) + "."));
    });
    const std::vector<double> known =
      Saltus::with_ghosts(mesh->ghosts(), std::vector<double>(degrees.begin(), degrees.end()));
    std::vector<int> firsts = {0};
    on_all_ranks(communicator, [&]() {
      std::size_t n = 0;
      for (const int degree : known)
        {
          present_degrees[degree] = true;
          n += n_legendre_modes<dim>(degree);
          AssertThrow(n <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
                      ExcMessage("The " + std::to_string(known.size()) +
                                 " polytopic elements of a rank have more than " +
                                 std::to_string(std::numeric_limits<int>::max()) +
                                 " unknowns: take more ranks, or lower degrees."));
          firsts.push_back(n);
        }
    });
    all_degrees    = std::vector<int>(known.begin(), known.end());
    all_first_dofs = std::move(firsts);
    highest_degree = degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
    n_global_dofs  = n_owned_dofs();
    if (n_ranks(communicator) > 1)
      {
        highest_degree = Utilities::MPI::max(highest_degree, communicator);
        n_global_dofs  = Utilities::MPI::sum(n_global_dofs, communicator);
      }
  }


  template <int dim>
  PolytopicSpace<dim>::PolytopicSpace(const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
                                      const unsigned int                               degree)
    : PolytopicSpace(mesh, std::vector<unsigned int>(mesh->n_elements(), degree))
  {}


  template <int dim>
  std::vector<double>
  PolytopicSpace<dim>::with_ghosts(const std::vector<double> &coefficients) const
  {
    if (!mesh().ghosts())
      return coefficients;
    const std::vector<std::size_t> starts(all_first_dofs.host().begin(),
                                          all_first_dofs.host().end());
    ElementExchange<double>        exchange(*mesh().ghosts(), Device::cpu(), starts);
    const double                  *all = exchange.run(coefficients.data());
    return {all, all + starts.back()};
  }


  namespace
  {
    /// The functions of an element at a point, and their derivatives in the box.
    template <int dim>
    class ModesAt
    {
    public:
      /// @param order of the derivatives that are asked for, at most
      ModesAt(const PolytopicSpace<dim> &space,
              const unsigned int         element,
              const Point<dim>          &x,
              const unsigned int         order)
        : degree(space.degree(element))
        , scale(1. / std::sqrt(space.mesh().box(element).volume()))
      {
        const Point<dim> xi = space.mesh().box(element).reference_point(x);
        for (unsigned int d = 0; d < dim; ++d)
          legendre(degree, xi[d], [&](const int k, const double value, const double slope) {
            auto &[values, slopes, curvatures] = factors[d];
            values[k]                          = value;
            if (order == 0)
              return;
            slopes[k] = slope;
            // P''_k = P''_(k-2) + (2 k - 1) P'_(k-1)
            curvatures[k] = 0;
            if (k > 1)
              curvatures[k] =
                legendre_factor(k) * (curvatures[k - 2] / legendre_factor(k - 2) +
                                      (2 * k - 1) * slopes[k - 1] / legendre_factor(k - 1));
          });
      }

      /// Call `take(m, powers)` for all of them.
      template <typename Take>
      void
      for_each(const Take &take) const
      {
        for_legendre_modes<dim>(degree, take);
      }

      /// A mode, in each direction derived as often as @p orders says.
      double
      operator()(const Array<int, dim> &powers, const std::array<unsigned int, dim> &orders) const
      {
        double product = scale;
        for (unsigned int d = 0; d < dim; ++d)
          product *= factors[d][orders[d]][powers[d]];
        return product;
      }

    private:
      const unsigned int degree;
      const double       scale;
      /// `[direction][order of the derivative][degree]`
      std::array<std::array<std::array<double, max_legendre_degree + 1>, 3>, dim> factors;
    };
  } // namespace


  template <int dim>
  std::vector<double>
  PolytopicSpace<dim>::mode_values(const unsigned int element, const Point<dim> &x) const
  {
    const ModesAt<dim>  modes(*this, element, x, 0);
    std::vector<double> values(n_dofs(element));
    modes.for_each(
      [&](const int m, const Array<int, dim> &powers) { values[m] = modes(powers, {}); });
    return values;
  }


  template <int dim>
  typename PolytopicSpace<dim>::Derivatives
  PolytopicSpace<dim>::derivatives(const std::vector<double> &coefficients,
                                   const unsigned int         element,
                                   const Point<dim>          &x,
                                   const unsigned int         order) const
  {
    const ModesAt<dim> modes(*this, element, x, order);
    const double      *first = coefficients.data() + first_dof(element);
    Derivatives        sum;
    modes.for_each([&](const int m, const Array<int, dim> &powers) {
      sum.value += first[m] * modes(powers, {});
      for (unsigned int d = 0; order > 0 && d < dim; ++d)
        {
          std::array<unsigned int, dim> orders{};
          ++orders[d];
          sum.gradient[d] += first[m] * modes(powers, orders);
          for (unsigned int e = 0; order > 1 && e <= d; ++e)
            {
              std::array<unsigned int, dim> both = orders;
              ++both[e];
              sum.hessian[d][e] += first[m] * modes(powers, both);
            }
        }
    });
    const Tensor<2, dim> &to_reference = mesh().box(element).to_reference;
    const Tensor<2, dim>  transposed   = transpose(to_reference);
    sum.gradient                       = transposed * sum.gradient;
    sum.hessian = symmetrize(transposed * Tensor<2, dim>(sum.hessian) * to_reference);
    return sum;
  }


  template <int dim>
  double
  PolytopicSpace<dim>::value(const std::vector<double> &coefficients,
                             const unsigned int         element,
                             const Point<dim>          &x) const
  {
    const ModesAt<dim> modes(*this, element, x, 0);
    const double      *first = coefficients.data() + first_dof(element);
    double             sum   = 0.;
    modes.for_each(
      [&](const int m, const Array<int, dim> &powers) { sum += first[m] * modes(powers, {}); });
    return sum;
  }


  template <int dim>
  Tensor<1, dim>
  PolytopicSpace<dim>::gradient(const std::vector<double> &coefficients,
                                const unsigned int         element,
                                const Point<dim>          &x) const
  {
    return derivatives(coefficients, element, x, 1).gradient;
  }


  template <int dim>
  std::vector<typename PolytopicSpace<dim>::Mode>
  PolytopicSpace<dim>::modes(const unsigned int element, const Point<dim> &x) const
  {
    const ModesAt<dim>   modes(*this, element, x, 1);
    const Tensor<2, dim> to_space = transpose(mesh().box(element).to_reference);
    std::vector<Mode>    result(n_dofs(element));
    modes.for_each([&](const int m, const Array<int, dim> &powers) {
      Tensor<1, dim> gradient;
      for (unsigned int d = 0; d < dim; ++d)
        {
          std::array<unsigned int, dim> orders{};
          ++orders[d];
          gradient[d] = modes(powers, orders);
        }
      result[m] = {modes(powers, {}), to_space * gradient};
    });
    return result;
  }


  template <int dim>
  unsigned int
  PolytopicSpace<dim>::degree_on_cells() const
  {
    return std::min<unsigned int>(max_degree() * mapping_degree(mesh().mapping()),
                                  max_legendre_degree);
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
        FullMatrix<double>    weighted_functions(rule.size(), fe.n_dofs_per_cell());
        for (unsigned int q = 0; q < rule.size(); ++q)
          for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
            weighted_functions(q, i) = rule.weight(q) * fe.shape_value(i, rule.point(q));
        std::vector<typename DoFHandler<dim>::active_cell_iterator> cells;
        for (const auto &cell : dof_handler.active_cell_iterators())
          if (cell->is_locally_owned() && cell->reference_cell() == shape)
            cells.push_back(cell);
        parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
          FEValues<dim> values(mesh().mapping(), fe, rule, update_quadrature_points);
          std::vector<types::global_dof_index> dofs(fe.n_dofs_per_cell());
          std::vector<double>                  sums(dofs.size());
          for (std::size_t c = begin; c < end; ++c)
            {
              values.reinit(cells[c]);
              const unsigned int element = mesh().element_of(cells[c]->active_cell_index());
              std::fill(sums.begin(), sums.end(), 0.);
              for (unsigned int q = 0; q < rule.size(); ++q)
                {
                  const double at_point = value(coefficients, element, values.quadrature_point(q));
                  for (unsigned int i = 0; i < sums.size(); ++i)
                    sums[i] += weighted_functions(q, i) * at_point;
                }
              cells[c]->get_dof_indices(dofs);
              for (unsigned int i = 0; i < sums.size(); ++i)
                result(dofs[i]) = sums[i];
            }
        });
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
