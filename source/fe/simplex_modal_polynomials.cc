// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/simplex_modal_polynomials.h>

#include <cmath>

namespace Saltus
{
  namespace
  {
    /// Value, gradient and perhaps Hessian of a function at a point, with the product rule as
    /// arithmetic.
    template <int dim, bool has_hessian>
    struct Jet
    {
      double                 value;
      dealii::Tensor<1, dim> gradient = {};
      dealii::Tensor<2, dim> hessian  = {}; ///< 0 without has_hessian

      Jet(const double constant = 0.)
        : value(constant)
      {}

      friend Jet
      operator+(Jet a, const Jet &b)
      {
        a.value += b.value;
        a.gradient += b.gradient;
        if constexpr (has_hessian)
          a.hessian += b.hessian;
        return a;
      }

      friend Jet
      operator*(const double factor, Jet a)
      {
        a.value *= factor;
        a.gradient *= factor;
        if constexpr (has_hessian)
          a.hessian *= factor;
        return a;
      }

      friend Jet
      operator-(const Jet &a, const Jet &b)
      {
        return a + (-1.) * b;
      }

      friend Jet
      operator*(const Jet &a, const Jet &b)
      {
        Jet c(a.value * b.value);
        c.gradient = a.value * b.gradient + b.value * a.gradient;
        if constexpr (has_hessian)
          c.hessian = a.value * b.hessian + b.value * a.hessian +
                      outer_product(a.gradient, b.gradient) + outer_product(b.gradient, a.gradient);
        return c;
      }
    };

    template <int dim>
    std::array<double, dim>
    coordinates(const dealii::Point<dim> &p, double /*number type*/)
    {
      std::array<double, dim> x;
      for (unsigned int d = 0; d < dim; ++d)
        x[d] = p[d];
      return x;
    }

    template <int dim, bool has_hessian>
    std::array<Jet<dim, has_hessian>, dim>
    coordinates(const dealii::Point<dim> &p, Jet<dim, has_hessian> /*number type*/)
    {
      std::array<Jet<dim, has_hessian>, dim> x;
      for (unsigned int d = 0; d < dim; ++d)
        {
          x[d].value       = p[d];
          x[d].gradient[d] = 1.;
        }
      return x;
    }

    /// \f$t^n P_n^{(\alpha,0)}(s/t)\f$ for n = 0, ..., @p degree. The recurrence is that of the
    /// Jacobi polynomials with each term multiplied by the missing powers of t.
    template <typename Number>
    std::vector<Number>
    homogeneous_jacobi(const unsigned int alpha,
                       const unsigned int degree,
                       const Number      &s,
                       const Number      &t)
    {
      const double        a = alpha;
      std::vector<Number> p(degree + 1, Number(1.));
      if (degree > 0)
        p[1] = 0.5 * ((a + 2.) * s + a * t);
      for (unsigned int n = 1; n < degree; ++n)
        {
          const double c     = 2. * n + a;
          const double scale = 1. / (2. * (n + 1.) * (n + a + 1.) * c);
          const Number slope = (scale * (c + 1.)) * ((c * (c + 2.)) * s + (a * a) * t);
          p[n + 1] = slope * p[n] - (scale * 2. * n * (n + a) * (c + 2.)) * (t * t * p[n - 1]);
        }
      return p;
    }

    /// The factors of all modes in direction @p d that belong to the sum @p m of the indices before
    /// it, for n = 0, ..., @p degree.
    template <std::size_t dim, typename Number>
    std::vector<Number>
    mode_factors(const std::array<Number, dim> &x,
                 const unsigned int             d,
                 const unsigned int             m,
                 const unsigned int             degree)
    {
      Number t(1.);
      for (unsigned int e = d + 1; e < dim; ++e)
        t = t - x[e];
      return homogeneous_jacobi(2 * m + d, degree, 2. * x[d] - t, t);
    }

    /// The normalised product of `factor(d, m_d, n_d)` over the directions d.
    template <typename Number, std::size_t dim, typename Factor>
    Number
    mode(const std::array<unsigned int, dim> &indices, const Factor &factor)
    {
      Number       product(1.);
      double       norm_square = 1.;
      unsigned int m           = 0;
      for (unsigned int d = 0; d < dim; ++d)
        {
          product = product * factor(d, m, indices[d]);
          m += indices[d];
          norm_square *= 2. * m + d + 1.;
        }
      return std::sqrt(norm_square) * product;
    }

    template <typename Number, int dim>
    Number
    one_mode(const std::array<unsigned int, dim> &indices, const dealii::Point<dim> &p)
    {
      const auto x = coordinates(p, Number());
      return mode<Number>(indices,
                          [&](const unsigned int d, const unsigned int m, const unsigned int n) {
                            return mode_factors(x, d, m, n).back();
                          });
    }

    template <typename Number, int dim>
    std::vector<Number>
    all_modes(const std::vector<std::array<unsigned int, dim>> &indices,
              const unsigned int                                degree,
              const dealii::Point<dim>                         &p)
    {
      const auto                                        x = coordinates(p, Number());
      std::array<std::vector<std::vector<Number>>, dim> factors; // [d][m][n]
      for (unsigned int d = 0; d < dim; ++d)
        for (unsigned int m = 0; m <= (d == 0 ? 0 : degree); ++m)
          factors[d].push_back(mode_factors(x, d, m, degree - m));

      std::vector<Number> modes;
      modes.reserve(indices.size());
      for (const auto &index : indices)
        modes.push_back(
          mode<Number>(index,
                       [&](const unsigned int d, const unsigned int m, const unsigned int n) {
                         return factors[d][m][n];
                       }));
      return modes;
    }

    /// Append all multi-indices that continue the first @p d entries of @p index and sum to
    /// @p remaining from there on.
    template <std::size_t dim>
    void
    append_indices(std::vector<std::array<unsigned int, dim>> &list,
                   std::array<unsigned int, dim>              &index,
                   const unsigned int                          d,
                   const unsigned int                          remaining)
    {
      if (d + 1 == dim)
        {
          index[d] = remaining;
          list.push_back(index);
        }
      else
        for (index[d] = 0; index[d] <= remaining; ++index[d])
          append_indices(list, index, d + 1, remaining - index[d]);
    }
  } // namespace

  template <int dim>
  SimplexModalPolynomials<dim>::SimplexModalPolynomials(const unsigned int degree)
    : dealii::ScalarPolynomialsBase<dim>(degree, n_polynomials(degree))
  {
    std::array<unsigned int, dim> index;
    mode_indices.reserve(this->n());
    for (unsigned int total = 0; total <= degree; ++total)
      append_indices(mode_indices, index, 0, total);
    AssertDimension(mode_indices.size(), this->n());
  }

  template <int dim>
  unsigned int
  SimplexModalPolynomials<dim>::n_polynomials(const unsigned int degree)
  {
    unsigned int n = 1;
    for (unsigned int d = 1; d <= dim; ++d)
      n = n * (degree + d) / d;
    return n;
  }

  template <int dim>
  void
  SimplexModalPolynomials<dim>::evaluate(
    const dealii::Point<dim>            &unit_point,
    std::vector<double>                 &values,
    std::vector<dealii::Tensor<1, dim>> &grads,
    std::vector<dealii::Tensor<2, dim>> &grad_grads,
    std::vector<dealii::Tensor<3, dim>> &third_derivatives,
    std::vector<dealii::Tensor<4, dim>> &fourth_derivatives) const
  {
    Assert(values.empty() || values.size() == this->n(),
           dealii::ExcDimensionMismatch2(values.size(), this->n(), 0));
    Assert(grads.empty() || grads.size() == this->n(),
           dealii::ExcDimensionMismatch2(grads.size(), this->n(), 0));
    Assert(grad_grads.empty() || grad_grads.size() == this->n(),
           dealii::ExcDimensionMismatch2(grad_grads.size(), this->n(), 0));
    AssertThrow(third_derivatives.empty() && fourth_derivatives.empty(),
                dealii::ExcNotImplemented());

    if (grads.empty() && grad_grads.empty())
      {
        if (!values.empty())
          values = all_modes<double, dim>(mode_indices, this->degree(), unit_point);
        return;
      }

    const auto copy = [&](const auto &jets) {
      for (unsigned int i = 0; i < values.size(); ++i)
        values[i] = jets[i].value;
      for (unsigned int i = 0; i < grads.size(); ++i)
        grads[i] = jets[i].gradient;
      for (unsigned int i = 0; i < grad_grads.size(); ++i)
        grad_grads[i] = jets[i].hessian;
    };
    if (grad_grads.empty())
      copy(all_modes<Jet<dim, false>, dim>(mode_indices, this->degree(), unit_point));
    else
      copy(all_modes<Jet<dim, true>, dim>(mode_indices, this->degree(), unit_point));
  }

  template <int dim>
  double
  SimplexModalPolynomials<dim>::compute_value(const unsigned int        i,
                                              const dealii::Point<dim> &p) const
  {
    AssertIndexRange(i, this->n());
    return one_mode<double, dim>(mode_indices[i], p);
  }

  template <int dim>
  dealii::Tensor<1, dim>
  SimplexModalPolynomials<dim>::compute_1st_derivative(const unsigned int        i,
                                                       const dealii::Point<dim> &p) const
  {
    AssertIndexRange(i, this->n());
    return one_mode<Jet<dim, false>, dim>(mode_indices[i], p).gradient;
  }

  template <int dim>
  dealii::Tensor<2, dim>
  SimplexModalPolynomials<dim>::compute_2nd_derivative(const unsigned int        i,
                                                       const dealii::Point<dim> &p) const
  {
    AssertIndexRange(i, this->n());
    return one_mode<Jet<dim, true>, dim>(mode_indices[i], p).hessian;
  }

  template <int dim>
  dealii::Tensor<3, dim>
  SimplexModalPolynomials<dim>::compute_3rd_derivative(const unsigned int,
                                                       const dealii::Point<dim> &) const
  {
    AssertThrow(false, dealii::ExcNotImplemented());
    return {};
  }

  template <int dim>
  dealii::Tensor<4, dim>
  SimplexModalPolynomials<dim>::compute_4th_derivative(const unsigned int,
                                                       const dealii::Point<dim> &) const
  {
    AssertThrow(false, dealii::ExcNotImplemented());
    return {};
  }

  template <int dim>
  dealii::Tensor<1, dim>
  SimplexModalPolynomials<dim>::compute_grad(const unsigned int        i,
                                             const dealii::Point<dim> &p) const
  {
    return compute_1st_derivative(i, p);
  }

  template <int dim>
  dealii::Tensor<2, dim>
  SimplexModalPolynomials<dim>::compute_grad_grad(const unsigned int        i,
                                                  const dealii::Point<dim> &p) const
  {
    return compute_2nd_derivative(i, p);
  }

  template <int dim>
  std::unique_ptr<dealii::ScalarPolynomialsBase<dim>>
  SimplexModalPolynomials<dim>::clone() const
  {
    return std::make_unique<SimplexModalPolynomials<dim>>(*this);
  }

  template <int dim>
  std::string
  SimplexModalPolynomials<dim>::name() const
  {
    return "SimplexModalPolynomials";
  }

  template <int dim>
  std::size_t
  SimplexModalPolynomials<dim>::memory_consumption() const
  {
    return sizeof(*this) + mode_indices.capacity() * sizeof(mode_indices[0]);
  }

  template class SimplexModalPolynomials<1>;
  template class SimplexModalPolynomials<2>;
  template class SimplexModalPolynomials<3>;
} // namespace Saltus
