// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef tests_helpers_cell_volumes_h
#define tests_helpers_cell_volumes_h

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <gtest/gtest.h>

namespace Saltus::Tests
{
  /// What the cells of a mesh fill. Around each of them the outward normal integrates to zero.
  template <int dim>
  double
  volume_of_cells(const dealii::Triangulation<dim>  &tria,
                  const dealii::Mapping<dim>        &mapping,
                  const dealii::Quadrature<dim>     &in_cells,
                  const dealii::Quadrature<dim - 1> &on_faces,
                  const double                       tolerance)
  {
    const dealii::FE_Nothing<dim> nothing(tria.get_reference_cells().at(0));
    dealii::FEValues<dim>         in_cell(mapping, nothing, in_cells, dealii::update_JxW_values);
    dealii::FEFaceValues<dim>     on_face(mapping,
                                      nothing,
                                      on_faces,
                                      dealii::update_JxW_values | dealii::update_normal_vectors);
    double                        sum = 0.;
    for (const auto &cell : tria.active_cell_iterators())
      {
        in_cell.reinit(cell);
        for (const unsigned int q : in_cell.quadrature_point_indices())
          sum += in_cell.JxW(q);
        dealii::Tensor<1, dim> around;
        for (const unsigned int f : cell->face_indices())
          {
            on_face.reinit(cell, f);
            for (const unsigned int q : on_face.quadrature_point_indices())
              around += on_face.JxW(q) * on_face.normal_vector(q);
          }
        EXPECT_LT(around.norm(), tolerance);
      }
    return sum;
  }
} // namespace Saltus::Tests

#endif
