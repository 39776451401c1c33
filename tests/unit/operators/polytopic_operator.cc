// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Matrices and right-hand sides of polytopic elements against an assembly with deal.II.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <functional>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/polytopic_setting.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class PolytopicOperatorTest : public OnDevice
  {};

  enum class Cells
  {
    simplices,
    hypercubes,
    adapted ///< hypercubes with hanging nodes
  };

  /// A unit box whose vertices are moved.
  template <int dim>
  void
  make_mesh(Triangulation<dim> &triangulation, const Cells cells, const unsigned int n)
  {
    if (cells == Cells::simplices)
      make_box(triangulation, n, 0.2);
    else
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, n, 0., 1., true);
    if (cells == Cells::adapted)
      {
        triangulation.begin_active()->set_refine_flag();
        triangulation.execute_coarsening_and_refinement();
      }
    GridTools::transform(
      [](const Point<dim> &x) {
        Point<dim> y;
        for (unsigned int d = 0; d < dim; ++d)
          y[d] = (1. + 0.3 * d) * x[d] + 0.2 * x[(d + 1) % dim];
        return y;
      },
      triangulation);
  }

  template <int dim>
  std::unique_ptr<Mapping<dim>>
  make_mapping(const Cells cells)
  {
    if (cells == Cells::simplices)
      return std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
    return std::make_unique<MappingQ<dim>>(1);
  }

  template <int dim>
  void
  check(const Device                 device,
        const Cells                  cells,
        const unsigned int           n,
        const unsigned int           n_elements,
        const unsigned int           max_degree,
        const PolytopicProblem<dim> &problem    = PolytopicSetting<dim>::problem(),
        const bool                   one_degree = false)
  {
    Triangulation<dim> triangulation;
    make_mesh(triangulation, cells, n);
    const auto               mapping = make_mapping<dim>(cells);
    const Agglomeration<dim> agglomeration =
      agglomerate(triangulation, Grouping::metis, n_elements);
    const auto                mesh = std::make_shared<PolytopicMesh<dim>>(*mapping, agglomeration);
    std::vector<unsigned int> degrees;
    for (unsigned int e = 0; e < mesh->n_elements(); ++e)
      degrees.push_back(one_degree ? max_degree : 1 + (e * 7 + 1) % max_degree);
    const PolytopicSpace<dim> space(mesh, degrees);
    PolytopicOperator<dim>    op;
    op.reinit(space,
              PolytopicSetting<dim>::conditions(),
              device,
              PolytopicSetting<dim>::data(problem));
    BlockCSRMatrix<double> matrix(op.sparsity(), device);
    op.assemble(matrix);
    op.assemble(matrix); // what was there before does not matter
    Saltus::Vector<double> b;
    op.right_hand_side(b, Expression(dim, "1+x^2", 1));

    const PolytopicOracle<dim> oracle(
      *mapping, triangulation, agglomeration.elements(), degrees, problem);
    ASSERT_EQ(matrix.m(), oracle.matrix.m());
    FullMatrix<double>   difference = oracle.matrix;
    const CompressedRows rows       = matrix.compressed_rows();
    for (unsigned int i = 0; i < rows.n_rows(); ++i)
      for (std::size_t k = rows.row_starts[i]; k < rows.row_starts[i + 1]; ++k)
        difference(i, rows.columns[k]) -= rows.values[k];
    const double norm = oracle.matrix.linfty_norm();
    EXPECT_LT(difference.linfty_norm(), 1e-11 * norm);
    const auto entries = b.entries();
    double     largest = 0;
    for (unsigned int i = 0; i < entries.size(); ++i)
      largest = std::max(largest, std::abs(entries[i] - oracle.right_hand_side[i]));
    EXPECT_LT(largest, 1e-11 * oracle.right_hand_side.linfty_norm());

    // In coordinate form.
    auto data     = PolytopicSetting<dim>::data(problem);
    data.assembly = PolytopicAssembly::coordinates;
    PolytopicOperator<dim> by_coordinates;
    by_coordinates.reinit(space, PolytopicSetting<dim>::conditions(), device, data);
    BlockCSRMatrix<double> same(by_coordinates.sparsity(), device);
    by_coordinates.assemble(same);
    const CompressedRows other = same.compressed_rows();
    EXPECT_EQ(other.row_starts, rows.row_starts);
    ASSERT_EQ(other.columns, rows.columns);
    for (std::size_t k = 0; k < rows.values.size(); ++k)
      ASSERT_NEAR(other.values[k], rows.values[k], 1e-13 * norm);

    // The product, and the matrix with its residual.
    Saltus::Vector<double> x, y;
    op.initialize_vector(x);
    op.initialize_vector(y);
    x.set_entries(random_vector<std::vector<double>>(x.size(), 3));
    matrix.vmult(y, x);
    dealii::Vector<double> expected(x.size()), on_host(x.size());
    const auto             of_x = x.entries();
    std::copy(of_x.begin(), of_x.end(), on_host.begin());
    oracle.matrix.vmult(expected, on_host);
    const auto of_y = y.entries();
    for (unsigned int i = 0; i < of_y.size(); ++i)
      expected[i] -= of_y[i];
    EXPECT_LT(expected.linfty_norm(), 1e-11 * y.linfty_norm());
    matrix.residual(y, x, y);
    EXPECT_LT(y.linfty_norm(), 1e-11 * x.linfty_norm() * norm);
  }

  TEST_P(PolytopicOperatorTest, Triangles)
  {
    check<2>(device(), Cells::simplices, 6, 5, 6);
  }

  TEST_P(PolytopicOperatorTest, SingleTriangles)
  {
    check<2>(device(), Cells::simplices, 3, 18, 4);
  }

  // Facets are put in order in another way.
  TEST_P(PolytopicOperatorTest, ElementsOfManyTriangles)
  {
    check<2>(device(), Cells::simplices, 10, 2, 2);
  }

  TEST_P(PolytopicOperatorTest, Quadrilaterals)
  {
    check<2>(device(), Cells::hypercubes, 6, 4, 6);
  }

  TEST_P(PolytopicOperatorTest, HangingNodes)
  {
    check<2>(device(), Cells::adapted, 4, 6, 3);
    check<3>(device(), Cells::adapted, 2, 4, 2);
  }

  TEST_P(PolytopicOperatorTest, Tetrahedra)
  {
    check<3>(device(), Cells::simplices, 2, 3, 4);
  }

  TEST_P(PolytopicOperatorTest, Hexahedra)
  {
    check<3>(device(), Cells::hypercubes, 3, 3, 3);
  }

  TEST_P(PolytopicOperatorTest, DiffusionByCellAndOtherPenalties)
  {
    auto problem    = PolytopicSetting<2>::problem();
    problem.by_cell = true;
    for (const int penalty : {1, 2})
      {
        problem.penalty = penalty;
        check<2>(device(), Cells::simplices, 5, 5, 3, problem);
      }
  }

  // Kernels of their own.
  TEST_P(PolytopicOperatorTest, OneDegree)
  {
    for (unsigned int degree = 1; degree <= 7; ++degree)
      check<2>(device(), Cells::simplices, 3, 4, degree, PolytopicSetting<2>::problem(), true);
    for (unsigned int degree = 1; degree <= 3; ++degree)
      check<3>(device(), Cells::hypercubes, 2, 3, degree, PolytopicSetting<3>::problem(), true);
    for (unsigned int degree = 4; degree <= 5; ++degree)
      check<3>(device(), Cells::simplices, 1, 6, degree, PolytopicSetting<3>::problem(), true);
  }

  /// A message where the mesh of a shell is rejected, some of whose cells are refined.
  template <int dim>
  std::string
  message_of_shell(const unsigned int                                        map_degree,
                   const std::function<bool(const Point<dim> &cell_center)> &is_refined)
  {
    Triangulation<dim> triangulation;
    dealii::GridGenerator::hyper_shell(triangulation, Point<dim>(), 1., 2., dim == 2 ? 8 : 6);
    triangulation.refine_global(1);
    for (const auto &cell : triangulation.active_cell_iterators())
      if (is_refined(cell->center()))
        cell->set_refine_flag();
    triangulation.execute_coarsening_and_refinement();
    return message_of([&]() {
      PolytopicMesh<dim>(MappingQ<dim>(map_degree), agglomerate(triangulation, Grouping::metis, 4));
    });
  }

  TEST(PolytopicMesh, GapsAtHangingFacesAreRejected)
  {
    const std::string text = "The mapping leaves a gap at the hanging face with center";
    for (const unsigned int map_degree : {1, 2, 3})
      {
        const auto inner = [](const auto &center) { return center.norm() < 1.5; };
        EXPECT_TRUE(contains(message_of_shell<2>(map_degree, inner), text));
        EXPECT_TRUE(contains(message_of_shell<3>(map_degree, inner), text));
        // Radial faces are straight.
        EXPECT_EQ(message_of_shell<2>(map_degree,
                                      [](const auto &center) { return center[1] > 0.; }),
                  "");
      }
  }

  SALTUS_INSTANTIATE_ON_DEVICES(PolytopicOperatorTest)
} // namespace
