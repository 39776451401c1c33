// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <iostream>
#include <string>

/// Counts the degrees of freedom of cubic polynomials on eight triangles: ten on each. The program
/// does not initialize MPI: operators work, and multigrid, which needs it, throws an exception.
int
main()
{
  dealii::Triangulation<2> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube_with_simplices(triangulation, 2);

  const Saltus::FE_SimplexDGModal<2> fe(3);
  dealii::DoFHandler<2>              dof_handler(triangulation);
  dof_handler.distribute_dofs(fe);

  Saltus::EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0);
  Saltus::LaplaceOperator<2> A;
  A.reinit(dealii::MappingFE<2>(dealii::FE_SimplexP<2>(1)),
           dof_handler,
           conditions,
           Saltus::Device::cpu());
  std::string message;
  try
    {
      Saltus::PMultigrid<Saltus::LaplaceOperator<2, float>>().initialize(A, {});
    }
  catch (const std::exception &error)
    {
      message = error.what();
    }

  std::cout << A.m() << " degrees of freedom\n" << message << '\n';
  return A.m() == 80 && message.find("MPI_InitFinalize") != std::string::npos ? 0 : 1;
}
