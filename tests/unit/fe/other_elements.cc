// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The orthonormal elements beside deal.II's own.
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_tools.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/vector.h>
#include <deal.II/matrix_free/matrix_free.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/fe/fe_simplex_dg_modal.h>

#include <gtest/gtest.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// To an element with the same functions and back.
  template <int dim>
  void
  expect_same_function(const Triangulation<dim> &triangulation,
                       const FiniteElement<dim> &nodal,
                       const FiniteElement<dim> &orthonormal)
  {
    DoFHandler<dim> of_nodes(triangulation), of_modes(triangulation);
    of_nodes.distribute_dofs(nodal);
    of_modes.distribute_dofs(orthonormal);
    const auto             u = random_vector(of_nodes.n_dofs(), 3);
    dealii::Vector<double> modes(of_modes.n_dofs()), back(of_nodes.n_dofs());
    FETools::interpolate(of_nodes, u, of_modes, modes);
    FETools::interpolate(of_modes, modes, of_nodes, back);
    EXPECT_LT(relative_difference(back, u), 1e-12) << nodal.get_name();
  }

  template <int dim>
  void
  test_interpolation()
  {
    Triangulation<dim> hypercubes, simplices;
    dealii::GridGenerator::subdivided_hyper_cube(hypercubes, 2);
    dealii::GridGenerator::subdivided_hyper_cube_with_simplices(simplices, 2);
    for (unsigned int degree = 1; degree <= 3; ++degree)
      {
        const FE_DGQ<dim>         nodal(degree);
        const FE_HypercubeDG<dim> orthonormal(degree);
        expect_same_function(hypercubes, nodal, orthonormal);
        expect_same_function<dim>(hypercubes,
                                  FESystem<dim>(nodal, 2),
                                  FESystem<dim>(orthonormal, 2));
        if (degree < 3) // deal.II 9.4's simplices end at degree 2
          expect_same_function(simplices,
                               FE_SimplexDGP<dim>(degree),
                               FE_SimplexDGModal<dim>(degree));
      }
  }
} // namespace

TEST(OtherElements, AreInterpolatedFromAndTo)
{
  test_interpolation<2>();
  test_interpolation<3>();
}

/// deal.II's FEEvaluation would take modes for values at support points.
TEST(OtherElements, AloneAreForMatrixFree)
{
  using OnSquares = MatrixFree<2, double>;
  EXPECT_TRUE(OnSquares::is_supported(FE_DGQ<2>(3)));
  EXPECT_FALSE(OnSquares::is_supported(FE_HypercubeDG<2>(3)));
  EXPECT_FALSE(OnSquares::is_supported(FE_SimplexDGModal<2>(3)));
  EXPECT_FALSE((MatrixFree<3, double>::is_supported(FESystem<3>(FE_HypercubeDG<3>(1), 2))));
}
