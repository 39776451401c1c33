// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What a basis states of itself: those of the shapes, and one in which no mode is special.
#include <saltus/fe/basis.h>
#include <saltus/fe/collapsed_gauss.h>
#include <saltus/fe/simplex_modal_polynomials.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>

using namespace dealii;
using namespace Saltus;

namespace
{
  /// The modal basis of simplices, reflected in a plane that is not parallel to any mode.
  template <int dim>
  class ReflectedModes : public SimplexModalPolynomials<dim>
  {
  public:
    using SimplexModalPolynomials<dim>::SimplexModalPolynomials;

    void
    evaluate(const Point<dim>            &point,
             std::vector<double>         &values,
             std::vector<Tensor<1, dim>> &gradients,
             std::vector<Tensor<2, dim>> &hessians,
             std::vector<Tensor<3, dim>> &third,
             std::vector<Tensor<4, dim>> &fourth) const override
    {
      SimplexModalPolynomials<dim>::evaluate(point, values, gradients, hessians, third, fourth);
      reflect(values);
      reflect(gradients);
    }

  private:
    template <typename Value>
    static void
    reflect(std::vector<Value> &modes)
    {
      const auto normal = [](const unsigned int m) { return 1. + 0.1 * m; };
      Value      sum{};
      double     square = 0.;
      for (unsigned int m = 0; m < modes.size(); ++m)
        {
          sum += normal(m) * modes[m];
          square += normal(m) * normal(m);
        }
      for (unsigned int m = 0; m < modes.size(); ++m)
        modes[m] -= 2. / square * normal(m) * sum;
    }
  };

  /// Call @p check(cell, make) for all kinds of bases, where make(degree) is one.
  template <int dim, typename Check>
  void
  for_bases_of(const Check &check)
  {
    const ReferenceCell simplex = ReferenceCells::get_simplex<dim>();
    for (const ReferenceCell &cell : {simplex, ReferenceCells::get_hypercube<dim>()})
      {
        SCOPED_TRACE(cell.to_string());
        check(cell, [&](const unsigned int degree) { return Basis<dim>(cell, degree); });
      }
    SCOPED_TRACE("reflected modes in " + std::to_string(dim) + "D");
    check(simplex, [&](const unsigned int degree) {
      return Basis<dim>(simplex, std::make_shared<ReflectedModes<dim>>(degree));
    });
  }

  template <typename Check>
  void
  for_bases(const Check &check)
  {
    for_bases_of<2>(check);
    for_bases_of<3>(check);
  }

  template <typename T>
  struct DimensionOf;

  template <int dim>
  struct DimensionOf<Basis<dim>> : std::integral_constant<int, dim>
  {};

  std::vector<double>
  row(const FullMatrix<double> &matrix, const unsigned int i)
  {
    return std::vector<double>(matrix.begin(i), matrix.end(i));
  }

  /// Of vectors one of which may be shorter.
  double
  product(const std::vector<double> &a, const std::vector<double> &b)
  {
    return std::inner_product(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin(), 0.);
  }

  TEST(Basis, MeanAndConstants)
  {
    for_bases([](const ReferenceCell &cell, const auto &make) {
      for (const unsigned int degree : {0, 1, 4})
        {
          const auto    basis = make(degree);
          constexpr int dim   = DimensionOf<std::decay_t<decltype(basis)>>::value;
          const auto    rule  = gauss_rule<dim>(cell.is_hyper_cube(), degree + 2);
          const auto    modes = values_at(basis.polynomials(), rule.get_points());
          const auto    three = basis.constant(3.);
          ASSERT_EQ(three.size(), basis.n_modes());
          EXPECT_NEAR(product(basis.mean_weights(), three), 3., 1e-13);
          std::vector<double> coefficients(basis.n_modes());
          for (unsigned int m = 0; m < coefficients.size(); ++m)
            coefficients[m] = std::sin(1. + m);
          double integral = 0.;
          for (unsigned int q = 0; q < rule.size(); ++q)
            {
              EXPECT_NEAR(product(row(modes, q), three), 3., 1e-12);
              integral += rule.weight(q) * product(row(modes, q), coefficients);
            }
          EXPECT_NEAR(product(basis.mean_weights(), coefficients), integral / cell.volume(), 1e-13);
        }
    });
  }

  TEST(Basis, FirstModeIsMeanOfModalBases)
  {
    for (const unsigned int degree : {0, 1, 5})
      {
        EXPECT_TRUE(Basis<2>(ReferenceCells::Triangle, degree).first_mode_is_mean());
        EXPECT_TRUE(Basis<3>(ReferenceCells::Tetrahedron, degree).first_mode_is_mean());
        EXPECT_EQ(Basis<2>(ReferenceCells::Quadrilateral, degree).first_mode_is_mean(),
                  degree == 0);
        EXPECT_EQ(Basis<3>(ReferenceCells::Hexahedron, degree).first_mode_is_mean(), degree == 0);
      }
  }

  TEST(Basis, EmbedsLowerDegrees)
  {
    for_bases([](const ReferenceCell &cell, const auto &make) {
      const auto    basis = make(4);
      constexpr int dim   = DimensionOf<std::decay_t<decltype(basis)>>::value;
      const auto    rule  = gauss_rule<dim>(cell.is_hyper_cube(), 5);
      const auto    modes = values_at(basis.polynomials(), rule.get_points());
      const bool    modal = basis.first_mode_is_mean();
      EXPECT_TRUE(basis.embedding(basis).empty());
      for (const unsigned int degree : {0, 1, 3})
        {
          const auto         lower     = make(degree);
          const auto         embedding = basis.embedding(lower);
          const unsigned int n         = lower.n_modes();
          ASSERT_EQ(embedding.size(), modal ? 0 : basis.n_modes() * n);
          if (modal)
            continue;
          const auto column = [&](const unsigned int k) {
            std::vector<double> result;
            for (unsigned int m = 0; m < basis.n_modes(); ++m)
              result.push_back(embedding[m * n + k]);
            return result;
          };
          const auto lower_modes = values_at(lower.polynomials(), rule.get_points());
          for (unsigned int k = 0; k < n; ++k)
            {
              for (unsigned int j = 0; j < n; ++j)
                EXPECT_NEAR(product(column(j), column(k)), j == k ? 1. : 0., 1e-13);
              for (unsigned int q = 0; q < rule.size(); ++q)
                EXPECT_NEAR(product(row(modes, q), column(k)), lower_modes(q, k), 1e-12);
            }
        }
    });
  }

  /// As many traces as polynomials on the face; what they leave out is zero there.
  TEST(Basis, TracesDetermineValuesOnFaces)
  {
    for_bases([](const ReferenceCell &cell, const auto &make) {
      for (const unsigned int degree : {0, 1, 3})
        for (const bool with_gradients : {false, true})
          for (const unsigned int face : cell.face_indices())
            {
              const auto         basis     = make(degree);
              constexpr int      dim       = DimensionOf<std::decay_t<decltype(basis)>>::value;
              const auto         rows      = basis.traces(face, with_gradients);
              const unsigned int p         = degree;
              const auto         n_on_face = [&](const unsigned int k) { // of degree k - 1
                return cell.is_hyper_cube() ? (dim == 2 ? p + 1 : (p + 1) * (p + 1)) * (k > 0)
                                                    : (dim == 2 ? k : k * (k + 1) / 2);
              };
              EXPECT_EQ(rows.size(), n_on_face(p + 1) + (with_gradients ? n_on_face(p) : 0));

              std::vector<double> rest(basis.n_modes());
              for (unsigned int m = 0; m < rest.size(); ++m)
                rest[m] = std::sin(1. + m);
              for (unsigned int k = 0; k < rows.size(); ++k)
                {
                  for (unsigned int j = 0; j < rows.size(); ++j)
                    EXPECT_NEAR(product(rows[j], rows[k]), j == k ? 1. : 0., 1e-12);
                  const double along = product(rows[k], rest);
                  for (unsigned int m = 0; m < rest.size(); ++m)
                    rest[m] -= along * rows[k][m];
                }
              const auto vertex = [&](const unsigned int j) {
                return cell.template vertex<dim>(cell.face_to_cell_vertices(face, j, 1));
              };
              Point<dim> point = vertex(0);
              for (unsigned int d = 1; d < dim; ++d)
                point += (0.1 + 0.2 * d) * (vertex(d) - vertex(0));
              std::vector<double>         values(basis.n_modes());
              std::vector<Tensor<1, dim>> gradients(basis.n_modes());
              std::vector<Tensor<2, dim>> no_2nd;
              std::vector<Tensor<3, dim>> no_3rd;
              std::vector<Tensor<4, dim>> no_4th;
              basis.polynomials().evaluate(point, values, gradients, no_2nd, no_3rd, no_4th);
              EXPECT_NEAR(product(values, rest), 0., 1e-11);
              Tensor<1, dim> gradient;
              for (unsigned int m = 0; m < rest.size(); ++m)
                gradient += rest[m] * gradients[m];
              if (with_gradients)
                {
                  EXPECT_LT(gradient.norm(), 1e-10);
                }
            }
    });
  }
} // namespace
