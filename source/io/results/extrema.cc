// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/results/extrema.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The smallest value of a quantity times a sign.
    struct Smallest
    {
      double                  value = std::numeric_limits<double>::infinity();
      types::global_dof_index cell  = numbers::invalid_dof_index; ///< see cell_numbers()
      unsigned int            point = 0;

      /// A NaN comes first. Values that differ by rounding are a tie, so that the place does not
      /// depend on the ranks.
      bool
      is_before(const Smallest &other) const
      {
        const auto key = [](const Smallest &of) {
          const bool is_number = !std::isnan(of.value);
          return std::make_tuple(is_number, is_number ? rounded(of.value) : 0., of.cell);
        };
        return key(*this) < key(other);
      }

    private:
      /// To 41 of 53 bits, by Veltkamp's splitting.
      static double
      rounded(const double number)
      {
        const double scaled = 4097. * number;
        return std::isfinite(scaled) ? scaled - (scaled - number) : number;
      }
    };


    template <typename T>
    void
    update(T &smallest, const T &other)
    {
      if (other.is_before(smallest))
        smallest = other;
    }


    template <int dim>
    struct Extremum : public Smallest
    {
      Point<dim> position;
    };

    constexpr double signs[] = {1., -1.}; // of minimum and maximum
  }                                       // namespace


  template <int dim>
  Extrema<dim>::Extrema(const SolutionSpace<dim> &space)
    : space(space)
    , unit_points(space.shapes.for_each([&](const ReferenceCell &shape) {
      auto points = cell_quadrature<dim>(shape, 2 * space.degree()).get_points();
      for (const unsigned int v : shape.vertex_indices())
        points.push_back(shape.template vertex<dim>(v));
      return points;
    }))
  {}


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
          const auto number = space.numbers[cell];
          for (unsigned int point = 0; point * n_quantities < values.size(); ++point)
            for (std::size_t i = 0; i < n; ++i)
              update(of_cells[cell * n + i],
                     {signs[i % 2] * values[point * n_quantities + i / 2], number, point});
        }
    });

    std::vector<std::size_t> best(n);
    std::iota(best.begin(), best.end(), 0);
    for (std::size_t i = 0; i < of_cells.size(); ++i)
      if (of_cells[i].is_before(of_cells[best[i % n]]))
        best[i % n] = i;
    std::vector<Extremum<dim>> own;
    for (std::size_t i = 0; i < std::min(n, of_cells.size()); ++i)
      {
        const Smallest  &found      = of_cells[best[i]];
        const auto      &cell       = space.cells[best[i] / n];
        const Point<dim> unit_point = unit_points[space.shapes.number(cell)][found.point];
        own.push_back({found, space.mapping.transform_unit_to_real_cell(cell, unit_point)});
      }
    const auto                 all = all_gather(space.communicator(), own).values;
    std::vector<Extremum<dim>> smallest(n);
    for (std::size_t i = 0; i < all.size(); ++i)
      update(smallest[i % n], all[i]);

    std::vector<double> row;
    for (std::size_t i = 0; i < n; ++i)
      {
        row.push_back(signs[i % 2] * smallest[i].value);
        row.insert(row.end(), smallest[i].position.begin_raw(), smallest[i].position.end_raw());
      }
    return {row};
  }


  template class Extrema<2>;
  template class Extrema<3>;
} // namespace Saltus
