// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_vertex_work_h
#define saltus_operators_spaces_vertex_work_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/launch.h>

/// Numbers at vertices, as work for one of them at a time: see VertexMaxima and VertexExchange.
namespace Saltus
{
  /// The largest of the numbers of the elements at each vertex.
  template <typename Number>
  struct LargestOfElements
  {
    const int    *starts      = nullptr; ///< `[vertex]`: where its elements begin; the end
    const int    *elements    = nullptr;
    const Number *of_elements = nullptr; ///< `[e]`, as a vector with one mode
    bool          is_first    = true;    ///< whether nothing is at the vertices yet
    Number       *at_vertices = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int vertex) const
    {
      Number largest = is_first ? Number(0) : at_vertices[vertex];
      for (int i = starts[vertex]; i < starts[vertex + 1]; ++i)
        if (const Number x = of_elements[CoefficientLayout{1, 1}.index(elements[i], 0)];
            x > largest)
          largest = x;
      at_vertices[vertex] = largest;
    }
  };

  /// Vertices that hang in the middle of an edge or a face: the means of the ends.
  template <typename Number>
  struct HangingMeans
  {
    int        n_numbers   = 0;       ///< of a vertex below: more than there are ends
    const int *hanging     = nullptr; ///< `[i]`: the vertex, then the ends, then -1
    Number    *at_vertices = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const int *const of_vertex = hanging + static_cast<std::size_t>(i) * n_numbers;
      Number           sum       = 0;
      int              n         = 0;
      for (; n + 1 < n_numbers && of_vertex[n + 1] >= 0; ++n)
        sum += at_vertices[of_vertex[n + 1]];
      at_vertices[of_vertex[0]] = sum / n;
    }
  };

  /// (Multi)linear functions in elements, from their values at the vertices, and the largest of
  /// these.
  template <typename Number>
  struct BetweenVertices
  {
    int           n_corners = 0, n_values = 0; ///< of an element
    const int    *corners     = nullptr;       ///< `[block][v][l]`
    const Number *functions   = nullptr;       ///< `[i][v]`: at point i < n_values - 1
    const Number *at_vertices = nullptr;
    Number       *values      = nullptr; ///< `[block][i][l]`, the largest last

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t index) const
    {
      const std::size_t block      = index / (block_size * n_values);
      const int         lane       = index % block_size;
      const int         i          = index / block_size % n_values;
      const bool        is_largest = i == n_values - 1;
      Number            result     = 0;
      for (int v = 0; v < n_corners; ++v)
        {
          const Number x = at_vertices[corners[(block * n_corners + v) * block_size + lane]];
          result =
            is_largest ? (x > result ? x : result) : result + functions[i * n_corners + v] * x;
        }
      values[index] = result;
    }
  };

  /// What other ranks are to know.
  template <typename Number>
  struct PackVertices
  {
    const int    *vertices    = nullptr; ///< `[k]`
    const Number *at_vertices = nullptr;
    Number       *sent        = nullptr; ///< `[k]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int k) const
    {
      sent[k] = at_vertices[vertices[k]];
    }
  };

  /// The larger of what is at a vertex and of what has come for it.
  template <typename Number>
  struct LargestOfRanks
  {
    const int    *vertices    = nullptr; ///< `[i]`: those of which others have sent something
    const int    *starts      = nullptr; ///< `[i]`: where the places of what they sent begin
    const int    *places      = nullptr;
    const Number *received    = nullptr;
    Number       *at_vertices = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      Number largest = at_vertices[vertices[i]];
      for (int k = starts[i]; k < starts[i + 1]; ++k)
        if (const Number x = received[places[k]]; x > largest)
          largest = x;
      at_vertices[vertices[i]] = largest;
    }
  };
} // namespace Saltus

#endif
