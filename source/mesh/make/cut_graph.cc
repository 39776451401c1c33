// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/types.h>
#include <deal.II/lac/sparsity_pattern.h>
#include <deal.II/lac/sparsity_tools.h>

#include <saltus/mesh/make/cut_graph.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    constexpr unsigned int none = numbers::invalid_unsigned_int;

    /// Nodes of smaller graphs are not united: the cut would grow and no time be saved.
    constexpr unsigned int min_nodes = 100000, min_nodes_of_part = 2000;
    constexpr unsigned int n_tries      = 3;
    constexpr unsigned int n_sweeps     = 8;
    constexpr double       largest_part = 1.005; // of the average


    /// Unites pairs of neighbors, those with the heaviest edges.
    /// @param unions is written, `[node of the graph]`: node of the result
    WeightedGraph
    unite_pairs(const WeightedGraph &graph, std::vector<unsigned int> &unions)
    {
      unions.assign(graph.size(), none);
      WeightedGraph                                      result;
      std::vector<std::pair<unsigned int, unsigned int>> pairs;
      for (unsigned int node = 0; node < graph.size(); ++node)
        if (unions[node] == none)
          {
            unsigned int other = none, heaviest = 0;
            graph.for_edges(node, [&](const auto &edge) {
              if (unions[edge.to] == none && edge.to != node && edge.weight > heaviest)
                {
                  other    = edge.to;
                  heaviest = edge.weight;
                }
            });
            unions[node] = pairs.size();
            if (other != none)
              unions[other] = pairs.size();
            pairs.emplace_back(node, other);
          }

      std::vector<std::size_t> places(pairs.size(), 0); // plus one, of the edge to each node
      for (unsigned int i = 0; i < pairs.size(); ++i)
        {
          const std::size_t first = result.edges.size();
          result.weights.push_back(0);
          for (const unsigned int node : {pairs[i].first, pairs[i].second})
            if (node != none)
              {
                result.weights.back() += graph.weights[node];
                graph.for_edges(node, [&](const auto &edge) {
                  const unsigned int to = unions[edge.to];
                  if (to == i)
                    return;
                  if (places[to] <= first)
                    {
                      result.edges.push_back({to, 0});
                      places[to] = result.edges.size();
                    }
                  result.edges[places[to] - 1].weight += edge.weight;
                });
              }
          result.starts.push_back(result.edges.size());
        }
      return result;
    }


    /// By METIS, which sees no weights of edges.
    /// @param first the node that METIS sees first: it makes cuts differ
    std::vector<unsigned int>
    cut_by_metis(const WeightedGraph &graph, const unsigned int n_parts, const unsigned int first)
    {
      const unsigned int n     = graph.size();
      const auto         place = [&](const unsigned int node) {
        return node < first ? node + n - first : node - first;
      };
      std::vector<unsigned int> row_lengths(n), weights(n), parts(n, 0);
      for (unsigned int node = 0; node < n; ++node)
        {
          row_lengths[place(node)] = graph.starts[node + 1] - graph.starts[node] + 1;
          weights[place(node)]     = graph.weights[node];
        }
      SparsityPattern pattern(n, n, row_lengths);
      for (unsigned int node = 0; node < n; ++node)
        graph.for_edges(node, [&](const auto &edge) { pattern.add(place(node), place(edge.to)); });
      pattern.compress();
      SparsityTools::partition(pattern, weights, std::min(n_parts, n), parts);
      std::rotate(parts.begin(), parts.end() - first, parts.end());
      return parts;
    }


    /// Moves nodes to parts to which they have heavier edges, as long as the parts stay small.
    void
    move_nodes(const WeightedGraph       &graph,
               const unsigned int         n_parts,
               std::vector<unsigned int> &parts)
    {
      std::vector<std::size_t> sizes(n_parts, 0), links(n_parts, 0);
      for (unsigned int node = 0; node < graph.size(); ++node)
        sizes[parts[node]] += graph.weights[node];
      const std::size_t all = std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
      const std::size_t largest =
        std::max<std::size_t>(largest_part * all / n_parts, (all + n_parts - 1) / n_parts);

      std::vector<unsigned int> border, next;
      for (unsigned int node = 0; node < graph.size(); ++node)
        {
          bool is_inside = true;
          graph.for_edges(node, [&](const auto &edge) {
            is_inside = is_inside && parts[edge.to] == parts[node];
          });
          if (!is_inside)
            border.push_back(node);
        }
      for (unsigned int sweep = 0; sweep < n_sweeps && !border.empty(); ++sweep)
        {
          next.clear();
          for (const unsigned int node : border)
            {
              const unsigned int own = parts[node], weight = graph.weights[node];
              graph.for_edges(node,
                              [&](const auto &edge) { links[parts[edge.to]] += edge.weight; });
              unsigned int best      = own;
              const auto   size_with = [&](const unsigned int part) {
                return sizes[part] + (part == own ? 0 : weight);
              };
              graph.for_edges(node, [&](const auto &edge) {
                const unsigned int part = parts[edge.to];
                if (size_with(part) <= largest &&
                    (links[part] > links[best] ||
                     (links[part] == links[best] && size_with(part) < size_with(best))))
                  best = part;
              });
              graph.for_edges(node, [&](const auto &edge) { links[parts[edge.to]] = 0; });
              if (best == own)
                continue;
              parts[node] = best;
              sizes[own] -= weight;
              sizes[best] += weight;
              next.push_back(node);
              graph.for_edges(node, [&](const auto &edge) { next.push_back(edge.to); });
            }
          std::sort(next.begin(), next.end());
          next.erase(std::unique(next.begin(), next.end()), next.end());
          border.swap(next);
        }
    }


    std::size_t
    cut_weight(const WeightedGraph &graph, const std::vector<unsigned int> &parts)
    {
      std::size_t sum = 0;
      for (unsigned int node = 0; node < graph.size(); ++node)
        graph.for_edges(node, [&](const auto &edge) {
          if (parts[edge.to] != parts[node])
            sum += edge.weight;
        });
      return sum;
    }


    /// The best of several cuts.
    std::vector<unsigned int>
    cut_small(const WeightedGraph &graph, const unsigned int n_parts)
    {
      std::vector<unsigned int> best;
      std::size_t               smallest = 0;
      for (unsigned int i = 0; i < n_tries; ++i)
        {
          std::vector<unsigned int> parts =
            cut_by_metis(graph, n_parts, std::size_t(graph.size()) * i / n_tries);
          move_nodes(graph, n_parts, parts);
          const std::size_t weight = cut_weight(graph, parts);
          if (i == 0 || weight < smallest)
            {
              best     = std::move(parts);
              smallest = weight;
            }
        }
      return best;
    }
  } // namespace


  std::vector<unsigned int>
  cut(const WeightedGraph &graph, const unsigned int n_parts)
  {
    if (graph.size() <= std::max<std::size_t>(min_nodes, std::size_t(min_nodes_of_part) * n_parts))
      return cut_small(graph, n_parts);
    std::vector<unsigned int> unions, parts;
    {
      const WeightedGraph united = unite_pairs(graph, unions);
      // Few edges, few pairs.
      parts =
        united.size() < 0.9 * graph.size() ? cut(united, n_parts) : cut_small(united, n_parts);
    }
    for (unsigned int &part : unions)
      part = parts[part];
    move_nodes(graph, n_parts, unions);
    return unions;
  }
} // namespace Saltus
