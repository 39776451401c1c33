// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Sets of cells as elements: that they are connected, of the right number, and cover the mesh once.
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/mesh/agglomerate/polytopic_mesh.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <map>
#include <numeric>
#include <set>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  void
  make_grid(Triangulation<dim> &triangulation, const unsigned int n)
  {
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, n);
  }

  /// Cells of the largest and the smallest element.
  template <int dim>
  std::pair<unsigned int, unsigned int>
  extremes(const Agglomeration<dim> &agglomeration)
  {
    std::vector<unsigned int> sizes(agglomeration.n_elements(), 0);
    for (const unsigned int element : agglomeration.elements())
      ++sizes[element];
    return {*std::max_element(sizes.begin(), sizes.end()),
            *std::min_element(sizes.begin(), sizes.end())};
  }

  /// That elements pass as numbers which somebody gives, and meet whom their cells meet.
  template <int dim>
  void
  check_valid(const Agglomeration<dim> &elements)
  {
    const Agglomeration<dim>            given(elements.triangulation(), elements.elements());
    std::vector<std::set<unsigned int>> neighbors(elements.n_elements());
    for (const auto &cell : elements.triangulation().active_cell_iterators())
      for (const unsigned int f : cell->face_indices())
        for_neighbors(cell, f, [&](const auto &neighbor) {
          const unsigned int element = elements.elements()[cell->active_cell_index()];
          const unsigned int other   = elements.elements()[neighbor->active_cell_index()];
          if (other != element)
            neighbors[element].insert(other);
        });
    for (const CellGraph &graph : {elements.graph(), given.graph()})
      {
        ASSERT_EQ(graph.size(), elements.n_elements());
        for (unsigned int e = 0; e < graph.size(); ++e)
          EXPECT_EQ(std::vector<unsigned int>(graph.neighbors_of(e).begin(),
                                              graph.neighbors_of(e).end()),
                    std::vector<unsigned int>(neighbors[e].begin(), neighbors[e].end()));
      }
  }

  template <int dim>
  void
  check_grouping(const Grouping grouping)
  {
    Triangulation<dim> triangulation;
    make_box(triangulation, dim == 2 ? 16 : 6, 0.2);
    const unsigned int       n_cells  = triangulation.n_active_cells();
    const Agglomeration<dim> elements = agglomerate(triangulation, grouping, n_cells / 8);
    check_valid(agglomerate_none(triangulation));
    check_valid(elements);
    EXPECT_NEAR(elements.n_elements(), n_cells / 8., 0.2 * n_cells / 8.);
    EXPECT_LE(extremes(elements).first, 8U * 3);
    EXPECT_GE(extremes(elements).second, 2U);
    // Elements of elements are unions of them.
    const Agglomeration<dim> larger = agglomerate(elements, grouping, elements.n_elements() / 4);
    check_valid(larger);
    // Meshes that share cells are those of their own.
    const auto &mapping =
      triangulation.get_reference_cells()[0].template get_default_linear_mapping<dim>();
    const PolytopicMesh<dim> alone(mapping, larger),
      shared(PolytopicMesh<dim>(mapping, elements), larger);
    EXPECT_EQ(shared.box_numbers().host(), alone.box_numbers().host());
    for (unsigned int c = 0; c < n_cells; ++c)
      EXPECT_EQ(shared.cell_volume(c), alone.cell_volume(c));
    for (unsigned int e = 0; e < larger.n_elements(); ++e)
      EXPECT_EQ(shared.volume(e), alone.volume(e));
    std::vector<std::set<unsigned int>> parents(elements.n_elements());
    for (unsigned int c = 0; c < n_cells; ++c)
      parents[elements.elements()[c]].insert(larger.elements()[c]);
    for (const auto &parent : parents)
      EXPECT_EQ(parent.size(), 1U);
  }

  TEST(AgglomerationTest, Groups)
  {
    for (const Grouping grouping : {Grouping::metis, Grouping::boxes, Grouping::couplings})
      {
        check_grouping<2>(grouping);
        check_grouping<3>(grouping);
      }
  }

  /// Thin cells come together across their long sides, also where nodes hang.
  TEST(AgglomerationTest, Couplings)
  {
    Triangulation<2> triangulation;
    dealii::GridGenerator::subdivided_hyper_rectangle(triangulation,
                                                      {4, 64},
                                                      Point<2>(0., 0.),
                                                      Point<2>(100., 1.));
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->center()[1] > .5)
        cell->set_refine_flag(RefinementCase<2>::cut_y);
    triangulation.execute_coarsening_and_refinement();
    const Agglomeration<2> elements = agglomerate(triangulation, Grouping::couplings, 384 / 4);
    EXPECT_NEAR(elements.n_elements(), 96., 20.);
    std::map<unsigned int, double> places; // of elements
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        const double x = cell->center()[0];
        EXPECT_EQ(places.emplace(elements.elements()[cell->active_cell_index()], x).first->second,
                  x);
      }
  }

  /// Elements of a mesh do not depend on its size and place.
  template <int dim, typename Make>
  void
  check_units(const Make &make)
  {
    const auto elements_of = [&](const double size, const double place) {
      Triangulation<dim> triangulation;
      make(triangulation);
      GridTools::scale(size, triangulation);
      GridTools::shift(place * far_corner<dim>(0.3), triangulation);
      const unsigned int n_cells = triangulation.n_active_cells();
      return agglomerate(triangulation, Grouping::couplings, n_cells / 8).elements();
    };
    const auto elements = elements_of(1., 0.);
    EXPECT_EQ(elements_of(1e3, 0.), elements);
    EXPECT_EQ(elements_of(1., 100.), elements);
    EXPECT_EQ(elements_of(1e-6, 1e-4), elements);
  }

  TEST(AgglomerationTest, UnitsAndPlace)
  {
    const auto make_adapted = [](auto &triangulation) {
      make_grid(triangulation, 6);
      triangulation.begin_active()->set_refine_flag();
      triangulation.execute_coarsening_and_refinement();
    };
    const auto make_ball = [](auto &triangulation) {
      dealii::GridGenerator::hyper_ball(triangulation);
      triangulation.refine_global(2);
    };
    check_units<2>(make_adapted);
    check_units<3>(make_adapted);
    check_units<2>(make_ball);
    check_units<3>([](auto &triangulation) { make_box(triangulation, 4, 0.); });
    check_units<3>([](auto &triangulation) { make_box(triangulation, 6, 0.2); });
  }

  template <int dim>
  void
  check_split(const Grouping grouping)
  {
    Triangulation<dim> triangulation;
    make_box(triangulation, dim == 2 ? 16 : 6, 0.2);
    const unsigned int       n_cells  = triangulation.n_active_cells();
    const Agglomeration<dim> elements = agglomerate(triangulation, grouping, n_cells / 40);
    std::vector<bool>        divided(elements.n_elements());
    for (unsigned int e = 0; e < divided.size(); ++e)
      divided[e] = e % 2 == 0;
    const Agglomeration<dim> parts = split(elements, divided, grouping, 4);
    parts.check(); // connected, too
    const std::vector<unsigned int> larger = parents(parts, elements);
    std::vector<unsigned int>       n_parts(elements.n_elements(), 0);
    for (unsigned int c = 0; c < n_cells; ++c)
      EXPECT_EQ(larger[parts.elements()[c]], elements.elements()[c]);
    for (unsigned int e = 0; e < parts.n_elements(); ++e)
      {
        ++n_parts[larger[e]];
        EXPECT_GE(larger[e], larger[e == 0 ? 0 : e - 1]);
      }
    double sum = 0, n_divided = 0;
    for (unsigned int e = 0; e < divided.size(); ++e)
      if (divided[e])
        {
          EXPECT_GE(n_parts[e], 2U);
          sum += n_parts[e];
          ++n_divided;
        }
      else
        EXPECT_EQ(n_parts[e], 1U);
    EXPECT_NEAR(sum / n_divided, 4., 0.4);
    EXPECT_LE(extremes(split(elements, std::vector<bool>(divided.size(), true), grouping, 4)).first,
              30U);
  }

  TEST(AgglomerationTest, Splits)
  {
    for (const Grouping grouping : {Grouping::metis, Grouping::boxes})
      {
        check_split<2>(grouping);
        check_split<3>(grouping);
      }
  }

  // Down to cells: any two and more cells are divided.
  TEST(AgglomerationTest, SplitsSmallElements)
  {
    Triangulation<2> triangulation;
    make_box(triangulation, 8, 0.2);
    for (const Grouping grouping : {Grouping::metis, Grouping::boxes})
      for (const unsigned int n_parts : {2, 4, 7})
        {
          Agglomeration<2> elements = agglomerate(triangulation, grouping, 4);
          for (unsigned int level = 0; elements.n_elements() < 128; ++level)
            {
              const unsigned int before = elements.n_elements();
              elements = split(elements, std::vector<bool>(before, true), grouping, n_parts);
              ASSERT_GT(elements.n_elements(), before);
              ASSERT_LT(level, 8U);
            }
          EXPECT_EQ(split(elements, std::vector<bool>(128, true), grouping, n_parts).n_elements(),
                    128U);
        }
    const Agglomeration<2> elements = agglomerate_none(triangulation);
    EXPECT_MESSAGE(split(elements, {true}, Grouping::metis, 4), "1 marks are given for 128");
    EXPECT_MESSAGE(split(elements, std::vector<bool>(128, true), Grouping::metis, 1),
                   "at least 2 parts, not 1");
  }

  TEST(AgglomerationTest, AncestorsAndMaterials)
  {
    Triangulation<2> triangulation;
    make_grid(triangulation, 3);
    triangulation.refine_global(2);
    EXPECT_EQ(agglomerate_by_ancestors(triangulation, 1).n_elements(), 36U);
    EXPECT_EQ(agglomerate_by_ancestors(triangulation, 2).n_elements(), 9U);
    EXPECT_EQ(agglomerate_by_ancestors(triangulation, 7).n_elements(), 9U);
    EXPECT_EQ(extremes(agglomerate_by_ancestors(triangulation, 2)), std::make_pair(16U, 16U));
    EXPECT_EQ(agglomerate_none(triangulation).n_elements(), 144U);
    // Two stripes of one material that do not touch are two elements.
    for (const auto &cell : triangulation.active_cell_iterators())
      cell->set_material_id(cell->center()[0] < 1. / 3 || cell->center()[0] > 2. / 3 ? 7 : 2);
    EXPECT_EQ(agglomerate_by_material(triangulation).n_elements(), 3U);
  }

  TEST(AgglomerationTest, OneByOne)
  {
    Triangulation<2> triangulation;
    make_grid(triangulation, 2);
    std::vector<Agglomeration<2>::Cell> cells;
    for (const auto &cell : triangulation.active_cell_iterators())
      cells.push_back(cell);
    Agglomeration<2> agglomeration(triangulation);
    EXPECT_EQ(agglomeration.define_agglomerate({cells[0], cells[1]}), 0U);
    EXPECT_NE(message_of([&]() {
                agglomeration.define_agglomerate({});
              }).find("Element 1 is given no cells"),
              std::string::npos);
    EXPECT_NE(message_of([&]() {
                agglomeration.define_agglomerate({cells[1]});
              }).find("which element 0 has already"),
              std::string::npos);
    EXPECT_NE(message_of([&]() {
                agglomeration.check();
              }).find("No element has the cell at (0.25 0.75)"),
              std::string::npos);
    EXPECT_EQ(agglomeration.define_agglomerate({cells[2], cells[3]}), 1U);
    agglomeration.check();
  }

  TEST(AgglomerationTest, RefusesWhatIsNoMesh)
  {
    Triangulation<2> triangulation;
    make_grid(triangulation, 2);
    const auto refusal = [&](const std::vector<unsigned int> &elements) {
      return message_of([&]() { Agglomeration<2>(triangulation, elements); });
    };
    EXPECT_TRUE(contains(refusal({0, 1, 1}), "of 3 cells does not belong to a mesh of 4"));
    EXPECT_TRUE(contains(refusal({0, 2, 2, 0}), "Element 1 of 3 has no cells"));
    EXPECT_TRUE(contains(refusal({0, 1, 1, 0}), "Element 1 is not connected"));
    EXPECT_TRUE(contains(refusal({0, 0, 0, 4000000000U}), "Element 4000000000 is the last one"));

    const std::string file = "agglomeration_test.txt";
    const auto        read = [&](const std::string &text) {
      std::ofstream(file) << text;
      return message_of([&]() { read_agglomeration(triangulation, file); });
    };
    EXPECT_EQ(read("0 0 # the lower cells\n1\n1\n"), "");
    EXPECT_TRUE(contains(read("0 0\n1 x\n"), "line 2: 'x' is not the number of an element"));
    EXPECT_TRUE(contains(read("0 0 1 -1"), "'-1' is not the number"));
    EXPECT_TRUE(contains(read("0 0 1"), "has 3 numbers for a mesh of 4 cells"));
    std::remove(file.c_str());
    EXPECT_MESSAGE(read_agglomeration(triangulation, file), "cannot be read");
  }

  /// Volumes, normals and boxes of an adapted mesh.
  template <int dim>
  void
  check_mesh(const BoxAxes axes)
  {
    Triangulation<dim> triangulation;
    make_grid(triangulation, 3);
    triangulation.begin_active()->set_refine_flag();
    triangulation.execute_coarsening_and_refinement();
    const MappingQ1<dim>     mapping;
    const PolytopicMesh<dim> mesh(mapping, agglomerate(triangulation, Grouping::metis, 5), axes);
    double                   volume  = 0;
    unsigned int             n_cells = 0;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      {
        volume += mesh.volume(e);
        n_cells += mesh.cells(e).size();
        for (const unsigned int c : mesh.cells(e))
          for (const unsigned int v : mesh.cell(c)->vertex_indices())
            {
              const Point<dim> xi = mesh.box(e).reference_point(mesh.cell(c)->vertex(v));
              for (unsigned int d = 0; d < dim; ++d)
                EXPECT_LE(std::abs(xi[d]), 1 + 1e-12);
            }
        EXPECT_GT(mesh.box(e).volume(), 0.999 * mesh.volume(e));
        // Seen from both sides, interfaces are as large.
        unsigned int before = 0;
        for (const auto &facet : mesh.facets(e))
          {
            EXPECT_GE(facet.neighbor, before);
            before = facet.neighbor;
            if (facet.neighbor == PolytopicMesh<dim>::no_element)
              continue;
            const auto others = mesh.facets(facet.neighbor);
            EXPECT_EQ(std::count_if(others.begin(),
                                    others.end(),
                                    [&](const auto &other) {
                                      return other.cell == facet.cell && other.face == facet.face &&
                                             other.outward != facet.outward && other.neighbor == e;
                                    }),
                      1);
          }
      }
    EXPECT_NEAR(volume, 1., 1e-12);
    EXPECT_EQ(n_cells, triangulation.n_active_cells());
  }

  TEST(PolytopicMeshTest, FacetsAndBoxes)
  {
    for (const BoxAxes axes : {BoxAxes::parallel, BoxAxes::principal})
      {
        check_mesh<2>(axes);
        check_mesh<3>(axes);
      }
  }

  TEST(PolytopicMeshTest, PrincipalBoxOfAnObliqueElement)
  {
    Triangulation<2> triangulation;
    make_grid(triangulation, 2);
    GridTools::transform(
      [](const Point<2> &x) { return Point<2>(x[0] - 0.1 * x[1], x[0] + 0.1 * x[1]); },
      triangulation);
    const MappingQ1<2>     mapping;
    const Agglomeration<2> all(triangulation, {0, 0, 0, 0});
    const PolytopicMesh<2> mesh(mapping, all, BoxAxes::principal);
    EXPECT_NEAR(mesh.volume(0), 0.2, 1e-12);
    EXPECT_NEAR(mesh.box(0).volume(), 0.2, 1e-10);
    EXPECT_GT(PolytopicMesh<2>(mapping, all).box(0).volume(), 1.2);
  }
} // namespace
