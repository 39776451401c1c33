// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/fe/legendre.h>
#include <saltus/operators/polytopic/legendre_decay.h>
#include <saltus/operators/polytopic/polytopic_points.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    double
    product(const std::vector<double> &a, const std::vector<double> &b)
    {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
    }

    /// `a -= factor b`
    void
    subtract(std::vector<double> &a, const double factor, const std::vector<double> &b)
    {
      for (std::size_t i = 0; i < a.size(); ++i)
        a[i] -= factor * b[i];
    }
  } // namespace


  template <int dim>
  std::vector<double>
  degree_norms(const PolytopicSpace<dim>     &space,
               const std::vector<double>     &coefficients,
               const unsigned int             element,
               const std::vector<Point<dim>> &points,
               const std::vector<double>     &weights)
  {
    const std::size_t  n = points.size();
    const unsigned int p = space.degree(element), n_modes = space.n_dofs(element);
    // Functions by their values at the points times the roots of the weights.
    std::vector<std::vector<double>> modes(n_modes, std::vector<double>(n));
    std::vector<double>              function(n);
    for (std::size_t i = 0; i < n; ++i)
      {
        const std::vector<double> values = space.mode_values(element, points[i]);
        const double              root   = std::sqrt(weights[i]);
        for (unsigned int m = 0; m < n_modes; ++m)
          {
            modes[m][i] = root * values[m];
            function[i] += coefficients[space.first_dof(element) + m] * modes[m][i];
          }
      }
    // Modified Gram-Schmidt: modes come degree by degree.
    std::vector<double> norms(p + 1, 0.);
    for_legendre_modes<dim>(p, [&](const int m, const Array<int, dim> &powers) {
      int degree = 0;
      for (unsigned int d = 0; d < dim; ++d)
        degree += powers[d];
      const double before = std::sqrt(product(modes[m], modes[m]));
      for (int k = 0; k < m; ++k)
        subtract(modes[m], product(modes[k], modes[m]), modes[k]);
      const double norm = std::sqrt(product(modes[m], modes[m]));
      // What rounding alone leaves is no new direction.
      const double factor = norm > 1e-12 * before ? 1. / norm : 0.;
      for (double &value : modes[m])
        value *= factor;
      const double coefficient = product(modes[m], function);
      subtract(function, coefficient, modes[m]);
      norms[degree] += coefficient * coefficient;
    });
    for (double &norm : norms)
      norm = std::sqrt(norm);
    return norms;
  }


  double
  decay_of_norms(std::vector<double> norms)
  {
    const unsigned int p        = norms.size() - 1;
    const unsigned int first    = p == 1 ? 0 : std::max(1, static_cast<int>(p) - 3);
    const double       smallest = 1e-15 * *std::max_element(norms.begin(), norms.end());
    for (unsigned int k = p; k > 0; --k)
      norms[k - 1] = std::max(norms[k - 1], norms[k]);
    if (norms[first] <= smallest) // nothing but a polynomial of a lower degree
      return 0.;
    const double mean  = .5 * (first + p);
    double       slope = 0, squares = 0;
    for (unsigned int k = first; k <= p; ++k)
      {
        slope += (k - mean) * std::log(std::max(norms[k], smallest));
        squares += (k - mean) * (k - mean);
      }
    return std::exp(slope / squares);
  }


  template <int dim>
  std::vector<double>
  legendre_decay(const PolytopicSpace<dim> &space, const std::vector<double> &coefficients)
  {
    const auto          points = quadrature_points(space, 0, Device::cpu());
    const std::size_t  *starts = points.volume.starts.data();
    const double       *places = points.volume.places.data(), *weights = points.weights.data();
    std::vector<double> result(space.mesh().n_elements());
    parallel_for(result.size(), [&](const std::size_t begin, const std::size_t end) {
      std::vector<Point<dim>> there;
      for (std::size_t e = begin; e < end; ++e)
        {
          there.clear();
          for (std::size_t q = starts[e]; q < starts[e + 1]; ++q)
            {
              there.emplace_back();
              std::copy(places + q * dim, places + (q + 1) * dim, there.back().begin_raw());
            }
          result[e] = decay_of_norms(degree_norms(
            space, coefficients, e, there, {weights + starts[e], weights + starts[e + 1]}));
        }
    });
    return result;
  }


#define SALTUS_INSTANTIATE(dim)                                              \
  template std::vector<double> degree_norms(const PolytopicSpace<dim> &,     \
                                            const std::vector<double> &,     \
                                            const unsigned int,              \
                                            const std::vector<Point<dim>> &, \
                                            const std::vector<double> &);    \
  template std::vector<double> legendre_decay(const PolytopicSpace<dim> &,   \
                                              const std::vector<double> &);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
