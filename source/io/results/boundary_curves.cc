// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/io/results/boundary_curves.h>
#include <saltus/mesh/curve/mapping_degree.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Vertices are known by their coordinates, which are the same on all ranks.
    struct Before
    {
      bool
      operator()(const Point<2> &p, const Point<2> &q) const
      {
        return std::make_pair(p[0], p[1]) < std::make_pair(q[0], q[1]);
      }
    };


    /// Angle from direction @p from clockwise to @p to, above 0 and up to a full turn.
    double
    clockwise_angle(const Tensor<1, 2> &from, const Tensor<1, 2> &to)
    {
      const double angle =
        std::atan2(to[0] * from[1] - to[1] * from[0], from[0] * to[0] + from[1] * to[1]);
      return angle > 0. ? angle : angle + 2. * numbers::PI;
    }


    /// The edges that are not yet part of a curve, by the vertex where they begin.
    class OpenEdges
    {
    public:
      explicit OpenEdges(const std::vector<BoundaryEdge> &edges)
        : edges(edges)
      {
        for (std::size_t i = 0; i < edges.size(); ++i)
          {
            open.emplace(edges[i].first, i);
            ++surplus[edges[i].first];
            --surplus[edges[i].second];
          }
      }

      /// Follow a curve from its first edge to its end.
      void
      follow(std::size_t edge, const unsigned int curve, std::vector<CurvePiece> &pieces)
      {
        double length = 0.;
        while (true)
          {
            const auto &[begin, end, of_edge] = edges[edge];
            pieces.push_back({edge, curve, length});
            length += of_edge;
            take(edge);
            const auto [first, last] = open.equal_range(end);
            if (first == last)
              return;
            const auto angle = [&, back = begin - end](const auto &entry) {
              return clockwise_angle(back, edges[entry.second].second - edges[entry.second].first);
            };
            edge = std::min_element(first, last, [&](const auto &a, const auto &b) {
                     return angle(a) < angle(b);
                   })->second;
          }
      }

      /// The edges with which open curves begin: at vertices where more edges begin than end.
      std::vector<std::size_t>
      beginnings() const
      {
        std::vector<std::size_t> result;
        for (const auto &[vertex, n] : surplus)
          {
            auto entry = open.find(vertex);
            for (int i = 0; i < n; ++i, ++entry)
              result.push_back(entry->second);
          }
        return result;
      }

      bool
      empty() const
      {
        return open.empty();
      }

      /// The one that begins at the smallest vertex.
      std::size_t
      first() const
      {
        return open.begin()->second;
      }

    private:
      void
      take(const std::size_t edge)
      {
        auto entry = open.find(edges[edge].first);
        while (entry->second != edge)
          ++entry;
        open.erase(entry);
      }

      const std::vector<BoundaryEdge>             &edges;
      std::multimap<Point<2>, std::size_t, Before> open;
      std::map<Point<2>, int, Before> surplus; ///< edges that begin minus those that end
    };


    /// On an edge from 0 to each of some points, then on the whole of it: a rule that integrates
    /// smooth functions nearly exactly. At first stands the point 0 itself.
    Quadrature<1>
    rules_up_to(const std::vector<Point<1>> &points)
    {
      const QGauss<1>       rule(12);
      std::vector<Point<1>> at      = {Point<1>(0.)};
      std::vector<double>   weights = {0.};
      const auto            append  = [&](const double end) {
        for (unsigned int i = 0; i < rule.size(); ++i)
          {
            at.push_back(end * rule.point(i));
            weights.push_back(end * rule.weight(i));
          }
      };
      for (const Point<1> &point : points)
        append(point[0]);
      append(1.);
      return {at, weights};
    }
  } // namespace


  EdgeLengths::EdgeLengths(const Mapping<2> &mapping, const std::vector<Point<1>> &points)
    : straight(mapping_degree(mapping) == 1)
    , n_points(points.size())
    , nothing(ReferenceCells::Triangle)
    , parts(straight ? Quadrature<1>(points) : rules_up_to(points))
    , fe_values(mapping, nothing, parts, update_quadrature_points | update_JxW_values)
  {}


  double
  EdgeLengths::up_to(const unsigned int point) const
  {
    const unsigned int n_parts = (parts.size() - 1) / (n_points + 1);
    double             length  = 0.;
    for (unsigned int q = 0; q < n_parts; ++q)
      length += fe_values.JxW(1 + point * n_parts + q);
    return length;
  }


  double
  EdgeLengths::whole(const SurfaceFace<2> &face)
  {
    const auto edge = face.cell->face(face.face);
    if (straight)
      return edge->vertex(0).distance(edge->vertex(1));
    fe_values.reinit(static_cast<Triangulation<2>::cell_iterator>(face.cell), face.face);
    return up_to(n_points);
  }


  std::vector<double>
  EdgeLengths::operator()(const SurfaceFace<2> &face, const Point<2> &begin)
  {
    fe_values.reinit(static_cast<Triangulation<2>::cell_iterator>(face.cell), face.face);
    std::vector<double> result(n_points);
    if (straight)
      {
        for (unsigned int i = 0; i < n_points; ++i)
          result[i] = fe_values.quadrature_point(i).distance(begin);
        return result;
      }
    const double whole   = up_to(n_points);
    const bool   forward = fe_values.quadrature_point(0).distance(begin) < 1e-3 * whole;
    for (unsigned int i = 0; i < n_points; ++i)
      result[i] = forward ? up_to(i) : whole - up_to(i);
    return result;
  }


  std::vector<BoundaryEdge>
  directed_edges(const Mapping<2> &mapping, const std::vector<SurfaceFace<2>> &faces)
  {
    EdgeLengths               lengths(mapping, {Point<1>()});
    std::vector<BoundaryEdge> edges;
    for (const SurfaceFace<2> &face : faces)
      {
        const auto         edge      = face.cell->face(face.face);
        const Tensor<1, 2> direction = edge->vertex(1) - edge->vertex(0);
        const Tensor<1, 2> inward    = face.cell->center() - edge->vertex(0);
        const bool         forward   = direction[0] * inward[1] - direction[1] * inward[0] > 0.;
        edges.push_back(
          {edge->vertex(forward ? 0 : 1), edge->vertex(forward ? 1 : 0), lengths.whole(face)});
      }
    return edges;
  }


  std::vector<CurvePiece>
  boundary_curves(const std::vector<BoundaryEdge> &edges)
  {
    OpenEdges               rest(edges);
    std::vector<CurvePiece> pieces;
    unsigned int            curve = 0;
    for (const std::size_t edge : rest.beginnings())
      rest.follow(edge, curve++, pieces);
    while (!rest.empty())
      rest.follow(rest.first(), curve++, pieces);
    return pieces;
  }
} // namespace Saltus
