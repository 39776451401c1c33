// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_interface_values.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>
#include <deal.II/hp/fe_collection.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/solution_transfer.h>
#include <deal.II/numerics/vector_tools.h>

#include <saltus/base/device/dealii_compatibility.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/simplex_modal_polynomials.h>

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace
{
  using namespace dealii;
  using Saltus::FE_SimplexDGModal;
  using Saltus::SimplexModalPolynomials;

  /// Exact for polynomials of degree 2 n - dim on the unit simplex: Gauss points of the unit cube,
  /// moved by x -> x (1 - y), then (x, y) -> (x, y)(1 - z).
  template <int dim>
  Quadrature<dim>
  collapsed_gauss(const unsigned int n)
  {
    std::vector<Point<dim>> points;
    std::vector<double>     weights;
    const QGauss<dim>       cube(n);
    for (unsigned int q = 0; q < cube.size(); ++q)
      {
        const Point<dim> c = cube.point(q);
        const double     r = 1. - c[dim - 1];
        if constexpr (dim == 2)
          {
            points.emplace_back(c[0] * r, c[1]);
            weights.push_back(cube.weight(q) * r);
          }
        else
          {
            points.emplace_back(c[0] * (1. - c[1]) * r, c[1] * r, c[2]);
            weights.push_back(cube.weight(q) * (1. - c[1]) * r * r);
          }
      }
    return {points, weights};
  }

  template <int dim>
  Quadrature<dim - 1>
  face_quadrature(const unsigned int n)
  {
    if constexpr (dim == 2)
      return QGauss<1>(n);
    else
      return collapsed_gauss<2>(n);
  }

  template <int dim>
  struct Modes
  {
    std::vector<double>         values;
    std::vector<Tensor<1, dim>> gradients;
    std::vector<Tensor<2, dim>> hessians;

    Modes(const SimplexModalPolynomials<dim> &polynomials, const Point<dim> &p)
      : values(polynomials.n())
      , gradients(polynomials.n())
      , hessians(polynomials.n())
    {
      std::vector<Tensor<3, dim>> no_3rd;
      std::vector<Tensor<4, dim>> no_4th;
      polynomials.evaluate(p, values, gradients, hessians, no_3rd, no_4th);
    }
  };

  template <int dim>
  std::vector<double>
  mode_values(const SimplexModalPolynomials<dim> &polynomials, const Point<dim> &p)
  {
    std::vector<double>         values(polynomials.n());
    std::vector<Tensor<1, dim>> no_1st;
    std::vector<Tensor<2, dim>> no_2nd;
    std::vector<Tensor<3, dim>> no_3rd;
    std::vector<Tensor<4, dim>> no_4th;
    polynomials.evaluate(p, values, no_1st, no_2nd, no_3rd, no_4th);
    return values;
  }

  /// The vertices of the reference simplex, its centre, and random points in it.
  template <int dim>
  std::vector<Point<dim>>
  sample_points()
  {
    std::vector<Point<dim>> points(1);
    Point<dim>              centre;
    for (unsigned int d = 0; d < dim; ++d)
      {
        points.push_back(Point<dim>::unit_vector(d));
        centre[d] = 1. / (dim + 1);
      }
    points.push_back(centre);

    std::mt19937                           generator(1);
    std::uniform_real_distribution<double> uniform(0., 1. / dim);
    for (unsigned int i = 0; i < 5; ++i)
      {
        Point<dim> p;
        for (unsigned int d = 0; d < dim; ++d)
          p[d] = uniform(generator);
        points.push_back(p);
      }
    return points;
  }

  /// (1 + a.x)^degree in every component.
  template <int dim>
  class Power : public Function<dim>
  {
  public:
    Power(const unsigned int degree, const unsigned int n_components = 1)
      : Function<dim>(n_components)
      , degree(degree)
    {
      for (unsigned int d = 0; d < dim; ++d)
        slope[d] = 0.5 / (d + 1.) * (d % 2 == 0 ? 1. : -1.);
    }

    double
    value(const Point<dim> &p, const unsigned int = 0) const override
    {
      return std::pow(1. + slope * p, degree);
    }

    Tensor<1, dim>
    gradient(const Point<dim> &p, const unsigned int = 0) const override
    {
      return degree * std::pow(1. + slope * p, degree - 1.) * slope;
    }

  private:
    const double   degree;
    Tensor<1, dim> slope;
  };

  template <int dim>
  void
  make_distorted_mesh(Triangulation<dim> &triangulation)
  {
    GridGenerator::subdivided_hyper_cube_with_simplices(triangulation, 2);
    GridTools::transform(
      [](const Point<dim> &p) {
        Point<dim> q = p;
        q[0] += 0.1 * std::sin(5. * p[dim - 1]) + 0.05 * p[1];
        q[1] += 0.1 * p[0] * p[0];
        q[dim - 1] += 0.07 * std::cos(4. * p[0]) * p[1];
        return q;
      },
      triangulation);
  }

  template <int dim>
  const Mapping<dim> &
  affine_mapping()
  {
    static const MappingFE<dim> mapping(FE_SimplexP<dim>(1));
    return mapping;
  }

  /// L2 projection on every cell by the mass matrix det(J) I of affine cells; all components alike.
  template <int dim>
  Vector<double>
  project(const DoFHandler<dim> &dof_handler, const Function<dim> &function)
  {
    const auto                          &fe = dof_handler.get_fe();
    FEValues<dim>                        values(affine_mapping<dim>(),
                         fe,
                         collapsed_gauss<dim>(fe.degree + 2),
                         update_values | update_quadrature_points | update_JxW_values |
                           update_jacobians);
    std::vector<types::global_dof_index> dofs(fe.n_dofs_per_cell());
    Vector<double>                       result(dof_handler.n_dofs());
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        values.reinit(cell);
        cell->get_dof_indices(dofs);
        for (const unsigned int i : values.dof_indices())
          for (const unsigned int q : values.quadrature_point_indices())
            result(dofs[i]) += values.shape_value(i, q) *
                               function.value(values.quadrature_point(q)) * values.JxW(q) /
                               values.jacobian(q).determinant();
      }
    return result;
  }

  template <int dim>
  double
  error(const DoFHandler<dim>      &dof_handler,
        const Vector<double>       &solution,
        const Function<dim>        &function,
        const VectorTools::NormType norm = VectorTools::L2_norm)
  {
    Vector<double> difference(dof_handler.get_triangulation().n_active_cells());
    VectorTools::integrate_difference(affine_mapping<dim>(),
                                      dof_handler,
                                      solution,
                                      function,
                                      difference,
                                      collapsed_gauss<dim>(dof_handler.get_fe().degree + 2),
                                      norm);
    return VectorTools::compute_global_error(dof_handler.get_triangulation(), difference, norm);
  }

  template <typename Dimension>
  class SimplexModal : public testing::Test
  {};

  struct DimensionName
  {
    template <typename Dimension>
    static std::string
    GetName(int)
    {
      return std::to_string(Dimension::value) + "D";
    }
  };

  using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
  TYPED_TEST_SUITE(SimplexModal, Dimensions, DimensionName);

  TYPED_TEST(SimplexModal, IsOrthonormal)
  {
    constexpr int dim = TypeParam::value;
    for (const unsigned int degree : {0, 1, 6, 8})
      {
        const SimplexModalPolynomials<dim> polynomials(degree);
        const auto                         quadrature = collapsed_gauss<dim>(degree + 2);

        FullMatrix<double> values(polynomials.n(), quadrature.size());
        FullMatrix<double> weighted(polynomials.n(), quadrature.size());
        for (unsigned int q = 0; q < quadrature.size(); ++q)
          {
            const std::vector<double> modes = mode_values(polynomials, quadrature.point(q));
            for (unsigned int i = 0; i < polynomials.n(); ++i)
              {
                values(i, q)   = modes[i];
                weighted(i, q) = quadrature.weight(q) * modes[i];
              }
          }
        FullMatrix<double> gram(polynomials.n());
        values.mTmult(gram, weighted);
        gram.diagadd(-1.);
        EXPECT_LT(gram.linfty_norm(), 1e-12) << "degree " << degree;
      }
  }

  TYPED_TEST(SimplexModal, LowerDegreeIsPrefix)
  {
    constexpr int dim = TypeParam::value;
    for (unsigned int degree = 0; degree < 6; ++degree)
      for (const Point<dim> &p : sample_points<dim>())
        {
          const Modes<dim> low(SimplexModalPolynomials<dim>(degree), p);
          const Modes<dim> high(SimplexModalPolynomials<dim>(degree + 1), p);
          ASSERT_LT(low.values.size(), high.values.size());
          for (unsigned int i = 0; i < low.values.size(); ++i)
            {
              EXPECT_DOUBLE_EQ(low.values[i], high.values[i]);
              EXPECT_DOUBLE_EQ(0., (low.gradients[i] - high.gradients[i]).norm());
            }
        }
  }

  TYPED_TEST(SimplexModal, SingleModesAgreeWithAll)
  {
    constexpr int                      dim = TypeParam::value;
    const SimplexModalPolynomials<dim> polynomials(6);
    for (const Point<dim> &p : sample_points<dim>())
      {
        const Modes<dim>          modes(polynomials, p);
        const std::vector<double> values = mode_values(polynomials, p);
        for (unsigned int i = 0; i < polynomials.n(); ++i)
          {
            const double tolerance = 1e-12 * (1. + modes.hessians[i].norm());
            EXPECT_NEAR(values[i], modes.values[i], tolerance);
            EXPECT_NEAR(polynomials.compute_value(i, p), modes.values[i], tolerance);
            EXPECT_LT((polynomials.compute_grad(i, p) - modes.gradients[i]).norm(), tolerance);
            EXPECT_LT((polynomials.compute_grad_grad(i, p) - modes.hessians[i]).norm(), tolerance);
          }
      }
  }

  /// Central differences of order 6 are exact for polynomials of degree 6.
  TYPED_TEST(SimplexModal, DerivativesAreDifferences)
  {
    constexpr int                      dim = TypeParam::value;
    const SimplexModalPolynomials<dim> polynomials(6);
    const double                       step         = 0.1;
    const std::array<double, 3>        coefficients = {{45. / 60., -9. / 60., 1. / 60.}};
    for (const Point<dim> &p : sample_points<dim>())
      {
        const Modes<dim> modes(polynomials, p);
        for (unsigned int d = 0; d < dim; ++d)
          {
            std::vector<double>         gradient(polynomials.n());
            std::vector<Tensor<1, dim>> hessian(polynomials.n());
            for (unsigned int k = 0; k < coefficients.size(); ++k)
              {
                const Tensor<1, dim> shift = (k + 1.) * step * Point<dim>::unit_vector(d);
                const Modes<dim>     right(polynomials, p + shift), left(polynomials, p - shift);
                for (unsigned int i = 0; i < polynomials.n(); ++i)
                  {
                    gradient[i] += coefficients[k] / step * (right.values[i] - left.values[i]);
                    hessian[i] += coefficients[k] / step * (right.gradients[i] - left.gradients[i]);
                  }
              }
            for (unsigned int i = 0; i < polynomials.n(); ++i)
              {
                const double tolerance = 1e-10 * (1. + modes.hessians[i].norm());
                EXPECT_NEAR(modes.gradients[i][d], gradient[i], tolerance) << "mode " << i;
                EXPECT_LT((modes.hessians[i][d] - hessian[i]).norm(), tolerance) << "mode " << i;
              }
          }
      }
  }

  TYPED_TEST(SimplexModal, SpansCompletePolynomials)
  {
    constexpr int                      dim    = TypeParam::value;
    const unsigned int                 degree = 6;
    const SimplexModalPolynomials<dim> polynomials(degree);
    const auto                         quadrature = collapsed_gauss<dim>(degree + 2);

    std::vector<std::vector<double>> modes;
    for (const Point<dim> &p : quadrature.get_points())
      modes.push_back(mode_values(polynomials, p));

    // As many powers (1 + a.x)^degree, with random a, as there are modes: they span the space.
    std::mt19937                           generator(2);
    std::uniform_real_distribution<double> uniform(-1., 1.);
    for (unsigned int n = 0; n < polynomials.n(); ++n)
      {
        Tensor<1, dim> direction;
        for (unsigned int d = 0; d < dim; ++d)
          direction[d] = uniform(generator);
        const auto f = [&](const Point<dim> &p) { return std::pow(1. + direction * p, degree); };

        std::vector<double> coefficients(polynomials.n());
        for (unsigned int q = 0; q < quadrature.size(); ++q)
          {
            const double weighted = quadrature.weight(q) * f(quadrature.point(q));
            for (unsigned int i = 0; i < polynomials.n(); ++i)
              coefficients[i] += weighted * modes[q][i];
          }
        for (const Point<dim> &p : sample_points<dim>())
          {
            const std::vector<double> values = mode_values(polynomials, p);
            double                    sum    = 0.;
            for (unsigned int i = 0; i < polynomials.n(); ++i)
              sum += coefficients[i] * values[i];
            EXPECT_NEAR(sum, f(p), 1e-11);
          }
      }
  }

  TYPED_TEST(SimplexModal, ThirdDerivativesThrow)
  {
    constexpr int                      dim = TypeParam::value;
    const SimplexModalPolynomials<dim> polynomials(2);
    EXPECT_THROW(polynomials.compute_3rd_derivative(0, Point<dim>()), ExcNotImplemented);
    EXPECT_THROW(polynomials.compute_4th_derivative(0, Point<dim>()), ExcNotImplemented);
  }

  TYPED_TEST(SimplexModal, ElementDescribesItself)
  {
    constexpr int                dim = TypeParam::value;
    const FE_SimplexDGModal<dim> fe(3);
    EXPECT_EQ(fe.get_name(), "FE_SimplexDGModal<" + std::to_string(dim) + ">(3)");
    EXPECT_EQ(fe.clone()->get_name(), fe.get_name());
    EXPECT_EQ(fe.n_dofs_per_cell(), dim == 2 ? 10 : 20);
    EXPECT_EQ(fe.n_dofs_per_face(), 0);
    EXPECT_FALSE(fe.has_support_points());
    EXPECT_EQ(fe.compare_for_domination(FE_SimplexDGModal<dim>(4), 0),
              FiniteElementDomination::this_element_dominates);
    EXPECT_EQ(fe.compare_for_domination(FE_SimplexDGModal<dim>(2), 0),
              FiniteElementDomination::other_element_dominates);

    const Table<2, bool> constant_modes = fe.get_constant_modes().first;
    for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
      EXPECT_EQ(constant_modes(0, i), i == 0);
  }

  TYPED_TEST(SimplexModal, InterpolationTruncatesAndPads)
  {
    constexpr int                dim = TypeParam::value;
    const FE_SimplexDGModal<dim> low(2), high(4);
    FullMatrix<double>           pad(high.n_dofs_per_cell(), low.n_dofs_per_cell());
    FullMatrix<double>           truncate(low.n_dofs_per_cell(), high.n_dofs_per_cell());
    high.get_interpolation_matrix(low, pad);
    low.get_interpolation_matrix(high, truncate);
    for (unsigned int i = 0; i < pad.m(); ++i)
      for (unsigned int j = 0; j < pad.n(); ++j)
        {
          EXPECT_EQ(pad(i, j), i == j ? 1. : 0.);
          EXPECT_EQ(truncate(j, i), i == j ? 1. : 0.);
        }
    EXPECT_THROW(high.get_interpolation_matrix(FE_SimplexP<dim>(1), pad),
                 typename FiniteElement<dim>::ExcInterpolationNotImplemented);
  }

  TYPED_TEST(SimplexModal, FEValuesOnDistortedMesh)
  {
    constexpr int                      dim = TypeParam::value;
    const FE_SimplexDGModal<dim>       fe(5);
    const SimplexModalPolynomials<dim> polynomials(5);
    Triangulation<dim>                 triangulation;
    make_distorted_mesh(triangulation);

    const auto    quadrature = collapsed_gauss<dim>(2);
    FEValues<dim> values(affine_mapping<dim>(),
                         fe,
                         quadrature,
                         update_values | update_gradients | update_hessians |
                           update_inverse_jacobians);
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        values.reinit(cell);
        for (const unsigned int q : values.quadrature_point_indices())
          {
            const Modes<dim>     modes(polynomials, quadrature.point(q));
            const Tensor<2, dim> inverse = values.inverse_jacobian(q);
            for (const unsigned int i : values.dof_indices())
              {
                const Tensor<2, dim> hessian   = transpose(inverse) * modes.hessians[i] * inverse;
                const double         tolerance = 1e-12 * (1. + hessian.norm());
                EXPECT_NEAR(values.shape_value(i, q), modes.values[i], tolerance);
                EXPECT_LT((values.shape_grad(i, q) - modes.gradients[i] * inverse).norm(),
                          tolerance);
                EXPECT_LT((values.shape_hessian(i, q) - hessian).norm(), tolerance);
              }
          }
      }
  }

  TYPED_TEST(SimplexModal, ProjectionReproducesPolynomials)
  {
    constexpr int      dim = TypeParam::value;
    Triangulation<dim> triangulation;
    make_distorted_mesh(triangulation);
    for (unsigned int degree = 0; degree <= 6; ++degree)
      {
        const unsigned int n_components = degree <= 3 ? 4 : 1;
        DoFHandler<dim>    dof_handler(triangulation);
        dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), n_components));
        EXPECT_EQ(dof_handler.n_dofs(),
                  n_components * triangulation.n_active_cells() *
                    SimplexModalPolynomials<dim>::n_polynomials(degree));

        const Power<dim>     function(degree, n_components);
        const Vector<double> solution = project(dof_handler, function);
        EXPECT_LT(error(dof_handler, solution, function), 1e-11) << "degree " << degree;
        EXPECT_LT(error(dof_handler, solution, function, VectorTools::H1_seminorm), 1e-10)
          << "degree " << degree;
        EXPECT_GT(error(dof_handler, solution, Power<dim>(degree + 1, n_components)), 1e-8);
      }
  }

  TYPED_TEST(SimplexModal, GlobalPolynomialDoesNotJump)
  {
    constexpr int      dim    = TypeParam::value;
    const unsigned int degree = 5;
    Triangulation<dim> triangulation;
    make_distorted_mesh(triangulation);
    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(degree));
    const Power<dim>     function(degree);
    const Vector<double> solution = project(dof_handler, function);

    FEInterfaceValues<dim> values(affine_mapping<dim>(),
                                  dof_handler.get_fe(),
                                  face_quadrature<dim>(3),
                                  update_values | update_gradients | update_quadrature_points);
    unsigned int           n_interior_faces = 0;
    for (const auto &cell : dof_handler.active_cell_iterators())
      for (const unsigned int face : cell->face_indices())
        if (!cell->at_boundary(face))
          {
            ++n_interior_faces;
            const auto neighbor = cell->neighbor(face);
            values.reinit(cell,
                          face,
                          numbers::invalid_unsigned_int,
                          neighbor,
                          cell->neighbor_of_neighbor(face),
                          numbers::invalid_unsigned_int);
            const auto dofs = values.get_interface_dof_indices();
            for (const unsigned int q : values.quadrature_point_indices())
              {
                double         jump = 0., average = 0.;
                Tensor<1, dim> gradient_jump;
                for (unsigned int i = 0; i < dofs.size(); ++i)
                  {
                    jump += solution(dofs[i]) * values.jump_in_shape_values(i, q);
                    average += solution(dofs[i]) * values.average_of_shape_values(i, q);
                    gradient_jump += solution(dofs[i]) * values.jump_in_shape_gradients(i, q);
                  }
                EXPECT_NEAR(jump, 0., 1e-12);
                EXPECT_NEAR(average, function.value(values.get_quadrature_points()[q]), 1e-12);
                EXPECT_LT(gradient_jump.norm(), 1e-10);
              }
          }
    EXPECT_GT(n_interior_faces, 0);
  }

  TYPED_TEST(SimplexModal, TransferFollowsTheRefinementOfTheCell)
  {
    constexpr int                dim = TypeParam::value;
    const FE_SimplexDGModal<dim> fe(3);
    const unsigned int n_ways = Saltus::Compatibility::n_isotropic_refinements(fe.reference_cell());
    std::set<unsigned int> refinements;
    for (unsigned int way = 0; way < n_ways; ++way)
      {
        Triangulation<dim> triangulation;
        GridGenerator::reference_cell(triangulation, fe.reference_cell());
        Saltus::Compatibility::refine_isotropically(triangulation, way);
        const auto parent     = triangulation.begin(0);
        const auto refinement = parent->refinement_case();
        refinements.insert(refinement);

        FullMatrix<double> there_and_back(fe.n_dofs_per_cell());
        for (unsigned int c = 0; c < parent->n_children(); ++c)
          {
            const FullMatrix<double> &prolongation = fe.get_prolongation_matrix(c, refinement);
            const FullMatrix<double> &restriction  = fe.get_restriction_matrix(c, refinement);
            ASSERT_EQ(prolongation.m(), fe.n_dofs_per_cell());
            ASSERT_EQ(restriction.m(), fe.n_dofs_per_cell());
            restriction.mmult(there_and_back, prolongation, true);

            for (const Point<dim> &p : sample_points<dim>())
              {
                const Point<dim> in_parent =
                  affine_mapping<dim>().transform_unit_to_real_cell(parent->child(c), p);
                for (unsigned int j = 0; j < fe.n_dofs_per_cell(); ++j)
                  {
                    double sum = 0.;
                    for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
                      sum += prolongation(i, j) * fe.shape_value(i, p);
                    EXPECT_NEAR(sum, fe.shape_value(j, in_parent), 1e-12) << "mode " << j;
                  }
              }
          }
        there_and_back.diagadd(-1.);
        EXPECT_LT(there_and_back.linfty_norm(), 1e-12);
      }
    EXPECT_EQ(refinements.size(), n_ways);
  }

  TYPED_TEST(SimplexModal, TransferBetweenMeshesKeepsPolynomials)
  {
    constexpr int      dim = TypeParam::value;
    Triangulation<dim> triangulation;
    make_distorted_mesh(triangulation);
    DoFHandler<dim>     dof_handler(triangulation);
    const FESystem<dim> fe(FE_SimplexDGModal<dim>(4), 2);
    const Power<dim>    function(4, 2);
    dof_handler.distribute_dofs(fe);
    Vector<double> solution = project(dof_handler, function);

    const Vector<double>  coarse_solution = solution;
    SolutionTransfer<dim> transfer(dof_handler);
    triangulation.set_all_refine_flags();
    triangulation.prepare_coarsening_and_refinement();
    transfer.prepare_for_pure_refinement();
    triangulation.execute_coarsening_and_refinement();
    dof_handler.distribute_dofs(fe);
    solution.reinit(dof_handler.n_dofs());
    transfer.refine_interpolate(coarse_solution, solution);
    EXPECT_LT(error(dof_handler, solution, function), 1e-11);

    // Simplices cannot be coarsened by deal.II 9.4, so restrict from the children directly.
    FEValues<dim>      values(affine_mapping<dim>(),
                         fe,
                         Quadrature<dim>(sample_points<dim>()),
                         update_values | update_quadrature_points);
    Vector<double>     local(fe.n_dofs_per_cell());
    const unsigned int n = fe.base_element(0).n_dofs_per_cell();
    for (const auto &cell : dof_handler.cell_iterators_on_level(0))
      {
        cell->get_interpolated_dof_values(solution, local);
        values.reinit(cell);
        for (const unsigned int q : values.quadrature_point_indices())
          {
            double sum = 0.;
            for (unsigned int i = 0; i < n; ++i)
              {
                const unsigned int dof = fe.component_to_system_index(0, i);
                sum += local(dof) * values.shape_value(dof, q);
              }
            EXPECT_NEAR(sum, function.value(values.quadrature_point(q)), 1e-11);
          }
      }
  }

  TYPED_TEST(SimplexModal, DataOutShowsVertexValues)
  {
    constexpr int dim = TypeParam::value;
    struct Output : public DataOut<dim>
    {
      using DataOut<dim>::get_patches;
    };

    Triangulation<dim> triangulation;
    make_distorted_mesh(triangulation);
    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(3));
    const Power<dim> function(3);

    Output output;
    output.attach_dof_handler(dof_handler);
    const Vector<double> solution = project(dof_handler, function);
    output.add_data_vector(solution, "u");
    output.build_patches(affine_mapping<dim>());
    ASSERT_EQ(output.get_patches().size(), triangulation.n_active_cells());
    for (const auto &patch : output.get_patches())
      for (unsigned int v = 0; v <= dim; ++v)
        EXPECT_NEAR(patch.data(0, v), function.value(patch.vertices[v]), 1e-6);
  }

  TYPED_TEST(SimplexModal, DegreeMayVary)
  {
    constexpr int                dim = TypeParam::value;
    const FE_SimplexDGModal<dim> low(1), high(3);
    Triangulation<dim>           triangulation;
    make_distorted_mesh(triangulation);
    DoFHandler<dim> dof_handler(triangulation);
    unsigned int    expected = 0;
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        cell->set_active_fe_index(cell->active_cell_index() % 2);
        expected += (cell->active_fe_index() == 0 ? low : high).n_dofs_per_cell();
      }
    dof_handler.distribute_dofs(hp::FECollection<dim>(low, high));
    EXPECT_EQ(dof_handler.n_dofs(), expected);

    AffineConstraints<double> constraints;
    DoFTools::make_hanging_node_constraints(dof_handler, constraints);
    EXPECT_EQ(constraints.n_constraints(), 0);
  }
} // namespace
