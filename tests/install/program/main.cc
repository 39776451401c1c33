// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>

#include <saltus/fe/fe_simplex_dg_modal.h>

#include <iostream>

/// Counts the degrees of freedom of cubic polynomials on eight triangles: ten on each.
int
main()
{
  dealii::Triangulation<2> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube_with_simplices(triangulation, 2);

  const Saltus::FE_SimplexDGModal<2> fe(3);
  dealii::DoFHandler<2>              dof_handler(triangulation);
  dof_handler.distribute_dofs(fe);

  std::cout << dof_handler.n_dofs() << " degrees of freedom\n";
  return dof_handler.n_dofs() == 80 ? 0 : 1;
}
