// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/full_matrix.h>

#include <saltus/fe/basis.h>
#include <saltus/fe/fe_simplex_nodes.h>
#include <saltus/fe/simplex_modal_polynomials.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The polynomials that are 1 at one point and 0 at the others.
    template <int dim>
    class SimplexNodalPolynomials : public ScalarPolynomialsBase<dim>
    {
    public:
      SimplexNodalPolynomials(const unsigned int degree, const std::vector<Point<dim>> &points)
        : ScalarPolynomialsBase<dim>(degree, SimplexModalPolynomials<dim>::n_polynomials(degree))
        , modes(degree)
        , coefficients(this->n(), this->n())
      {
        AssertThrow(points.size() == this->n(),
                    ExcMessage("Polynomials of degree " + std::to_string(degree) + " need " +
                               std::to_string(this->n()) + " points, not " +
                               std::to_string(points.size()) + "."));
        coefficients.invert(values_at(modes, points));
      }

      void
      evaluate(const Point<dim>            &point,
               std::vector<double>         &values,
               std::vector<Tensor<1, dim>> &gradients,
               std::vector<Tensor<2, dim>> &hessians,
               std::vector<Tensor<3, dim>> &third_derivatives,
               std::vector<Tensor<4, dim>> &fourth_derivatives) const override
      {
        std::vector<double>         of_values(values.size());
        std::vector<Tensor<1, dim>> of_gradients(gradients.size());
        std::vector<Tensor<2, dim>> of_hessians(hessians.size());
        modes.evaluate(
          point, of_values, of_gradients, of_hessians, third_derivatives, fourth_derivatives);
        combine(of_values, values);
        combine(of_gradients, gradients);
        combine(of_hessians, hessians);
      }

      double
      compute_value(const unsigned int i, const Point<dim> &p) const override
      {
        return sum(i, [&](const unsigned int m) { return modes.compute_value(m, p); });
      }

      Tensor<1, dim>
      compute_1st_derivative(const unsigned int i, const Point<dim> &p) const override
      {
        return sum(i, [&](const unsigned int m) { return modes.compute_1st_derivative(m, p); });
      }

      Tensor<2, dim>
      compute_2nd_derivative(const unsigned int i, const Point<dim> &p) const override
      {
        return sum(i, [&](const unsigned int m) { return modes.compute_2nd_derivative(m, p); });
      }

      Tensor<3, dim>
      compute_3rd_derivative(const unsigned int i, const Point<dim> &p) const override
      {
        return modes.compute_3rd_derivative(i, p); // not implemented
      }

      Tensor<4, dim>
      compute_4th_derivative(const unsigned int i, const Point<dim> &p) const override
      {
        return modes.compute_4th_derivative(i, p); // not implemented
      }

      Tensor<1, dim>
      compute_grad(const unsigned int i, const Point<dim> &p) const override
      {
        return compute_1st_derivative(i, p);
      }

      Tensor<2, dim>
      compute_grad_grad(const unsigned int i, const Point<dim> &p) const override
      {
        return compute_2nd_derivative(i, p);
      }

      std::unique_ptr<ScalarPolynomialsBase<dim>>
      clone() const override
      {
        return std::make_unique<SimplexNodalPolynomials>(*this);
      }

      std::string
      name() const override
      {
        return "SimplexNodalPolynomials";
      }

    private:
      template <typename OfMode>
      auto
      sum(const unsigned int i, const OfMode &of_mode) const
      {
        auto result = coefficients(0, i) * of_mode(0);
        for (unsigned int m = 1; m < this->n(); ++m)
          result += coefficients(m, i) * of_mode(m);
        return result;
      }

      template <typename Value>
      void
      combine(const std::vector<Value> &of_modes, std::vector<Value> &result) const
      {
        for (unsigned int i = 0; i < result.size(); ++i)
          result[i] = sum(i, [&](const unsigned int m) { return of_modes[m]; });
      }

      const SimplexModalPolynomials<dim> modes;
      FullMatrix<double>                 coefficients; ///< `(m, i)`
    };

    template <int dim>
    FiniteElementData<dim>
    element_data(const unsigned int degree)
    {
      std::vector<unsigned int> dofs_per_object(dim + 1, 0);
      dofs_per_object[dim] = SimplexModalPolynomials<dim>::n_polynomials(degree);
      return {
        dofs_per_object, ReferenceCells::get_simplex<dim>(), 1, degree, FiniteElementData<dim>::L2};
    }
  } // namespace

  template <int dim>
  FE_SimplexNodes<dim>::FE_SimplexNodes(const unsigned int             degree,
                                        const std::vector<Point<dim>> &points)
    : FE_Poly<dim>(SimplexNodalPolynomials<dim>(degree, points),
                   element_data<dim>(degree),
                   std::vector<bool>(points.size(), true),
                   std::vector<ComponentMask>(points.size(), ComponentMask(1, true)))
  {
    this->unit_support_points = points;
  }

  template <int dim>
  std::unique_ptr<FiniteElement<dim>>
  FE_SimplexNodes<dim>::clone() const
  {
    return std::make_unique<FE_SimplexNodes<dim>>(*this);
  }

  template <int dim>
  std::string
  FE_SimplexNodes<dim>::get_name() const
  {
    return "FE_SimplexNodes<" + std::to_string(dim) + ">(" + std::to_string(this->degree) + ")";
  }

  template class FE_SimplexNodes<2>;
  template class FE_SimplexNodes<3>;
} // namespace Saltus
