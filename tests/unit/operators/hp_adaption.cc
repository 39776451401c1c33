// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Which polytopic elements are divided or raised in degree, and how smooth functions are in them.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/operators/polytopic/hp_adaption.h>
#include <saltus/operators/polytopic/legendre_decay.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  TEST(LegendreDecayTest, OfNorms)
  {
    std::vector<double> norms;
    for (unsigned int p = 1; p <= 8; ++p)
      {
        norms.clear();
        for (unsigned int k = 0; k <= p; ++k)
          norms.push_back(7. * std::pow(.3, k));
        EXPECT_NEAR(decay_of_norms(norms), .3, 1e-12) << p;
        norms[0] = 1e4; // the mean says nothing
        if (p > 1)
          {
            EXPECT_NEAR(decay_of_norms(norms), .3, 1e-12) << p;
          }
      }
    // The last four of algebraic decay: slower and slower.
    const auto algebraic = [](const unsigned int p) {
      std::vector<double> result;
      for (unsigned int k = 0; k <= p; ++k)
        result.push_back(std::pow(k + 1., -3));
      return decay_of_norms(result);
    };
    EXPECT_GT(algebraic(8), algebraic(5));
    EXPECT_GT(algebraic(5), algebraic(2));
    // Even functions: 1, 0.5, 0.5, 0.1, 0.1.
    const double slope = (-1.5 * std::log(.5) - .5 * std::log(.5) + 2. * std::log(.1)) / 5.;
    EXPECT_NEAR(decay_of_norms({1., 0., .5, 0., .1}), std::exp(slope), 1e-12);
    EXPECT_EQ(decay_of_norms({0., 0., 0.}), 0.);
    EXPECT_LT(decay_of_norms({1., 0., 0.}), 1e-3);
  }

  /// Coefficients of a function on the elements, by projection in their boxes.
  std::vector<double>
  project(const PolytopicSpace<2> &space, const std::function<double(const Point<2> &)> &function)
  {
    std::vector<double> result(space.n_dofs(), 0.);
    const QGauss<2>     rule(20);
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      {
        const auto &box = space.mesh().box(e);
        for (unsigned int q = 0; q < rule.size(); ++q)
          {
            Point<2> x = box.center;
            for (unsigned int d = 0; d < 2; ++d)
              x[d] += (2 * rule.point(q)[d] - 1) / box.to_reference[d][d];
            const auto values = space.mode_values(e, x);
            for (unsigned int m = 0; m < values.size(); ++m)
              result[space.first_dof(e) + m] +=
                box.volume() * rule.weight(q) * values[m] * function(x);
          }
      }
    return result;
  }

  // In an element that is its box they are those of the box.
  TEST(LegendreDecayTest, InABox)
  {
    Triangulation<2> triangulation;
    dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4, 1., 3.);
    const MappingQ1<2> mapping;
    const auto         mesh = std::make_shared<PolytopicMesh<2>>(
      mapping, Agglomeration<2>(triangulation, std::vector<unsigned int>(16, 0)));
    const PolytopicSpace<2> space(mesh, 8);
    const auto              decay = [&](const std::function<double(const Point<2> &)> &function) {
      return legendre_decay(space, project(space, function)).at(0);
    };
    // 1 / (a - xi) = sum_k (2 k + 1) Q_k(a) P_k(xi), and Q_k / Q_(k - 1) is nearly 1 / rho.
    for (const double a : {1.1, 1.5, 3.})
      {
        const double rho = a + std::sqrt(a * a - 1.);
        EXPECT_NEAR(decay([&](const Point<2> &x) { return 1. / (a - (x[0] - 2.)); }) * rho, 1., .1)
          << a;
      }
    // Singular at a corner.
    EXPECT_GT(decay(
                [&](const Point<2> &x) { return std::cbrt((x - Point<2>(1., 1.)).norm_square()); }),
              .5);
    EXPECT_LT(decay([&](const Point<2> &x) { return std::sin(x[0] + x[1]); }), .2);
  }

  // In a part of a box the polynomials are orthonormal in it.
  TEST(LegendreDecayTest, InPolygons)
  {
    Triangulation<2> triangulation;
    make_box(triangulation, 6, 0.2, Point<2>(1., 1.));
    const MappingFE<2> mapping(FE_SimplexP<2>(1));
    const auto         mesh =
      std::make_shared<PolytopicMesh<2>>(mapping, agglomerate(triangulation, Grouping::metis, 8));
    const PolytopicSpace<2> space(mesh, 5);
    const auto              coefficients = random_vector<std::vector<double>>(space.n_dofs(), 4);
    const auto quadratic = project(space, [](const Point<2> &x) { return 1. + x[0] * x[1]; });
    for (unsigned int e = 0; e < mesh->n_elements(); ++e)
      {
        std::vector<Point<2>> points;
        std::vector<double>   weights;
        const Quadrature<2>   rule = QDuffy(9, 1.);
        for (const unsigned int c : mesh->cells(e))
          for (unsigned int q = 0; q < rule.size(); ++q)
            {
              points.push_back(mapping.transform_unit_to_real_cell(mesh->cell(c), rule.point(q)));
              weights.push_back(2. * mesh->cell_volume(c) * rule.weight(q));
            }
        const auto norms = degree_norms(space, coefficients, e, points, weights);
        ASSERT_EQ(norms.size(), 6U);
        double sum = 0, square = 0;
        for (const double norm : norms)
          sum += norm * norm;
        for (unsigned int q = 0; q < points.size(); ++q)
          square += weights[q] * std::pow(space.value(coefficients, e, points[q]), 2);
        EXPECT_NEAR(sum, square, 1e-10 * square);
        const auto of_quadratic = degree_norms(space, quadratic, e, points, weights);
        EXPECT_GT(of_quadratic[2], 1e-5);
        for (unsigned int k = 3; k <= 5; ++k)
          EXPECT_LT(of_quadratic[k], 1e-11);
      }
  }

  TEST(HpAdaptionTest, Marks)
  {
    const std::vector<double> estimates = {3., 1., 2., 1., 1.};
    using Marks                         = std::vector<bool>;
    EXPECT_EQ(mark_largest(estimates, .4, false), Marks({true, false, true, false, false}));
    // Of equal ones all or none.
    EXPECT_EQ(mark_largest(estimates, .41, false), Marks(5, true));
    EXPECT_EQ(mark_largest({3., 1., 2., 1. + 1e-9, .9}, .6, false),
              Marks({true, true, true, true, false}));
    EXPECT_EQ(mark_largest(estimates, 1., false), Marks(5, true));
    EXPECT_EQ(mark_largest(estimates, .5, true),
              Marks({true, false, false, false, false})); // 9 of 16
    EXPECT_EQ(mark_largest(estimates, .6, true), Marks({true, false, true, false, false}));
    EXPECT_EQ(mark_largest(estimates, 1., true), Marks(5, true));
    EXPECT_EQ(mark_largest({0., 0.}, .5, true), Marks(2, false));
    EXPECT_EQ(mark_smallest(estimates, 0.), Marks(5, false));
    EXPECT_EQ(mark_smallest(estimates, .4), Marks(5, false));
    EXPECT_EQ(mark_smallest(estimates, .6), Marks({false, true, false, true, true}));
    EXPECT_EQ(mark_smallest(estimates, .99), Marks({false, true, true, true, true}));
    EXPECT_EQ(mark_smallest(estimates, 1.), Marks(5, true));
  }

  // Parts of parts, and of those one that is divided again.
  TEST(HpAdaptionTest, Families)
  {
    constexpr auto none = ElementFamilies::none;
    using Numbers       = std::vector<unsigned int>;
    ElementFamilies families(3);
    EXPECT_EQ(families.whole_families(), Numbers({none, none, none}));
    families.adapt({0, 0, 1, 2, 2}, {true, false, true}, {false, false, false});
    EXPECT_EQ(families.whole_families(), Numbers({0, 0, none, 1, 1}));
    families.adapt({0, 1, 1, 2, 3, 4}, {false, true, false, false, false}, std::vector<bool>(5));
    EXPECT_EQ(families.whole_families(), Numbers({none, 2, 2, none, 1, 1}));
    // By way of numbers, in another order, and behind it the same.
    EXPECT_EQ(families.depth(), 2U);
    std::vector<double> numbers = families.numbers(3);
    std::rotate(numbers.begin(), numbers.begin() + 6, numbers.end());
    families.set_numbers(6, numbers, 3);
    EXPECT_EQ(families.whole_families(), Numbers({2, 2, none, 1, 1, none}));
    std::rotate(numbers.begin(), numbers.end() - 6, numbers.end());
    families.set_numbers(6, numbers, 3);
    families.adapt({0, 1, 3, 4}, std::vector<bool>(6), {false, true, true, false, true, true});
    EXPECT_EQ(families.whole_families(), Numbers({0, 0, none, none}));
    families.adapt({0, 2, 3}, std::vector<bool>(4), {true, true, false, false});
    EXPECT_EQ(families.whole_families(), Numbers({none, none, none}));
  }

  /// Three elements of 7, 1 and 8 of 16 squares.
  struct Squares
  {
    Squares()
    {
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4);
      std::vector<unsigned int> elements(16, 0);
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->center()[1] > .5)
          elements[cell->active_cell_index()] = 2;
      elements[0] = 1;
      mesh = std::make_shared<PolytopicMesh<2>>(mapping, Agglomeration<2>(triangulation, elements));
    }

    Triangulation<2>                        triangulation;
    MappingQ1<2>                            mapping;
    std::shared_ptr<const PolytopicMesh<2>> mesh;
  };

  TEST(HpAdaptionTest, PlansByMethod)
  {
    const Squares           squares;
    const PolytopicSpace<2> space(squares.mesh, {2, 3, 4});
    HpRules                 rules;
    rules.highest_degree = 4;
    rules.smooth_decay   = .3;
    const auto plan      = [&](const HpMethod method, const std::vector<double> &decay) {
      rules.method = method;
      return plan_adaption(space, {true, true, true}, decay, rules);
    };
    using Marks    = std::vector<bool>;
    using Degrees  = std::vector<unsigned int>;
    const HpPlan h = plan(HpMethod::h, {.1, .1, .1});
    EXPECT_EQ(h.divided, Marks({true, false, true}));
    EXPECT_EQ(h.degrees, Degrees({2, 3, 4}));
    EXPECT_EQ(h.n_divided, 2U);
    EXPECT_EQ(h.n_left, 1U);
    const HpPlan p = plan(HpMethod::p, {.9, .9, .9});
    EXPECT_EQ(p.divided, Marks(3, false));
    EXPECT_EQ(p.degrees, Degrees({3, 4, 4}));
    EXPECT_EQ(p.n_raised, 2U);
    EXPECT_EQ(p.n_left, 1U);
    // One cell is raised though the solution is not smooth; the highest degree is divided though it
    // is.
    const HpPlan hp = plan(HpMethod::hp, {.1, .9, .1});
    EXPECT_EQ(hp.divided, Marks({false, false, true}));
    EXPECT_EQ(hp.degrees, Degrees({3, 4, 4}));
    EXPECT_EQ(hp.n_left, 0U);
    EXPECT_TRUE(plan(HpMethod::hp, {.3, .1, .1}).divided[0]);
    rules.highest_degree = 3;
    EXPECT_EQ(plan(HpMethod::hp, {.1, .1, .1}).n_left, 1U);
    // Those that are not marked stay.
    const HpPlan none = plan_adaption(space, {false, false, false}, {.1, .1, .1}, rules);
    EXPECT_EQ(none.n_divided + none.n_raised + none.n_left, 0U);
    EXPECT_EQ(none.degrees, Degrees({2, 3, 4}));
  }

  TEST(HpAdaptionTest, PlansOfCoarsening)
  {
    const Squares           squares;
    const PolytopicSpace<2> space(squares.mesh, {1, 3, 4});
    HpRules                 rules;
    rules.coarsened_share = 1.;
    ElementFamilies family(1);
    family.adapt({0, 0, 0}, {true}, {false});
    const auto plan = [&](const HpMethod             method,
                          const ElementFamilies     &families,
                          const std::vector<bool>   &refined,
                          const std::vector<double> &estimates,
                          const std::vector<double> &decay) {
      rules.method  = method;
      HpPlan result = plan_adaption(space, refined, decay, rules);
      plan_coarsening(result, space, families, estimates, decay, rules);
      return result;
    };
    using Marks   = std::vector<bool>;
    using Degrees = std::vector<unsigned int>;
    const Marks               nothing(3, false);
    const std::vector<double> equal(3, 1.), smooth(3, .1), rough(3, .9);
    const ElementFamilies     strangers(3);
    // The highest degree of a family; one of degree 1 has no lower one.
    for (const HpMethod method : {HpMethod::h, HpMethod::hp})
      {
        const HpPlan merged = plan(method, family, nothing, equal, smooth);
        EXPECT_EQ(merged.merged, Marks(3, true));
        EXPECT_EQ(merged.degrees, Degrees({4, 4, 4}));
        EXPECT_EQ(merged.n_merged, 3U);
        EXPECT_EQ(merged.n_lowered, 0U);
      }
    for (const ElementFamilies &families : {strangers, family})
      {
        const HpPlan lowered = plan(HpMethod::hp, families, nothing, equal, rough);
        EXPECT_EQ(lowered.merged, nothing);
        EXPECT_EQ(lowered.degrees, Degrees({1, 2, 3}));
        EXPECT_EQ(lowered.n_lowered, 2U);
      }
    EXPECT_EQ(plan(HpMethod::p, family, nothing, equal, smooth).degrees, Degrees({1, 2, 3}));
    EXPECT_EQ(plan(HpMethod::h, strangers, nothing, equal, smooth).degrees, Degrees({1, 3, 4}));
    // Beside one that is refined, which has no family any more.
    const HpPlan mixed =
      plan(HpMethod::hp, strangers, {true, false, false}, {1., .08, .12}, {.1, .1, .1});
    EXPECT_EQ(mixed.degrees, Degrees({2, 2, 4})); // 0.8, 1.2 expected
    EXPECT_EQ(plan(HpMethod::h, family, {true, false, false}, equal, smooth).n_merged, 0U);
    rules.coarsened_share = .5;
    EXPECT_EQ(plan(HpMethod::p, strangers, nothing, {3., 2., 1.}, rough).degrees,
              Degrees({1, 3, 3}));
  }

  // What was divided becomes one again, with the function that it had.
  TEST(HpAdaptionTest, MergesAgain)
  {
    const Squares           squares;
    const PolytopicSpace<2> space(squares.mesh, {2, 3, 4});
    ElementFamilies         families(3);
    HpRules                 rules;
    rules.method                         = HpMethod::h;
    rules.coarsened_share                = 1.;
    const auto              coefficients = random_vector<std::vector<double>>(space.n_dofs(), 4);
    HpPlan                  plan         = plan_adaption(space, {true, false, true}, {}, rules);
    const PolytopicSpace<2> of_parts     = adapt(space, plan, rules, families);
    const unsigned int      n            = of_parts.mesh().n_elements();
    ASSERT_GE(n, 6U);
    const auto on_parts = transfer(space, coefficients, of_parts);
    plan                = plan_adaption(of_parts, std::vector<bool>(n, false), {}, rules);
    plan_coarsening(
      plan, of_parts, families, std::vector<double>(n, 1.), std::vector<double>(n, .1), rules);
    EXPECT_EQ(plan.n_merged, n - 1);
    const PolytopicSpace<2> again = adapt(of_parts, plan, rules, families);
    ASSERT_EQ(again.mesh().n_elements(), 3U);
    const auto back = transfer(of_parts, on_parts, again);
    const auto elements =
      parents(again.mesh().cells_of_elements(), squares.mesh->cells_of_elements());
    for (unsigned int e = 0; e < 3; ++e)
      {
        EXPECT_EQ(again.mesh().cells(e).size(), squares.mesh->cells(elements[e]).size());
        EXPECT_EQ(again.degree(e), space.degree(elements[e]));
        const Point<2> x = again.mesh().box(e).center + Tensor<1, 2>({.03, -.02});
        EXPECT_NEAR(again.value(back, e, x), space.value(coefficients, elements[e], x), 1e-10);
      }
    // A function that jumps between parts: its projection is as near as any function.
    auto jumps = on_parts;
    for (unsigned int e = 0; e < n; ++e)
      jumps[of_parts.first_dof(e)] += e;
    const auto projection = transfer(of_parts, jumps, again);
    for (unsigned int e = 0; e < 3; ++e)
      {
        std::vector<double> products(again.n_dofs(e), 0.);
        const QGauss<2>     rule(8);
        for (const unsigned int c : again.mesh().cells(e))
          for (unsigned int q = 0; q < rule.size(); ++q)
            {
              const Point<2> x =
                squares.mapping.transform_unit_to_real_cell(again.mesh().cell(c), rule.point(q));
              const double difference = again.value(projection, e, x) -
                                        of_parts.value(jumps, of_parts.mesh().element_of(c), x);
              const auto values = again.mode_values(e, x);
              for (unsigned int m = 0; m < values.size(); ++m)
                products[m] += rule.weight(q) / 16. * difference * values[m];
            }
        for (const double product : products)
          EXPECT_NEAR(product, 0., 1e-11);
      }
  }

  // Parts inherit the degree, and the function stays the same.
  TEST(HpAdaptionTest, AdaptsAndTransfers)
  {
    const Squares           squares;
    const PolytopicSpace<2> space(squares.mesh, {2, 3, 4});
    HpRules                 rules;
    rules.method         = HpMethod::hp;
    rules.highest_degree = 4;
    const HpPlan    plan = plan_adaption(space, {true, true, true}, {.9, .1, .1}, rules);
    ElementFamilies families(3);
    const auto      adapted      = adapt(space, plan, rules, families);
    const auto      coefficients = random_vector<std::vector<double>>(space.n_dofs(), 4);
    const auto      moved        = transfer(space, coefficients, adapted);
    EXPECT_EQ(moved.size(), adapted.n_dofs());
    EXPECT_GE(adapted.mesh().n_elements(), 7U);
    const auto larger =
      parents(adapted.mesh().cells_of_elements(), squares.mesh->cells_of_elements());
    for (unsigned int e = 0; e < adapted.mesh().n_elements(); ++e)
      {
        EXPECT_EQ(adapted.degree(e), std::vector<unsigned int>({2, 4, 4})[larger[e]]);
        const Point<2> x = adapted.mesh().cell(*adapted.mesh().cells(e).begin())->center() +
                           Tensor<1, 2>({.03, -.02});
        EXPECT_NEAR(adapted.value(moved, e, x), space.value(coefficients, larger[e], x), 1e-11);
      }
  }
} // namespace
