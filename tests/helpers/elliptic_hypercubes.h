// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_elliptic_hypercubes_h
#define saltus_tests_helpers_elliptic_hypercubes_h

#include <helpers/elliptic_setting.h>
#include <helpers/hypercubes.h>

namespace Saltus::Tests
{
  /// EllipticSetting on quadrilaterals or hexahedra.
  template <int dim>
  struct EllipticHypercubes : public HypercubeBox<dim>
  {
    using HypercubeBox<dim>::triangulation;

    /// @param n subdivisions of the box in each direction
    EllipticHypercubes(const unsigned int degree,
                       const Cells        cells,
                       const unsigned int n          = dim == 2 ? 4 : 2,
                       const double       distortion = 0.2)
      : HypercubeBox<dim>(n, cells, far_corner<dim>(0.25), distortion)
      , dof_handler(triangulation)
    {
      dof_handler.distribute_dofs(FE_HypercubeDG<dim>(degree));
    }

    dealii::Vector<double>
    random_vector(const unsigned int seed) const
    {
      return Tests::random_vector(dof_handler.n_dofs(), seed);
    }

    DoFHandler<dim> dof_handler;
  };
} // namespace Saltus::Tests

#endif
