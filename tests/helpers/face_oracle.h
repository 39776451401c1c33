// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_face_oracle_h
#define saltus_tests_helpers_face_oracle_h

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <saltus/fe/face_points.h>
#include <saltus/mesh/element_mesh.h>

#include <vector>

/// Where the points on the faces of cells are.
namespace Saltus::Tests
{
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
      , order(triangulation, shape.reference_cell, shared)
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
