// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/mesh/curve/continuous_nodes.h>
#include <saltus/mesh/curve/curve_mesh.h>
#include <saltus/mesh/curve/element_map.h>
#include <saltus/mesh/curve/nodal_gradients.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Determinants of the Jacobians of maps.
    template <int dim>
    class Determinants
    {
    public:
      explicit Determinants(const unsigned int degree)
        : gradients(nodal_gradients<dim>(degree, gmsh_nodes<dim>(std::max(1U, dim * (degree - 1)))))
      {}

      /// @param positions `(n)`: of node n
      template <typename Positions>
      DeterminantRange
      range(const Positions &positions) const
      {
        DeterminantRange result = {std::numeric_limits<double>::max(),
                                   -std::numeric_limits<double>::max()};
        for (unsigned int q = 0; q < gradients.size(0); ++q)
          {
            Tensor<2, dim> jacobian;
            for (unsigned int n = 0; n < gradients.size(1); ++n)
              jacobian += outer_product(positions(n), gradients(q, n));
            const double value = determinant(jacobian);
            result.minimum     = std::min(result.minimum, value);
            result.maximum     = std::max(result.maximum, value);
          }
        return result;
      }

    private:
      const Table<2, Tensor<1, dim>> gradients;
    };

    /// The scaled Jacobian to which straighten_folded() takes cells that were folded.
    constexpr double least_scaled_jacobian = 0.1;

    std::string
    rounded(const double value)
    {
      std::ostringstream text;
      text << std::setprecision(3) << value;
      return text.str();
    }
  } // namespace

  template <int dim>
  std::vector<double>
  scaled_jacobians(const CurvedNodes<dim> &nodes)
  {
    const Determinants<dim> determinants(nodes.degree);
    std::vector<double>     result(nodes.positions.size(0));
    parallel_for(result.size(), [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int c = begin; c < end; ++c)
        result[c] =
          determinants.range([&](const unsigned int n) { return nodes.positions[c][n]; }).scaled();
    });
    return result;
  }

  template <int dim>
  unsigned int
  straighten_folded(const Triangulation<dim> &tria, CurvedNodes<dim> &nodes)
  {
    const Determinants<dim>    of_straight(1);
    const ContinuousNodes<dim> numbers(tria, nodes.degree);
    const unsigned int         n_nodes = nodes.positions.size(1);
    std::vector<bool>          was_folded(tria.n_active_cells(), false);
    for (bool any = true; any;)
      {
        const std::vector<double> scaled = scaled_jacobians(nodes);
        std::vector<bool>         moves(numbers.size(), false);
        std::vector<Point<dim>>   to(numbers.size());
        any = false;
        for (const auto &cell : tria.active_cell_iterators())
          {
            const unsigned int c = cell->active_cell_index();
            if (scaled[c] > (was_folded[c] ? least_scaled_jacobian : 0.))
              continue;
            AssertThrow(of_straight
                            .range([&](const unsigned int v) { return nodes.positions[c][v]; })
                            .minimum > 0.,
                        ExcMessage("the cell around " + Patterns::Tools::to_string(cell->center()) +
                                   " is inverted even with straight edges."));
            any           = true;
            was_folded[c] = true;
            for (unsigned int n = 0; n < n_nodes; ++n)
              {
                const unsigned int node = numbers(cell, n);
                Point<dim>         straight;
                for (unsigned int v = 0; v <= dim; ++v)
                  straight +=
                    double(numbers.weights()[n][v]) / nodes.degree * nodes.positions[c][v];
                moves[node] = true;
                to[node]    = straight + 0.5 * (nodes.positions[c][n] - straight);
              }
          }
        for (const auto &cell : tria.active_cell_iterators())
          for (unsigned int n = dim + 1; n < n_nodes; ++n)
            if (const unsigned int node = numbers(cell, n); moves[node])
              nodes.positions[cell->active_cell_index()][n] = to[node];
      }
    return std::count(was_folded.begin(), was_folded.end(), true);
  }

  std::string
  table_of_scaled_jacobians(const std::vector<double> &of_cells)
  {
    constexpr std::array<double, 6> bounds = {{0., 0.1, 0.3, 0.5, 0.9, 1. - 1e-10}};
    std::ostringstream              text;
    const auto [least, largest] = std::minmax_element(of_cells.begin(), of_cells.end());
    text << "Scaled Jacobians of the curved cells, from " << rounded(*least) << " to "
         << rounded(*largest) << ":\n";
    for (unsigned int i = 0; i <= bounds.size(); ++i)
      {
        const double low  = i == 0 ? -std::numeric_limits<double>::max() : bounds[i - 1];
        const double high = i == bounds.size() ? std::numeric_limits<double>::max() : bounds[i];
        const auto   n = std::count_if(of_cells.begin(), of_cells.end(), [&](const double value) {
          return value > low && value <= high;
        });
        const std::string what = i == 0               ? "folded"
                                 : i == bounds.size() ? "straight"
                                                      : rounded(low) + " to " + rounded(high);
        text << "  " << std::left << std::setw(12) << what << std::right << std::setw(10) << n
             << '\n';
      }
    return text.str();
  }

  template <int dim>
  void
  check_not_folded(const Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    const std::vector<double> of_cells = scaled_jacobians(nodes);
    const unsigned int        n_folded =
      std::count_if(of_cells.begin(), of_cells.end(), [](const double x) { return x <= 0.; });
    std::string  places;
    unsigned int n_named = 0;
    for (const auto &cell : tria.active_cell_iterators())
      if (const double value = of_cells[cell->active_cell_index()]; value <= 0. && n_named < 10)
        {
          places += (n_named++ > 0 ? ", (" : "(") + Patterns::Tools::to_string(cell->center()) +
                    "): " + rounded(value);
        }
    AssertThrow(n_folded == 0,
                ExcMessage(std::to_string(n_folded) + " of " + std::to_string(of_cells.size()) +
                           " cells are folded, around " + places +
                           (n_folded > n_named ? ", ..." : "") + " (scaled Jacobian)."));
  }

#define SALTUS_MAP_QUALITY(dim)                                                                   \
  template std::vector<double> scaled_jacobians(const CurvedNodes<dim> &);                        \
  template unsigned int        straighten_folded(const Triangulation<dim> &, CurvedNodes<dim> &); \
  template void check_not_folded(const Triangulation<dim> &, const CurvedNodes<dim> &);
  SALTUS_MAP_QUALITY(2)
  SALTUS_MAP_QUALITY(3)
#undef SALTUS_MAP_QUALITY
} // namespace Saltus
