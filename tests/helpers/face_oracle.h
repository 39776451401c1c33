// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_face_oracle_h
#define saltus_tests_helpers_face_oracle_h

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/fe/face_points.h>
#include <saltus/mesh/element_mesh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

/// Meshes of cells that are turned in all ways, and where the points on their faces are.
namespace Saltus::Tests
{
  /// The same mesh of hypercubes with each of them turned at random.
  template <int dim>
  void
  turn_cells(dealii::Triangulation<dim> &triangulation)
  {
    auto [vertices, cells, boundary] =
      dealii::GridTools::get_coarse_mesh_description(triangulation);
    std::mt19937 generator(42);
    for (dealii::CellData<dim> &cell : cells)
      {
        dealii::Tensor<2, dim>          rotation;
        std::array<unsigned int, dim>   axis;
        const std::vector<unsigned int> old = cell.vertices;
        do
          {
            for (unsigned int d = 0; d < dim; ++d)
              axis[d] = d;
            std::shuffle(axis.begin(), axis.end(), generator);
            rotation = 0;
            for (unsigned int d = 0; d < dim; ++d)
              rotation[d][axis[d]] = generator() % 2 == 0 ? 1. : -1.;
          }
        while (determinant(rotation) < 0.);
        for (unsigned int v = 0; v < old.size(); ++v)
          {
            unsigned int from = 0;
            for (unsigned int d = 0; d < dim; ++d)
              if (((v >> d & 1) == 1) == (rotation[d][axis[d]] > 0.))
                from |= 1 << axis[d];
            cell.vertices[v] = old[from];
          }
      }
    triangulation.clear();
    triangulation.create_triangulation(vertices, cells, boundary);
  }

  /// Refine every third cell or so, twice; the same ones on any number of ranks.
  template <int dim>
  void
  refine_some(dealii::Triangulation<dim> &triangulation)
  {
    for (unsigned int round = 0; round < 2; ++round)
      {
        for (const auto &cell : triangulation.active_cell_iterators())
          if (cell->is_locally_owned() &&
              std::sin(100. * (round + 1) * cell->center()[0] + 70. * cell->center()[1]) > 0.3)
            cell->set_refine_flag();
        triangulation.execute_coarsening_and_refinement();
      }
  }

  /// How the cells of one shape meet, and the points of Gauss rules on their faces.
  template <int dim>
  class FaceOracle
  {
  public:
    FaceOracle(const dealii::Triangulation<dim>    &triangulation,
               const dealii::Mapping<dim>          &mapping,
               const dealii::Quadrature<dim - 1>   &quadrature,
               const std::vector<PeriodicBoundary> &periodic = {})
      : shape(triangulation.begin()->reference_cell())
      , points(shape, quadrature)
      , pairs(match_periodic_boundaries(triangulation, periodic))
      , shared(find_shared_faces(triangulation, shape, pairs))
      , order(triangulation, shared)
      , connectivity(order, shape, pairs, shared)
      , mapping(mapping)
    {}

    /// Of point q in space.
    /// @param sub_face see FacePoints::point()
    dealii::Point<dim>
    position(const unsigned int e,
             const unsigned int f,
             const unsigned int sub_face,
             const unsigned int q) const
    {
      return mapping.transform_unit_to_real_cell(order.cells[e], points.point(f, sub_face, q));
    }

    const CellShape<dim>                     shape;
    const FacePoints<dim>                    points;
    const std::vector<PeriodicFacePair<dim>> pairs;
    const std::vector<SharedFace<dim>>       shared;
    const ElementOrder<dim>                  order;
    const FaceConnectivity<dim>              connectivity;

  private:
    const dealii::Mapping<dim> &mapping;
  };
} // namespace Saltus::Tests

#endif
