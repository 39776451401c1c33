// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_half_lines_h
#define saltus_source_operators_elliptic_kernels_half_lines_h

#include <saltus/operators/elliptic/kernels/hypercube_laplace_element.h>

namespace
{
  using namespace Saltus;

  /// The tables of a line of n points for sums (parity 0) and differences (1) of the numbers at
  /// opposite points: as the points are symmetric, sums have no part in what differences give, and
  /// the other way round, so that both ends, or opposite rows of a matrix, take half of the
  /// products. The middle one of an odd number of points has no opposite: its sum is its number.
  template <typename Number, int n>
  struct HalfLines
  {
    static constexpr int half = (n + 1) / 2;

    /// There is one difference less where the number of points is odd.
    static constexpr int
    size(const int parity)
    {
      return parity == 0 ? half : n / 2;
    }

    explicit HalfLines(const SymmetricLineTables<Number, n> &lines)
    {
      for (int parity = 0; parity < 2; ++parity)
        for (int m = 0; m < half; ++m)
          {
            edge[parity][m]  = part(parity, m, lines.edge);
            slope[parity][m] = part(parity, m, lines.slope);
            Number row[n], tested[n];
            for (int k = 0; k < n; ++k)
              {
                tested[k] = lines.derivative[k][m];
                row[k]    = 0;
                for (int q = 0; q < n; ++q)
                  row[k] += lines.derivative[q][m] * lines.derivative[q][k];
              }
            for (int k = 0; k < half; ++k)
              {
                stiffness[parity][m][k]         = part(parity, k, row);
                derivative[parity][m][k]        = part(parity, k, lines.derivative[m]);
                tested_derivative[parity][m][k] = part(parity, k, tested);
              }
          }
    }

    Number edge[2][half], slope[2][half]; ///< `[parity][m]`, see SymmetricLineTables
    /// Rows `[parity][m][k]` of matrices: derivatives, their transpose, and the product of both.
    /// The opposite rows of the last one are the same for sums, and the negative ones for
    /// differences; those of the others the other way round.
    Number derivative[2][half][half], tested_derivative[2][half][half], stiffness[2][half][half];

  private:
    static Number
    part(const int parity, const int m, const Number (&numbers)[n])
    {
      const Number opposite = numbers[n - 1 - m];
      if (2 * m == n - 1)
        return parity == 0 ? numbers[m] : Number(0);
      return (numbers[m] + (parity == 0 ? opposite : -opposite)) / 2;
    }
  };

  /// The numbers on a line as sums and differences of opposite ones.
  template <typename T, int n>
  class HalfLine
  {
    static constexpr int half = (n + 1) / 2;

  public:
    inline __attribute__((always_inline)) HalfLine(const T *u, const int stride)
    {
      for (int m = 0; m < n / 2; ++m)
        {
          parts[0][m] = u[m * stride] + u[(n - 1 - m) * stride];
          parts[1][m] = u[m * stride] - u[(n - 1 - m) * stride];
        }
      if (n % 2 == 1)
        parts[0][half - 1] = u[n / 2 * stride];
    }

    template <int parity, typename Number>
    inline __attribute__((always_inline)) T
    sum(const Number (&factors)[half]) const
    {
      T result = T(factors[0]) * parts[parity][0];
      for (int m = 1; m < (parity == 0 ? half : n / 2); ++m)
        result = result + T(factors[m]) * parts[parity][m];
      return result;
    }

    /// What @p factors of a function and, in the opposite order, of another one give, at the
    /// beginning and at the end of the line.
    template <typename Number>
    inline __attribute__((always_inline)) void
    set_ends(const Number (&factors)[2][half], T &at_begin, T &at_end) const
    {
      const T even = sum<0>(factors[0]), odd = sum<1>(factors[1]);
      at_begin = even + odd;
      at_end   = even - odd;
    }

    /// `set(m, value)`: the product with HalfLines::derivative or HalfLines::tested_derivative.
    template <typename Number, typename Set>
    inline __attribute__((always_inline)) void
    derive(const Number (&matrix)[2][half][half], const Set &set) const
    {
      for (int m = 0; m < n / 2; ++m)
        {
          const T odd = sum<0>(matrix[0][m]), even = sum<1>(matrix[1][m]);
          set(m, even + odd);
          set(n - 1 - m, even - odd);
        }
      if (n % 2 == 1)
        set(n / 2, sum<1>(matrix[1][half - 1]));
    }

  private:
    T parts[2][half];
  };
} // namespace

#endif
