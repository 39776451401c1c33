// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/gather.h>
#include <saltus/base/threads.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/extrema.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Whether @p value comes before the smallest one so far, @p smallest.
    bool
    is_before(const double value, const double smallest)
    {
      return value < smallest || (std::isnan(value) && !std::isnan(smallest));
    }


    /// The smallest value so far of a quantity times a sign.
    struct Smallest
    {
      double       value = std::numeric_limits<double>::infinity();
      unsigned int cell = 0, point = 0;

      void
      update(const Smallest &other)
      {
        if (is_before(other.value, value))
          *this = other;
      }
    };

    constexpr double signs[] = {1., -1.}; // of minimum and maximum
  }                                       // namespace


  template <int dim>
  Extrema<dim>::Extrema(const SolutionSpace<dim> &space)
    : space(space)
    , unit_points(simplex_quadrature<dim>(2 * space.degree()).get_points())
  {
    const auto cell = ReferenceCells::get_simplex<dim>();
    for (const unsigned int v : cell.vertex_indices())
      unit_points.push_back(cell.template vertex<dim>(v));
  }


  template <int dim>
  std::vector<std::string>
  Extrema<dim>::columns() const
  {
    std::vector<std::string> names;
    for (const std::string &quantity : space.quantities.identifiers())
      for (const char *extremum : {"minimum", "maximum"})
        {
          names.push_back(quantity + '_' + extremum);
          for (const std::string &coordinate : coordinate_names(dim))
            names.push_back(quantity + '_' + extremum + '_' + coordinate);
        }
    return names;
  }


  template <int dim>
  std::vector<std::vector<double>>
  Extrema<dim>::rows(const double /*time*/, const SolutionVector &solution) const
  {
    const std::size_t     n_quantities = space.quantities.size(), n = 2 * n_quantities;
    const auto            shape = space.shape_values(unit_points);
    std::vector<Smallest> of_cells(space.cells.size() * n);
    parallel_for(space.cells.size(), [&](const std::size_t begin, const std::size_t end) {
      for (unsigned int cell = begin; cell < end; ++cell)
        {
          const auto values = space.evaluate(space.cells[cell], shape, solution);
          for (unsigned int point = 0; point < unit_points.size(); ++point)
            for (std::size_t i = 0; i < n; ++i)
              of_cells[cell * n + i].update(
                {signs[i % 2] * values[point * n_quantities + i / 2], cell, point});
        }
    });
    std::vector<Smallest> of_all(n);
    for (std::size_t i = 0; i < of_cells.size(); ++i)
      of_all[i % n].update(of_cells[i]);

    std::vector<double> own; // `[i]`: value, position
    for (const Smallest &smallest : of_all)
      {
        own.push_back(smallest.value);
        const Point<dim> position =
          space.cells.empty()
            ? Point<dim>()
            : space.mapping.transform_unit_to_real_cell(space.cells[smallest.cell],
                                                        unit_points[smallest.point]);
        own.insert(own.end(), position.begin_raw(), position.end_raw());
      }

    constexpr unsigned int size = 1 + dim;
    std::vector<double>    row(own);
    const auto             all = all_gather(space.communicator(), own).values;
    for (std::size_t i = 0; i < all.size(); i += size)
      {
        const auto best = row.begin() + i % row.size();
        if (is_before(all[i], *best))
          std::copy_n(all.begin() + i, size, best);
      }
    for (std::size_t i = 0; i < n; ++i)
      row[i * size] *= signs[i % 2];
    return {row};
  }


  template class Extrema<2>;
  template class Extrema<3>;
} // namespace Saltus
