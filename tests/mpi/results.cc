// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What is looked at in solutions on several ranks against one; checkpoints that ranks write and
// read together; errors of one rank.
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/base/ranks/collective.h>
#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/shared_file.h>
#include <saltus/io/files/time_series.h>
#include <saltus/io/functions/solution_function.h>
#include <saltus/io/results/boundary_forces.h>
#include <saltus/io/results/checkpoint_parts.h>
#include <saltus/io/results/error_table.h>
#include <saltus/io/results/extrema.h>
#include <saltus/io/results/integrals.h>
#include <saltus/io/results/point_samples.h>
#include <saltus/mesh/make/spread_triangulation.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/given_pressure.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_ranks.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  Quantities
  quantities()
  {
    std::vector<std::string> names(dim, "velocity");
    names.insert(names.end(), {"pressure", "sign"});
    return {names, 2, [](const double *solution, double *values) {
              for (unsigned int d = 0; d < dim; ++d)
                values[d] = (1 + d) * solution[d % 2];
              values[dim]     = solution[0] * solution[1];
              values[dim + 1] = solution[0] < 0. ? -1. : 1.; // has many extrema
            }};
  }

  /// With these quantities and another pressure at the boundary.
  template <int dim>
  SolutionSpace<dim>
  space_on(const Mapping<dim> &mapping, const DoFHandler<dim> &dof_handler)
  {
    const auto pressure = [](const Point<dim> &p) { return std::sin(5. * p[0]) + p[1]; };
    return {mapping,
            dof_handler,
            quantities<dim>(),
            std::make_shared<GivenPressure<dim>>(mapping, dof_handler, pressure)};
  }

  /// A mesh that all ranks have, and random coefficients of degree 3.
  template <int dim>
  struct Everywhere : public Box<dim>
  {
    Everywhere()
      : Box<dim>(dim == 2 ? 5 : 3, 0.2, far_corner<dim>(0.5))
      , dof_handler(this->triangulation)
    {
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(3), 2));
      solution = random_vector(dof_handler.n_dofs(), 7);
    }

    DoFHandler<dim>        dof_handler;
    dealii::Vector<double> solution;
  };

  template <int dim>
  ReferenceState<dim>
  reference()
  {
    ReferenceState<dim> state;
    state.density           = 2.;
    state.velocity          = 3.;
    state.pressure          = 0.25;
    state.area              = 0.5;
    state.drag_direction[0] = 1.;
    state.lift_direction[1] = 1.;
    return state;
  }

  using Rows = std::vector<std::vector<double>>;

  void
  expect_same(const Rows &rows, const Rows &expected)
  {
    ASSERT_EQ(rows.size(), expected.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      {
        ASSERT_EQ(rows[i].size(), expected[i].size());
        for (std::size_t j = 0; j < rows[i].size(); ++j)
          EXPECT_NEAR(rows[i][j], expected[i][j], 1e-12 * (1. + std::abs(expected[i][j])));
      }
  }

  /// Compare the tables of @p make(space) on one rank and on all.
  template <int dim, typename Make>
  void
  compare_tables(const Make &make)
  {
    const Everywhere<dim>    everywhere;
    const SolutionSpace<dim> whole = space_on<dim>(everywhere.mapping, everywhere.dof_handler);
    SolutionVector           solution(everywhere.dof_handler.n_dofs());
    std::copy(everywhere.solution.begin(), everywhere.solution.end(), solution.begin());
    const Rows expected = make(whole)->rows(0.5, solution);
    for (const Spread spread : all_spreads)
      {
        SCOPED_TRACE(to_string(spread));
        const OnRanks<dim>       ranks(everywhere.dof_handler, spread);
        const SolutionSpace<dim> space = space_on<dim>(everywhere.mapping, ranks.dof_handler);
        const Rows               rows  = make(space)->rows(0.5, ranks.part_of(everywhere.solution));
        if (this_rank() == 0)
          expect_same(rows, expected);
      }
  }

  template <int dim>
  void
  compare_all_tables()
  {
    const std::set<types::boundary_id> ids = {0, 2, 3};
    compare_tables<dim>([&](const auto &space) {
      return std::make_unique<BoundaryForces<dim>>(space, ids, reference<dim>(), "here");
    });
    compare_tables<dim>([&](const auto &space) {
      return std::make_unique<WallPressure<dim>>(space, ids, reference<dim>(), "here");
    });
    compare_tables<dim>([](const auto &space) { return std::make_unique<Extrema<dim>>(space); });
    compare_tables<dim>([](const auto &space) {
      return std::make_unique<Integrals<dim>>(
        space,
        parse_integrals("a: pressure, b: rms (velocity_x where x > 0.4), c: mean (t*y)",
                        dim,
                        space.quantities.identifiers(),
                        {},
                        "here"));
    });
    std::vector<Point<dim>> points;
    for (unsigned int i = 0; i < 20; ++i)
      {
        points.emplace_back();
        for (unsigned int d = 0; d < dim; ++d)
          points.back()[d] = (1. + 0.5 * d) * std::abs(std::sin(1. + 7. * i + 3. * d));
      }
    // Also where elements meet, whose values differ.
    const Everywhere<dim> everywhere;
    for (const auto &cell : everywhere.triangulation.active_cell_iterators())
      for (const auto &face : cell->face_iterators())
        points.insert(points.end(), {face->center(), face->vertex(0)});
    compare_tables<dim>([&](const auto &space) {
      const auto made =
        std::make_shared<const PointLocator<dim>>(space.dof_handler.get_triangulation());
      return std::make_unique<PointSamples<dim>>(
        space, [made]() -> const PointLocator<dim> & { return *made; }, points, "here");
    });
  }

  /// The same tables of a refined mesh, which several ranks have without its history.
  template <int dim>
  void
  compare_refined()
  {
    const MappingFE<dim> mapping(FE_SimplexP<dim>(1));
    const auto           make = [](Triangulation<dim> &triangulation) {
      make_box(triangulation, 2, 0.2, far_corner<dim>(0.5));
      triangulation.refine_global(1);
    };
    const auto rows = [&](const Triangulation<dim> &triangulation) {
      DoFHandler<dim> dof_handler(triangulation);
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(1), 2));
      const SolutionSpace<dim> space = space_on<dim>(mapping, dof_handler);
      SolutionVector solution(dof_handler.locally_owned_dofs(), dof_handler.get_communicator());
      std::vector<types::global_dof_index> indices(dof_handler.get_fe().n_dofs_per_cell());
      for (std::size_t e = 0; e < space.cells.size(); ++e)
        {
          space.cells[e]->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            solution(indices[i]) = std::sin(1. + space.numbers[e] * indices.size() + i);
        }
      const WallPressure<dim> wall(space, {0, 1, 2, 3}, reference<dim>(), "here");
      return wall.rows(0., solution);
    };
    Triangulation<dim> whole;
    make(whole);
    const auto here = rows(*spread_triangulation<dim>(make, MPI_COMM_WORLD));
    if (this_rank() == 0)
      expect_same(here, rows(whole));
  }

  /// A square or cube of 3 cells in each direction with the left third refined once.
  /// @param later which of these cells are refined after the others
  template <int dim>
  std::unique_ptr<parallel::distributed::Triangulation<dim>>
  make_forest(const MPI_Comm communicator, const std::function<bool(const Point<dim> &)> &later)
  {
    auto forest = std::make_unique<parallel::distributed::Triangulation<dim>>(communicator);
    dealii::GridGenerator::subdivided_hyper_rectangle(
      *forest, std::vector<unsigned int>(dim, 3), Point<dim>(), far_corner<dim>(), true);
    for (const bool is_later : {false, true})
      {
        for (const auto &cell : forest->active_cell_iterators())
          if (cell->is_locally_owned() && cell->level() == 0 && cell->center()[0] < 0.3 &&
              later(cell->center()) == is_later)
            cell->set_refine_flag();
        forest->execute_coarsening_and_refinement();
      }
    return forest;
  }

  /// Tables of forests that became what they are in other ways, on one rank and on all.
  template <int dim>
  void
  compare_forests()
  {
    const MappingQ<dim> mapping(1);
    const auto          rows = [&](const Triangulation<dim> &forest) {
      DoFHandler<dim> dof_handler(forest);
      dof_handler.distribute_dofs(FESystem<dim>(FE_HypercubeDG<dim>(1), 2));
      const SolutionSpace<dim> space = space_on<dim>(mapping, dof_handler);
      SolutionVector solution(dof_handler.locally_owned_dofs(), dof_handler.get_communicator());
      std::vector<types::global_dof_index> indices(dof_handler.get_fe().n_dofs_per_cell());
      EXPECT_TRUE(std::is_sorted(space.numbers.begin(), space.numbers.end()));
      for (std::size_t e = 0; e < space.cells.size(); ++e)
        {
          space.cells[e]->get_dof_indices(indices);
          // By place: a number is none that cells would give themselves.
          const Point<dim> x = space.cells[e]->center();
          for (unsigned int i = 0; i < indices.size(); ++i)
            solution(indices[i]) = std::sin(1. + i + 100. * x.norm() + 10. * x[0]);
        }
      std::vector<Point<dim>> points;
      for (const double x : {0., 1. / 6., 1. / 3., 0.4, 2. / 3.})
        for (const double y : {0., 1. / 6., 1. / 3., 0.5, 2. / 3.})
          {
            points.emplace_back();
            for (unsigned int d = 0; d < dim; ++d)
              points.back()[d] = d == 0 ? x : y;
          }
      const PointLocator<dim> locator(mapping,
                                      typename PointLocator<dim>::Cells(space.cells.begin(),
                                                                        space.cells.end()));
      const PointSamples<dim> samples(
                 space, [&]() -> const PointLocator<dim>          &{ return locator; }, points, "here");
      const WallPressure<dim> wall(space, {0, 1, 2, 3}, reference<dim>(), "here");
      Rows                    result = wall.rows(0., solution);
      for (const Rows &more : {samples.rows(0., solution), Extrema<dim>(space).rows(0., solution)})
        result.insert(result.end(), more.begin(), more.end());
      return result;
    };
    const auto expected =
      rows(*make_forest<dim>(MPI_COMM_SELF, [](const Point<dim> &) { return false; }));
    for (const bool upper : {false, true})
      {
        const auto later = [upper](const Point<dim> &x) { return (x[1] > 0.4) == upper; };
        for (const MPI_Comm communicator : {MPI_COMM_SELF, MPI_COMM_WORLD})
          {
            const Rows here = rows(*make_forest<dim>(communicator, later));
            if (this_rank() == 0)
              expect_same(here, expected);
          }
      }
  }

  template <int dim>
  void
  compare_errors()
  {
    const Everywhere<dim>               everywhere;
    const FE_SimplexDGModal<dim>        fe(3);
    DoFHandler<dim>                     dof_handler(everywhere.triangulation);
    const std::map<std::string, double> none;
    const Expression                    exact(dim, "sin(x)*y", 1, none, "here");
    const Expression                    gradient(
      dim, dim == 2 ? "cos(x)*y; sin(x)" : "cos(x)*y; sin(x); 0", dim, none, "here");
    dof_handler.distribute_dofs(fe);
    dealii::Vector<double> all(dof_handler.n_dofs());
    for (unsigned int i = 0; i < all.size(); ++i)
      all(i) = std::sin(1. + i);
    const auto errors = [&](const DoFHandler<dim> &dofs, const SolutionVector &solution) {
      std::vector<double> row = scalar_errors(everywhere.mapping, dofs, solution, exact, &gradient);
      row.push_back(l2_error(everywhere.mapping, dofs, solution, exact, 0.));
      row.push_back(mean_value(everywhere.mapping, dofs, exact));
      return Rows{row};
    };
    SolutionVector solution(all.size());
    std::copy(all.begin(), all.end(), solution.begin());
    for (const Spread spread : all_spreads)
      {
        const OnRanks<dim> ranks(dof_handler, spread);
        expect_same(errors(ranks.dof_handler, ranks.part_of(all)), errors(dof_handler, solution));
      }
  }

  /// The messages of all ranks, each of which throws one.
  std::vector<std::string>
  messages_of_ranks(const std::function<void()> &action)
  {
    return Utilities::MPI::all_gather(MPI_COMM_WORLD, message_of(action));
  }

  std::string
  directory()
  {
    const std::string name = "results_on_" + std::to_string(n_ranks()) + "_ranks";
    on_first_rank(MPI_COMM_WORLD, [&]() {
      std::filesystem::remove_all(name);
      std::filesystem::create_directory(name);
    });
    return name + '/';
  }
} // namespace

TEST(ResultsOnRanks, Tables2D)
{
  compare_all_tables<2>();
}

TEST(ResultsOnRanks, Tables3D)
{
  compare_all_tables<3>();
}

TEST(ResultsOnRanks, WallsOfRefinedMeshes)
{
  compare_refined<2>();
  compare_refined<3>();
}

TEST(ResultsOnRanks, Forests)
{
  compare_forests<2>();
  compare_forests<3>();
}

// Also where a rank has no cells, and from a mesh that is finer in places than the one wanted.
TEST(ResultsOnRanks, RefinementsFromCheckpoints)
{
  const auto upper  = [](const Point<2> &x) { return x[1] > 0.4; };
  const auto forest = make_forest<2>(MPI_COMM_WORLD, upper);
  const auto cells  = cells_in_order(*forest);
  Checkpoint checkpoint(MPI_COMM_WORLD);
  set_refinement<2>(checkpoint, cells, ElementBlocks(cell_numbers(cells), MPI_COMM_WORLD));
  const std::string name = directory() + "refinement";
  checkpoint.write(name);
  const Checkpoint noted = Checkpoint::read(name, MPI_COMM_WORLD);
  for (const unsigned int n_levels : {0, 1, 2})
    {
      parallel::distributed::Triangulation<2> again(MPI_COMM_WORLD);
      dealii::GridGenerator::subdivided_hyper_rectangle(
        again, std::vector<unsigned int>(2, 3), Point<2>(), far_corner<2>(), true);
      again.refine_global(n_levels);
      restore_refinement(noted, name, again);
      std::vector<CellId> ids[2];
      for (const auto &cell : cells)
        ids[0].push_back(cell->id());
      for (const auto &cell : cells_in_order(again))
        ids[1].push_back(cell->id());
      EXPECT_EQ(ids[0], ids[1]);
    }
  parallel::distributed::Triangulation<2> other(MPI_COMM_WORLD);
  dealii::GridGenerator::hyper_cube(other);
  for (const std::string &message :
       messages_of_ranks([&]() { restore_refinement(noted, name, other); }))
    EXPECT_TRUE(contains(message, "does not fit this run: its number of cells is '18'"));
}

TEST(ResultsOnRanks, Errors)
{
  compare_errors<2>();
  compare_errors<3>();
}

// Whoever has written it, a checkpoint has the same bytes; whoever reads it gets his elements'.
TEST(ResultsOnRanks, Checkpoints)
{
  const Everywhere<2> everywhere;
  const std::string   place = directory();
  const auto          write = [&](const SolutionSpace<2> &space, const std::string &name) {
    const auto          numbers = cell_numbers(space.cells);
    const ElementBlocks elements(numbers, space.communicator());
    EXPECT_EQ(elements.n_cells(), everywhere.triangulation.n_active_cells());
    std::vector<double> values;
    for (const auto number : numbers)
      values.insert(values.end(), {1. * number, std::sin(number), -1. * number});
    Checkpoint checkpoint(space.communicator());
    checkpoint.set("name", std::string("value"));
    checkpoint.set("number", 0.1);
    checkpoint.set_array("several", values.data(), 0);
    checkpoint.set_by_element("values", elements, values, 3);
    checkpoint.write(place + name);
    return std::make_pair(elements, values);
  };
  const SolutionSpace<2> whole = space_on<2>(everywhere.mapping, everywhere.dof_handler);
  if (this_rank() == 0)
    write(whole, "whole");
  for (const Spread spread : all_spreads)
    {
      SCOPED_TRACE(to_string(spread));
      const OnRanks<2>       ranks(everywhere.dof_handler, spread);
      const SolutionSpace<2> space  = space_on<2>(everywhere.mapping, ranks.dof_handler);
      const auto [elements, values] = write(space, "parts");
      EXPECT_TRUE(contents(place + "whole") == contents(place + "parts"));
      const Checkpoint copy = Checkpoint::read(place + "whole", MPI_COMM_WORLD);
      EXPECT_EQ(copy.get_string("name"), "value");
      EXPECT_EQ(copy.get_by_element("values", elements, 3), values);
      for (const std::string &message : messages_of_ranks(
             [&, &elements = elements]() { copy.get_by_element("values", elements, 2); }))
        EXPECT_TRUE(contains(message, "has 3 numbers an element, but this run needs 2"));
      MPI_Barrier(MPI_COMM_WORLD); // the next one is written over this
    }
}

namespace
{
  /// That this process has read so far, where it has asked for them.
  std::size_t
  bytes_read()
  {
    std::ifstream stream("/proc/self/io");
    std::string   name;
    std::size_t   n = 0;
    stream >> name >> n;
    EXPECT_EQ(name, "rchar:");
    return n;
  }
} // namespace

// The state that another run has left: the same on all ranks, of which none reads all of it.
TEST(ResultsOnRanks, StateOfACheckpoint)
{
  constexpr unsigned int               n    = 20000;
  const std::string                    file = directory() + "state";
  std::vector<types::global_dof_index> numbers;
  std::vector<double>                  vertices, solution;
  for (unsigned int e = 0; e < n; ++e)
    {
      const double x = e;
      numbers.push_back(e);
      vertices.insert(vertices.end(), {x, 0., x + 1., 0., x, 1.});
      solution.insert(solution.end(), {x, 0.5, -0.25});
    }
  on_first_rank(MPI_COMM_WORLD, [&]() {
    const ElementBlocks elements(numbers, MPI_COMM_SELF);
    Checkpoint          checkpoint;
    checkpoint.set("equation", std::string("E"));
    checkpoint.set_by_element("vertices", elements, vertices, 6);
    checkpoint.set_by_element("solution", elements, solution, 3);
    checkpoint.write(file);
  });
  const std::size_t part     = std::filesystem::file_size(file) / n_ranks();
  const std::size_t before   = bytes_read();
  const auto        function = solution_function<2>(file, "E", 1, MPI_COMM_WORLD);
  EXPECT_LT(bytes_read() - before, part + 200000);
  on_first_rank(MPI_COMM_WORLD, [&]() { std::filesystem::remove(file); });

  const FE_SimplexDGModal<2> basis(1);
  const Point<2>             unit(0.3, 0.2);
  for (unsigned int e = 0; e < n; e += 777)
    {
      const double expected = basis.shape_value(0, unit) * e + basis.shape_value(1, unit) * 0.5 -
                              basis.shape_value(2, unit) * 0.25;
      EXPECT_NEAR(function->value(Point<2>(e + 0.3, 0.2), 0), expected, 1e-9);
    }
  for (const std::string &message :
       messages_of_ranks([&]() { solution_function<2>(file, "E", 1, MPI_COMM_WORLD); }))
    EXPECT_TRUE(contains(message, "cannot be read"));
}

TEST(ResultsOnRanks, DamagedCheckpoints)
{
  const std::string   place = directory(), file = place + "damaged";
  const ElementBlocks elements({this_rank()}, MPI_COMM_WORLD);
  Checkpoint          checkpoint(MPI_COMM_WORLD);
  checkpoint.set_by_element("values", elements, {1. * this_rank()}, 1);
  checkpoint.write(file);
  const std::string bytes = contents(file);
  for (std::size_t i = 17; i < bytes.size(); i += 5)
    {
      MPI_Barrier(MPI_COMM_WORLD);
      on_first_rank(MPI_COMM_WORLD, [&]() {
        std::string damaged = bytes;
        damaged[i] ^= 4;
        std::ofstream(file, std::ios::binary) << damaged;
      });
      for (const std::string &message :
           messages_of_ranks([&]() { Checkpoint::read(file, MPI_COMM_WORLD); }))
        EXPECT_TRUE(contains(message, "is truncated or damaged")) << i << ": " << message;
    }
}

// Each of these fails on one rank only, or in a call that MPI makes on each.
TEST(ResultsOnRanks, ErrorsAreThoseOfAll)
{
  const std::string place  = directory();
  const auto        expect = [&](const std::string &text, const std::function<void()> &action) {
    for (const std::string &message : messages_of_ranks(action))
      EXPECT_TRUE(contains(message, text));
  };
  expect("the last one", [&]() {
    on_all_ranks(MPI_COMM_WORLD,
                 [&]() { AssertThrow(this_rank() + 1 < n_ranks(), ExcMessage("the last one")); });
  });
  expect("cannot be made", []() { TimeSeries("/dev/null/series.csv", "series", {"time"}); });
  expect("cannot be made",
         []() { replace_shared_file("/dev/null/file", MPI_COMM_WORLD, [](SharedFile &) {}); });
  const FileSizeLimit full_disk(1000);
  expect("full' cannot be written: ", [&]() {
    replace_shared_file(place + "full", MPI_COMM_WORLD, [](SharedFile &file) {
      file.append(std::string(100000, 'x'));
    });
  });
  EXPECT_FALSE(std::filesystem::exists(place + "full"));
}
