// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_curved_box_h
#define saltus_tests_helpers_curved_box_h

#include <deal.II/grid/manifold.h>

#include <cmath>
#include <helpers/random_setting.h>
#include <map>

namespace Saltus::Tests
{
  /// Space displaced within a ball, smoothly: outside of it elements stay as they are.
  template <int dim>
  class Bump : public dealii::ChartManifold<dim>
  {
  public:
    Bump(const Point<dim> &center, const double radius, const double amplitude)
      : center(center)
      , radius(radius)
      , amplitude(amplitude)
    {}

    Point<dim>
    push_forward(const Point<dim> &chart) const override
    {
      const double inside = std::max(0., 1. - chart.distance_square(center) / (radius * radius));
      Point<dim>   x      = chart;
      if (inside > 0.)
        for (unsigned int d = 0; d < dim; ++d)
          x[d] += amplitude * dealii::Utilities::fixed_power<5>(inside) *
                  std::cos(2. * chart[(d + 1) % dim] + d);
      return x;
    }

    /// By fixed point iterations: a displacement is a contraction.
    Point<dim>
    pull_back(const Point<dim> &x) const override
    {
      Point<dim>     chart = x;
      Tensor<1, dim> change;
      unsigned int   i = 0;
      do
        {
          change = x - push_forward(chart);
          chart += change;
        }
      while (change.norm_square() > 1e-30 && ++i < 100);
      return chart;
    }

    std::unique_ptr<dealii::Manifold<dim>>
    clone() const override
    {
      return std::make_unique<Bump>(*this);
    }

  private:
    const Point<dim> center;
    const double     radius, amplitude;
  };

  /// Curves about half of the elements, and one side of the box.
  template <int dim>
  Bump<dim>
  bump_at_side()
  {
    Point<dim> center;
    for (unsigned int d = 0; d < dim; ++d)
      center[d] = d == 0 ? 1. : 0.5;
    return {center, 0.7, 0.1};
  }

  /// Leaves the sides as they are.
  template <int dim>
  Bump<dim>
  bump_inside(const double amplitude = 0.1)
  {
    Point<dim> center;
    for (unsigned int d = 0; d < dim; ++d)
      center[d] = 0.5;
    return {center, 0.5, amplitude};
  }

  /// Points of the reference cells that maps take to given ones, by Newton's method, also where
  /// deal.II's gives up: maps of degree 1 or 2 of simplices, of degree 1 of hypercubes.
  template <int dim>
  class UnitPoints
  {
  public:
    explicit UnitPoints(const dealii::Mapping<dim> &mapping)
      : mapping(mapping)
    {}

    using Cell = typename Triangulation<dim>::active_cell_iterator;

    Point<dim>
    operator()(const Cell &cell, const Point<dim> &x) const
    {
      const Polynomial &map  = of_cell(cell);
      Point<dim>        unit = cell->reference_cell().template barycenter<dim>();
      for (unsigned int i = 0; i < 10; ++i)
        {
          Tensor<1, dim> residual = x - map.constant;
          Tensor<2, dim> jacobian;
          for (unsigned int r = 0; r < dim; ++r)
            for (unsigned int d = 0; d < dim; ++d)
              {
                double slope = map.linear[r][d];
                residual[d] -= map.linear[r][d] * unit[r];
                for (unsigned int s = 0; s < dim; ++s)
                  {
                    const double product = map.quadratic[std::min(r, s)][std::max(r, s)][d];
                    slope += (r == s ? 2. : 1.) * product * unit[s];
                    if (s >= r)
                      residual[d] -= product * unit[r] * unit[s];
                  }
                jacobian[d][r] = slope;
                if (dim == 3) // the product of all coordinates
                  jacobian[d][r] += map.cubic[d] * unit[(r + 1) % dim] * unit[(r + 2) % dim];
              }
          if (dim == 3)
            residual -= unit[0] * unit[1] * unit[dim - 1] * map.cubic;
          unit += invert(jacobian) * residual;
        }
      return unit;
    }

  private:
    /// \f$ a + \sum_r b_r \hat x_r + \sum_{r \le s} c_{rs} \hat x_r \hat x_s
    /// + d \hat x_0 \hat x_1 \hat x_2 \f$
    struct Polynomial
    {
      Tensor<1, dim> constant, linear[dim], quadratic[dim][dim], cubic;
    };

    const Polynomial &
    of_cell(const Cell &cell) const
    {
      const auto [found, is_new] = of_cells.try_emplace(cell->active_cell_index());
      Polynomial &map            = found->second;
      if (!is_new)
        return map;
      const auto image = [&](const int r, const double step, const int s = -1) {
        Point<dim> unit;
        if (r >= 0)
          unit[r] = step;
        if (s >= 0)
          unit[s] = step;
        return Tensor<1, dim>(mapping.transform_unit_to_real_cell(cell, unit));
      };
      const Tensor<1, dim> a = map.constant = image(-1, 0.);
      for (unsigned int r = 0; r < dim; ++r)
        {
          const Tensor<1, dim> end = image(r, 1.), middle = image(r, 0.5);
          map.linear[r]       = 4. * middle - end - 3. * a;
          map.quadratic[r][r] = 2. * (end - 2. * middle + a);
        }
      for (unsigned int r = 0; r < dim; ++r)
        for (unsigned int s = r + 1; s < dim; ++s)
          map.quadratic[r][s] = 4. * (image(r, 0.5, s) - a) - 2. * (map.linear[r] + map.linear[s]) -
                                map.quadratic[r][r] - map.quadratic[s][s];
      if (dim == 3 && cell->reference_cell().is_hyper_cube())
        {
          Point<dim> corner;
          for (unsigned int r = 0; r < dim; ++r)
            corner[r] = 1.;
          map.cubic = mapping.transform_unit_to_real_cell(cell, corner) - a;
          for (unsigned int r = 0; r < dim; ++r)
            {
              map.cubic -= map.linear[r];
              for (unsigned int s = r; s < dim; ++s)
                map.cubic -= map.quadratic[r][s];
            }
        }
      return map;
    }

    const dealii::Mapping<dim>                &mapping;
    mutable std::map<unsigned int, Polynomial> of_cells;
  };

  template <int dim>
  std::shared_ptr<const ElementMesh<dim>>
  make_curved_mesh(const dealii::Mapping<dim>          &mapping,
                   const Triangulation<dim>            &triangulation,
                   const unsigned int                   map_degree,
                   const std::vector<PeriodicBoundary> &periodic        = {},
                   const unsigned int                   matching_rounds = max_matching_rounds)
  {
    using Kinds = typename ElementOrder<dim>::Kinds;
    return std::make_shared<const ElementMesh<dim>>(
      mapping, triangulation, periodic, matching_rounds, Kinds(), map_degree);
  }

  /// A box whose cells are curved where a Bump is: by polynomials of degree 2, deal.II's highest.
  template <int dim>
  struct CurvedBox
  {
    /// @param n subdivisions in each direction
    /// @param map_degree of the elements, 2 or more
    CurvedBox(const unsigned int n, const Bump<dim> &bump, const unsigned int map_degree)
      : mapping(FE_SimplexP<dim>(2))
      , map_degree(map_degree)
    {
      make_box(triangulation, n, 0.1);
      shuffle_vertices(triangulation);
      dealii::GridTools::transform([&](const Point<dim> &x) { return bump.push_forward(x); },
                                   triangulation);
      triangulation.set_all_manifold_ids(0);
      triangulation.set_manifold(0, bump);
    }

    std::shared_ptr<const ElementMesh<dim>>
    mesh(const std::vector<PeriodicBoundary> &periodic        = {},
         const unsigned int                   matching_rounds = max_matching_rounds) const
    {
      return make_curved_mesh(mapping, triangulation, map_degree, periodic, matching_rounds);
    }

    Triangulation<dim> triangulation;
    MappingFE<dim>     mapping;
    unsigned int       map_degree;
  };

  /// One mesh and element of a law.
  template <int dim, typename Law>
  struct CurvedSetting : public CurvedBox<dim>
  {
    CurvedSetting(const unsigned int degree, const unsigned int map_degree, const Bump<dim> &bump)
      : CurvedBox<dim>(dim == 2 ? 6 : 4, bump, map_degree)
      , dof_handler(this->triangulation)
    {
      dof_handler.distribute_dofs(
        dealii::FESystem<dim>(FE_SimplexDGModal<dim>(degree), Law::n_components));
    }

    DoFHandler<dim> dof_handler;
  };
} // namespace Saltus::Tests

#endif
