// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/algebra/first_index.h>
#include <saltus/mesh/affine_geometry.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/position_text.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// What rounding may add up to in a position of the magnitude of @p point that a mapping
    /// computes.
    template <int dim>
    double
    rounding(const Point<dim> &point)
    {
      return 16. * std::numeric_limits<double>::epsilon() * point.norm();
    }

    /// Where a map that is not affine shows: in the middle of the edges, and in the middle of the
    /// cell. (Two edges that bend in opposite directions may leave the cell's middle in its place.)
    template <int dim>
    std::vector<Point<dim>>
    curvature_probes(const ReferenceCell &cell)
    {
      std::vector<Point<dim>> probes(1, cell.template barycenter<dim>());
      for (const unsigned int v : cell.vertex_indices())
        for (unsigned int w = 0; w < v; ++w)
          probes.push_back(cell.template vertex<dim>(v) +
                           0.5 * (cell.template vertex<dim>(w) - cell.template vertex<dim>(v)));
      return probes;
    }
  } // namespace

  template <int dim>
  ElementGeometry<dim>::ElementGeometry(const ElementOrder<dim>                       &order,
                                        const FaceConnectivity<dim>                   &connectivity,
                                        const std::shared_ptr<const ElementPartition> &partition,
                                        const CellShape<dim>                          &shape,
                                        const Mapping<dim>                            &mapping)
    : origins(order.n_elements())
    , jacobians(order.n_elements())
    , inverse_jacobians(order.n_elements())
    , volume_factors(order.n_elements())
  {
    // In the numbering of the cell: its vertices, then the probes.
    std::vector<Point<dim>> unit_points;
    for (const unsigned int v : shape.reference_cell.vertex_indices())
      unit_points.push_back(shape.reference_cell.template vertex<dim>(v));
    const auto probes = curvature_probes<dim>(shape.reference_cell);
    unit_points.insert(unit_points.end(), probes.begin(), probes.end());

    std::vector<unsigned char> is_curved(order.n_elements());
    const FE_Nothing<dim>      nothing(shape.reference_cell);
    parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      FEValues<dim> images(mapping,
                           nothing,
                           Quadrature<dim>(unit_points),
                           update_quadrature_points);
      for (unsigned int e = begin; e < end; ++e)
        {
          images.reinit(order.cells[e]);
          const VertexPermutation<dim> &vertices = order.vertices[e];
          origins[e]                             = images.quadrature_point(vertices[0]);
          for (unsigned int r = 0; r < dim; ++r)
            {
              const Tensor<1, dim> column = images.quadrature_point(vertices[r + 1]) - origins[e];
              for (unsigned int d = 0; d < dim; ++d)
                jacobians[e][d][r] = column[d];
            }
          // Positive where the cell itself is not inverted.
          volume_factors[e] = permutation_sign<dim>(vertices) * determinant(jacobians[e]);

          const double tolerance = 1e-10 * jacobians[e].norm() + rounding(origins[e]);
          for (unsigned int i = dim + 1; i < unit_points.size(); ++i)
            {
              Tensor<1, dim> difference = images.quadrature_point(i) - images.quadrature_point(0);
              for (unsigned int d = 0; d < dim; ++d)
                difference -=
                  unit_points[i][d] * (images.quadrature_point(d + 1) - images.quadrature_point(0));
              if (!(difference.norm() < tolerance))
                is_curved[e] = 1;
            }
        }
    });

    const unsigned int degenerate = first_index(order.n_elements(), [&](const unsigned int e) {
      return !(volume_factors[e] > 1e-14 * std::pow(jacobians[e].norm(), dim));
    });
    if (degenerate < order.n_elements())
      {
        std::ostringstream text;
        text << "The element of " << cell_text(order.cells[degenerate])
             << " is degenerate or inverted: its Jacobian's determinant is "
             << volume_factors[degenerate] << '.';
        AssertThrow(false, ExcMessage(text.str()));
      }

    const unsigned int curved =
      first_index(order.n_elements(), [&](const unsigned int e) { return is_curved[e] != 0; });
    if (curved < order.n_elements())
      AssertThrow(false,
                  ExcMessage("The mapping curves " + cell_text(order.cells[curved]) +
                             "; only affine elements (a mapping of degree 1) are supported."));

    parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        inverse_jacobians[e] = invert(jacobians[e]);
    });
    if (partition != nullptr)
      set_up_ghosts(order, connectivity, *partition);
  }

  template <int dim>
  void
  ElementGeometry<dim>::set_up_ghosts(const ElementOrder<dim>     &order,
                                      const FaceConnectivity<dim> &connectivity,
                                      const ElementPartition      &partition)
  {
    // What travels are the vertices of the owner's cell, in its order.
    constexpr unsigned int    n_values = (dim + 1) * dim;
    const auto               &ghosts   = connectivity.ghosts;
    std::vector<unsigned int> ranks;
    std::vector<double>       own(ghosts.size() * n_values); // `[i][v][d]`
    for (unsigned int i = 0; i < ghosts.size(); ++i)
      {
        ranks.push_back(ghosts[i].rank);
        const unsigned int e = ghosts[i].element;
        for (unsigned int v = 0; v <= dim; ++v)
          {
            Point<dim> unit_vertex;
            if (v > 0)
              unit_vertex[v - 1] = 1.;
            const Point<dim> vertex = map(e, unit_vertex);
            for (unsigned int d = 0; d < dim; ++d)
              own[i * n_values + order.vertices[e][v] * dim + d] = vertex[d];
          }
      }
    const std::vector<double> received =
      exchange_across(partition.communicator, ranks, n_values, own);

    const auto resize = [&](auto &values) {
      using Value = typename std::remove_reference_t<decltype(values)>::value_type;
      values.resize(order.first_ghost(), values.empty() ? Value() : values.back());
      values.resize(order.first_ghost() + ghosts.size());
    };
    resize(origins);
    resize(jacobians);
    resize(inverse_jacobians);
    resize(volume_factors);
    for (unsigned int i = 0; i < ghosts.size(); ++i)
      {
        const auto vertex = [&](const unsigned int v) {
          Point<dim> result;
          for (unsigned int d = 0; d < dim; ++d)
            result[d] = received[i * n_values + ghosts[i].vertices[v] * dim + d];
          return result;
        };
        const unsigned int e = order.first_ghost() + i;
        origins[e]           = vertex(0);
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int d = 0; d < dim; ++d)
            jacobians[e][d][r] = vertex(r + 1)[d] - origins[e][d];
        volume_factors[e]    = std::abs(determinant(jacobians[e]));
        inverse_jacobians[e] = invert(jacobians[e]);
      }
  }

  template <int dim>
  typename ElementGeometry<dim>::Face
  ElementGeometry<dim>::face(const unsigned int element, const double *reference_normal) const
  {
    Array<double, dim> normal;
    Face               result;
    result.area =
      tangent(element, {}).set_normal([&](const int r) { return reference_normal[r]; }, normal);
    for (unsigned int d = 0; d < dim; ++d)
      result.normal[d] = normal[d];
    return result;
  }

  template class ElementGeometry<2>;
  template class ElementGeometry<3>;
} // namespace Saltus
