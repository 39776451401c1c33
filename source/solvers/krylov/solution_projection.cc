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

  template <typename Number, typename VectorType>
  SolutionProjection<Number, VectorType>::SolutionProjection(const unsigned int max_solutions,
                                                             const VectorType  &shape)
    : basis(max_solutions, shape)
    , image(shape)
  {}

  template <typename Number, typename VectorType>
  MultiVector<Number>
  SolutionProjection<Number, VectorType>::known(const unsigned int block) const
  {
    std::vector<Vector<Number> *> columns;
    for (unsigned int i = 0; i < n; ++i)
      columns.push_back(const_cast<Vector<Number> *>(&block_of(basis[i], block)));
    return MultiVector<Number>(columns);
  }

  template <typename Number, typename VectorType>
  std::vector<Number>
  SolutionProjection<Number, VectorType>::products(const VectorType &x) const
  {
    std::vector<Number> sums(n);
    for (unsigned int block = 0; block < n_blocks_of(x); ++block)
      {
        const std::vector<Number> of_block = known(block).products(column(block_of(x, block)));
        for (unsigned int i = 0; i < n; ++i)
          sums[i] += of_block[i];
      }
    return sums;
  }

  template <typename Number, typename VectorType>
  void
  SolutionProjection<Number, VectorType>::combine(VectorType         &x,
                                                  const Number        s,
                                                  const Number        a,
                                                  std::vector<Number> components) const
  {
    if (components.empty())
      return;
    for (Number &component : components)
      component *= a;
    for (unsigned int block = 0; block < n_blocks_of(x); ++block)
      column(block_of(x, block)).multiply(s, known(block), components);
  }

  template <typename Number, typename VectorType>
  void
  SolutionProjection<Number, VectorType>::guess(VectorType &x, const VectorType &b)
  {
    x = Number(0);
    if (n == 0)
      return;
    guessed = products(b);
    combine(x, 0, 1, guessed);
  }

  template <typename Number, typename VectorType>
  void
  SolutionProjection<Number, VectorType>::add(const VectorType                    &x,
                                              const LinearMap<Number, VectorType> &matrix)
  {
    std::vector<Number> components;
    components.swap(guessed);
    if (basis.empty())
      return;
    if (n == basis.size())
      {
        n = 0;
        components.clear();
      }
    // The guess is known without a product with the matrix, and is nearly all that x has of known
    // solutions.
    VectorType &direction = basis[n];
    direction             = x;
    combine(direction, 1, -1, components);
    matrix.vmult(image, direction);
    Number       norm_sqr = direction * image;
    const Number before   = norm_sqr + squared(components);
    if (n > 0)
      {
        components = products(image);
        combine(direction, 1, -1, components);
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

  template <typename Number, typename VectorType>
  void
  SolutionProjection<Number, VectorType>::set_solutions(const std::vector<VectorType> &solutions)
  {
    AssertThrow(solutions.size() <= basis.size(),
                dealii::ExcMessage(std::to_string(solutions.size()) +
                                   " known solutions are given, but at most " +
                                   std::to_string(basis.size()) + " are kept."));
    n = 0;
    guessed.clear();
    for (const VectorType &solution : solutions)
      basis[n++] = solution;
  }

  template class SolutionProjection<double>;
  template class SolutionProjection<float>;
  template class SolutionProjection<double, BlockVector<double>>;
} // namespace Saltus
