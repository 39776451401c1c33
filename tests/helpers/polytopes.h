// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_polytopes_h
#define saltus_tests_helpers_polytopes_h

#include <deal.II/base/polynomial.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

/// The interior penalty method on sets of cells, assembled with deal.II alone: its quadrature
/// (other rules than those of the library), its Legendre polynomials, its neighbours.
namespace Saltus::Tests
{
  using namespace dealii;

  template <int dim>
  struct PolytopicProblem
  {
    std::function<SymmetricTensor<2, dim>(const Point<dim> &)> diffusion;
    std::function<Tensor<1, dim>(const Point<dim> &)>          velocity;
    std::function<double(const Point<dim> &)>                  reaction, source, value;

    /// What is given on a boundary: 0 Dirichlet, 1 Neumann, 2 Robin.
    std::function<int(const types::boundary_id)> kind;

    double robin, penalty_factor;
    int    penalty; ///< 0 by perimeters, 1 by cells, 2 as for covered elements
    bool   by_cell; ///< whether the diffusion is taken at centres of cells

    unsigned int extra_points = 0; ///< of the rules in each direction
  };


  /// The matrix and the right-hand side, with unknowns numbered element by element.
  template <int dim>
  class PolytopicOracle
  {
  public:
    using Cell = typename Triangulation<dim>::active_cell_iterator;

    PolytopicOracle(const Mapping<dim>              &mapping,
                    const Triangulation<dim>        &triangulation,
                    const std::vector<unsigned int> &elements,
                    const std::vector<unsigned int> &degrees,
                    const PolytopicProblem<dim>     &problem)
      : mapping(mapping)
      , triangulation(triangulation)
      , elements(elements)
      , degrees(degrees)
      , problem(problem)
      , legendre(Polynomials::Legendre::generate_complete_basis(
          *std::max_element(degrees.begin(), degrees.end())))
    {
      make_boxes();
      for (unsigned int e = 0; e < degrees.size(); ++e)
        {
          powers.emplace_back();
          for (unsigned int total = 0; total <= degrees[e]; ++total)
            add_powers(powers[e], total);
          first.push_back(first.back() + powers[e].size());
        }
      matrix.reinit(first.back(), first.back());
      right_hand_side.reinit(first.back());
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          add_volume(cell);
          for_faces(
            cell,
            [&](const unsigned int f) { add_boundary(cell, f); },
            [&](const Cell &neighbor, const Cell &owner, const unsigned int f, const double sign) {
              add_interface(cell, neighbor, owner, f, sign);
            });
        }
    }

    /// Values of all functions of an element at a point.
    std::vector<double>
    values(const unsigned int e, const Point<dim> &x) const
    {
      std::vector<double> result;
      for (const auto &mode : powers[e])
        {
          double product = 1;
          for (unsigned int d = 0; d < dim; ++d)
            product *= polynomial(e, d, mode[d], x)[0];
          result.push_back(product);
        }
      return result;
    }

    std::vector<unsigned int> first = {0}; ///< unknowns of the elements
    FullMatrix<double>        matrix;
    dealii::Vector<double>    right_hand_side;

  protected:
    using Powers = std::array<unsigned int, dim>;

    /// Call `at_boundary(face)` and, with the face of one of the two cells that is the smaller one,
    /// `between(neighbor, its owner, face, 1 or -1 if that is the neighbor)` for all of a cell.
    template <typename AtBoundary, typename Between>
    static void
    for_faces(const Cell &cell, const AtBoundary &at_boundary, const Between &between)
    {
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f))
          at_boundary(f);
        else if (cell->neighbor(f)->has_children())
          for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
            {
              const auto child = cell->neighbor_child_on_subface(f, s);
              for (const unsigned int g : child->face_indices())
                if (child->face(g) == cell->face(f)->child(s))
                  between(child, child, g, -1.);
            }
        else
          between(cell->neighbor(f), cell, f, 1.);
    }

    static void
    add_powers(std::vector<Powers> &modes, const unsigned int total)
    {
      for (int i = total; i >= 0; --i)
        if constexpr (dim == 2)
          modes.push_back({static_cast<unsigned int>(i), total - i});
        else
          for (int j = total - i; j >= 0; --j)
            modes.push_back(
              {static_cast<unsigned int>(i), static_cast<unsigned int>(j), total - i - j});
    }

    /// Of what is between elements of a face that may have children.
    void
    add_perimeter(const Cell &cell, const unsigned int f)
    {
      const unsigned int e = element(cell);
      if (cell->at_boundary(f) || cell->neighbor(f)->is_active())
        perimeters[e] += cell->face(f)->measure();
      else
        for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
          if (element(cell->neighbor_child_on_subface(f, s)) != e)
            perimeters[e] += cell->face(f)->child(s)->measure();
    }

    void
    make_boxes()
    {
      lowest.resize(degrees.size());
      highest.resize(degrees.size());
      volumes.assign(degrees.size(), 0.);
      perimeters.assign(degrees.size(), 0.);
      std::vector<bool> seen(degrees.size(), false);
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          const unsigned int e = elements[cell->active_cell_index()];
          for (const unsigned int v : cell->vertex_indices())
            for (unsigned int d = 0; d < dim; ++d)
              {
                const double x = cell->vertex(v)[d];
                lowest[e][d]   = seen[e] ? std::min(lowest[e][d], x) : x;
                highest[e][d]  = seen[e] ? std::max(highest[e][d], x) : x;
                if (d + 1 == dim)
                  seen[e] = true;
              }
          volumes[e] += cell->measure();
          for (const unsigned int f : cell->face_indices())
            if (cell->at_boundary(f) || !cell->neighbor(f)->is_active() ||
                element(cell->neighbor(f)) != e)
              add_perimeter(cell, f);
        }
    }

    /// Orthonormal in the box: value and first and second derivative of a factor.
    std::vector<double>
    polynomial(const unsigned int e,
               const unsigned int d,
               const unsigned int degree,
               const Point<dim>  &x) const
    {
      const double        length = highest[e][d] - lowest[e][d];
      std::vector<double> result(3);
      legendre[degree].value((x[d] - lowest[e][d]) / length, result);
      double scale = 1. / std::sqrt(length);
      for (double &derivative : result)
        {
          derivative *= scale;
          scale /= length;
        }
      return result;
    }

    std::vector<Tensor<1, dim>>
    gradients(const unsigned int e, const Point<dim> &x) const
    {
      std::vector<Tensor<1, dim>> result;
      for (const auto &mode : powers[e])
        {
          Tensor<1, dim> gradient;
          for (unsigned int d = 0; d < dim; ++d)
            {
              gradient[d] = 1;
              for (unsigned int c = 0; c < dim; ++c)
                gradient[d] *= polynomial(e, c, mode[c], x)[c == d ? 1 : 0];
            }
          result.push_back(gradient);
        }
      return result;
    }

    unsigned int
    element(const Cell &cell) const
    {
      return elements[cell->active_cell_index()];
    }

    SymmetricTensor<2, dim>
    diffusion(const Cell &cell, const Point<dim> &x) const
    {
      return problem.diffusion(problem.by_cell ? cell->center() : x);
    }

    /// Call `visit(x, w)` for the points in a cell.
    template <typename Visit>
    void
    for_points(const Cell &cell, const Visit &visit) const
    {
      const FE_Nothing<dim> fe(cell->reference_cell());
      FEValues<dim>         fe_values(mapping,
                              fe,
                              cell_rule(cell->reference_cell()),
                              update_quadrature_points | update_JxW_values);
      fe_values.reinit(cell);
      for (const unsigned int i : fe_values.quadrature_point_indices())
        visit(fe_values.quadrature_point(i), fe_values.JxW(i));
    }

    void
    add_volume(const Cell &cell)
    {
      const unsigned int e = element(cell);
      for_points(cell, [&](const Point<dim> &x, const double w) {
        const auto   u = values(e, x);
        const auto   g = gradients(e, x);
        const auto   A = diffusion(cell, x);
        const auto   b = problem.velocity(x);
        const double c = problem.reaction(x);
        for (unsigned int j = 0; j < u.size(); ++j)
          {
            right_hand_side[first[e] + j] += w * problem.source(x) * u[j];
            for (unsigned int k = 0; k < u.size(); ++k)
              matrix(first[e] + j, first[e] + k) +=
                w * ((A * g[k]) * g[j] + (b * g[k] + c * u[k]) * u[j]);
          }
      });
    }

    double
    penalty(const Cell &cell, const double area, const double along_normal) const
    {
      const unsigned int e = element(cell);
      const double       p = degrees[e];
      const double simplex = cell->measure() / (cell->reference_cell().is_simplex() ? 1 : dim);
      double       length  = area / simplex;
      if (problem.penalty == 0)
        length = std::min(length, perimeters[e] / volumes[e]);
      else if (problem.penalty == 2)
        length = std::min(length, std::pow(p, 2 * (dim - 1)) * area / volumes[e]);
      return problem.penalty_factor * p * p * length * along_normal;
    }

    /// Call `visit(x, w, n, area)` for the points of a face.
    template <typename Visit>
    void
    for_points(const Cell &cell, const unsigned int f, const Visit &visit) const
    {
      const FE_Nothing<dim> fe(cell->reference_cell());
      FEFaceValues<dim>     fe_values(mapping,
                                  fe,
                                  face_rule(cell->reference_cell().face_reference_cell(f)),
                                  update_quadrature_points | update_JxW_values |
                                    update_normal_vectors);
      fe_values.reinit(cell, f);
      double area = 0;
      for (const unsigned int i : fe_values.quadrature_point_indices())
        area += fe_values.JxW(i);
      for (const unsigned int i : fe_values.quadrature_point_indices())
        visit(fe_values.quadrature_point(i), fe_values.JxW(i), fe_values.normal_vector(i), area);
    }

    /// Rows of the element of @p cell, on the face of @p owner.
    void
    add_interface(const Cell        &cell,
                  const Cell        &neighbor,
                  const Cell        &owner,
                  const unsigned int f,
                  const double       sign)
    {
      const unsigned int e = element(cell), k = element(neighbor);
      if (e == k)
        return;
      for_points(
        owner,
        f,
        [&](const Point<dim> &x, const double w, const Tensor<1, dim> &normal, const double area) {
          const Tensor<1, dim> n = sign * normal;
          const auto           A = diffusion(cell, x), A_across = diffusion(neighbor, x);
          const double         sigma =
            std::max(penalty(cell, area, n * (A * n)), penalty(neighbor, area, n * (A_across * n)));
          const double inflow = std::min(0., problem.velocity(x) * n);
          const auto   v = values(e, x), u_across = values(k, x);
          const auto   grad_v = gradients(e, x), grad_across = gradients(k, x);
          for (unsigned int j = 0; j < v.size(); ++j)
            {
              const double own = (A * grad_v[j]) * n;
              for (unsigned int i = 0; i < v.size(); ++i)
                matrix(first[e] + j, first[e] + i) +=
                  w * ((sigma - inflow) * v[i] * v[j] - 0.5 * (A * grad_v[i]) * n * v[j] -
                       0.5 * own * v[i]);
              for (unsigned int i = 0; i < u_across.size(); ++i)
                matrix(first[e] + j, first[k] + i) +=
                  w * (-(sigma - inflow) * u_across[i] * v[j] -
                       0.5 * (A_across * grad_across[i]) * n * v[j] + 0.5 * own * u_across[i]);
            }
        });
    }

    void
    add_boundary(const Cell &cell, const unsigned int f)
    {
      const unsigned int e    = element(cell);
      const int          kind = problem.kind(cell->face(f)->boundary_id());
      for_points(
        cell,
        f,
        [&](const Point<dim> &x, const double w, const Tensor<1, dim> &n, const double area) {
          const auto   A      = diffusion(cell, x);
          const double sigma  = penalty(cell, area, n * (A * n));
          const double inflow = std::min(0., problem.velocity(x) * n), g = problem.value(x);
          const auto   v      = values(e, x);
          const auto   grad_v = gradients(e, x);
          for (unsigned int j = 0; j < v.size(); ++j)
            {
              const double flux = (A * grad_v[j]) * n;
              right_hand_side[first[e] + j] +=
                w * g * (kind == 0 ? (sigma - inflow) * v[j] - flux : v[j]);
              for (unsigned int i = 0; i < v.size(); ++i)
                {
                  if (kind == 0)
                    matrix(first[e] + j, first[e] + i) +=
                      w *
                      ((sigma - inflow) * v[i] * v[j] - (A * grad_v[i]) * n * v[j] - flux * v[i]);
                  else if (kind == 2)
                    matrix(first[e] + j, first[e] + i) += w * problem.robin * v[i] * v[j];
                }
            }
        });
    }

    /// In each direction.
    unsigned int
    n_points() const
    {
      return *std::max_element(degrees.begin(), degrees.end()) + 4 + problem.extra_points;
    }

    const Quadrature<dim> &
    cell_rule(const ReferenceCell &shape) const
    {
      Quadrature<dim> &rule = cell_rules[shape.is_hyper_cube()];
      if (rule.size() == 0)
        rule = make_cell_rule(shape);
      return rule;
    }

    const Quadrature<dim - 1> &
    face_rule(const ReferenceCell &shape) const
    {
      Quadrature<dim - 1> &rule = face_rules[shape.is_hyper_cube()];
      if (rule.size() == 0)
        rule = make_face_rule(shape);
      return rule;
    }

    /// With more points than needed.
    Quadrature<dim>
    make_cell_rule(const ReferenceCell &shape) const
    {
      if (shape.is_hyper_cube())
        return QGauss<dim>(n_points());
      if constexpr (dim == 2)
        return QDuffy(n_points(), 1.);
      else
        return collapsed_cube();
    }

    /// Gauss points of the cube on the tetrahedron: x, y (1 - x), z (1 - x) (1 - y).
    Quadrature<3>
    collapsed_cube() const
    {
      const QGauss<3>       cube(n_points());
      std::vector<Point<3>> points;
      std::vector<double>   weights;
      for (unsigned int q = 0; q < cube.size(); ++q)
        {
          const double x = cube.point(q)[0], y = cube.point(q)[1], z = cube.point(q)[2];
          points.emplace_back(x, y * (1 - x), z * (1 - x) * (1 - y));
          weights.push_back(cube.weight(q) * (1 - x) * (1 - x) * (1 - y));
        }
      return {points, weights};
    }

    Quadrature<dim - 1>
    make_face_rule(const ReferenceCell &shape) const
    {
      if constexpr (dim == 2)
        return QGauss<1>(n_points());
      else if (shape.is_hyper_cube())
        return QGauss<2>(n_points());
      else
        return QDuffy(n_points(), 1.);
    }

    const Mapping<dim>             &mapping;
    const Triangulation<dim>       &triangulation;
    const std::vector<unsigned int> elements, degrees;
    const PolytopicProblem<dim>     problem;

    const std::vector<Polynomials::Polynomial<double>> legendre;

    std::vector<Point<dim>>          lowest, highest;
    std::vector<double>              volumes, perimeters;
    std::vector<std::vector<Powers>> powers;

    mutable std::array<Quadrature<dim>, 2>     cell_rules; ///< of simplices and of hypercubes
    mutable std::array<Quadrature<dim - 1>, 2> face_rules; ///< of such faces
  };
} // namespace Saltus::Tests

#endif
