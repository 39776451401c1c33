// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Initial and boundary data from tables and from the solutions of other runs.
#include <deal.II/base/function.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/expressions/run_files.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/functions/solution_function.h>
#include <saltus/io/functions/table_function.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/results/checkpoint_parts.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>

#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// On a distorted mesh, the exact function of a conservation law's state: cubic polynomials that
  /// an admissible state may take.
  template <int dim>
  struct Cubic : public Function<dim>
  {
    Cubic()
      : Function<dim>(dim + 2)
    {}

    double
    value(const Point<dim> &p, const unsigned int c) const override
    {
      const double x = p[0], y = p[1], z = p[dim - 1];
      return c == dim + 1 ? 10. + x * y : 2. + 0.1 * c * x - 0.2 * y * z * z + 0.05 * x * x;
    }
  };


  template <int dim>
  class FinishedRun : public Box<dim>
  {
  public:
    using Operator = ConservationLawOperator<dim, Euler<dim>>;

    FinishedRun(const unsigned int degree,
                const unsigned int n,
                const double       distortion,
                const bool         refine,
                const Device       device)
      : Box<dim>(n, distortion)
      , dof_handler(this->triangulation)
    {
      if (refine)
        this->triangulation.refine_global(1);
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), dim + 2));
      BoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_outflow(id);
      op.reinit(this->mapping, dof_handler, Euler<dim>(), conditions, device);
    }

    /// What a run leaves whose last state is the projection of @p function.
    Checkpoint
    checkpoint(const std::shared_ptr<Function<dim>> &function) const
    {
      auto u = zeros(op);
      op.project(FieldFunction<dim>(function, false, false), u);
      Checkpoint           result;
      const MixedMesh<dim> meshes = {op.element_space().mesh};
      const ElementBlocks  elements(cell_numbers(cells_of(meshes)), MPI_COMM_SELF);
      set_discretization(result,
                         "Euler in " + std::to_string(dim) + "D",
                         dof_handler.get_fe().get_name(),
                         meshes,
                         elements);
      set_vector(result, "solution", elements, u);
      return result;
    }

    /// Coefficients in deal.II's numbering.
    dealii::Vector<double>
    project(const std::shared_ptr<Function<dim>> &function)
    {
      auto u = zeros(op);
      op.project(FieldFunction<dim>(function, false, false), u);
      return to_dealii(op, u);
    }

    DoFHandler<dim> dof_handler;
    Operator        op;
  };


  class Projections : public OnDevice
  {
  protected:
    /// From degree 3 on one mesh to another degree on another mesh, whose cells cut across.
    template <int dim>
    void
    test(const unsigned int degree, const double tolerance)
    {
      TemporaryFile    file;
      FinishedRun<dim> old(3, 3, 0.2, true, device());
      const auto       exact = std::make_shared<Cubic<dim>>();
      old.checkpoint(exact).write(file.path);

      FinishedRun<dim> other(degree, 4, 0.1, false, device());
      const auto       function =
        solution_function<dim>(file.path, "Euler in " + std::to_string(dim) + "D", dim + 2);
      auto       projected = other.project(function);
      const auto expected  = other.project(exact);
      projected -= expected;
      EXPECT_LT(projected.l2_norm(), tolerance * expected.l2_norm());
    }
  };
} // namespace

TEST_P(Projections, AreExactBetweenMeshes)
{
  test<2>(3, 1e-12);
  test<2>(4, 1e-12);
  test<3>(3, 1e-12);
}

// The same quadrature points see the same polynomial: the result is that of the exact function.
TEST_P(Projections, ToALowerDegree)
{
  test<2>(1, 1e-12);
  test<3>(2, 1e-12);
}

SALTUS_INSTANTIATE_ON_DEVICES(Projections)

TEST(SolutionFunction, PointsOutside)
{
  TemporaryFile  file;
  FinishedRun<2> old(2, 2, 0., false, Device::cpu());
  old.checkpoint(std::make_shared<Functions::ConstantFunction<2>>(1., 4)).write(file.path);

  const auto function = solution_function<2>(file.path, "Euler in 2D", 4);
  EXPECT_NEAR(function->value(Point<2>(1.1, 0.3), 2), 1., 1e-13); // less than an element away
  EXPECT_EQ(message_of([&]() { function->value(Point<2>(3., 0.5), 0); }),
            "The point (3 0.5) lies outside the mesh of the checkpoint file '" + file.path + "'.");
  EXPECT_EQ(message_of([&]() { solution_function<2>(file.path, "advection in 2D", 1); }),
            "The checkpoint file '" + file.path +
              "' does not fit this run: its equation is 'Euler in 2D', but this run has "
              "'advection in 2D'.");
}

// Files with good checksums, but no solution.
TEST(SolutionFunction, CraftedCheckpoints)
{
  TemporaryFile file;
  const auto    refusal = [&](const unsigned int n_coordinates,
                           const unsigned int n_values,
                           const std::string &element = "FESystem<2>[FE_SimplexDGModal<2>(1)^4]") {
    const ElementBlocks elements({0, 1}, MPI_COMM_SELF);
    Checkpoint          checkpoint;
    checkpoint.set("equation", std::string("Euler in 2D"));
    checkpoint.set("element", element);
    checkpoint.set_by_element("vertices",
                              elements,
                              std::vector<double>(2 * n_coordinates),
                              n_coordinates);
    checkpoint.set_by_element("solution", elements, std::vector<double>(2 * n_values), n_values);
    note_input(file.path, file.path); // each takes the place of the one before
    checkpoint.write(file.path);
    return message_of([&]() { solution_function<2>(file.path, "Euler in 2D", 4); });
  };
  EXPECT_EQ(refusal(6, 12), "");
  EXPECT_EQ(refusal(6, 13),
            "The checkpoint file '" + file.path +
              "' has 26 coefficients on 2 elements: no polynomials of 4 components have as many.");
  EXPECT_TRUE(contains(refusal(6, 16, "FESystem<2>[FE_HypercubeDG<2>(1)^4]"),
                       "only those on meshes of triangles or of tetrahedra can be evaluated"));
  EXPECT_TRUE(contains(refusal(0, 12), "24 coefficients on 0 elements"));
  EXPECT_TRUE(contains(refusal(6, 0), "0 coefficients on 2 elements"));
  std::filesystem::remove(older_checkpoint(file.path));
}

TEST(TableFunction, LinearInOneCoordinate)
{
  const TemporaryFile file("\xEF\xBB\xBF# density and velocity over the height\n"
                           "y, a, b\n\n"
                           "2, 30, -1\n"
                           "0, 10, 1e1\n"
                           "1, 20, 2\n"
                           "1, 24, 2\n");
  const auto          function = table_function<2>(file.path, 2);
  const auto          at = [&](const double y) { return function->value(Point<2>(7., y), 0); };
  EXPECT_NEAR(at(0.25), 12.5, 1e-14);
  EXPECT_NEAR(at(0.9999999999), 20., 1e-8);
  EXPECT_NEAR(at(1.), 24., 1e-14); // behind the jump
  EXPECT_NEAR(at(1.5), 27., 1e-14);
  EXPECT_EQ(at(-1.), 10.);
  EXPECT_EQ(at(5.), 30.);
  EXPECT_NEAR(function->value(Point<2>(0., 0.5), 1), 6., 1e-14);
  EXPECT_NEAR(table_function<3>(file.path, 2)->value(Point<3>(1., 0.25, 9.), 0), 12.5, 1e-14);
}

TEST(TableFunction, BilinearOnAGrid)
{
  std::string text = "x,y,u\n";
  for (const double y : {0., 2., 1.}) // in any order
    for (const double x : {3., 0., 1.})
      text += std::to_string(x) + ',' + std::to_string(y) + ',' +
              std::to_string(1. + x + 2. * y + x * y) + '\n';
  const TemporaryFile file(text);
  const auto          function = table_function<2>(file.path, 1);
  for (const Point<2> &p : {Point<2>(0.3, 0.4), Point<2>(2., 1.5), Point<2>(3., 2.)})
    EXPECT_NEAR(function->value(p), 1. + p[0] + 2. * p[1] + p[0] * p[1], 1e-6);
  EXPECT_NEAR(function->value(Point<2>(5., -1.)), 4., 1e-6);
  EXPECT_NEAR(table_function<3>(file.path, 1)->value(Point<3>(1., 1., 8.)), 5., 1e-6);
}

TEST(TableFunction, NearestOfScatteredPoints)
{
  const TemporaryFile file("x,y,z,u\n0,0,0,1\n1,0,0,2\n0,1,0,3\n0.2,0.3,1,4\n");
  const auto          function = table_function<3>(file.path, 1);
  EXPECT_EQ(function->value(Point<3>(0.1, 0.1, 0.1)), 1.);
  EXPECT_EQ(function->value(Point<3>(0.9, 0.2, 0.1)), 2.);
  EXPECT_EQ(function->value(Point<3>(0.2, 0.3, 5.)), 4.);
}

TEST(TableFunction, ColumnsByName)
{
  const TemporaryFile file("pressure,x,density\n1,0,1.4\n1,1,1.4\n");
  const auto          at = [&](const std::vector<std::string> &components) {
    return table_function<2>(file.path, 2, components)->value(Point<2>(0.5, 0.), 0);
  };
  EXPECT_EQ(at({"density", "pressure"}), 1.4);
  EXPECT_EQ(at({"pressure", "density"}), 1.);
  EXPECT_EQ(at({"u", "v"}), 1.);
  EXPECT_TRUE(contains(message_of([&]() {
                         at({"density", "energy"});
                       }),
                       "The components are density, energy."));
}

TEST(TableFunction, Refusals)
{
  const auto refusal = [](const std::string &text) {
    const TemporaryFile file(text);
    const std::string   message = message_of([&]() { table_function<2>(file.path, 2); });
    return message.find(file.path) == message.npos ? "no file name: " + message : message;
  };
  EXPECT_TRUE(contains(refusal(""), "' cannot be read: it is empty."));
  EXPECT_TRUE(contains(refusal("x,a,b\n"), "' has no rows. Expected are"));
  EXPECT_TRUE(contains(refusal("x,a,b\n1,2,3\n1,2\n"), ":3: there are 2 numbers, but 3 columns"));
  EXPECT_TRUE(contains(refusal("x,a,b\n1,2,b\n"), ":2: 'b' is no number"));
  EXPECT_TRUE(contains(refusal("x,a,b\n1,2,nan\n"), "'nan' is no number"));
  const std::string zero_byte(1, '\0');
  EXPECT_TRUE(contains(refusal("x,a,b\n1,2" + zero_byte + ",3\n"), ":2: there is a zero byte"));
  EXPECT_TRUE(
    contains(refusal("x,a,b,c\n1,2,3,4\n"), "1 columns of coordinates (x, y, z) and 3 others"));
  EXPECT_TRUE(contains(refusal("a,b\n1,2\n"), "has 0 columns of coordinates"));
  EXPECT_TRUE(contains(refusal("z,a,b\n1,2,3\n"), "has a column 'z', but this run is in 2D"));
  EXPECT_TRUE(contains(refusal("x,x,a,b\n1,1,2,3\n"), "has two columns 'x'"));
  EXPECT_EQ(message_of([]() { table_function<2>("/nowhere.csv", 2); }),
            "The table '/nowhere.csv' cannot be read: No such file or directory.");
}
