// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_cut_graph_h
#define saltus_mesh_make_cut_graph_h

#include <cstddef>
#include <vector>

namespace Saltus
{
  /// An undirected graph with weights. Each edge is stored at both of its nodes.
  struct WeightedGraph
  {
    struct Edge
    {
      unsigned int to, weight;
    };

    std::vector<std::size_t>  starts = {0}; ///< number of nodes plus one
    std::vector<Edge>         edges;        ///< from `starts[node]` on
    std::vector<unsigned int> weights;      ///< `[node]`

    unsigned int
    size() const
    {
      return weights.size();
    }

    /// Calls `visit(edge)` for the edges of a node.
    template <typename Visit>
    void
    for_edges(const unsigned int node, const Visit &visit) const
    {
      for (std::size_t e = starts[node]; e < starts[node + 1]; ++e)
        visit(edges[e]);
    }
  };

  /// Cuts a graph into parts of equal weight with a small weight of the edges between them. Pairs
  /// of neighbors in a large graph are united, again and again. METIS cuts the small graph, and
  /// nodes at borders then move to where they have more neighbors. METIS itself works in this way
  /// (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998), but spends most of its time on the first
  /// levels.
  /// @return `[node]`: the number of its part, which may be empty
  std::vector<unsigned int>
  cut(const WeightedGraph &graph, const unsigned int n_parts);
} // namespace Saltus

#endif
