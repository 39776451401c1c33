// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Sparse matrices in the modal basis against the polynomials themselves, at points.
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/fe/sparse_modal_tables.h>

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace dealii;
using namespace Saltus;

namespace
{
  /// A random polynomial and the tables of its degree.
  template <int dim>
  struct Setting
  {
    explicit Setting(const int degree)
      : degree(degree)
      , layout(degree)
      , table(sparse_modal_tables<dim>(degree))
      , modes(degree)
    {
      std::mt19937                           generator(degree);
      std::uniform_real_distribution<double> random(-1., 1.);
      for (unsigned int m = 0; m < modes.n(); ++m)
        u.push_back(random(generator));
      for (unsigned int i = 0; i < 5; ++i)
        {
          // Within the simplex.
          Point<dim> x;
          for (unsigned int d = 0; d < dim; ++d)
            x[d] = (1. + random(generator)) / (2. * dim);
          points.push_back(x);
        }
    }

    double
    value(const std::vector<double> &v, const Point<dim> &x) const
    {
      double sum = 0;
      for (unsigned int m = 0; m < v.size(); ++m)
        sum += v[m] * modes.compute_value(m, x);
      return sum;
    }

    Tensor<1, dim>
    gradient(const Point<dim> &x) const
    {
      Tensor<1, dim> sum;
      for (unsigned int m = 0; m < u.size(); ++m)
        sum += u[m] * modes.compute_grad(m, x);
      return sum;
    }

    /// The matrix whose entries begin at @p offset, times u.
    template <typename Matrix>
    std::vector<double>
    product(int offset) const
    {
      std::vector<double> result(u.size(), 0.);
      for (int row = 0; row < Matrix::n_rows(degree); ++row)
        for (unsigned int column = 0; column < u.size(); ++column)
          if (Matrix::couples(mode_indices<dim>(row), mode_indices<dim>(column)))
            result[row] += table[offset++] * u[column];
      return result;
    }

    const int                          degree;
    const SparseModalLayout<dim>       layout;
    const std::vector<double>          table;
    const SimplexModalPolynomials<dim> modes;
    std::vector<double>                u;
    std::vector<Point<dim>>            points;
  };

  template <int dim, int direction>
  void
  check_derivative(const Setting<dim> &s)
  {
    using Matrix              = DerivativeMatrix<dim, direction>;
    const auto     derivative = s.template product<Matrix>(s.layout.derivative[direction]);
    Tensor<1, dim> along;
    along[direction] = 1.;
    for (int d = 0; d < direction; ++d)
      along[d] = -1. / (direction + 1);
    for (const Point<dim> &x : s.points)
      EXPECT_NEAR(s.value(derivative, x), s.gradient(x) * along, 1e-11);
  }

  /// Among all modes, as blocks.
  template <int dim>
  void
  check_swap(const Setting<dim> &s, const int level)
  {
    std::vector<double> swapped(s.u.size(), 0.);
    for (unsigned int row = 0; row < s.u.size(); ++row)
      for (unsigned int column = 0; column < s.u.size(); ++column)
        {
          const auto i = mode_indices<dim>(row), j = mode_indices<dim>(column);
          bool       same_group = i.degree() == j.degree();
          for (int d = 0; d < dim; ++d)
            same_group = same_group && (d == level || d == level + 1 || i.n[d] == j.n[d]);
          if (!same_group)
            continue;
          const int n = i.n[level] + i.n[level + 1];
          swapped[row] += s.table[s.layout.swap_block(level, level == 0 ? 0 : i.n[0], n) +
                                  i.n[level] * (n + 1) + j.n[level]] *
                          s.u[column];
        }
    for (Point<dim> x : s.points)
      {
        const double expected = s.value(s.u, x);
        std::swap(x[level], x[level + 1]);
        EXPECT_NEAR(s.value(swapped, x), expected, 1e-11);
      }
  }

  template <int dim>
  void
  check_traces(const Setting<dim> &s)
  {
    const SimplexModalPolynomials<dim - 1> face_modes(s.degree);
    const double                           norm = std::sqrt(dim == 3 ? 0.5 : 1.);
    for (const Point<dim> &point : s.points)
      {
        Point<dim>     x = point, apex;
        Point<dim - 1> on_face;
        x[dim - 1]    = 0.;
        apex[dim - 1] = 1.;
        for (int d = 0; d < dim - 1; ++d)
          on_face[d] = x[d];
        double value = 0, slope = 0;
        for (unsigned int m = 0; m < s.u.size(); ++m)
          {
            const auto           mode = mode_indices<dim>(m);
            ModeIndices<dim - 1> face_mode;
            for (int d = 0; d < dim - 1; ++d)
              face_mode.n[d] = mode.n[d];
            const int    entry = s.layout.trace_entry(mode.sum(dim - 1), mode.n[dim - 1]);
            const double here =
              norm * s.u[m] * face_modes.compute_value(mode_number(face_mode), on_face);
            value += s.table[s.layout.trace + entry] * here;
            slope += s.table[s.layout.slope + entry] * here;
          }
        EXPECT_NEAR(value, s.value(s.u, x), 1e-11);
        EXPECT_NEAR(slope, s.gradient(x) * (apex - x), 1e-10);
      }
  }

  template <int dim>
  void
  check(const int max_degree)
  {
    for (int degree = 1; degree <= max_degree; ++degree)
      {
        SCOPED_TRACE(degree);
        const Setting<dim> s(degree);
        ASSERT_EQ(s.table.size(), static_cast<std::size_t>(s.layout.size));
        check_derivative<dim, 0>(s);
        check_derivative<dim, 1>(s);
        check_derivative<dim, dim - 1>(s);
        for (int level = 0; level < dim - 1; ++level)
          check_swap(s, level);
        check_traces(s);
      }
  }
  /// The compiler's entries and the program's.
  template <int dim, int degree>
  void
  check_compiled()
  {
    const std::vector<double> expected = sparse_modal_tables<dim>(degree);
    constexpr auto           &compiled = compiled_modal_tables<dim, degree>.entries;
    ASSERT_EQ(std::size(compiled), expected.size());
    for (unsigned int i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(compiled[i], expected[i], 1e-12) << i;
  }
} // namespace

TEST(SparseModalTables, Compiled)
{
  check_compiled<2, 3>();
  check_compiled<3, 2>();
}

TEST(SparseModalTables, Triangles)
{
  check<2>(8);
}

TEST(SparseModalTables, Tetrahedra)
{
  check<3>(6);
}
