// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_blending_h
#define saltus_mesh_curve_blending_h

#include <deal.II/base/point.h>
#include <deal.II/lac/full_matrix.h>

#include <saltus/fe/basis.h>
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/mesh/curve/gmsh_nodes.h>

#include <array>
#include <map>
#include <vector>

namespace Saltus
{
  /// Displacements of the nodes inside of an edge or face, continued into a simplex. With the
  /// barycentric coordinates \f$\lambda\f$ and the vertices \f$S\f$ of the edge or face, the
  /// displacement there is \f$\prod_{i\in S}\lambda_i h(\lambda)\f$ with a polynomial \f$h\f$. Its
  /// continuation
  /// \f[ \prod_{i\in S}\lambda_i\, h(\lambda_i + (1-\sum_{j\in S}\lambda_j)/|S|) \f]
  /// keeps the degree and the other edges and faces. On a face it depends on this face only, so
  /// that the nodes of neighbors agree.
  ///
  /// Source: the blending functions of B. Szabo and I. Babuska, Finite Element Analysis (1991).
  template <int dim, int structdim>
  class Blending
  {
  public:
    using Vertices = std::array<unsigned int, structdim + 1>; ///< numbers in the cell

    explicit Blending(const unsigned int degree);

    /// The vertices of an edge or face @p object of @p cell.
    template <typename Cell, typename Object>
    static Vertices
    vertices_of(const Cell &cell, const Object &object)
    {
      Vertices result{};
      for (unsigned int i = 0; i <= structdim; ++i)
        while (cell->vertex_index(result[i]) != object->vertex_index(i))
          ++result[i];
      return result;
    }

    /// The nodes inside of the edge or face: numbers of gmsh_nodes() of the cell.
    const std::vector<unsigned int> &
    inside(const Vertices &vertices)
    {
      return extension(vertices).inside;
    }

    /// Move the nodes of a cell with those inside() of the edge or face.
    /// @param displacements `[i]`: of node i of inside()
    /// @param positions `[n]`: of gmsh_nodes() of the cell
    void
    move(const Vertices                            &vertices,
         const std::vector<dealii::Tensor<1, dim>> &displacements,
         std::vector<dealii::Point<dim>>           &positions);

    /// `[n][v]`: barycentric coordinates of gmsh_nodes().
    const std::vector<std::array<double, dim + 1>> &
    coordinates() const
    {
      return nodes;
    }

  private:
    struct Extension
    {
      Extension(const std::vector<std::array<double, dim + 1>> &nodes, const Vertices &vertices);

      std::vector<unsigned int>  inside;
      dealii::FullMatrix<double> weights; ///< `(n, i)`
    };

    const Extension &
    extension(const Vertices &vertices)
    {
      return extensions.try_emplace(vertices, nodes, vertices).first->second;
    }

    std::vector<std::array<double, dim + 1>> nodes;
    std::map<Vertices, Extension>            extensions;
  };

  template <int dim, int structdim>
  Blending<dim, structdim>::Blending(const unsigned int degree)
  {
    for (const dealii::Point<dim> &point : gmsh_nodes<dim>(degree))
      {
        nodes.emplace_back();
        nodes.back()[0] = 1.;
        for (unsigned int d = 0; d < dim; ++d)
          {
            nodes.back()[d + 1] = point[d];
            nodes.back()[0] -= point[d];
          }
      }
  }

  template <int dim, int structdim>
  Blending<dim, structdim>::Extension::Extension(
    const std::vector<std::array<double, dim + 1>> &nodes,
    const Vertices                                 &vertices)
  {
    const unsigned int                    n_vertices = structdim + 1;
    const double                          tolerance  = 1e-10;
    std::vector<double>                   bubbles;
    std::vector<dealii::Point<structdim>> points; // of the polynomial h
    unsigned int                          degree = 0;
    for (unsigned int n = 0; n < nodes.size(); ++n)
      {
        double bubble = 1., sum = 0.;
        for (const unsigned int v : vertices)
          {
            bubble *= nodes[n][v];
            sum += nodes[n][v];
          }
        bubbles.push_back(bubble);
        points.emplace_back();
        for (unsigned int d = 0; d < structdim; ++d)
          points.back()[d] = nodes[n][vertices[d + 1]] + (1. - sum) / n_vertices;
        if (sum > 1. - tolerance && bubble > tolerance)
          inside.push_back(n);
      }
    if (inside.empty()) // of a low degree
      return;
    while (SimplexModalPolynomials<structdim>::n_polynomials(degree) < inside.size())
      ++degree;

    // from values at the nodes inside over the modes of h to all nodes
    const SimplexModalPolynomials<structdim> modes(degree);
    std::vector<dealii::Point<structdim>>    points_inside;
    for (const unsigned int n : inside)
      points_inside.push_back(points[n]);
    dealii::FullMatrix<double> to_modes(inside.size());
    to_modes.invert(values_at(modes, points_inside));
    const dealii::FullMatrix<double> at_nodes = values_at(modes, points);
    weights.reinit(nodes.size(), inside.size());
    at_nodes.mmult(weights, to_modes);
    for (unsigned int n = 0; n < nodes.size(); ++n)
      for (unsigned int i = 0; i < inside.size(); ++i)
        weights(n, i) *= bubbles[n] / bubbles[inside[i]];
  }

  template <int dim, int structdim>
  void
  Blending<dim, structdim>::move(const Vertices                            &vertices,
                                 const std::vector<dealii::Tensor<1, dim>> &displacements,
                                 std::vector<dealii::Point<dim>>           &positions)
  {
    const dealii::FullMatrix<double> &weights = extension(vertices).weights;
    for (unsigned int n = 0; n < positions.size(); ++n)
      for (unsigned int i = 0; i < displacements.size(); ++i)
        positions[n] += weights(n, i) * displacements[i];
  }
} // namespace Saltus

#endif
