// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/operators/blocks/line_diagonal.h>
#include <saltus/operators/blocks/line_sweep.h>

#include <cmath>

namespace Saltus
{
  namespace
  {
    /// A full matrix with n rows, `[i][j]`.
    using Matrix = std::vector<double>;

    /// The lower triangle becomes the factor of Cholesky's decomposition.
    /// @return whether the matrix is positive definite, by more than rounding
    bool
    factorise(Matrix &matrix, const unsigned int n)
    {
      for (unsigned int j = 0; j < n; ++j)
        {
          const double before = matrix[j * n + j];
          double       pivot  = before;
          for (unsigned int k = 0; k < j; ++k)
            pivot -= matrix[j * n + k] * matrix[j * n + k];
          if (!(pivot > 1e-12 * before))
            return false;
          const double root = matrix[j * n + j] = std::sqrt(pivot);
          for (unsigned int i = j + 1; i < n; ++i)
            {
              double sum = matrix[i * n + j];
              for (unsigned int k = 0; k < j; ++k)
                sum -= matrix[i * n + k] * matrix[j * n + k];
              matrix[i * n + j] = sum / root;
            }
        }
      return true;
    }

    /// Solve for each of the @p n right-hand sides, the rows of @p x, with a matrix that was
    /// factorised.
    void
    solve(const Matrix &factor, Matrix &x, const unsigned int n)
    {
      for (unsigned int r = 0; r < n; ++r)
        {
          double *const y = x.data() + r * n;
          for (unsigned int i = 0; i < n; ++i)
            {
              for (unsigned int k = 0; k < i; ++k)
                y[i] -= factor[i * n + k] * y[k];
              y[i] /= factor[i * n + i];
            }
          for (unsigned int i = n; i-- > 0;)
            {
              for (unsigned int k = i + 1; k < n; ++k)
                y[i] -= factor[k * n + i] * y[k];
              y[i] /= factor[i * n + i];
            }
        }
    }

    /// `a - b c^T`
    Matrix
    minus_product(Matrix a, const Matrix &b, const Matrix &c, const unsigned int n)
    {
      for (unsigned int i = 0; i < n; ++i)
        for (unsigned int j = 0; j < n; ++j)
          for (unsigned int k = 0; k < n; ++k)
            a[i * n + j] -= b[i * n + k] * c[j * n + k];
      return a;
    }

    /// Decompose the matrix along one line: its blocks on the diagonal become the pivots.
    /// @param factors of the line's places, zeros before
    template <typename Number>
    void
    decompose(ElementCouplings<Number> &matrix,
              const int *const          elements,
              const int *const          couplings,
              const int                 length,
              Number                   *factors)
    {
      const unsigned int n = matrix.n_modes, size = n * n;
      Matrix             before; // the factor of the pivot before
      for (int k = 0; k < length; ++k)
        {
          Number *const diagonal = matrix.block(elements[k], 0);
          const Matrix  alone(diagonal, diagonal + size);
          Matrix        pivot = alone;
          if (k > 0)
            {
              const Number *const coupling = matrix.block(elements[k], couplings[k]);
              const Matrix        C(coupling, coupling + size);
              Matrix              transposed = C; // of G
              solve(before, transposed, n);
              pivot         = minus_product(alone, C, transposed, n);
              Matrix factor = pivot;
              if (factorise(factor, n))
                {
                  for (unsigned int i = 0; i < n; ++i)
                    for (unsigned int j = 0; j < n; ++j)
                      factors[k * size + i * n + j] = transposed[j * n + i];
                  std::copy(pivot.begin(), pivot.end(), diagonal);
                  before = std::move(factor);
                  continue;
                }
            }
          before = alone;
          factorise(before, n);
        }
    }
  } // namespace

  template <typename Number>
  void
  LineDiagonal<Number>::reinit(ElementCouplings<Number> matrix,
                               const ElementLines      &lines,
                               const Vector<Number>    &like)
  {
    const unsigned int n      = matrix.n_modes;
    const Device       device = like.device();
    prepare_launch(device, lines.size(), LineSweep<Number>{static_cast<int>(n)});
    std::vector<Number> of_places(lines.elements.size() * n * n);
    parallel_for(lines.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t line = begin; line < end; ++line)
        {
          const int first = lines.starts[line];
          decompose(matrix,
                    lines.elements.data() + first,
                    lines.couplings.data() + first,
                    lines.starts[line + 1] - first,
                    of_places.data() + static_cast<std::size_t>(first) * n * n);
        }
    });
    starts   = Memory<int>(device, lines.starts);
    elements = Memory<int>(device, lines.elements);
    factors  = Memory<Number>(device, of_places);

    scratch.reinit(like);
    inverse_pivots.reinit(like);
    const CoefficientLayout layout = like.layout().coefficients();
    std::vector<Number>     column(like.data_size());
    for (unsigned int m = 0; m < n; ++m)
      {
        for (unsigned int e = 0; e < matrix.n_elements; ++e)
          for (unsigned int i = 0; i < n; ++i)
            column[layout.index(e, i)] = matrix.block(e, 0)[i * n + m];
        scratch.copy_from_host(column.data());
        inverse_pivots.set_column(m, scratch);
      }
    inverse_pivots.invert();
  }

  template <typename Number>
  void
  LineDiagonal<Number>::vmult(Vector<Number>       &dst,
                              const Number          factor,
                              const Vector<Number> &src) const
  {
    dst.equ(factor, src);
    sweep(dst, true);
    inverse_pivots.vmult(scratch, dst);
    sweep(scratch, false);
    dst.swap(scratch);
  }

  template <typename Number>
  void
  LineDiagonal<Number>::sweep(Vector<Number> &x, const bool forward) const
  {
    launch(x.device(),
           starts.size() - 1,
           LineSweep<Number>{static_cast<int>(x.n_modes()),
                             starts.data(),
                             elements.data(),
                             factors.data(),
                             forward,
                             x.data()});
  }

  template <typename Number>
  std::size_t
  LineDiagonal<Number>::memory_consumption() const
  {
    return (starts.size() + elements.size()) * sizeof(int) +
           (factors.size() + scratch.data_size()) * sizeof(Number) +
           inverse_pivots.memory_consumption();
  }

  template class LineDiagonal<double>;
  template class LineDiagonal<float>;
} // namespace Saltus
