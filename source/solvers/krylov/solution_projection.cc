// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/solvers/krylov/solution_projection.h>

#include <cmath>
#include <numeric>

namespace Saltus
{
  namespace
  {
    /// A vector that is only read, as a matrix with one column.
    template <typename Number>
    MultiVector<Number>
    column(const Vector<Number> &x)
    {
      return MultiVector<Number>({const_cast<Vector<Number> *>(&x)});
    }

    /// `x -= A components`
    template <typename Number>
    void
    subtract(Vector<Number> &x, const MultiVector<Number> &A, std::vector<Number> components)
    {
      if (components.empty())
        return;
      for (Number &component : components)
        component *= -1;
      column(x).multiply(1, A, components);
    }

    /// What components in an orthonormal basis contribute to the square of a norm.
    template <typename Number>
    Number
    squared(const std::vector<Number> &components)
    {
      return std::inner_product(components.begin(),
                                components.end(),
                                components.begin(),
                                Number(0));
    }
  } // namespace

  template <typename Number>
  SolutionProjection<Number>::SolutionProjection(const unsigned int    max_solutions,
                                                 const Vector<Number> &shape)
    : basis(shape, max_solutions)
    , image(shape)
  {}

  template <typename Number>
  MultiVector<Number>
  SolutionProjection<Number>::known() const
  {
    std::vector<int> indices(n);
    std::iota(indices.begin(), indices.end(), 0);
    return basis.view(indices);
  }

  template <typename Number>
  void
  SolutionProjection<Number>::guess(Vector<Number> &x, const Vector<Number> &b)
  {
    x = Number(0);
    if (n == 0)
      return;
    guessed = known().products(column(b));
    column(x).multiply(0, known(), guessed);
  }

  template <typename Number>
  void
  SolutionProjection<Number>::add(const Vector<Number> &x, const LinearMap<Number> &matrix)
  {
    std::vector<Number> components;
    components.swap(guessed);
    if (basis.n_columns() == 0)
      return;
    if (n == basis.n_columns())
      {
        n = 0;
        components.clear();
      }
    // The guess is known without a product with the matrix, and is nearly all that x has of known
    // solutions.
    Vector<Number> &direction = basis.column(n);
    direction                 = x;
    subtract(direction, known(), components);
    matrix.vmult(image, direction);
    Number       norm_sqr = direction * image;
    const Number before   = norm_sqr + squared(components);
    if (n > 0)
      {
        components = known().products(column(image));
        subtract(direction, known(), components);
        const Number subtracted = squared(components);
        if (subtracted > norm_sqr / 2) // the rest may be rounding
          {
            matrix.vmult(image, direction);
            norm_sqr = direction * image;
          }
        else
          norm_sqr -= subtracted;
      }
    // What is left of a solution that is known already is rounding.
    constexpr Number rounding = sizeof(Number) == sizeof(double) ? 1e-24 : 1e-10;
    if (!(norm_sqr > rounding * before) || !std::isnormal(norm_sqr)) // or lost in the square
      return;
    direction *= 1 / std::sqrt(norm_sqr);
    ++n;
  }

  template <typename Number>
  std::vector<Vector<Number>>
  SolutionProjection<Number>::solutions() const
  {
    std::vector<Vector<Number>> result;
    for (unsigned int i = 0; i < n; ++i)
      result.push_back(basis.column(i));
    return result;
  }

  template <typename Number>
  void
  SolutionProjection<Number>::set_solutions(const std::vector<Vector<Number>> &solutions)
  {
    AssertThrow(solutions.size() <= basis.n_columns(),
                dealii::ExcMessage(std::to_string(solutions.size()) +
                                   " known solutions are given, but at most " +
                                   std::to_string(basis.n_columns()) + " are kept."));
    n = 0;
    guessed.clear();
    for (const Vector<Number> &solution : solutions)
      basis.column(n++) = solution;
  }

  template class SolutionProjection<double>;
  template class SolutionProjection<float>;
} // namespace Saltus
