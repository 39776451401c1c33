// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/function.h>
#include <deal.II/base/function_lib.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_interface_values.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
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
#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/hypercube_collocation_polynomials.h>
#include <saltus/fe/simplex_modal_polynomials.h>

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace
{
  using namespace dealii;
  using Saltus::FE_HypercubeDG;
  using Saltus::FE_SimplexDGModal;
  using Saltus::HypercubeCollocationPolynomials;
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

  /// With n Gauss points in each direction.
  template <int dim>
  Quadrature<dim>
  gauss(const ReferenceCell &cell, const unsigned int n)
  {
    if constexpr (dim > 1)
      if (!cell.is_hyper_cube())
        return collapsed_gauss<dim>(n);
    return QGauss<dim>(n);
  }

  template <int dim>
  struct Modes
  {
    std::vector<double>         values;
    std::vector<Tensor<1, dim>> gradients;
    std::vector<Tensor<2, dim>> hessians;

    Modes(const ScalarPolynomialsBase<dim> &polynomials, const Point<dim> &p)
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
  mode_values(const ScalarPolynomialsBase<dim> &polynomials, const Point<dim> &p)
  {
    std::vector<double>         values(polynomials.n());
    std::vector<Tensor<1, dim>> no_1st;
    std::vector<Tensor<2, dim>> no_2nd;
    std::vector<Tensor<3, dim>> no_3rd;
    std::vector<Tensor<4, dim>> no_4th;
    polynomials.evaluate(p, values, no_1st, no_2nd, no_3rd, no_4th);
    return values;
  }

  /// The vertices of the reference simplex, its centre, and random points in it, which are in the
  /// unit cube as well.
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
  struct Simplices
  {
    static constexpr int dimension = dim;
    using Element                  = FE_SimplexDGModal<dim>;
    using Polynomials              = SimplexModalPolynomials<dim>;

    static ReferenceCell
    cell()
    {
      return ReferenceCells::get_simplex<dim>();
    }

    static void
    make_mesh(Triangulation<dim> &triangulation, const unsigned int n = 2)
    {
      GridGenerator::subdivided_hyper_cube_with_simplices(triangulation, n);
    }
  };

  template <int dim>
  struct Hypercubes
  {
    static constexpr int dimension = dim;
    using Element                  = FE_HypercubeDG<dim>;
    using Polynomials              = HypercubeCollocationPolynomials<dim>;

    static ReferenceCell
    cell()
    {
      return ReferenceCells::get_hypercube<dim>();
    }

    static void
    make_mesh(Triangulation<dim> &triangulation, const unsigned int n = 2)
    {
      GridGenerator::subdivided_hyper_cube(triangulation, n);
    }
  };

  template <typename Shape, int dim>
  void
  make_distorted_mesh(Triangulation<dim> &triangulation, const unsigned int n = 2)
  {
    Shape::make_mesh(triangulation, n);
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
  linear_mapping(const ReferenceCell &cell)
  {
    return cell.template get_default_linear_mapping<dim>();
  }

  /// L2 projection on the reference cell of every cell; all components alike.
  template <int dim>
  Vector<double>
  project(const DoFHandler<dim> &dof_handler, const Function<dim> &function)
  {
    const auto   &fe = dof_handler.get_fe();
    FEValues<dim> values(linear_mapping<dim>(dof_handler.get_fe().reference_cell()),
                         fe,
                         gauss<dim>(fe.reference_cell(), fe.degree + 2),
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
    const auto    &fe = dof_handler.get_fe();
    VectorTools::integrate_difference(linear_mapping<dim>(dof_handler.get_fe().reference_cell()),
                                      dof_handler,
                                      solution,
                                      function,
                                      difference,
                                      gauss<dim>(fe.reference_cell(), fe.degree + 2),
                                      norm);
    return VectorTools::compute_global_error(dof_handler.get_triangulation(), difference, norm);
  }

  template <typename Shape>
  class OrthonormalDG : public testing::Test
  {};

  struct ShapeName
  {
    template <typename Shape>
    static std::string
    GetName(int)
    {
      const std::string name = typename Shape::Element(0).get_name();
      return name.substr(3, name.find('<') - 3) + std::to_string(Shape::dimension);
    }
  };

  using Shapes = testing::Types<Simplices<2>, Simplices<3>, Hypercubes<2>, Hypercubes<3>>;
  TYPED_TEST_SUITE(OrthonormalDG, Shapes, ShapeName);

  TYPED_TEST(OrthonormalDG, IsOrthonormal)
  {
    constexpr int dim = TypeParam::dimension;
    for (const unsigned int degree : {0, 1, 6, 8})
      {
        const typename TypeParam::Polynomials polynomials(degree);
        const auto quadrature = gauss<dim>(TypeParam::cell(), degree + 2);

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

  TYPED_TEST(OrthonormalDG, SingleModesAgreeWithAll)
  {
    constexpr int                         dim = TypeParam::dimension;
    const typename TypeParam::Polynomials polynomials(6);
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
  TYPED_TEST(OrthonormalDG, DerivativesAreDifferences)
  {
    constexpr int                         dim = TypeParam::dimension;
    const typename TypeParam::Polynomials polynomials(6);
    const double                          step         = 0.1;
    const std::array<double, 3>           coefficients = {{45. / 60., -9. / 60., 1. / 60.}};
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

  TYPED_TEST(OrthonormalDG, SpansCompletePolynomials)
  {
    constexpr int                         dim    = TypeParam::dimension;
    const unsigned int                    degree = 6;
    const typename TypeParam::Polynomials polynomials(degree);
    const auto                            quadrature = gauss<dim>(TypeParam::cell(), degree + 2);

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

  TYPED_TEST(OrthonormalDG, ElementDescribesItself)
  {
    constexpr int                     dim = TypeParam::dimension;
    const typename TypeParam::Element fe(3);
    const bool                        is_simplex = fe.reference_cell().is_simplex();
    EXPECT_EQ(fe.get_name(),
              (is_simplex ? "FE_SimplexDGModal<" : "FE_HypercubeDG<") + std::to_string(dim) +
                ">(3)");
    EXPECT_EQ(fe.clone()->get_name(), fe.get_name());
    EXPECT_EQ(fe.degree, 3);
    EXPECT_EQ(fe.n_dofs_per_cell(),
              is_simplex ? (dim == 2 ? 10 : 20) : Utilities::fixed_power<dim>(4));
    EXPECT_EQ(fe.n_dofs_per_face(), 0);
    EXPECT_FALSE(fe.has_support_points());
    EXPECT_EQ(fe.compare_for_domination(typename TypeParam::Element(4), 0),
              FiniteElementDomination::this_element_dominates);
    EXPECT_EQ(fe.compare_for_domination(typename TypeParam::Element(2), 0),
              FiniteElementDomination::other_element_dominates);

    if (!is_simplex)
      {
        EXPECT_THROW(fe.get_constant_modes(), ExcNotImplemented);
        return;
      }
    const Table<2, bool> constant_modes = fe.get_constant_modes().first;
    for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
      EXPECT_EQ(constant_modes(0, i), i == 0);
  }

  TYPED_TEST(OrthonormalDG, InterpolationEmbedsAndProjects)
  {
    constexpr int                     dim = TypeParam::dimension;
    const typename TypeParam::Element low(2), high(4);
    FullMatrix<double>                embed(high.n_dofs_per_cell(), low.n_dofs_per_cell());
    FullMatrix<double>                project(low.n_dofs_per_cell(), high.n_dofs_per_cell());
    high.get_interpolation_matrix(low, embed);
    low.get_interpolation_matrix(high, project);
    for (unsigned int m = 0; m < embed.m(); ++m)
      for (unsigned int k = 0; k < embed.n(); ++k)
        {
          EXPECT_EQ(project(k, m), embed(m, k));
          if (high.reference_cell().is_simplex())
            {
              EXPECT_EQ(embed(m, k), m == k ? 1. : 0.);
            }
        }
    for (const Point<dim> &p : sample_points<dim>())
      for (unsigned int k = 0; k < embed.n(); ++k)
        {
          double sum = 0.;
          for (unsigned int m = 0; m < embed.m(); ++m)
            sum += embed(m, k) * high.shape_value(m, p);
          EXPECT_NEAR(sum, low.shape_value(k, p), 1e-12);
        }
    FullMatrix<double> identity(low.n_dofs_per_cell());
    project.mmult(identity, embed);
    identity.diagadd(-1.);
    EXPECT_LT(identity.linfty_norm(), 1e-13);
    for (const auto &other : {std::shared_ptr<FiniteElement<dim>>(new FE_SimplexP<dim>(1)),
                              std::shared_ptr<FiniteElement<dim>>(new FE_DGQ<dim>(1))})
      if (other->reference_cell() != high.reference_cell())
        {
          EXPECT_THROW(high.get_interpolation_matrix(*other, embed),
                       typename FiniteElement<dim>::ExcInterpolationNotImplemented);
        }
  }

  TYPED_TEST(OrthonormalDG, FEValuesOnAffineMesh)
  {
    constexpr int                         dim = TypeParam::dimension;
    const typename TypeParam::Element     fe(5);
    const typename TypeParam::Polynomials polynomials(5);
    Triangulation<dim>                    triangulation;
    TypeParam::make_mesh(triangulation);
    GridTools::transform(
      [](const Point<dim> &p) {
        Point<dim> q = p;
        q[0]         = 1.3 * p[0] + 0.4 * p[dim - 1];
        q[1] += 0.3 * p[0];
        return q;
      },
      triangulation);

    const auto    quadrature = gauss<dim>(TypeParam::cell(), 2);
    FEValues<dim> values(linear_mapping<dim>(TypeParam::cell()),
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

  TYPED_TEST(OrthonormalDG, ProjectionReproducesPolynomials)
  {
    constexpr int      dim = TypeParam::dimension;
    Triangulation<dim> triangulation;
    make_distorted_mesh<TypeParam>(triangulation);
    for (unsigned int degree = 0; degree <= 6; ++degree)
      {
        const unsigned int n_components = degree <= 3 ? 4 : 1;
        DoFHandler<dim>    dof_handler(triangulation);
        dof_handler.distribute_dofs(
          FESystem<dim>(typename TypeParam::Element(degree), n_components));
        EXPECT_EQ(dof_handler.n_dofs(),
                  n_components * triangulation.n_active_cells() *
                    typename TypeParam::Polynomials(degree).n());

        const Power<dim>     function(degree, n_components);
        const Vector<double> solution = project(dof_handler, function);
        EXPECT_LT(error(dof_handler, solution, function), 1e-11) << "degree " << degree;
        EXPECT_LT(error(dof_handler, solution, function, VectorTools::H1_seminorm), 1e-10)
          << "degree " << degree;
        EXPECT_GT(error(dof_handler, solution, Power<dim>(degree + 1, n_components)), 1e-8);
      }
  }

  TYPED_TEST(OrthonormalDG, ProjectionConverges)
  {
    constexpr int                        dim    = TypeParam::dimension;
    const unsigned int                   degree = 2;
    const Functions::CosineFunction<dim> function;
    std::vector<double>                  errors;
    for (const unsigned int n : {4, 8})
      {
        Triangulation<dim> triangulation;
        make_distorted_mesh<TypeParam>(triangulation, n);
        DoFHandler<dim> dof_handler(triangulation);
        dof_handler.distribute_dofs(typename TypeParam::Element(degree));
        errors.push_back(error(dof_handler, project(dof_handler, function), function));
      }
    EXPECT_GT(std::log2(errors[0] / errors[1]), degree + 0.8);
  }

  TYPED_TEST(OrthonormalDG, GlobalPolynomialDoesNotJump)
  {
    constexpr int      dim    = TypeParam::dimension;
    const unsigned int degree = 5;
    Triangulation<dim> triangulation;
    make_distorted_mesh<TypeParam>(triangulation);
    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(typename TypeParam::Element(degree));
    const Power<dim>     function(degree);
    const Vector<double> solution = project(dof_handler, function);

    FEInterfaceValues<dim> values(linear_mapping<dim>(TypeParam::cell()),
                                  dof_handler.get_fe(),
                                  gauss<dim - 1>(TypeParam::cell().face_reference_cell(0), 3),
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

  TYPED_TEST(OrthonormalDG, TransferFollowsTheRefinementOfTheCell)
  {
    constexpr int                     dim = TypeParam::dimension;
    const typename TypeParam::Element fe(3);
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
                const Point<dim> in_parent = linear_mapping<dim>(TypeParam::cell())
                                               .transform_unit_to_real_cell(parent->child(c), p);
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

  TYPED_TEST(OrthonormalDG, TransferBetweenMeshesKeepsPolynomials)
  {
    constexpr int      dim = TypeParam::dimension;
    Triangulation<dim> triangulation;
    make_distorted_mesh<TypeParam>(triangulation);
    DoFHandler<dim>     dof_handler(triangulation);
    const FESystem<dim> fe(typename TypeParam::Element(4), 2);
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
    FEValues<dim>      values(linear_mapping<dim>(TypeParam::cell()),
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

  TYPED_TEST(OrthonormalDG, DataOutShowsVertexValues)
  {
    constexpr int dim = TypeParam::dimension;
    struct Output : public DataOut<dim>
    {
      using DataOut<dim>::get_patches;
    };

    Triangulation<dim> triangulation;
    make_distorted_mesh<TypeParam>(triangulation);
    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(typename TypeParam::Element(3));
    const Power<dim> function(3);

    Output output;
    output.attach_dof_handler(dof_handler);
    const Vector<double> solution = project(dof_handler, function);
    output.add_data_vector(solution, "u");
    output.build_patches(linear_mapping<dim>(TypeParam::cell()));
    ASSERT_EQ(output.get_patches().size(), triangulation.n_active_cells());
    for (const auto &patch : output.get_patches())
      for (const unsigned int v : TypeParam::cell().vertex_indices())
        EXPECT_NEAR(patch.data(0, v), function.value(patch.vertices[v]), 1e-6);
  }

  TYPED_TEST(OrthonormalDG, DegreeMayVary)
  {
    constexpr int                     dim = TypeParam::dimension;
    const typename TypeParam::Element low(1), high(3);
    Triangulation<dim>                triangulation;
    make_distorted_mesh<TypeParam>(triangulation);
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

  template <int dim>
  void
  expect_prefix()
  {
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

  TEST(SimplexModal, LowerDegreeIsPrefix)
  {
    expect_prefix<2>();
    expect_prefix<3>();
  }

  template <int dim>
  void
  expect_no_third_derivatives()
  {
    const SimplexModalPolynomials<dim> polynomials(2);
    EXPECT_THROW(polynomials.compute_3rd_derivative(0, Point<dim>()), ExcNotImplemented);
    EXPECT_THROW(polynomials.compute_4th_derivative(0, Point<dim>()), ExcNotImplemented);
  }

  TEST(SimplexModal, ThirdDerivativesThrow)
  {
    expect_no_third_derivatives<2>();
    expect_no_third_derivatives<3>();
  }

  /// At a point of Gauss's rule one mode is not zero: its square is one over the point's weight.
  template <int dim>
  void
  expect_collocation()
  {
    for (const unsigned int degree : {0, 1, 4, 9})
      {
        const HypercubeCollocationPolynomials<dim> polynomials(degree);
        const QGauss<dim>                          rule(degree + 1);
        EXPECT_EQ(polynomials.degree(), degree);
        EXPECT_EQ(polynomials.clone()->degree(), degree);
        ASSERT_EQ(polynomials.n(), rule.size());
        for (unsigned int q = 0; q < rule.size(); ++q)
          {
            const std::vector<double> values   = mode_values(polynomials, rule.point(q));
            const double              expected = 1. / std::sqrt(rule.weight(q));
            for (unsigned int m = 0; m < polynomials.n(); ++m)
              EXPECT_NEAR(values[m], m == q ? expected : 0., 1e-12 * expected);
          }
      }
  }

  TEST(HypercubeCollocation, ModesBelongToPoints)
  {
    expect_collocation<2>();
    expect_collocation<3>();
  }
} // namespace
