// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What is looked at in solutions, on polynomials whose values are known.
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/fe/dg_element.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/results/evaluation.h>
#include <saltus/io/results/extrema.h>
#include <saltus/io/results/integrals.h>
#include <saltus/io/results/run_outputs.h>
#include <saltus/io/results/surface_writer.h>
#include <saltus/io/results/time_average.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/given_pressure.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <sstream>
#include <tuple>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  using Polynomial = std::function<double(const Point<dim> &)>;

  /// A mesh with the element of degree 3 for two components u and v, of which the quantities are
  /// the vector (u, v) (in 3D (u, v, u)) and the pressure u v.
  template <int dim>
  struct Setting
  {
    /// @param round the disc of radius 2 instead of a box
    explicit Setting(const bool round = false)
      : mapping(FE_SimplexP<dim>(1))
      , dof_handler(triangulation)
    {
      if constexpr (dim == 2)
        if (round)
          {
            Saltus::GridGenerator::disc(triangulation, 2., 4);
            // MappingFE asserts that all parts of a cell have one manifold.
            triangulation.set_all_manifold_ids(numbers::flat_manifold_id);
          }
      if (!round)
        make_box(triangulation, 4, 0.2, far_corner<dim>(0.5));
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(3), 2));
    }

    static Quantities
    quantities()
    {
      std::vector<std::string> names(dim, "velocity");
      names.emplace_back("pressure");
      return {names, 2, [](const double *solution, double *values) {
                for (unsigned int d = 0; d < dim; ++d)
                  values[d] = solution[d % 2];
                values[dim] = solution[0] * solution[1];
              }};
    }

    /// @param pressure at the boundary
    SolutionSpace<dim>
    space(const Polynomial<dim> &pressure = [](const Point<dim> &) { return 1.; }) const
    {
      return {mapping,
              dof_handler,
              quantities(),
              std::make_shared<GivenPressure<dim>>(mapping, dof_handler, pressure)};
    }

    /// Coefficients of polynomials of degree at most 3.
    SolutionVector
    solution(const Polynomial<dim> &u, const Polynomial<dim> &v) const
    {
      const FE_SimplexDGModal<dim>         basis(3);
      const auto                           quadrature = simplex_quadrature<dim>(6);
      const auto                          &fe         = dof_handler.get_fe();
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      SolutionVector                       result(dof_handler.n_dofs());
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(indices);
          for (unsigned int q = 0; q < quadrature.size(); ++q)
            {
              const auto   unit     = quadrature.point(q);
              const auto   point    = mapping.transform_unit_to_real_cell(cell, unit);
              const double values[] = {u(point), v(point)};
              for (unsigned int i = 0; i < indices.size(); ++i)
                {
                  const auto [component, mode] = fe.system_to_component_index(i);
                  result(indices[i]) +=
                    quadrature.weight(q) * basis.shape_value(mode, unit) * values[component];
                }
            }
        }
      return result;
    }

    Triangulation<dim> triangulation;
    MappingFE<dim>     mapping;
    DoFHandler<dim>    dof_handler;
  };

  template <int dim>
  double
  one(const Point<dim> &)
  {
    return 1.;
  }

  template <int dim>
  double
  cubic(const Point<dim> &p)
  {
    return 1. + p[0] - 2. * p[1] * p[1] + p[dim - 1] * p[0] * p[0];
  }

  template <int dim>
  double
  quadratic(const Point<dim> &p)
  {
    return 0.5 - p[1] + p[0] * p[dim - 1];
  }

  template <int dim>
  Tensor<1, dim>
  unit_vector(const unsigned int d)
  {
    Tensor<1, dim> e;
    e[d] = 1.;
    return e;
  }

  template <int dim>
  ReferenceState<dim>
  reference()
  {
    ReferenceState<dim> state;
    state.density        = 2.;
    state.velocity       = 3.; // dynamic pressure 9
    state.pressure       = 0.25;
    state.area           = 0.5;
    state.drag_direction = unit_vector<dim>(0);
    state.lift_direction = unit_vector<dim>(1);
    return state;
  }

  template <int n>
  using Dimension  = std::integral_constant<int, n>;
  using Dimensions = testing::Types<Dimension<2>, Dimension<3>>;

  template <typename Dim>
  class InDimension : public testing::Test
  {};
  TYPED_TEST_SUITE(InDimension, Dimensions);
} // namespace

TEST(Quantities, Identifiers)
{
  const Quantities quantities = {{"density", "momentum", "momentum", "Mach number"}, 3, nullptr};
  const std::vector<std::string> expected = {"density", "momentum_x", "momentum_y", "Mach_number"};
  EXPECT_EQ(quantities.identifiers(), expected);
  EXPECT_EQ(quantities.find("momentum_y", "this"), 2U);
  EXPECT_EQ(message_of([&]() { quantities.find("densty", "Evaluation/Test"); }),
            "Evaluation/Test needs the quantity 'densty', which this equation does not have. Did "
            "you mean 'density'?");
}

// Points inside, at vertices, on the boundary; exact to rounding.
TYPED_TEST(InDimension, PointsOfAPolynomial)
{
  constexpr int      dim = TypeParam::value;
  const Setting<dim> setting;
  const auto         space = setting.space();
  const auto         u     = setting.solution(cubic<dim>, quadratic<dim>);

  std::vector<Point<dim>> points = setting.triangulation.get_vertices();
  for (unsigned int i = 0; i < 50; ++i)
    {
      Point<dim> point;
      for (unsigned int d = 0; d < dim; ++d)
        point[d] = (1. + 0.5 * d) * std::abs(std::sin(1. + 7. * i + 3. * d));
      points.push_back(point);
    }
  const PointLocator<dim> made(setting.triangulation);
  unsigned int            n_searches = 0;
  const auto              locator    = [&]() -> const PointLocator<dim>                 &{
    ++n_searches;
    return made;
  };
  const PointSamples<dim> samples(space, locator, points, "Points");
  EXPECT_EQ(n_searches, 0U); // until there are rows
  samples.rows(0., u);
  EXPECT_EQ(n_searches, points.size());
  const auto rows = samples.rows(0., u);
  EXPECT_EQ(n_searches, points.size());
  ASSERT_EQ(rows.size(), points.size());
  for (unsigned int i = 0; i < rows.size(); ++i)
    {
      const Point<dim> &point = points[i];
      ASSERT_EQ(rows[i].size(), samples.columns().size());
      EXPECT_EQ(rows[i][0], i);
      EXPECT_EQ(rows[i][2], point[1]);
      EXPECT_NEAR(rows[i][1 + dim], cubic(point), 1e-12);
      EXPECT_NEAR(rows[i][2 + dim], quadratic(point), 1e-12);
      EXPECT_NEAR(rows[i][1 + 2 * dim], cubic(point) * quadratic(point), 1e-12);
    }

  Point<dim> outside;
  outside[0] = 1.01;
  const PointSamples<dim> none(space, locator, std::vector<Point<dim>>{outside}, "E/Points");
  EXPECT_MESSAGE(none.find(), "E/Points: the point (1.01 0");
}

TYPED_TEST(InDimension, LineThroughAPolynomial)
{
  constexpr int      dim = TypeParam::value;
  const Setting<dim> setting;
  const auto         space = setting.space();
  Line<dim>          line;
  line.to[0]    = 0.6;
  line.to[1]    = 0.8;
  line.n_points = 11;
  const PointLocator<dim> locator(setting.triangulation);
  const PointSamples<dim> samples(
    space, [&]() -> const PointLocator<dim> & { return locator; }, line, "Lines");
  EXPECT_EQ(samples.columns()[0], "distance");
  const auto rows = samples.rows(0., setting.solution(cubic<dim>, one<dim>));
  ASSERT_EQ(rows.size(), 11U);
  for (unsigned int i = 0; i < 11; ++i)
    {
      Point<dim> point;
      point[0] = 0.06 * i;
      point[1] = 0.08 * i;
      EXPECT_NEAR(rows[i][0], 0.1 * i, 1e-14);
      EXPECT_NEAR(rows[i].back(), cubic(point), 1e-12);
    }
}

// All of the boundary: the force is the volume times the gradient of the pressure. One side: by
// hand.
TYPED_TEST(InDimension, ForcesOfALinearPressure)
{
  constexpr int      dim = TypeParam::value;
  const Setting<dim> setting;
  const auto         pressure = [](const Point<dim> &p) {
    return 2. + 3. * p[0] - p[1] + 0.5 * p[dim - 1];
  };
  const auto                   space = setting.space(pressure);
  const auto                   u     = setting.solution(pressure, one<dim>);
  std::set<types::boundary_id> all;
  double                       volume = 1.;
  for (unsigned int d = 0; d < dim; ++d)
    {
      volume *= 1. + 0.5 * d;
      all.insert({2 * d, 2 * d + 1});
    }
  Tensor<1, dim> gradient;
  gradient[0] = 3.;
  gradient[1] = -1.;
  gradient[dim - 1] += 0.5;

  const BoundaryForces<dim> forces(space, all, reference<dim>(), "Forces");
  const auto                row = forces.rows(0., u)[0];
  ASSERT_EQ(row.size(), forces.columns().size());
  ASSERT_EQ(row.size(), (dim + 2) * (1 + all.size()));
  for (unsigned int d = 0; d < dim; ++d)
    EXPECT_NEAR(row[d], volume * gradient[d], 1e-12);
  EXPECT_NEAR(row[dim], volume * 3. / (9. * 0.5), 1e-12);
  EXPECT_NEAR(row[dim + 1], volume * gradient[1] / (9. * 0.5), 1e-12);

  // Side x = 0: minus the mean of p - 0.25 there times the area.
  const double area = volume, mean_y = 0.75, mean_last = dim == 2 ? 0.75 : 1.;
  const double force = -area * (1.75 - mean_y + 0.5 * mean_last);
  EXPECT_EQ(forces.columns()[dim + 2], "force_x of 0");
  EXPECT_NEAR(row[dim + 2], force, 1e-12);
  EXPECT_NEAR(row[dim + 3], 0., 1e-12);
  const auto alone = BoundaryForces<dim>(space, {0}, reference<dim>(), "Forces").rows(0., u)[0];
  ASSERT_EQ(alone.size(), dim + 2U);
  EXPECT_NEAR(alone[0], force, 1e-12);

  // The moment is that of the gradient in the middle of the box.
  ReferenceState<dim> with_moments = reference<dim>();
  with_moments.length              = 3.;
  with_moments.moment_point        = Point<dim>();
  Tensor<1, dim> arm;
  for (unsigned int d = 0; d < dim; ++d)
    {
      (*with_moments.moment_point)[d] = 0.1 * (d + 1);
      arm[d]                          = 0.5 * (1. + 0.5 * d) - 0.1 * (d + 1);
    }
  const BoundaryForces<dim> moments(space, all, with_moments, "Forces");
  const auto                names      = moments.columns();
  const auto                with       = moments.rows(0., u)[0];
  const auto                about_axis = [&](const unsigned int a, const unsigned int b) {
    return volume * (arm[a] * gradient[b] - arm[b] * gradient[a]) / (9. * 0.5 * 3.);
  };
  ASSERT_EQ(with.size(), names.size());
  if constexpr (dim == 2)
    {
      EXPECT_EQ(names[4], "moment_coefficient");
      EXPECT_NEAR(with[4], about_axis(0, 1), 1e-12);
    }
  else
    {
      EXPECT_EQ(names[5], "moment_coefficient_x");
      EXPECT_NEAR(with[5], about_axis(1, 2), 1e-12);
      EXPECT_NEAR(with[6], about_axis(2, 0), 1e-12);
      EXPECT_NEAR(with[7], about_axis(0, 1), 1e-12);
    }

  EXPECT_MESSAGE(BoundaryForces<dim>(space, {77}, reference<dim>(), "Forces"),
                 "Forces: boundary id 77 does not exist on the mesh, which has the boundary ids "
                 "0, 1, 2, 3");
}

// Two sides of the box that meet, and the closed circle.
TEST(WallPressure, FollowsTheBoundary)
{
  const Setting<2>      setting;
  const auto            space = setting.space(cubic<2>);
  const auto            u     = setting.solution(cubic<2>, one<2>);
  const WallPressure<2> wall(space, {1, 3}, reference<2>(), "Walls");
  const auto            rows    = wall.rows(0., u);
  const auto            columns = wall.columns();
  ASSERT_EQ(rows.size(), 8U * 4U); // Gauss points of degree 7 on each edge
  double last = 0.;
  for (const auto &row : rows)
    {
      ASSERT_EQ(row.size(), columns.size());
      // Up along x = 1, then back along y = 1.5.
      const double length = row[0] == 1. ? row[4] : 1.5 + 1. - row[3];
      EXPECT_EQ(row[1], 0.);
      EXPECT_NEAR(row[2], length, 1e-14);
      EXPECT_GT(row[2], last);
      last           = row[2];
      const double p = cubic(Point<2>(row[3], row[4]));
      EXPECT_NEAR(row[5], p, 1e-12);
      EXPECT_NEAR(row[6], (p - 0.25) / 9., 1e-12);
    }
  EXPECT_EQ(rows.front()[0], 1.);
  EXPECT_EQ(rows.back()[0], 3.);

  const Setting<2>      round(true);
  const auto            round_space = round.space(cubic<2>);
  const WallPressure<2> circle(round_space, {0}, reference<2>(), "Walls");
  const auto            points = circle.rows(0., round.solution(cubic<2>, one<2>));
  ASSERT_EQ(points.size(), 24U * 4U);
  EXPECT_NEAR(points.front()[3], -2., 0.1);
  EXPECT_LT(points.front()[4], 0.); // counterclockwise about the domain: downwards from the left
  for (unsigned int i = 1; i < points.size(); ++i)
    {
      EXPECT_EQ(points[i][1], 0.);
      EXPECT_GT(points[i][2], points[i - 1][2]);
    }
  EXPECT_NEAR(points.back()[2], 24. * 4. * std::sin(numbers::PI / 24.), 0.1);
}

// In 3D every point of the sides is there.
TEST(WallPressure, OfTetrahedra)
{
  const Setting<3>      setting;
  const auto            space = setting.space(cubic<3>);
  const WallPressure<3> wall(space, {0}, reference<3>(), "Walls");
  const auto            rows = wall.rows(0., setting.solution(cubic<3>, one<3>));
  EXPECT_EQ(rows.size() % 32U, 0U);
  for (const auto &row : rows)
    {
      ASSERT_EQ(row.size(), 6U);
      EXPECT_NEAR(row[1], 0., 1e-14);
      EXPECT_NEAR(row[4], cubic(Point<3>(row[1], row[2], row[3])), 1e-12);
    }
}

TYPED_TEST(InDimension, IntegralsOfPolynomials)
{
  constexpr int        dim = TypeParam::value;
  const Setting<dim>   setting;
  const auto           space = setting.space();
  const auto           u     = setting.solution([](const Point<dim> &p) { return p[0]; }, one<dim>);
  const double         volume = dim == 2 ? 1.5 : 3.;
  const Integrals<dim> integrals(
    space,
    parse_integrals(
      "a: velocity_x, b: mean (pressure^2), c: rms (velocity_x - x + k*t), "
      "d: integral (1 where velocity_y > 0.5), e: mean (if(x > 0, y, 0)), "
      "f: rms (velocity_x where velocity_y < 0), g: mean (1 - 2 where abs(x) < 3 && y > -1)",
      dim,
      Setting<dim>::quantities().identifiers(),
      {{"k", 2.}},
      "Integrals"));
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_EQ(integrals.columns(), names);
  const auto row = integrals.rows(1.5, u)[0];
  EXPECT_NEAR(row[0], 0.5 * volume, 1e-12);
  EXPECT_NEAR(row[1], 1. / 3., 1e-12);
  EXPECT_NEAR(row[2], 3., 1e-12);
  EXPECT_NEAR(row[3], volume, 1e-12);
  EXPECT_NEAR(row[4], 0.75, 1e-12);
  EXPECT_TRUE(std::isnan(row[5])); // of nothing
  EXPECT_NEAR(row[6], -1., 1e-12);
}

TEST(Integrals, InfiniteOnesAreSaid)
{
  const Setting<2>   setting;
  const auto         space = setting.space();
  const Integrals<2> integrals(
    space, parse_integrals("a: 1, b: 1/(x-x)", 2, space.quantities.identifiers(), {}, "E"));
  testing::internal::CaptureStderr();
  for (unsigned int i = 0; i < 2; ++i)
    EXPECT_TRUE(std::isinf(integrals.rows(0., setting.solution(one<2>, one<2>))[0][1]));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Note: Evaluation/Integrals: 'b' has become infinite.\n");
}

TEST(Integrals, MeansOfNothing)
{
  const Setting<2> setting;
  const auto       space = setting.space();
  const auto       row   = [&](const std::string &text) {
    const Integrals<2> integrals(
      space, parse_integrals("a: " + text, 2, space.quantities.identifiers(), {}, "E"));
    return integrals.rows(0., setting.solution(one<2>, one<2>))[0][0];
  };
  EXPECT_EQ(row("pressure where x < -100"), 0.);
  EXPECT_TRUE(contains(message_of([&]() { row("mean (pressure where x < -100)"); }),
                       "Integrals, a: the condition 'x < -100' holds at no quadrature point"));
  testing::internal::CaptureStderr(); // what will be there perhaps
  for (const std::string condition : {"t > 1", "velocity_y < 0"})
    EXPECT_TRUE(std::isnan(row("rms (pressure where " + condition + ")")));
  const std::string notes = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(notes, "'t > 1' holds") && contains(notes, "'velocity_y < 0' holds"));
}

TEST(Integrals, Refusals)
{
  const auto parse = [](const std::string &text) {
    return message_of([&]() { parse_integrals(text, 2, {"density"}, {}, "E"); });
  };
  EXPECT_EQ(parse(""), "");
  EXPECT_EQ(parse("a: density, _b1: mean (x where y > 0)"), "");
  EXPECT_TRUE(
    contains(parse("density"), "E: 'density' is no integral. Expected 'name: expression'"));
  EXPECT_TRUE(contains(parse("a: x, a: y"), "E: the name 'a' is given twice"));
  EXPECT_TRUE(contains(parse("a: densty"), "E, a: cannot use the expression 'densty'"));
  EXPECT_TRUE(contains(parse("a: densty"), "Names are density, pi, t, x, y."));
  EXPECT_TRUE(contains(parse("a: mean (density where )"), "E, a: cannot use"));
  EXPECT_TRUE(contains(parse("a: (x"), "unbalanced parentheses"));
}

TYPED_TEST(InDimension, ExtremaAreAtTheCorners)
{
  constexpr int      dim = TypeParam::value;
  const Setting<dim> setting;
  const auto         space = setting.space();
  const Extrema<dim> extrema(space);
  const auto         names = extrema.columns();
  const auto         row   = extrema.rows(
    0., setting.solution([](const Point<dim> &p) { return p[0] - 2. * p[1]; }, one<dim>))[0];
  ASSERT_EQ(row.size(), names.size());
  const auto value = [&](const std::string &name) {
    return row[std::find(names.begin(), names.end(), name) - names.begin()];
  };
  EXPECT_NEAR(value("pressure_minimum"), -3., 1e-12);
  EXPECT_EQ(value("pressure_minimum_x"), 0.);
  EXPECT_EQ(value("pressure_minimum_y"), 1.5);
  EXPECT_NEAR(value("velocity_x_maximum"), 1., 1e-12);
  EXPECT_EQ(value("velocity_x_maximum_x"), 1.);
  EXPECT_EQ(value("velocity_x_maximum_y"), 0.);

  auto broken = setting.solution(one<dim>, one<dim>);
  broken(0)   = std::nan("");
  EXPECT_TRUE(std::isnan(extrema.rows(0., broken)[0][0]));
}

// Samples 1, 3 and 7 times the first at times 0, 1 and 3 have the weights 0.5, 1.5 and 1. The mean
// is 4, the fluctuations are -3, -1 and 3. The last one once more at time 4 has the mean 4.75.
TYPED_TEST(InDimension, MomentsOfASignal)
{
  constexpr int        dim = TypeParam::value;
  const Setting<dim>   setting;
  const auto           space  = setting.space();
  const auto           points = subdivide_simplex<dim>(3).points;
  const auto           u      = setting.solution(cubic<dim>, one<dim>);
  QuantityMoments<dim> moments(space, {points});
  SolutionVector       sample = u;
  EXPECT_TRUE(moments.is_empty());
  for (const auto &[factor, interval] :
       {std::make_pair(1., 5.), std::make_pair(3., 1.), std::make_pair(7., 2.)})
    {
      sample.equ(factor, u);
      moments.add(interval, sample);
    }
  EXPECT_EQ(moments.weight, 3.);
  const unsigned int       n = dim + 1;
  dealii::Table<2, double> values(points.size(), 2 * n);
  for (const auto &[interval, mean, square] :
       {std::make_tuple(0., 4., 5.), std::make_tuple(1., 4.75, 5.4375)})
    for (const auto &cell : setting.triangulation.active_cell_iterators())
      {
        moments.evaluate(cell->active_cell_index(), interval, sample, values);
        for (unsigned int q = 0; q < points.size(); ++q)
          {
            const double c = cubic(setting.mapping.transform_unit_to_real_cell(cell, points[q]));
            EXPECT_NEAR(values(q, 0), mean * c, 1e-12);
            EXPECT_NEAR(values(q, n), std::sqrt(square) * std::abs(c), 1e-12);
          }
      }
}

class Means : public OnDevice
{};

TEST_P(Means, OfVectors)
{
  Saltus::Vector<double>             u(device(), 70, 6, 4);
  VectorMean<Saltus::Vector<double>> mean;
  EXPECT_TRUE(mean.is_empty());
  for (const auto &[value, interval] :
       {std::make_pair(1., 5.), std::make_pair(3., 1.), std::make_pair(7., 2.)})
    {
      u = value;
      mean.add(interval, u);
    }
  EXPECT_EQ(mean.weight, 3.);
  u = 4.;
  EXPECT_NEAR(mean.mean.max_difference(u), 0., 1e-15);
}

SALTUS_INSTANTIATE_ON_DEVICES(Means)

TEST(SurfaceWriter, WritesFaces)
{
  const TemporaryDirectory temporary;
  const std::string       &directory = temporary.path;
  const Setting<2>         plane;
  const Setting<3>         space;
  const auto               plane_space = plane.space();
  const auto               space_space = space.space();
  SurfaceWriter<2>(plane_space, {1}, reference<2>(), 3, directory, "a", "S")
    .write(0., plane.solution(cubic<2>, one<2>));
  SurfaceWriter<3>(space_space, {0, 1}, reference<3>(), 3, directory, "b", "S")
    .write(0., space.solution(cubic<3>, one<3>));
  const auto contents = [&](const std::string &name) {
    return Tests::contents(directory + '/' + name);
  };
  // 4 edges of 4 points and 3 pieces; 2 times 32 triangles of 10 points and 9 pieces.
  EXPECT_TRUE(contains(contents("a-0000.vtu"), "NumberOfPoints=\"16\" NumberOfCells=\"12\""));
  EXPECT_TRUE(contains(contents("b-0000.vtu"), "NumberOfPoints=\"640\" NumberOfCells=\"576\""));
  EXPECT_TRUE(contains(contents("b-0000.vtu"), "\"pressure_coefficient\""));
  EXPECT_TRUE(contains(contents("b.pvd"), "b-0000.vtu"));

  Triangulation<3> cube;
  dealii::GridGenerator::subdivided_hyper_cube(cube, 2, 0., 1., true);
  const MappingQ<3> mapping(1);
  DoFHandler<3>     dof_handler(cube);
  dof_handler.distribute_dofs(FESystem<3>(*dg_element<3>(ReferenceCells::Hexahedron, 3), 2));
  const SolutionSpace<3> of_cube{mapping, dof_handler, Setting<3>::quantities()};
  SurfaceWriter<3>(of_cube, {0}, reference<3>(), 3, directory, "c", "S")
    .write(0., SolutionVector(dof_handler.n_dofs()));
  // 4 squares of 16 points and 9 quadrilaterals, which cover all of each.
  EXPECT_TRUE(contains(contents("c-0000.vtu"), "NumberOfPoints=\"64\" NumberOfCells=\"36\""));
}

TEST(EvaluationRequests, Directions)
{
  EvaluationParameters parameters;
  parameters.drag_direction = {3., 4.};
  const EvaluationRequests<2> requests(parameters, {}, {});
  EXPECT_NEAR((requests.reference.drag_direction - Tensor<1, 2>({0.6, 0.8})).norm(), 0., 1e-15);
  EXPECT_EQ(requests.reference.lift_direction, unit_vector<2>(1));
  EXPECT_EQ(message_of([&]() { EvaluationRequests<3>(parameters, {}, {}); }),
            "Evaluation/Drag direction has 2 numbers; 3 are expected.");
  parameters.drag_direction = {0., 0.};
  EXPECT_EQ(message_of([&]() { EvaluationRequests<2>(parameters, {}, {}); }),
            "Evaluation/Drag direction is not accepted: it is of length 0.");

  for (const std::string entry : {"density", "velocity", "area"})
    {
      EvaluationParameters others;
      ParameterHandler     prm;
      others.add_parameters(prm);
      const std::string path = "Evaluation/Reference " + entry;
      EXPECT_EQ(message_of([&]() { set_parameter(prm, path + "=0"); }),
                "--set '" + path + "=0': the value '0' of the entry '" + path +
                  "' is not accepted. Accepted is: a floating point number v such that 0 < v.");
    }
}

TEST(EvaluationParameters, Lists)
{
  EXPECT_TRUE(parse_points<2>("", "E").empty());
  EXPECT_EQ(parse_points<2>("(0, 1), (-2.5e-1,3)", "E")[1], Point<2>(-0.25, 3.));
  for (const std::string text : {"(0, 1, 2)", "(0)", "0, 1", "(0, a)", "(0, 1", "(0, nan)"})
    EXPECT_NE(message_of([&]() { parse_points<2>(text, "E"); }), "") << text;
  EXPECT_EQ(message_of([&]() { parse_points<3>("(0, 1)", "E"); }),
            "E: '(0, 1)' of '(0, 1)' is no point. Expected (X, Y, Z).");

  const auto lines =
    parse_lines<2>("(0, 1) to (2, 3) with 5 points, (0,0) to (1,1) with 2 points", "E");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].from, Point<2>(0., 1.));
  EXPECT_EQ(lines[0].to, Point<2>(2., 3.));
  EXPECT_EQ(lines[0].n_points, 5U);
  for (const std::string n : {"0", "1", "2000000000", "99999999999999999999"})
    EXPECT_EQ(message_of([&]() { parse_lines<2>("(0, 1) to (2, 3) with " + n + " points", "E"); }),
              "E: '(0, 1) to (2, 3) with " + n + " points' has " + n +
                " points; from 2 to 9999999 are accepted.");
  for (const std::string text : {"(0, 1) to (2, 3)", "(0, 1) with 5 points"})
    EXPECT_MESSAGE(parse_lines<2>(text, "E"), "is no line. Expected") << text;
}

namespace
{
  /// Counts how often it is copied to the host.
  class CountedSolution : public ShownSolution<2, Saltus::Vector<double>>
  {
  public:
    SolutionSpace<2>
    space() const override
    {
      return setting.space();
    }

    const Saltus::Vector<double> &
    coefficients() override
    {
      return none;
    }

    void
    copy_to(SolutionVector &to, const Saltus::Vector<double> &) const override
    {
      ++n_copies;
      to = setting.solution(cubic<2>, one<2>);
    }

    std::vector<std::string>
    columns() const override
    {
      return {"time"};
    }

    std::vector<double>
    row(const TimeState &time) override
    {
      return {time.time};
    }

    const Setting<2>       setting;
    Saltus::Vector<double> none;
    mutable unsigned int   n_copies = 0;
  };
} // namespace

// A picture, a row, a sample of the averages and evaluations that are due at the same time.
TEST(RunOutputs, CopyTheSolutionOnce)
{
  RunParameters            parameters;
  const TemporaryDirectory directory;
  parameters.output.directory       = directory.path;
  parameters.output.series_interval = 1;
  parameters.evaluation.extrema     = true;
  parameters.evaluation.wall_ids    = {0};
  parameters.average.kind           = AverageParameters::Kind::mean_and_rms;
  parameters.average.interval       = 2;
  CountedSolution                       solution;
  const SolutionSpace<2>                space = solution.space();
  const ElementBlocks                   elements(cell_numbers(space.cells), MPI_COMM_SELF);
  TimeState                             time;
  RunOutputs<2, Saltus::Vector<double>> outputs(
    parameters,
    EvaluationRequests<2>(parameters.evaluation, space.quantities.identifiers(), {}),
    "run_0",
    solution,
    elements,
    {});
  outputs.write_first(time);
  EXPECT_EQ(solution.n_copies, 1U);
  for (const bool is_picture : {false, true})
    {
      time.n_steps += 1;
      time.time += 0.1;
      outputs.write_what_is_due(time, is_picture);
    }
  EXPECT_EQ(solution.n_copies, 3U);
  time.time += 0.1;
  outputs.write_last(time);
  EXPECT_EQ(solution.n_copies, 4U);
}

// Outputs on an adapted mesh look for no file.
TEST(RunOutputs, GoOnWithOpenFiles)
{
  RunParameters            parameters;
  const TemporaryDirectory directory;
  parameters.output.directory       = directory.path;
  parameters.output.series_interval = 1;
  parameters.evaluation.extrema     = true;
  parameters.evaluation.surface_ids = {0};
  CountedSolution        solution;
  const SolutionSpace<2> space = solution.space();
  const ElementBlocks    elements(cell_numbers(space.cells), MPI_COMM_SELF);
  const OpenFiles        files;
  TimeState              time;
  EvaluationRequests<2>  requests(parameters.evaluation, space.quantities.identifiers(), {});
  const auto             make_outputs = [&](const std::optional<Checkpoint> &before) {
    return std::make_unique<RunOutputs<2, Saltus::Vector<double>>>(
      parameters, requests, "run_0", solution, elements, before, files);
  };
  auto outputs = make_outputs({});
  outputs->write_first(time);
  Checkpoint noted;
  outputs->note(noted);
  for (const auto &file : std::filesystem::directory_iterator(directory.path))
    std::filesystem::remove(file);

  outputs = make_outputs(noted);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path));
  time.n_steps = 1;
  time.time    = 0.1;
  outputs->write_what_is_due(time, true);
  outputs->finish_pictures();
  for (const std::string name : {"run_0", "run_0_surface"})
    {
      const std::string list = Tests::contents(directory.path + '/' + name + ".pvd");
      EXPECT_TRUE(contains(list, name + "-0000.vtu"));
      EXPECT_TRUE(contains(list, name + "-0001.vtu"));
    }
}

// All files at once, continued after a restart; those that evaluate something else are not.
TEST(EvaluationFiles, AreContinued)
{
  const TemporaryDirectory temporary;
  const std::string       &directory = temporary.path;
  const Setting<2>         setting;
  ParameterHandler         prm;
  EvaluationParameters     parameters;
  parameters.add_parameters(prm);
  const auto set = [&](const std::string &entry, const std::string &value) {
    prm.enter_subsection("Evaluation");
    prm.set(entry, value);
    prm.leave_subsection();
  };
  set("Force boundaries", "0, 1");
  set("Wall pressure boundaries", "2");
  set("Surface boundaries", "3");
  set("Points", "(0.5, 0.5)");
  set("Lines", "(0, 0) to (1, 1) with 3 points");
  set("Integrals", "a: pressure");
  set("Extrema", "true");
  const auto space = setting.space();
  const auto u     = setting.solution(cubic<2>, one<2>);
  // The last time is not due.
  const auto write = [&](const std::vector<double>              &times,
                         const std::optional<EvaluationRestart> &restart) {
    Saltus::Evaluation<2> evaluation(EvaluationRequests<2>(parameters,
                                                           Setting<2>::quantities().identifiers(),
                                                           {}),
                                     space,
                                     directory,
                                     "run_0",
                                     restart);
    EXPECT_TRUE(evaluation.has_rows());
    EXPECT_TRUE(evaluation.has_pictures());
    for (const double time : times)
      {
        evaluation.write_rows(time, u, time != times.back());
        evaluation.write_pictures(time, u, time != times.back());
      }
    Checkpoint checkpoint;
    evaluation.save(checkpoint);
    return checkpoint;
  };
  const auto names = [](const std::string &of) {
    std::set<std::string> result;
    for (const auto &file : std::filesystem::directory_iterator(of))
      if (file.is_regular_file())
        result.insert(file.path().filename().string());
    return result;
  };
  const auto contents = [&]() {
    std::ostringstream all;
    for (const std::string &name : names(directory))
      {
        all << name << '\n';
        std::ifstream stream(directory + '/' + name);
        for (std::string line; std::getline(stream, line);)
          if (line.find("generated by") == line.npos)
            all << line << '\n';
      }
    EXPECT_EQ(names(directory).size(), 6U + 4U); // tables, three pictures and their list
    return all.str();
  };
  write({0., 1., 2.}, {});
  const std::string whole      = contents();
  const Checkpoint  checkpoint = write({0., 1., 1.5}, {});
  write({2.}, EvaluationRestart{checkpoint, {0., 1.}});
  EXPECT_EQ(contents(), whole);
  EXPECT_TRUE(contains(whole, "time,point,x,y,velocity_x,velocity_y,pressure\n0,0,0.5,0.5,"));
  EXPECT_FALSE(std::filesystem::exists(directory + "/set_aside"));

  // One entry after the other.
  const auto expect_set_aside =
    [&](const std::string &entry, const std::string &value, const std::set<std::string> &files) {
      std::filesystem::remove_all(directory);
      const Checkpoint before = write({0., 1., 1.5}, {});
      set(entry, value);
      write({2.}, EvaluationRestart{before, {0., 1.}});
      EXPECT_EQ(names(directory + "/set_aside"), files) << entry;
    };
  const std::set<std::string> surface         = {"run_0_surface-0000.vtu",
                                                 "run_0_surface-0001.vtu",
                                                 "run_0_surface-0002.vtu",
                                                 "run_0_surface.pvd"};
  auto                        all_of_pressure = surface;
  all_of_pressure.insert({"run_0_forces.csv", "run_0_wall_pressure.csv"});
  expect_set_aside("Points", "(0.5, 0.25)", {"run_0_points.csv"});
  expect_set_aside("Lines", "(0, 0) to (1, 0.5) with 3 points", {"run_0_line_0.csv"});
  expect_set_aside("Integrals", "a: mean (pressure)", {"run_0_integrals.csv"});
  expect_set_aside("Integrals", "a: mean (2*pressure)", {"run_0_integrals.csv"});
  expect_set_aside("Integrals", "a: mean (2*pressure where x > 0)", {"run_0_integrals.csv"});
  expect_set_aside("Wall pressure boundaries", "1, 2", {"run_0_wall_pressure.csv"});
  expect_set_aside("Surface boundaries", "2", surface);
  expect_set_aside("Reference area", "2", {"run_0_forces.csv"});
  expect_set_aside("Reference pressure", "2", all_of_pressure);

  // What was not asked for before the restart is not of that run, whoever has written it.
  std::filesystem::remove_all(directory);
  write({0., 1., 1.5}, {});
  write({2.}, EvaluationRestart{Checkpoint(), {0., 1.}});
  EXPECT_EQ(names(directory + "/set_aside").size(), 6U + 4U);
}
