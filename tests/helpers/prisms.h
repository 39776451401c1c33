// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_prisms_h
#define saltus_tests_helpers_prisms_h

#include <deal.II/base/point.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

/// The interior penalty method on a slab of prisms over sets of triangles, assembled by plain
/// loops: with the vertices alone, Legendre polynomials by their recursion, and points of Gauss.
namespace Saltus::Tests
{
  using namespace dealii;

  /// Coefficients and data as functions of place and time.
  struct ParabolicProblem
  {
    using Place = Point<2>;

    std::function<SymmetricTensor<2, 2>(const Place &, double)> diffusion;
    std::function<Tensor<1, 2>(const Place &, double)>          velocity;
    std::function<double(const Place &, double)>                reaction, source, value, before;

    /// What is given on a boundary: 0 Dirichlet, 1 Neumann, 2 Robin.
    std::function<int(const types::boundary_id)> kind;

    double robin, penalty_factor;
    int    penalty; ///< 0 by perimeters, 1 by cells, 2 as for covered elements
  };


  /// The matrix and the right-hand side, with unknowns numbered element by element, in each step by
  /// step.
  class PrismOracle
  {
  public:
    /// @param begin,length of the slab
    PrismOracle(const Triangulation<2>          &triangulation,
                const std::vector<unsigned int> &elements,
                const std::vector<unsigned int> &degrees,
                const std::vector<unsigned int> &n_steps,
                const bool                       tensor,
                const ParabolicProblem          &problem,
                const double                     begin,
                const double                     length)
      : elements(elements)
      , degrees(degrees)
      , n_steps(n_steps)
      , tensor(tensor)
      , problem(problem)
      , begin(begin)
      , length(length)
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        for (unsigned int f = 0; f < 3; ++f)
          {
            const unsigned int v = cell->face(f)->vertex_index(0), w =
                                                                     cell->face(f)->vertex_index(1);
            sides[{std::min(v, w), std::max(v, w)}].push_back({cell, f});
          }
      make_boxes(triangulation);
      for (unsigned int e = 0; e < degrees.size(); ++e)
        {
          first.emplace_back();
          for (unsigned int s = 0; s < n_steps[e]; ++s)
            {
              first[e].push_back(n_unknowns);
              n_unknowns += modes(degrees[e]).size();
            }
        }
      matrix.reinit(n_unknowns, n_unknowns);
      right_hand_side.reinit(n_unknowns);
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          for (unsigned int s = 0; s < n_steps[element(cell)]; ++s)
            add_cell(cell, s);
          for (unsigned int f = 0; f < 3; ++f)
            add_side(cell, f);
        }
    }

    /// Value of the function with these coefficients in a prism.
    double
    value(const std::vector<double> &coefficients,
          const unsigned int         e,
          const unsigned int         s,
          const Point<2>            &x,
          const double               t) const
    {
      double     sum = 0;
      const auto u   = functions(e, s, x, t);
      for (unsigned int i = 0; i < u.size(); ++i)
        sum += coefficients[first[e][s] + i] * u[i].value;
      return sum;
    }

    unsigned int                           n_unknowns = 0;
    std::vector<std::vector<unsigned int>> first; ///< `[element][step]`
    FullMatrix<double>                     matrix;
    dealii::Vector<double>                 right_hand_side;

  private:
    using Cell = Triangulation<2>::active_cell_iterator;
    using Mode = std::array<int, 3>;

    struct Function
    {
      double       value, in_time;
      Tensor<1, 2> gradient;
    };

    std::vector<Mode>
    modes(const int degree) const
    {
      std::vector<Mode> result;
      for (int i = 0; i <= degree; ++i)
        for (int j = 0; i + j <= degree; ++j)
          for (int k = 0; k <= degree; ++k)
            if (tensor || i + j + k <= degree)
              result.push_back({i, j, k});
      const auto key = [&](const Mode &m) {
        const int space = m[0] + m[1];
        return tensor ? std::make_tuple(std::max(space, m[2]), space, m[2], -m[0])
                      : std::make_tuple(space + m[2], -m[0], -m[1], 0);
      };
      std::sort(result.begin(), result.end(), [&](const Mode &a, const Mode &b) {
        return key(a) < key(b);
      });
      return result;
    }

    unsigned int
    element(const Cell &cell) const
    {
      return elements[cell->active_cell_index()];
    }

    static double
    area(const Cell &cell)
    {
      const Tensor<1, 2> a = cell->vertex(1) - cell->vertex(0), b =
                                                                  cell->vertex(2) - cell->vertex(0);
      return 0.5 * std::abs(a[0] * b[1] - a[1] * b[0]);
    }

    const std::vector<std::pair<Cell, unsigned int>> &
    cells_at(const Cell &cell, const unsigned int f) const
    {
      const unsigned int v = cell->face(f)->vertex_index(0), w = cell->face(f)->vertex_index(1);
      return sides.at({std::min(v, w), std::max(v, w)});
    }

    void
    make_boxes(const Triangulation<2> &triangulation)
    {
      lowest.assign(degrees.size(), Point<2>(1e9, 1e9));
      highest.assign(degrees.size(), Point<2>(-1e9, -1e9));
      areas.assign(degrees.size(), 0.);
      perimeters.assign(degrees.size(), 0.);
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          const unsigned int e = element(cell);
          areas[e] += area(cell);
          for (unsigned int v = 0; v < 3; ++v)
            for (unsigned int d = 0; d < 2; ++d)
              {
                lowest[e][d]  = std::min(lowest[e][d], cell->vertex(v)[d]);
                highest[e][d] = std::max(highest[e][d], cell->vertex(v)[d]);
              }
          for (unsigned int f = 0; f < 3; ++f)
            {
              const auto &both = cells_at(cell, f);
              if (both.size() == 1 || element(both[0].first) != element(both[1].first))
                perimeters[e] += cell->face(f)->vertex(0).distance(cell->face(f)->vertex(1));
            }
        }
    }

    /// Of a step of an element.
    std::pair<double, double>
    interval(const unsigned int e, const unsigned int s) const
    {
      return {begin + length * s / n_steps[e], begin + length * (s + 1) / n_steps[e]};
    }

    /// Orthonormal in [a, b]: values and derivatives of degrees 0, 1, ...
    static std::vector<std::pair<double, double>>
    legendre(const int degree, const double a, const double b, const double x)
    {
      const double                           z = (2. * x - a - b) / (b - a);
      std::vector<std::pair<double, double>> p = {{1., 0.}, {z, 1.}};
      for (int k = 1; k < degree; ++k)
        p.emplace_back(((2 * k + 1) * z * p[k].first - k * p[k - 1].first) / (k + 1),
                       p[k - 1].second + (2 * k + 1) * p[k].first);
      for (int k = 0; k <= std::max(degree, 1); ++k)
        {
          p[k].first *= std::sqrt((2 * k + 1) / (b - a));
          p[k].second *= std::sqrt((2 * k + 1) / (b - a)) * 2. / (b - a);
        }
      return p;
    }

    std::vector<Function>
    functions(const unsigned int e, const unsigned int s, const Point<2> &x, const double t) const
    {
      const auto            in = interval(e, s);
      const int             p  = degrees[e];
      const auto            X  = legendre(p, lowest[e][0], highest[e][0], x[0]);
      const auto            Y  = legendre(p, lowest[e][1], highest[e][1], x[1]);
      const auto            T  = legendre(p, in.first, in.second, t);
      std::vector<Function> result;
      for (const Mode &m : modes(p))
        {
          Function u;
          u.value       = X[m[0]].first * Y[m[1]].first * T[m[2]].first;
          u.in_time     = X[m[0]].first * Y[m[1]].first * T[m[2]].second;
          u.gradient[0] = X[m[0]].second * Y[m[1]].first * T[m[2]].first;
          u.gradient[1] = X[m[0]].first * Y[m[1]].second * T[m[2]].first;
          result.push_back(u);
        }
      return result;
    }

    QGauss<1>
    rule() const
    {
      return QGauss<1>(*std::max_element(degrees.begin(), degrees.end()) + 4);
    }

    /// Call `visit(x, w)` for points of a triangle: those of a square, one side of which is
    /// collapsed.
    template <typename Visit>
    void
    for_points(const Cell &cell, const Visit &visit) const
    {
      const QGauss<1> gauss = rule();
      for (unsigned int i = 0; i < gauss.size(); ++i)
        for (unsigned int j = 0; j < gauss.size(); ++j)
          {
            const double a = gauss.point(i)[0], b = gauss.point(j)[0] * (1 - a);
            visit(Point<2>((1 - a - b) * cell->vertex(0) + a * cell->vertex(1) +
                           b * cell->vertex(2)),
                  2 * area(cell) * gauss.weight(i) * gauss.weight(j) * (1 - a));
          }
    }

    template <typename Visit>
    void
    for_times(const double from, const double to, const Visit &visit) const
    {
      const QGauss<1> gauss = rule();
      for (unsigned int i = 0; i < gauss.size(); ++i)
        visit(from + (to - from) * gauss.point(i)[0], (to - from) * gauss.weight(i));
    }

    void
    add_cell(const Cell &cell, const unsigned int s)
    {
      const unsigned int e = element(cell), row = first[e][s];
      const auto         in = interval(e, s);
      for_points(cell, [&](const Point<2> &x, const double weight) {
        for_times(in.first, in.second, [&](const double t, const double of_time) {
          const double w = weight * of_time;
          const auto   u = functions(e, s, x, t);
          const auto   A = problem.diffusion(x, t);
          const auto   b = problem.velocity(x, t);
          const double c = problem.reaction(x, t);
          for (unsigned int i = 0; i < u.size(); ++i)
            {
              right_hand_side[row + i] += w * problem.source(x, t) * u[i].value;
              for (unsigned int j = 0; j < u.size(); ++j)
                matrix(row + i, row + j) +=
                  w * ((u[j].in_time + b * u[j].gradient + c * u[j].value) * u[i].value +
                       (A * u[j].gradient) * u[i].gradient);
            }
        });
        // The jump in time, upwind.
        const auto v = functions(e, s, x, in.first);
        for (unsigned int i = 0; i < v.size(); ++i)
          for (unsigned int j = 0; j < v.size(); ++j)
            matrix(row + i, row + j) += weight * v[j].value * v[i].value;
        if (s > 0)
          {
            const auto u = functions(e, s - 1, x, in.first);
            for (unsigned int i = 0; i < v.size(); ++i)
              for (unsigned int j = 0; j < u.size(); ++j)
                matrix(row + i, first[e][s - 1] + j) -= weight * u[j].value * v[i].value;
          }
        else
          for (unsigned int i = 0; i < v.size(); ++i)
            right_hand_side[row + i] += weight * problem.before(x, begin) * v[i].value;
      });
    }

    /// Of a cell at a side.
    double
    penalty(const Cell &cell, const double side) const
    {
      const unsigned int e = element(cell);
      const double       p = degrees[e];
      double             h = side / area(cell);
      if (problem.penalty == 0)
        h = std::min(h, perimeters[e] / areas[e]);
      else if (problem.penalty == 2)
        h = std::min(h, p * p * side / areas[e]);
      return problem.penalty_factor * p * p * h;
    }

    /// Rows of the prisms over a cell, at a side of it.
    void
    add_side(const Cell &cell, const unsigned int f)
    {
      const unsigned int e    = element(cell);
      const Point<2>     from = cell->face(f)->vertex(0), to = cell->face(f)->vertex(1);
      const double       side = from.distance(to);
      Tensor<1, 2>       n;
      n[0] = (to[1] - from[1]) / side;
      n[1] = -(to[0] - from[0]) / side;
      if (n * (cell->center() - from) > 0)
        n *= -1.;
      const auto &both     = cells_at(cell, f);
      const bool  boundary = both.size() == 1;
      const Cell  other    = boundary || both[1].first == cell ? both[0].first : both[1].first;
      const auto  k        = element(other);
      if (!boundary && k == e)
        return;
      const QGauss<1> gauss = rule();
      const auto      visit_points =
        [&](const double begin_time, const double end_time, const auto &visit) {
          for_times(begin_time, end_time, [&](const double t, const double weight) {
            for (unsigned int q = 0; q < gauss.size(); ++q)
              {
                const Point<2> x(from + gauss.point(q)[0] * (to - from));
                visit(x, t, weight * side * gauss.weight(q));
              }
          });
        };
      for (unsigned int s = 0; s < n_steps[e]; ++s)
        {
          const auto own = interval(e, s);
          if (boundary)
            visit_points(
              own.first, own.second, [&](const Point<2> &x, const double t, const double w) {
                add_boundary(cell, s, x, t, w, n, side, problem.kind(cell->face(f)->boundary_id()));
              });
          else
            for (unsigned int r = 0; r < n_steps[k]; ++r)
              {
                const auto   across = interval(k, r);
                const double later  = std::max(own.first, across.first);
                const double sooner = std::min(own.second, across.second);
                if (sooner - later > 1e-9 * length)
                  visit_points(later,
                               sooner,
                               [&](const Point<2> &x, const double t, const double w) {
                                 add_interface(cell, s, other, r, x, t, w, n, side);
                               });
              }
        }
    }

    void
    add_interface(const Cell         &cell,
                  const unsigned int  s,
                  const Cell         &other,
                  const unsigned int  r,
                  const Point<2>     &x,
                  const double        t,
                  const double        w,
                  const Tensor<1, 2> &n,
                  const double        side)
    {
      const unsigned int e = element(cell), k = element(other);
      const auto         A = problem.diffusion(x, t);
      const double sigma   = (n * (A * n)) * std::max(penalty(cell, side), penalty(other, side)) -
                           std::min(0., problem.velocity(x, t) * n);
      const auto v = functions(e, s, x, t), across = functions(k, r, x, t);
      for (unsigned int i = 0; i < v.size(); ++i)
        {
          const double flux = (A * v[i].gradient) * n;
          for (unsigned int j = 0; j < v.size(); ++j)
            matrix(first[e][s] + i, first[e][s] + j) +=
              w * (sigma * v[j].value * v[i].value -
                   0.5 * ((A * v[j].gradient) * n * v[i].value + flux * v[j].value));
          for (unsigned int j = 0; j < across.size(); ++j)
            matrix(first[e][s] + i, first[k][r] + j) +=
              w * (-sigma * across[j].value * v[i].value -
                   0.5 * ((A * across[j].gradient) * n * v[i].value - flux * across[j].value));
        }
    }

    void
    add_boundary(const Cell         &cell,
                 const unsigned int  s,
                 const Point<2>     &x,
                 const double        t,
                 const double        w,
                 const Tensor<1, 2> &n,
                 const double        side,
                 const int           kind)
    {
      const unsigned int e = element(cell), row = first[e][s];
      const auto         A = problem.diffusion(x, t);
      const double       sigma =
        (n * (A * n)) * penalty(cell, side) - std::min(0., problem.velocity(x, t) * n);
      const double g = problem.value(x, t);
      const auto   v = functions(e, s, x, t);
      for (unsigned int i = 0; i < v.size(); ++i)
        {
          const double flux = (A * v[i].gradient) * n;
          right_hand_side[row + i] += w * g * (kind == 0 ? sigma * v[i].value - flux : v[i].value);
          for (unsigned int j = 0; j < v.size(); ++j)
            if (kind == 0)
              matrix(row + i, row + j) +=
                w * (sigma * v[j].value * v[i].value - (A * v[j].gradient) * n * v[i].value -
                     flux * v[j].value);
            else if (kind == 2)
              matrix(row + i, row + j) += w * problem.robin * v[j].value * v[i].value;
        }
    }

    const std::vector<unsigned int> elements, degrees, n_steps;
    const bool                      tensor;
    const ParabolicProblem          problem;
    const double                    begin, length;
    std::vector<Point<2>>           lowest, highest;
    std::vector<double>             areas, perimeters;
    std::map<std::pair<unsigned int, unsigned int>, std::vector<std::pair<Cell, unsigned int>>>
      sides; ///< `[vertices]`: cells there and the number of the face
  };
} // namespace Saltus::Tests

#endif
