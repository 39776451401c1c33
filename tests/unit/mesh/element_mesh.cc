// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Which meshes are accepted: tangled ones are not, affine ones far from the origin are.
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// What the mesh is refused with; empty if it is accepted.
  template <int dim>
  std::string
  refusal(const Triangulation<dim>            &triangulation,
          const Mapping<dim>                  &mapping  = MappingFE<dim>(FE_SimplexP<dim>(1)),
          const std::vector<PeriodicBoundary> &periodic = {})
  {
    return message_of([&]() { const ElementMesh<dim> mesh(mapping, triangulation, periodic); });
  }

  template <int dim>
  void
  expect_refused(const std::string                   &message,
                 const Triangulation<dim>            &triangulation,
                 const Mapping<dim>                  &mapping = MappingFE<dim>(FE_SimplexP<dim>(1)),
                 const std::vector<PeriodicBoundary> &periodic = {})
  {
    EXPECT_TRUE(contains(refusal(triangulation, mapping, periodic), message));
  }

  template <int dim>
  void
  create(Triangulation<dim>                           &triangulation,
         const std::vector<Point<dim>>                &vertices,
         const std::vector<std::vector<unsigned int>> &cells)
  {
    std::vector<CellData<dim>> data;
    for (const auto &cell : cells)
      {
        data.emplace_back(dim + 1);
        data.back().vertices = cell;
      }
    triangulation.create_triangulation(vertices, data, SubCellData());
  }

  /// A box of flat or round cells, moved and turned.
  template <int dim>
  void
  make_turned_box(Triangulation<dim> &triangulation, const double aspect, const double distance)
  {
    Point<dim>     corner;
    Tensor<1, dim> shift;
    for (unsigned int d = 0; d < dim; ++d)
      {
        corner[d] = d == 0 ? 1. : 1. / aspect;
        shift[d]  = distance * (d + 1);
      }
    make_box(triangulation, 4, 0.25, corner);
    GridTools::transform(
      [&](const Point<dim> &p) {
        Point<dim> turned = p;
        turned[0]         = 0.8 * p[0] - 0.6 * p[1];
        turned[1]         = 0.6 * p[0] + 0.8 * p[1];
        return turned + shift;
      },
      triangulation);
  }

  /// A quadratic map that moves the middles of the edges.
  template <int dim>
  class BentMapping : public MappingFE<dim>
  {
  public:
    /// @param bends of the edges, as the nodes of the quadratic element are numbered, in units of
    /// the cell's diameter
    explicit BentMapping(const std::vector<double> &bends)
      : MappingFE<dim>(FE_SimplexP<dim>(2))
      , bends(bends)
    {}

    std::unique_ptr<Mapping<dim>>
    clone() const override
    {
      return std::make_unique<BentMapping<dim>>(bends);
    }

  protected:
    std::vector<Point<dim>>
    compute_mapping_support_points(
      const typename Triangulation<dim>::cell_iterator &cell) const override
    {
      std::vector<Point<dim>> points = MappingFE<dim>::compute_mapping_support_points(cell);
      for (unsigned int i = 0; i < bends.size(); ++i)
        points[dim + 1 + i][0] += bends[i] * cell->diameter();
      return points;
    }

  private:
    const std::vector<double> bends;
  };
} // namespace

TEST(TangledMesh, TrianglesThatOverlap)
{
  // Two triangles over each other, on the same side of the edge between the first two vertices.
  Triangulation<2> triangulation;
  create<2>(triangulation, {{0, 0}, {1, 0}, {0.4, 1}, {0.6, 0.3}}, {{0, 1, 2}, {0, 1, 3}});
  expect_refused("The cells at (0.466666667 0.333333333) and (0.533333333 0.1) overlap: both lie "
                 "on the same side of their face with center (0.5 0)",
                 triangulation);
  triangulation.refine_global(1);
  expect_refused("overlap: both lie on the same side", triangulation);
}

TEST(TangledMesh, TetrahedraThatOverlap)
{
  const std::vector<Point<3>> vertices = {
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}, {0.3, 0.3, 0.5}, {0.3, 0.3, -0.5}};
  for (const auto &rotation : {std::array<unsigned int, 3>{{0, 1, 2}},
                               std::array<unsigned int, 3>{{1, 2, 0}},
                               std::array<unsigned int, 3>{{2, 0, 1}}})
    {
      Triangulation<3> tangled, good;
      create<3>(tangled, vertices, {{0, 1, 2, 3}, {rotation[0], rotation[1], rotation[2], 4}});
      expect_refused("overlap: both lie on the same side", tangled);
      create<3>(good, vertices, {{0, 1, 2, 3}, {rotation[0], rotation[2], rotation[1], 5}});
      EXPECT_EQ(refusal(good), "");
      good.refine_global(1);
      EXPECT_EQ(refusal(good), "");
    }
}

TEST(TangledMesh, PeriodicBoundaryThatFoldsOver)
{
  // Two triangles whose left sides are to be one: both cells are to the right of it.
  Triangulation<2> triangulation;
  create<2>(triangulation,
            {{0, 0}, {1, 0}, {0, 1}, {3, 0}, {4, 0}, {3, 1}},
            {{0, 1, 2}, {3, 4, 5}});
  for (const auto &cell : triangulation.active_cell_iterators())
    for (const auto &face : cell->face_iterators())
      if (face->center()[0] == 0. || face->center()[0] == 3.)
        face->set_boundary_id(face->center()[0] == 0. ? 1 : 2);
  expect_refused<2>("on the same side of their face with center (0 0.5)",
                    triangulation,
                    MappingFE<2>(FE_SimplexP<2>(1)),
                    {{1, 2}});
}

TEST(OtherMeshes, HangingNodesOfTrianglesAndSeveralShapesAreRefused)
{
  Triangulation<2> triangles, mixed;
  make_box(triangles, 2, 0.);
  triangles.begin_active()->set_refine_flag();
  triangles.execute_coarsening_and_refinement();
  expect_refused("The mesh has hanging nodes at the cell at (", triangles);
  expect_refused("; only conforming meshes are supported: refine all cells, or take quadrilaterals",
                 triangles);
  std::vector<CellData<2>> cells(2);
  cells[0].vertices = {0, 1, 2, 3};
  cells[1].vertices = {1, 4, 3};
  mixed.create_triangulation({{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}}, cells, SubCellData());
  expect_refused("Meshes are of simplices only, or of quadrilaterals only, but the cell at (",
                 mixed);
}

TEST(AffineElements, FlatAndFarAway)
{
  for (const double aspect : {1., 1e3, 1e6})
    for (const double distance : {0., 1e3, 1e6})
      {
        SCOPED_TRACE("aspect ratio " + std::to_string(aspect) + ", distance " +
                     std::to_string(distance));
        Triangulation<2> triangles;
        make_turned_box(triangles, aspect, distance);
        EXPECT_EQ(refusal(triangles), "");
        triangles.refine_global(2);
        EXPECT_EQ(refusal(triangles), "");
        EXPECT_EQ(refusal(triangles, MappingFE<2>(FE_SimplexP<2>(2))), "");
        Triangulation<3> tetrahedra;
        make_turned_box(tetrahedra, aspect, distance);
        EXPECT_EQ(refusal(tetrahedra), "");
      }
}

TEST(AffineElements, PeriodicBoundariesFarAway)
{
  Triangulation<2> triangulation;
  make_turned_box(triangulation, 1., 1e9);
  triangulation.refine_global(1);
  EXPECT_EQ(refusal(triangulation, MappingFE<2>(FE_SimplexP<2>(1)), {{0, 1}, {2, 3}}), "");
}

TEST(AffineElements, BentEdgesAreRefused)
{
  for (const double distance : {0., 1e6})
    {
      Triangulation<2> triangles;
      make_turned_box(triangles, 1., distance);
      EXPECT_EQ(refusal(triangles, BentMapping<2>({0., 0., 0.})), "");
      expect_refused("The mapping curves the cell at (", triangles, BentMapping<2>({1e-6, 0., 0.}));
      // These leave the barycentre in its place.
      expect_refused("The mapping curves the cell", triangles, BentMapping<2>({1e-6, -1e-6, 0.}));
      Triangulation<3> tetrahedra;
      make_turned_box(tetrahedra, 1., distance);
      expect_refused("The mapping curves the cell",
                     tetrahedra,
                     BentMapping<3>({0., 0., 1e-6, 0., 0., -1e-6}));
    }
}
