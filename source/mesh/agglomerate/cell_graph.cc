// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparsity_pattern.h>
#include <deal.II/lac/sparsity_tools.h>

#include <saltus/base/device/threads.h>
#include <saltus/mesh/agglomerate/cell_graph.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// METIS is good at this many parts, and slow at one part for every few nodes.
    constexpr unsigned int max_parts_at_once = 64;

    /// Divides the nodes of one graph, again and again.
    class Partitioner
    {
    public:
      explicit Partitioner(const CellGraph &graph)
        : graph(graph)
        , parts(graph.size(), 0)
        , place(graph.size(), outside)
      {}

      /// Divide @p nodes into about @p n_parts, numbered from the next one on.
      void
      divide(const std::vector<unsigned int> &nodes, const unsigned int n_parts)
      {
        if (n_parts <= 1 || nodes.size() <= 1)
          {
            for (const unsigned int node : nodes)
              parts[node] = n;
            ++n;
            return;
          }
        const unsigned int                     n_now = std::min(n_parts, max_parts_at_once);
        const std::vector<unsigned int>        now   = divide_at_once(nodes, n_now);
        std::vector<std::vector<unsigned int>> groups(n_now);
        for (unsigned int i = 0; i < nodes.size(); ++i)
          groups[now[i]].push_back(nodes[i]);
        for (const auto &group : groups)
          if (!group.empty())
            divide(group,
                   n_parts == n_now
                     ? 1
                     : std::lround(static_cast<double>(n_parts) * group.size() / nodes.size()));
      }

      std::vector<unsigned int>
      take()
      {
        return std::move(parts);
      }

    private:
      static constexpr unsigned int outside = static_cast<unsigned int>(-1);

      std::vector<unsigned int>
      divide_at_once(const std::vector<unsigned int> &nodes, const unsigned int n_parts)
      {
        const unsigned int size = nodes.size();
        for (unsigned int i = 0; i < size; ++i)
          place[nodes[i]] = i;
        std::vector<unsigned int> row_lengths(size, 1);
        for (unsigned int i = 0; i < size; ++i)
          row_lengths[i] +=
            graph.neighbors_of(nodes[i]).end() - graph.neighbors_of(nodes[i]).begin();
        SparsityPattern pattern(size, size, row_lengths);
        for (unsigned int i = 0; i < size; ++i)
          for (const unsigned int j : graph.neighbors_of(nodes[i]))
            if (place[j] != outside)
              pattern.add(i, place[j]);
        pattern.compress();
        for (const unsigned int node : nodes)
          place[node] = outside;
        std::vector<unsigned int> result(size);
        SparsityTools::partition(pattern, std::min(n_parts, size), result);
        return result;
      }

      const CellGraph          &graph;
      std::vector<unsigned int> parts, place;
      unsigned int              n = 0;
    };
  } // namespace


  template <int dim>
  CellGraph
  cell_graph(const Triangulation<dim> &triangulation)
  {
    std::vector<typename Triangulation<dim>::active_cell_iterator> cells;
    cells.reserve(triangulation.n_active_cells());
    for (const auto &cell : triangulation.active_cell_iterators())
      cells.push_back(cell);
    const auto for_edges = [&](const std::size_t c, const auto &visit) {
      if (cells[c]->is_locally_owned())
        for (const unsigned int f : cells[c]->face_indices())
          for_neighbors(cells[c], f, [&](const auto &neighbor) {
            if (neighbor->is_locally_owned())
              visit(neighbor->active_cell_index());
          });
    };
    CellGraph graph;
    graph.starts.resize(cells.size() + 1, 0);
    parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t c = begin; c < end; ++c)
        for_edges(c, [&](const unsigned int) { ++graph.starts[c + 1]; });
    });
    std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
    graph.neighbors.resize(graph.starts.back());
    parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t c = begin; c < end; ++c)
        {
          unsigned int *next = graph.neighbors.data() + graph.starts[c];
          for_edges(c, [&](const unsigned int neighbor) { *next++ = neighbor; });
        }
    });
    return graph;
  }


  std::vector<unsigned int>
  partition(const CellGraph &graph, const unsigned int n_parts)
  {
    std::vector<unsigned int> nodes(graph.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    Partitioner partitioner(graph);
    partitioner.divide(nodes, n_parts);
    return partitioner.take();
  }


  std::vector<unsigned int>
  partition(const CellGraph                 &graph,
            const std::vector<unsigned int> &weights,
            const unsigned int               n_parts)
  {
    std::vector<unsigned int> parts(graph.size(), 0), row_lengths(graph.size());
    if (n_parts == 1 || graph.size() == 0)
      return parts;
    for (unsigned int i = 0; i < graph.size(); ++i)
      row_lengths[i] = graph.neighbors_of(i).size() + 1;
    SparsityPattern pattern(graph.size(), graph.size(), row_lengths);
    for (unsigned int i = 0; i < graph.size(); ++i)
      for (const unsigned int j : graph.neighbors_of(i))
        pattern.add(i, j);
    pattern.compress();
    SparsityTools::partition(pattern, weights, std::min(n_parts, graph.size()), parts);
    return parts;
  }


  template <int dim>
  std::vector<unsigned int>
  halve_boxes(const std::vector<Point<dim>> &points, const unsigned int n_parts)
  {
    struct Part
    {
      std::vector<unsigned int>::iterator begin, end;
      unsigned int                        n_parts = 0;
    };
    std::vector<unsigned int> order(points.size()), leaves(points.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<unsigned char> begins_leaf(points.size(), 0); // by the place in the order
    // The parts of a level are halved at the same time.
    std::vector<Part> parts = {{order.begin(), order.end(), std::max(1U, n_parts)}};
    while (!parts.empty())
      {
        std::vector<Part> halves(2 * parts.size());
        parallel_for(parts.size(), [&](const std::size_t begin, const std::size_t end) {
          for (std::size_t p = begin; p < end; ++p)
            {
              const Part        part = parts[p];
              const std::size_t size = part.end - part.begin;
              if (part.n_parts == 1 || size <= 1)
                {
                  if (size > 0)
                    begins_leaf[part.begin - order.begin()] = 1;
                  continue;
                }
              Point<dim> lowest = points[*part.begin], highest = lowest;
              for (auto i = part.begin; i != part.end; ++i)
                for (unsigned int d = 0; d < dim; ++d)
                  {
                    lowest[d]  = std::min(lowest[d], points[*i][d]);
                    highest[d] = std::max(highest[d], points[*i][d]);
                  }
              unsigned int longest = 0;
              for (unsigned int d = 1; d < dim; ++d)
                if (highest[d] - lowest[d] > highest[longest] - lowest[longest])
                  longest = d;
              const unsigned int n_low  = part.n_parts / 2;
              const auto         middle = part.begin + size * n_low / part.n_parts;
              std::nth_element(part.begin, middle, part.end, [&](const auto i, const auto j) {
                return std::make_pair(points[i][longest], i) <
                       std::make_pair(points[j][longest], j);
              });
              halves[2 * p]     = {part.begin, middle, n_low};
              halves[2 * p + 1] = {middle, part.end, part.n_parts - n_low};
            }
        });
        parts.clear();
        std::copy_if(halves.begin(), halves.end(), std::back_inserter(parts), [](const Part &part) {
          return part.n_parts > 0;
        });
      }
    unsigned int n = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      {
        n += begins_leaf[i];
        leaves[order[i]] = n - 1;
      }
    return leaves;
  }


  template CellGraph
  cell_graph(const Triangulation<2> &);
  template CellGraph
  cell_graph(const Triangulation<3> &);
  template std::vector<unsigned int>
  halve_boxes(const std::vector<Point<2>> &, const unsigned int);
  template std::vector<unsigned int>
  halve_boxes(const std::vector<Point<3>> &, const unsigned int);
} // namespace Saltus
