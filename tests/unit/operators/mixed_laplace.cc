// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator on meshes that mix triangles and quadrilaterals, affine and curved:
// against an assembly with deal.II, its symmetry, and its parts against its columns.
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <saltus/mesh/element_metrics.h>

#include <array>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/mixed_elliptic.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Coefficients = EllipticCoefficients<2>;
  using Conditions   = EllipticBoundaryConditions<2>;
  using Cell         = DoFHandler<2>::active_cell_iterator;

  /// The oracle: `A u` by FEValues and FEFaceValues of either shape, with the other side's values
  /// at the same points.
  class Assembly
  {
  public:
    /// @param A for what bounds gradients on the faces of curved elements
    Assembly(const MixedEllipticSetting    &setting,
             const Coefficients            &coefficients,
             const MixedLaplaceOperator<2> &A)
      : setting(setting)
      , coefficients(coefficients)
      , A(A)
      , p(setting.dof_handler.get_fe(0).degree)
    {}

    dealii::Vector<double>
    vmult(const Conditions &conditions, const dealii::Vector<double> &u) const
    {
      dealii::Vector<double> result(u.size());
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          dealii::Vector<double> local(cell->get_fe().n_dofs_per_cell());
          add_volume(cell, u, local);
          for (const unsigned int f : cell->face_indices())
            add_face(cell, f, conditions, u, local);
          std::vector<types::global_dof_index> indices(local.size());
          cell->get_dof_indices(indices);
          result.add(indices, local);
        }
      return result;
    }

  private:
    const UpdateFlags flags =
      update_values | update_gradients | update_JxW_values | update_quadrature_points;

    Quadrature<2>
    volume_rule(const Cell &cell) const
    {
      if (!cell->reference_cell().is_simplex())
        return QGauss<2>(p + 1);
      return simplex_quadrature<2>(coefficients.sampling == Sampling::by_point ? 2 * p + 2 : 2 * p);
    }

    SymmetricTensor<2, 2>
    diffusion(const Cell &cell, const Point<2> &x) const
    {
      const auto k = coefficients.diffusion(sampled(cell, x));
      return coefficients.tensor ? k : k[0][0] * unit_symmetric_tensor<2>();
    }

    Point<2>
    sampled(const Cell &cell, const Point<2> &x) const
    {
      return coefficients.sampling == Sampling::by_element
               ? setting.mapping.transform_unit_to_real_cell(cell,
                                                             cell->reference_cell().barycenter<2>())
               : x;
    }

    void
    add_volume(const Cell                   &cell,
               const dealii::Vector<double> &u,
               dealii::Vector<double>       &local) const
    {
      FEValues<2> values(setting.mapping, cell->get_fe(), volume_rule(cell), flags);
      values.reinit(cell);
      std::vector<double>       value(values.n_quadrature_points);
      std::vector<Tensor<1, 2>> gradient(values.n_quadrature_points);
      values.get_function_values(u, value);
      values.get_function_gradients(u, gradient);
      for (const unsigned int q : values.quadrature_point_indices())
        {
          const Point<2> x    = values.quadrature_point(q);
          const auto     flux = diffusion(cell, x) * gradient[q];
          for (unsigned int i = 0; i < local.size(); ++i)
            local(i) += (flux * values.shape_grad(i, q) + coefficients.reaction(sampled(cell, x)) *
                                                            value[q] * values.shape_value(i, q)) *
                        values.JxW(q);
        }
    }

    void
    add_face(const Cell                   &cell,
             const unsigned int            f,
             const Conditions             &conditions,
             const dealii::Vector<double> &u,
             dealii::Vector<double>       &local) const
    {
      const QGauss<1>    rule(p + 1);
      const unsigned int n = rule.size();
      FEFaceValues<2>    here(setting.mapping, cell->get_fe(), rule, flags | update_normal_vectors);
      std::vector<double>       value(n), value_there(n);
      std::vector<Tensor<1, 2>> gradient(n), gradient_there(n);
      std::vector<Point<2>>     points_there;
      here.reinit(cell, f);
      here.get_function_values(u, value);
      here.get_function_gradients(u, gradient);
      const auto other = neighbor(setting.dof_handler, conditions.periodic(), cell, f);
      double     tau   = penalty(cell, f);
      if (other)
        {
          FEFaceValues<2> there(setting.mapping, other->cell->get_fe(), rule, flags);
          there.reinit(other->cell, other->face);
          there.get_function_values(u, value_there);
          there.get_function_gradients(u, gradient_there);
          points_there = there.get_quadrature_points();
          tau          = std::max(tau, penalty(other->cell, other->face));
        }
      for (unsigned int q = 0; q < n; ++q)
        {
          const Point<2> x      = here.quadrature_point(q);
          const auto     normal = here.normal_vector(q);
          const auto     k      = diffusion(cell, x);
          double         jump = value[q], flux = k * gradient[q] * normal, of_test = 1.,
                 penalized = 2. * tau;
          if (other)
            {
              unsigned int r = 0;
              while (points_there[r].distance(x + other->shift) > 1e-9)
                ++r;
              jump -= value_there[r];
              flux =
                0.5 * (flux + diffusion(other->cell, points_there[r]) * gradient_there[r] * normal);
              of_test   = 0.5;
              penalized = tau;
            }
          else if (const auto &condition = conditions.at(cell->face(f)->boundary_id(), 1);
                   condition.kind != EllipticBoundary::dirichlet)
            {
              flux      = -condition.robin * value[q];
              of_test   = 0.;
              penalized = 0.;
            }
          for (unsigned int i = 0; i < local.size(); ++i)
            local(i) += ((penalized * jump - flux) * here.shape_value(i, q) -
                         of_test * jump * (k * here.shape_grad(i, q) * normal)) *
                        here.JxW(q);
        }
    }

    /// What one side would have.
    double
    penalty(const Cell &cell, const unsigned int f) const
    {
      const bool is_triangle = cell->reference_cell().is_simplex();
      double     normal_part = 0., smallest = 1e300, largest = 0.;
      const auto look = [&](const Point<2> &x) {
        const double value = trace(diffusion(cell, x));
        smallest           = std::min(smallest, value);
        largest            = std::max(largest, value);
      };
      FEValues<2> volume(setting.mapping, cell->get_fe(), volume_rule(cell), flags);
      volume.reinit(cell);
      for (const Point<2> &x : volume.get_quadrature_points())
        look(x);
      FEFaceValues<2> faces(setting.mapping,
                            cell->get_fe(),
                            QGauss<1>(p + 1),
                            flags | update_normal_vectors);
      for (const unsigned int g : cell->face_indices())
        {
          faces.reinit(cell, g);
          for (const unsigned int q : faces.quadrature_point_indices())
            {
              const Point<2> x = faces.quadrature_point(q);
              const auto     n = faces.normal_vector(q);
              look(x);
              if (g == f)
                normal_part = std::max(normal_part, n * (diffusion(cell, x) * n));
            }
        }
      const auto        &space  = A.part(is_triangle ? 0 : 1).element_space();
      const unsigned int e      = space.order.element_of_cell[cell->active_cell_index()];
      const bool         curved = space.geometry.curved_map(e) != nullptr;
      double             area   = cell->face(f)->measure() / cell->measure();
      if (curved)
        {
          unsigned int in_element = 0;
          while (space.order.cell_face(space.reference, e, in_element) != f)
            ++in_element;
          area = ElementMetrics<2>(space.reference, space.geometry, MetricForm::cross_product)
                   .trace_areas(e)[in_element] /
                 cell->reference_cell().volume();
        }
      const double of_degree = is_triangle ? 0.75 * (p + 1) * (p + 2) : 0.5 * (p + 1) * (p + 2);
      const bool   bounded   = curved || coefficients.sampling == Sampling::by_point;
      const double of_shape  = is_triangle ? 1. : bounded ? 2. : correlation(cell);
      return penalty_factor * of_degree * of_shape * normal_part * largest / smallest * area;
    }

    /// Of a parallelogram: 1 + |cos| of the angle between the gradients of the coordinates in the
    /// metric of k.
    double
    correlation(const Cell &cell) const
    {
      const auto         k = diffusion(cell, cell->center());
      const Tensor<1, 2> a = cell->vertex(1) - cell->vertex(0), b =
                                                                  cell->vertex(2) - cell->vertex(0);
      const Tensor<1, 2> of_a = cross_product_2d(b), of_b = cross_product_2d(a);
      return 1. +
             std::abs(of_a * (k * of_b)) / std::sqrt((of_a * (k * of_a)) * (of_b * (k * of_b)));
    }

    const MixedEllipticSetting    &setting;
    const Coefficients            &coefficients;
    const MixedLaplaceOperator<2> &A;
    const unsigned int             p;
  };

  class MixedLaplaceTest : public OnDevice
  {
  protected:
    template <typename Number = double>
    auto
    make(const MixedEllipticSetting &setting,
         const Coefficients         &coefficients,
         const Conditions           &conditions) const
    {
      return make_mixed_laplace<Number>(
        setting.mapping, setting.dof_handler, conditions, device(), coefficients);
    }

    void
    compare_with_assembly(const MixedEllipticSetting &setting,
                          const Coefficients         &coefficients,
                          const Conditions           &conditions) const
    {
      SCOPED_TRACE("degree " + std::to_string(setting.dof_handler.get_fe(0).degree) + ", " +
                   coefficients.name);
      const auto A = make(setting, coefficients, conditions);
      const auto u = setting.random_vector(1), v = setting.random_vector(2);
      const auto expected = Assembly(setting, coefficients, *A).vmult(conditions, u);
      const auto Au = mixed_vmult(*A, u), Av = mixed_vmult(*A, v);
      EXPECT_LT(relative_difference(Au, expected), 1e-11);
      expect_symmetric_and_positive(u, v, Au, Av);
      EXPECT_LT(relative_difference(mixed_vmult(*make<float>(setting, coefficients, conditions), u),
                                    expected),
                1e-4);
    }

    void
    compare_on_box(const double                     distortion,
                   const std::vector<unsigned int> &degrees,
                   const bool                       periodic = false) const
    {
      Triangulation<2> triangulation;
      // With four cells in a row both sides of the box have the same shapes.
      make_mixed_box(triangulation,
                     periodic ? 4 : 5,
                     distortion,
                     far_corner<2>(periodic ? 0. : 0.25));
      const auto mapping    = straight_mapping();
      const auto conditions = all_elliptic_conditions<2>(periodic);
      const auto all        = all_elliptic_coefficients<2>();
      for (const unsigned int degree : degrees)
        {
          const MixedEllipticSetting setting(triangulation, mapping, degree);
          for (std::size_t i = degree % 2; i<all.size(); i += degree> 3 ? 3 : 1)
            // Elsewhere points depend on the order of a triangle's vertices.
            if (all[i].sampling != Sampling::by_point ||
                2 * degree + 2 <= max_symmetric_degree<2>())
              compare_with_assembly(setting, all[i], conditions);
        }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(MixedLaplaceTest)

TEST_P(MixedLaplaceTest, StraightSquares)
{
  compare_on_box(0., {1, 2, 3, 4, 5, 6, 7});
}

TEST_P(MixedLaplaceTest, DistortedCells)
{
  compare_on_box(0.2, {1, 2, 3, 4, 5, 6, 7});
}

TEST_P(MixedLaplaceTest, Periodic)
{
  compare_on_box(0., {2, 3}, true);
}

TEST_P(MixedLaplaceTest, CurvedRing)
{
  const Ring ring;
  Conditions conditions;
  conditions.set_dirichlet(0);
  conditions.set_robin(1, robin_coefficient);
  const auto all = all_elliptic_coefficients<2>();
  for (const unsigned int degree : {1, 2, 3, 4})
    for (std::size_t i = degree % 2; i < all.size(); i += 2)
      {
        const auto &coefficients = all[i];
        // Of a smaller ring, where they are positive.
        auto here      = coefficients;
        here.diffusion = [&](const Point<2> &x) { return coefficients.diffusion(0.25 * x); };
        here.reaction  = [&](const Point<2> &x) { return 1. + coefficients.reaction(0.25 * x); };
        compare_with_assembly(MixedEllipticSetting(ring.triangulation, *ring.mapping, degree),
                              here,
                              conditions);
      }
}

// Every column by the couplings of elements, the blocks on the diagonal, and in the whole positive.
TEST_P(MixedLaplaceTest, Parts)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 2, 0.2);
  const auto mapping      = straight_mapping();
  const auto coefficients = all_elliptic_coefficients<2>()[4];
  for (const unsigned int degree : {1, 3})
    {
      const MixedEllipticSetting setting(triangulation, mapping, degree);
      const auto                 A = make(setting, coefficients, all_elliptic_conditions<2>());
      const auto                 couplings = A->couplings();
      ShapeDiagonal<BlockDiagonal<double>> blocks;
      A->compute_block_diagonal(blocks);

      auto       x = mixed_zeros(*A), Ax = x, sum = x, Bx = x;
      const auto u = setting.random_vector(3);
      A->copy_from(x, u);
      A->vmult(Ax, x);
      blocks.vmult(Bx, x);
      std::array<std::vector<double>, 2> of_x, expected, of_blocks;
      for (const unsigned int s : {0, 1})
        {
          of_x[s]          = x.block(s).entries();
          const auto &here = couplings.of_shapes[s];
          const auto  n    = here.n_modes;
          expected[s].resize(of_x[s].size());
          of_blocks[s] = expected[s];
          for (unsigned int e = 0; e < here.n_elements; ++e)
            for (unsigned int c = 0; c < here.n_couplings; ++c)
              for (unsigned int i = 0; i < n && here.partner(e, c) >= 0; ++i)
                for (unsigned int j = 0; j < n; ++j)
                  {
                    const double term =
                      here.block(e, c)[i * n + j] * of_x[s][here.partner(e, c) * n + j];
                    expected[s][e * n + i] += term;
                    if (c == 0)
                      of_blocks[s][e * n + i] += term;
                  }
        }
      const auto faces = find_mixed_faces(A->meshes());
      ASSERT_EQ(couplings.across.size(), faces.size());
      const auto element = [&](const MixedFace &face) {
        return A->meshes()[face.mesh]->connectivity.boundary_faces[face.boundary_face].element;
      };
      for (unsigned int f = 0; f < faces.size(); ++f)
        {
          const auto        &other = faces[faces[f].across];
          const unsigned int n     = couplings.of_shapes[faces[f].mesh].n_modes,
                             m     = couplings.of_shapes[other.mesh].n_modes;
          for (unsigned int i = 0; i < n; ++i)
            for (unsigned int j = 0; j < m; ++j)
              expected[faces[f].mesh][element(faces[f]) * n + i] +=
                couplings.across[f][i * m + j] * of_x[other.mesh][element(other) * m + j];
        }
      for (const unsigned int s : {0, 1})
        {
          const auto of_A = Ax.block(s).entries(), of_B = Bx.block(s).entries();
          for (unsigned int i = 0; i < of_A.size(); ++i)
            {
              EXPECT_NEAR(of_A[i], expected[s][i], 1e-11 * Ax.linfty_norm());
              EXPECT_NEAR(of_B[i], of_blocks[s][i], 1e-11 * Bx.linfty_norm());
            }
        }
      EXPECT_LT(A->residual(sum, x, Ax), 1e-12 * Ax.l2_norm());
      sum = x;
      A->vmult_add(sum, x);
      sum.add(-1., x);
      EXPECT_LT(sum.max_difference(Ax), 1e-11 * Ax.linfty_norm());

      // Eigenvalues.
      LAPACKFullMatrix<double> matrix(u.size());
      for (unsigned int j = 0; j < u.size(); ++j)
        {
          dealii::Vector<double> unit(u.size());
          unit(j)           = 1.;
          const auto column = mixed_vmult(*A, unit);
          for (unsigned int i = 0; i < u.size(); ++i)
            matrix(i, j) = column(i);
        }
      matrix.compute_eigenvalues();
      for (unsigned int i = 0; i < u.size(); ++i)
        EXPECT_GT(matrix.eigenvalue(i).real(), 1e-3);
    }
}

// Without a condition that says what the solution is, constants are the kernel.
TEST_P(MixedLaplaceTest, Constants)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 5, 0.2);
  const auto                 mapping = straight_mapping();
  const MixedEllipticSetting setting(triangulation, mapping, 3);
  MixedLaplaceOperator<2>    A;
  A.reinit(mapping, setting.dof_handler, neumann_conditions<2>(), device());
  EXPECT_TRUE(A.is_singular());
  auto x = mixed_zeros(A), Ax = x, one = x;
  A.set_mean_value(one, 1.);
  A.vmult(Ax, one);
  EXPECT_LT(Ax.linfty_norm(), 1e-11);
  const auto u = setting.random_vector(1);
  A.copy_from(x, u);
  A.vmult(Ax, x);
  EXPECT_LT(std::abs(Ax * one), 1e-10 * Ax.l2_norm());
  const double product = x * one, removed = A.remove_null_space(x);
  EXPECT_NEAR(removed, std::abs(product) / one.l2_norm(), 1e-12 * one.l2_norm());
  EXPECT_LT(std::abs(x * one), 1e-11 * x.l2_norm());

  MixedLaplaceOperator<2> other;
  other.reinit(mapping, setting.dof_handler, all_elliptic_conditions<2>(), device());
  EXPECT_FALSE(other.is_singular());
}

// Two squares apart from each other: what says nothing of the second one is refused.
TEST_P(MixedLaplaceTest, PartsOfTheMesh)
{
  Triangulation<2> left, right, both;
  dealii::GridGenerator::subdivided_hyper_cube(left, 3);
  dealii::GridGenerator::subdivided_hyper_cube(right, 3, 5., 6.);
  dealii::GridGenerator::merge_triangulations(left, right, both);
  for (const auto &face : both.active_face_iterators())
    if (face->at_boundary() && face->center()[0] > 4.)
      face->set_boundary_id(1);
  Saltus::GridGenerator::cut_quadrilaterals(both);
  const auto                    mapping = straight_mapping();
  const MixedEllipticSetting    setting(both, mapping, 1);
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0);
  conditions.set_neumann(1);
  MixedLaplaceOperator<2> A;
  EXPECT_MESSAGE(A.reinit(mapping, setting.dof_handler, conditions, device()),
                 "The mesh has 2 parts that no face joins");
}
