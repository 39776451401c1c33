// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// How cells of every shape meet, conforming or not: both sides of a face find the same points in
// space.
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <gtest/gtest.h>
#include <helpers/face_oracle.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <set>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// What the faces of a mesh are, as far as they have been checked.
  struct Seen
  {
    std::set<unsigned int> orientations;
    std::set<unsigned int> sub_faces;
    unsigned int           n_hanging = 0;
  };

  template <int dim>
  class Checks
  {
  public:
    Checks(const Triangulation<dim>            &triangulation,
           const Mapping<dim>                  &mapping,
           const std::vector<PeriodicBoundary> &periodic)
      : quadrature(3)
      , oracle(triangulation, mapping, quadrature, periodic)
      , nothing(oracle.shape.reference_cell)
      , values(mapping, nothing, quadrature, update_JxW_values | update_normal_vectors)
      , is_periodic(!periodic.empty())
    {}

    Seen
    all()
    {
      const auto &connectivity = oracle.connectivity;
      for (unsigned int e = 0; e < oracle.order.n_elements(); ++e)
        for (unsigned int f = 0; f < oracle.shape.n_faces; ++f)
          {
            const FaceRecord &across = connectivity.face(e, f);
            EXPECT_EQ(across.at_boundary(), !is_periodic && oracle.order.cells[e]->at_boundary(f));
            if (across.kind == FaceKind::hanging)
              check_hanging(e, f);
            else if (across.at_boundary())
              {
                const auto &face = connectivity.boundary_faces[across.neighbor];
                EXPECT_EQ(face.element, e);
                EXPECT_EQ(face.face, f);
                EXPECT_EQ(face.cell_face, f);
              }
            else
              check_element(e, f);
          }
      EXPECT_EQ(connectivity.hanging_faces.size(), seen.n_hanging);
      return seen;
    }

  private:
    /// @param sub_face of the face @p f, as FacePoints counts
    void
    expect_same_points(const unsigned int e,
                       const unsigned int f,
                       const unsigned int sub_face,
                       const FaceRecord  &across)
    {
      std::vector<Tensor<1, dim>> shifts;
      for (unsigned int q = 0; q < oracle.points.n_points; ++q)
        shifts.push_back(oracle.position(across.neighbor,
                                         across.face,
                                         across.sub_face,
                                         oracle.points.number_across(across.orientation, q)) -
                         oracle.position(e, f, sub_face, q));
      // Across a periodic boundary all are moved alike.
      const bool moved = is_periodic && oracle.order.cells[e]->at_boundary(f);
      EXPECT_EQ(shifts[0].norm() > 1e-12, moved);
      for (const Tensor<1, dim> &shift : shifts)
        EXPECT_LT((shift - (moved ? shifts[0] : Tensor<1, dim>())).norm(), 1e-12);
    }

    void
    expect_inverse(const FaceRecord  &back,
                   const unsigned int e,
                   const unsigned int f,
                   const FaceRecord  &across) const
    {
      EXPECT_EQ(back.kind, FaceKind::interior);
      EXPECT_EQ(back.neighbor, static_cast<int>(e));
      EXPECT_EQ(back.face, f);
      EXPECT_EQ(back.orientation, oracle.shape.inverse(across.orientation));
    }

    void
    check_element(const unsigned int e, const unsigned int f)
    {
      const FaceRecord &across = oracle.connectivity.face(e, f);
      EXPECT_EQ(across.kind, FaceKind::interior);
      seen.orientations.insert(across.orientation);
      seen.sub_faces.insert(across.sub_face);
      expect_same_points(e, f, 0, across);
      const FaceRecord &back = oracle.connectivity.face(across.neighbor, across.face);
      if (across.sub_face == 0)
        {
          expect_inverse(back, e, f, across);
          EXPECT_EQ(back.sub_face, 0);
        }
      else
        {
          ASSERT_EQ(back.kind, FaceKind::hanging);
          const auto &parts = oracle.connectivity.hanging_faces[back.neighbor].parts;
          expect_inverse(parts[across.sub_face - 1], e, f, across);
        }
    }

    void
    check_hanging(const unsigned int e, const unsigned int f)
    {
      const auto &face = oracle.connectivity.hanging_faces[oracle.connectivity.face(e, f).neighbor];
      EXPECT_EQ(face.element, e);
      EXPECT_EQ(face.face, f);
      EXPECT_EQ(face.parts.size(), oracle.shape.n_sub_faces);
      Tensor<1, dim> sum = vector_area(e, f);
      for (unsigned int s = 0; s < face.parts.size(); ++s)
        {
          const FaceRecord &part = face.parts[s];
          expect_same_points(e, f, s + 1, part);
          const FaceRecord &back = oracle.connectivity.face(part.neighbor, part.face);
          expect_inverse(back, e, f, part);
          EXPECT_EQ(back.sub_face, s + 1);
          sum += vector_area(part.neighbor, part.face);
        }
      EXPECT_LT(sum.norm(), 1e-12);
      ++seen.n_hanging;
    }

    /// Integral of the outward normal.
    Tensor<1, dim>
    vector_area(const unsigned int e, const unsigned int f)
    {
      values.reinit(oracle.order.cells[e], f);
      Tensor<1, dim> result;
      for (const unsigned int q : values.quadrature_point_indices())
        result += values.JxW(q) * values.normal_vector(q);
      return result;
    }

    const QGauss<dim - 1> quadrature;
    const FaceOracle<dim> oracle;
    const FE_Nothing<dim> nothing;
    FEFaceValues<dim>     values;
    const bool            is_periodic;
    Seen                  seen;
  };

  template <int dim>
  Seen
  check(const Triangulation<dim> &triangulation, const std::vector<PeriodicBoundary> &periodic = {})
  {
    if (triangulation.all_reference_cells_are_simplex())
      return Checks<dim>(triangulation, MappingFE<dim>(FE_SimplexP<dim>(1)), periodic).all();
    return Checks<dim>(triangulation, MappingQ1<dim>(), periodic).all();
  }

  /// As it is, and refined here and there.
  template <int dim>
  void
  check_refined(Triangulation<dim> &triangulation)
  {
    triangulation.reset_all_manifolds(); // points on larger faces are where they are on the smaller
    EXPECT_EQ(check(triangulation).n_hanging, 0u);
    refine_some(triangulation);
    EXPECT_GT(check(triangulation).n_hanging, 0u);
  }

  template <int dim>
  std::string
  refusal_of(const Triangulation<dim> &triangulation)
  {
    return message_of([&]() {
      const CellShape<dim>        shape(triangulation.begin()->reference_cell());
      const FaceConnectivity<dim> connectivity(ElementOrder<dim>(triangulation,
                                                                 shape.reference_cell),
                                               shape);
    });
  }

  template <int dim>
  void
  make_distorted_box(Triangulation<dim> &triangulation, const Vertices vertices)
  {
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, dim == 2 ? 8 : 4);
    if (vertices == Vertices::shuffled)
      turn_cells(triangulation);
    GridTools::distort_random(0.15, triangulation, true, 1);
  }
} // namespace

// deal.II does not refine squares right that meet at an edge of opposite directions.
TEST(FaceConnectivity, TurnedSquares)
{
  Triangulation<2> turned;
  make_distorted_box(turned, Vertices::shuffled);
  EXPECT_EQ(check(turned).orientations.size(), 2u);
  for (unsigned int n_turns = 0; n_turns < 4; ++n_turns)
    {
      Triangulation<2> triangulation;
      dealii::GridGenerator::non_standard_orientation_mesh(triangulation, n_turns);
      check(triangulation);
    }
}

TEST(FaceConnectivity, HangingSquares)
{
  Triangulation<2> triangulation;
  make_distorted_box(triangulation, Vertices::ordered);
  refine_some(triangulation);
  EXPECT_EQ(check(triangulation).sub_faces.size(), 3u);
}

TEST(FaceConnectivity, TurnedCubes)
{
  Triangulation<3> triangulation;
  make_distorted_box(triangulation, Vertices::shuffled);
  EXPECT_EQ(check(triangulation).orientations.size(), 8u);
  refine_some(triangulation);
  const Seen seen = check(triangulation);
  EXPECT_EQ(seen.orientations.size(), 8u);
  EXPECT_EQ(seen.sub_faces.size(), 5u);
}

TEST(FaceConnectivity, TwoCellsWithTheirFaceTurned)
{
  for (unsigned int i = 0; i < 16; ++i)
    {
      SCOPED_TRACE(i);
      Triangulation<3> triangulation;
      dealii::GridGenerator::non_standard_orientation_mesh(
        triangulation, i & 1, i & 2, i & 4, i & 8);
      check_refined(triangulation);
    }
}

TEST(FaceConnectivity, TwistedRings)
{
  for (unsigned int n_turns = 0; n_turns < 4; ++n_turns)
    {
      SCOPED_TRACE(n_turns);
      Triangulation<3> triangulation;
      dealii::GridGenerator::moebius(triangulation, 8, n_turns, 3., 1.);
      check_refined(triangulation);
    }
}

TEST(FaceConnectivity, Balls)
{
  Triangulation<2> disc;
  dealii::GridGenerator::hyper_ball(disc);
  check_refined(disc);
  Triangulation<3> ball;
  dealii::GridGenerator::hyper_ball(ball);
  check_refined(ball);
}

TEST(FaceConnectivity, TrianglesWithHangingNodes)
{
  Triangulation<2> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube_with_simplices(triangulation, 4);
  check_refined(triangulation);
}

TEST(FaceConnectivity, PeriodicHexahedra)
{
  Triangulation<3> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(triangulation, 3, 0., 1., true);
  turn_cells(triangulation);
  triangulation.refine_global(1);
  check(triangulation, {{0, 1}, {2, 3}, {4, 5}});
}

TEST(FaceConnectivity, WhatIsRefused)
{
  Triangulation<3> tetrahedra;
  dealii::GridGenerator::subdivided_hyper_cube_with_simplices(tetrahedra, 1);
  tetrahedra.begin_active()->set_refine_flag();
  tetrahedra.execute_coarsening_and_refinement();
  EXPECT_TRUE(contains(refusal_of(tetrahedra), "The mesh has hanging nodes at the cell at ("));

  Triangulation<2> flat;
  dealii::GridGenerator::hyper_cube(flat);
  flat.begin_active()->set_refine_flag(RefinementCase<2>::cut_x);
  flat.execute_coarsening_and_refinement();
  EXPECT_TRUE(contains(refusal_of(flat), "refined in some directions only"));
}
