// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// face_mode_values(): orthonormal, and all that the element's modes are on a face, at its points.
#include <saltus/fe/face_mode_values.h>
#include <saltus/fe/reference_element.h>

#include <gtest/gtest.h>

using namespace Saltus;

namespace
{
  template <int dim>
  class FaceModes
  {
  public:
    explicit FaceModes(const int degree)
      : element(degree, 2 * degree, 2 * degree)
      , n_modes(Simplex<dim - 1>::n_modes(degree))
      , values(face_mode_values<dim>(degree, 2 * degree))
    {}

    void
    expect_orthonormal(const unsigned int f) const
    {
      for (unsigned int m = 0; m < n_modes; ++m)
        for (unsigned int n = 0; n < n_modes; ++n)
          EXPECT_NEAR(product(f, n, [&](const unsigned int q) { return value(f, q, m); }),
                      m == n ? 1. : 0.,
                      1e-13);
    }

    void
    expect_traces_in_span(const unsigned int f) const
    {
      const unsigned int nf = element.n_face_points();
      for (unsigned int k = 0; k < element.n_modes; ++k)
        {
          const auto trace = [&](const unsigned int q) {
            return element.face_values[(f * nf + q) * element.n_modes + k];
          };
          std::vector<double> rest(nf);
          for (unsigned int q = 0; q < nf; ++q)
            rest[q] = trace(q);
          for (unsigned int m = 0; m < n_modes; ++m)
            {
              const double part = product(f, m, trace);
              for (unsigned int q = 0; q < nf; ++q)
                rest[q] -= part * value(f, q, m);
            }
          for (const double of_point : rest)
            EXPECT_NEAR(of_point, 0., 1e-11) << "mode " << k;
        }
    }

    const ReferenceElement<dim> element;

  private:
    double
    value(const unsigned int f, const unsigned int q, const unsigned int m) const
    {
      const unsigned int nf = element.n_face_points();
      return values[(element.opposite_vertex(f) * nf + q) * n_modes + m];
    }

    /// The mean over face @p f of mode @p m times another function.
    template <typename Other>
    double
    product(const unsigned int f, const unsigned int m, const Other &other) const
    {
      double sum = 0.;
      for (unsigned int q = 0; q < element.n_face_points(); ++q)
        sum += element.face_weights[q] * value(f, q, m) * other(q);
      return sum;
    }

    const unsigned int        n_modes;
    const std::vector<double> values; ///< `[v][q][m]`
  };

  template <int dim>
  void
  check(const int max_degree)
  {
    for (int degree = 1; degree <= max_degree; ++degree)
      {
        const FaceModes<dim> modes(degree);
        for (unsigned int f = 0; f < modes.element.n_faces; ++f)
          {
            SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree) + ", face " +
                         std::to_string(f));
            modes.expect_orthonormal(f);
            modes.expect_traces_in_span(f);
          }
      }
  }
} // namespace

TEST(FaceModeValues, Triangles)
{
  check<2>(8);
}

TEST(FaceModeValues, Tetrahedra)
{
  check<3>(6);
}
