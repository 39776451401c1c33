// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/boundary_curves.h>

#include <algorithm>
#include <map>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// An edge from one vertex to the other with the domain on its left.
    struct Edge
    {
      unsigned int face;
      unsigned int from, to; ///< numbers of vertices
      Point<2>     begin;
      double       length;
    };


    Edge
    directed_edge(const SurfaceFace<2> &face, const unsigned int number)
    {
      const auto         edge      = face.cell->face(face.face);
      const Tensor<1, 2> direction = edge->vertex(1) - edge->vertex(0);
      const Tensor<1, 2> inward    = face.cell->center() - edge->vertex(0);
      const bool         forward   = direction[0] * inward[1] - direction[1] * inward[0] > 0.;
      const unsigned int first     = forward ? 0 : 1;
      return {number,
              edge->vertex_index(first),
              edge->vertex_index(1 - first),
              edge->vertex(first),
              direction.norm()};
    }


    /// Edges that can still be used, by the vertex where they begin.
    using Edges = std::multimap<unsigned int, Edge>;


    /// Follow the curve that begins with @p edge and take its edges out of @p rest.
    void
    follow(Edges::iterator          edge,
           const unsigned int       curve,
           Edges                   &rest,
           std::vector<CurvePiece> &pieces)
    {
      double length = 0.;
      while (edge != rest.end())
        {
          const Edge current = edge->second;
          pieces.push_back({current.face, curve, current.begin, length});
          length += current.length;
          rest.erase(edge);
          edge = rest.find(current.to);
        }
    }
  } // namespace


  std::vector<CurvePiece>
  boundary_curves(const std::vector<SurfaceFace<2>> &faces)
  {
    Edges                       rest;
    std::map<unsigned int, int> ends; // edges that begin minus edges that end at a vertex
    std::vector<unsigned int>   order;
    for (unsigned int f = 0; f < faces.size(); ++f)
      {
        const Edge edge = directed_edge(faces[f], f);
        rest.emplace(edge.from, edge);
        order.push_back(edge.from);
        ++ends[edge.from];
        --ends[edge.to];
      }

    std::vector<CurvePiece> pieces;
    unsigned int            curve = 0;
    for (const unsigned int vertex : order)
      for (; ends[vertex] > 0; --ends[vertex])
        follow(rest.find(vertex), curve++, rest, pieces);
    while (!rest.empty())
      follow(std::min_element(rest.begin(),
                              rest.end(),
                              [](const auto &a, const auto &b) {
                                const Point<2> &p = a.second.begin, &q = b.second.begin;
                                return std::make_pair(p[0], p[1]) < std::make_pair(q[0], q[1]);
                              }),
             curve++,
             rest,
             pieces);
    return pieces;
  }
} // namespace Saltus
