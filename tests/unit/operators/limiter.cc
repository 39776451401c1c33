// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The limiter for degree 1 against one written with deal.II's FEValues, and its positivity; that of
// positive quantities alone, for any degree.
#include <deal.II/base/function.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>

#include <gtest/gtest.h>
#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>
#include <random>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// A distorted box whose sides are walls, with its degree-1 states.
  template <int dim>
  class Setting : public Box<dim>
  {
    static constexpr unsigned int n_components = dim + 2;

  public:
    using Box<dim>::mapping;

    explicit Setting(const Device device)
      : Box<dim>(dim == 2 ? 6 : 3)
      , dof_handler(this->triangulation)
    {
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(1), n_components));
      BoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_wall(id);
      op.reinit(mapping, dof_handler, Euler<dim>(), conditions, device);
    }

    /// Means within @p mean_amplitude and slopes within @p slope_amplitude of density and pressure
    /// about 1 at rest.
    dealii::Vector<double>
    random_state(const double mean_amplitude, const double slope_amplitude)
    {
      std::mt19937                           generator(7);
      std::uniform_real_distribution<double> random(-1., 1.);
      dealii::Vector<double>                 u(dof_handler.n_dofs());
      const double                           phi0 = std::sqrt(dim == 2 ? 2. : 6.);
      for_entries(dof_handler, [&](const auto i, const auto, const auto mode, const auto c) {
        const double rest = c == 0 ? 1. : (c == dim + 1 ? 2.5 : 0.);
        u(i)              = mode == 0 ? (rest + mean_amplitude * random(generator)) / phi0
                                      : slope_amplitude * random(generator);
      });
      return u;
    }

    dealii::Vector<double>
    limited(const dealii::Vector<double> &state)
    {
      auto u = copied(op, state);
      op.limit(u);
      return to_dealii(op, u);
    }

    /// Values at all face quadrature points of one cell, `[point][component]`.
    std::vector<dealii::Vector<double>>
    face_values(const typename DoFHandler<dim>::active_cell_iterator &cell,
                const dealii::Vector<double>                         &u) const
    {
      FEFaceValues<dim>                   faces(mapping,
                              dof_handler.get_fe(),
                              simplex_quadrature<dim - 1>(3),
                              update_values);
      std::vector<dealii::Vector<double>> all;
      for (const unsigned int f : cell->face_indices())
        {
          faces.reinit(cell, f);
          std::vector<dealii::Vector<double>> values(faces.n_quadrature_points,
                                                     dealii::Vector<double>(n_components));
          faces.get_function_values(u, values);
          all.insert(all.end(), values.begin(), values.end());
        }
      return all;
    }

    /// Values at the vertices of one cell, `[vertex][component]`.
    std::vector<dealii::Vector<double>>
    vertex_values(const typename DoFHandler<dim>::active_cell_iterator &cell,
                  const dealii::Vector<double>                         &u) const
    {
      std::vector<Point<dim>> vertices;
      for (const unsigned int v : cell->vertex_indices())
        vertices.push_back(cell->reference_cell().template vertex<dim>(v));
      FEValues<dim> values(mapping, dof_handler.get_fe(), Quadrature<dim>(vertices), update_values);
      std::vector<dealii::Vector<double>> all(vertices.size(),
                                              dealii::Vector<double>(n_components));
      values.reinit(cell);
      values.get_function_values(u, all);
      return all;
    }

    /// The mean of a linear function is its value at the centroid.
    dealii::Vector<double>
    mean(const typename DoFHandler<dim>::active_cell_iterator &cell,
         const dealii::Vector<double>                         &u) const
    {
      FEValues<dim>                       values(mapping,
                           dof_handler.get_fe(),
                           simplex_quadrature<dim>(1),
                           update_values);
      std::vector<dealii::Vector<double>> mean(1, dealii::Vector<double>(n_components));
      values.reinit(cell);
      values.get_function_values(u, mean);
      return mean[0];
    }

    /// Gradients of the components of one cell.
    std::vector<Tensor<1, dim>>
    gradients(const typename DoFHandler<dim>::active_cell_iterator &cell,
              const dealii::Vector<double>                         &u) const
    {
      FEValues<dim>                            values(mapping,
                           dof_handler.get_fe(),
                           simplex_quadrature<dim>(1),
                           update_gradients);
      std::vector<std::vector<Tensor<1, dim>>> gradients(1,
                                                         std::vector<Tensor<1, dim>>(n_components));
      values.reinit(cell);
      values.get_function_gradients(u, gradients);
      return gradients[0];
    }

    /// Equations 17 to 19 of Fuhry, Giuliani and Krivodonova, where the linear functions do not
    /// meet the means of the neighbors. @p n_blended counts variables between these and no limiter.
    dealii::Vector<double>
    barth_jespersen(const dealii::Vector<double> &u, unsigned int &n_blended) const
    {
      const auto                          &fe = dof_handler.get_fe();
      dealii::Vector<double>               result(u);
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          const auto             here   = mean(cell, u);
          const auto             slopes = gradients(cell, u);
          auto                   lowest = here, highest = here;
          dealii::Vector<double> misfit(n_components);
          for (const unsigned int f : cell->face_indices())
            if (!cell->at_boundary(f))
              {
                const auto across = mean(cell->neighbor(f), u);
                for (unsigned int c = 0; c < n_components; ++c)
                  {
                    lowest(c)  = std::min(lowest(c), across(c));
                    highest(c) = std::max(highest(c), across(c));
                    misfit(c)  = std::max(misfit(c),
                                         std::abs(across(c) - here(c) -
                                                  slopes[c] * (cell->neighbor(f)->center() -
                                                               cell->center())));
                  }
              }
          dealii::Vector<double> alpha(n_components);
          alpha = 1.;
          for (const auto &value : face_values(cell, u))
            for (unsigned int c = 0; c < n_components; ++c)
              {
                const double bound = value(c) > here(c) ? highest(c) : lowest(c);
                alpha(c)           = std::min(alpha(c), (bound - here(c)) / (value(c) - here(c)));
              }
          for (unsigned int c = 0; c < n_components; ++c)
            {
              const double variation =
                std::max(highest(c) - here(c), here(c) - lowest(c)) + 0.01 * std::abs(here(c));
              const double share = std::clamp(misfit(c) / (0.25 * variation) - 1., 0., 1.);
              n_blended += share > 0. && share < 1. && alpha(c) < 1.;
              alpha(c) = 1. - share * (1. - alpha(c));
            }
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            if (const auto [c, mode] = fe.system_to_component_index(i); mode > 0)
              result(indices[i]) *= alpha(c);
        }
      return result;
    }

    DoFHandler<dim>                          dof_handler;
    ConservationLawOperator<dim, Euler<dim>> op;
  };

  template <int dim>
  Array<double, dim + 2>
  to_array(const dealii::Vector<double> &state)
  {
    Array<double, dim + 2> result;
    for (int c = 0; c < dim + 2; ++c)
      result[c] = state(c);
    return result;
  }

  class LimiterTest : public OnDevice
  {
  protected:
    template <int dim>
    void
    compare_with_dealii()
    {
      Setting<dim> setting(device());
      // About half of the variables are limited; pressure and density stay away from 0.
      const auto   u         = setting.random_state(0.1, 0.02);
      unsigned int n_blended = 0;
      const auto   expected  = setting.barth_jespersen(u, n_blended);
      auto         result    = setting.limited(u);
      EXPECT_GT(n_blended, 0U);
      EXPECT_GT((dealii::Vector<double>(expected) -= u).l2_norm(), 0.01 * u.l2_norm());
      EXPECT_LT((result -= expected).linfty_norm(), 1e-14);
    }

    /// At walls as well as inside.
    template <int dim>
    void
    check_that_linear_functions_stay()
    {
      Setting<dim>                                           setting(device());
      std::vector<std::function<double(const Point<dim> &)>> components;
      for (unsigned int c = 0; c < dim + 2; ++c)
        components.push_back([c](const Point<dim> &x) {
          return (c == 0 || c == dim + 1 ? 3. : 0.) + (c + 1) * 0.1 * x[0] - 0.3 * x[dim - 1];
        });
      const auto linear = std::make_shared<FunctionFromFunctionObjects<dim>>(components);
      auto       u      = zeros(setting.op);
      setting.op.project(FieldFunction<dim>(linear, false, false), u);
      const auto before = to_dealii(setting.op, u);
      setting.op.limit(u);
      EXPECT_LT((to_dealii(setting.op, u) -= before).linfty_norm(), 1e-14);
    }

    /// Positivity alone, on elements of any geometry.
    template <int dim, template <int, typename> class AnySetting>
    void
    check_positivity_of_any_degree(const AnySetting<dim, Euler<dim>> &setting)
    {
      constexpr unsigned int  n_components = dim + 2;
      const auto             &fe           = setting.dof_handler.get_fe();
      const unsigned int      degree       = fe.degree;
      const ReferenceCell     shape        = fe.reference_cell();
      BoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_wall(id);
      ConservationLawOperator<dim, Euler<dim>> op;
      op.reinit(setting.mesh(), setting.dof_handler, Euler<dim>(), conditions, device(), {});

      std::mt19937                           generator(7);
      std::uniform_real_distribution<double> random(-1., 1.);
      dealii::Vector<double>                 u(setting.dof_handler.n_dofs());
      const auto                             one = Basis<dim>(shape, degree).constant(1.);
      for_entries(setting.dof_handler, [&](const auto i, const auto e, const auto m, const auto c) {
        const double rest = c == 0 ? 1. : (c == dim + 1 ? 2.5 : 0.);
        // Values at points of hypercubes are coefficients over those of 1.
        const double unit = shape.is_hyper_cube() ? 2.5 * one[m] : 1.;
        u(i)              = rest * one[m] + (e % 3 == 0 ? 0.02 : 0.35) * unit * random(generator);
      });
      auto x = copied(op, u);
      op.limit(x, Limiter::positivity);
      const auto result = to_dealii(op, x);

      // At the points of the operator's rules.
      FEValues<dim>           volume(setting.mapping,
                           fe,
                           cell_quadrature<dim>(shape, 2 * degree),
                           update_values | update_JxW_values);
      FEFaceValues<dim>       faces(setting.mapping,
                              fe,
                              cell_quadrature<dim - 1>(shape.face_reference_cell(0),
                                                       2 * degree + 1),
                              update_values);
      FESubfaceValues<dim>    parts(setting.mapping, fe, faces.get_quadrature(), update_values);
      std::vector<Point<dim>> vertices;
      for (unsigned int v = 0; v < shape.n_vertices(); ++v)
        vertices.push_back(shape.template vertex<dim>(v));
      FEValues<dim>    corners(setting.mapping, fe, Quadrature<dim>(vertices), update_values);
      const Euler<dim> law;
      unsigned int     n_scaled = 0, n_kept = 0;
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          volume.reinit(cell);
          corners.reinit(cell);
          const auto values = [&](auto &of_rule, const dealii::Vector<double> &state) {
            std::vector<dealii::Vector<double>> all(of_rule.n_quadrature_points,
                                                    dealii::Vector<double>(n_components));
            of_rule.get_function_values(state, all);
            return all;
          };
          const auto lowest = [&](const dealii::Vector<double> &state) {
            Array<double, 2> least = {1e300, 1e300};
            const auto       look  = [&](const auto &all) {
              for (const auto &value : all)
                for (unsigned int i = 0; i < 2; ++i)
                  least[i] = std::min(least[i], law.positive(to_array<dim>(value))[i]);
            };
            look(values(volume, state));
            look(values(corners, state));
            for (const unsigned int f : cell->face_indices())
              {
                faces.reinit(cell, f);
                look(values(faces, state));
                if (!cell->at_boundary(f) && cell->neighbor(f)->has_children())
                  for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
                    {
                      parts.reinit(cell, f, s);
                      look(values(parts, state));
                    }
              }
            return least;
          };
          const auto mean = [&](const dealii::Vector<double> &state) {
            dealii::Vector<double> sum(n_components);
            double                 measure = 0.;
            const auto             all     = values(volume, state);
            for (const unsigned int q : volume.quadrature_point_indices())
              {
                sum.add(volume.JxW(q), all[q]);
                measure += volume.JxW(q);
              }
            return sum /= measure;
          };
          const auto before = mean(u);
          auto       after  = mean(result);
          if (!law.admissible(to_array<dim>(before)))
            continue;
          EXPECT_LT((after -= before).linfty_norm(), 1e-13);
          const auto at_mean = law.positive(to_array<dim>(before));
          const auto wanted = lowest(u), got = lowest(result);
          const auto enough = [&](const auto &least) {
            return least[0] >= 0.99e-6 * at_mean[0] && least[1] >= 0.99e-6 * at_mean[1];
          };
          EXPECT_TRUE(enough(got));
          // All deviations from the mean are scaled by the same factor, or by none.
          const auto all_before = values(volume, u), all_after = values(volume, result);
          double     factor = -1.;
          for (const unsigned int q : volume.quadrature_point_indices())
            for (unsigned int c = 0; c < n_components; ++c)
              if (const double deviation = all_before[q](c) - before(c); std::abs(deviation) > 1e-2)
                {
                  const double here = (all_after[q](c) - before(c)) / deviation;
                  if (factor < 0.)
                    factor = here;
                  EXPECT_NEAR(here, factor, 1e-10);
                }
          if (enough(wanted))
            EXPECT_NEAR(factor, 1., 1e-12);
          else
            EXPECT_LT(factor, 1.);
          ++(enough(wanted) ? n_kept : n_scaled);
        }
      EXPECT_GT(n_scaled, 5U);
      EXPECT_GT(n_kept, 5U);
    }

    template <int dim>
    void
    check_positivity()
    {
      Setting<dim> setting(device());
      // Means apart by more than the slopes: Barth and Jespersen alone leave negative pressures.
      // Where a mean is negative itself it alone is left, to be found and shown.
      const auto       u         = setting.random_state(1.2, 0.3);
      unsigned int     n_blended = 0;
      const auto       bounded   = setting.barth_jespersen(u, n_blended);
      const auto       result    = setting.limited(u);
      const Euler<dim> law;
      unsigned int n_mended = 0, n_positive = 0, n_negative_densities = 0, n_negative_pressures = 0;
      std::vector<types::global_dof_index> indices(setting.dof_handler.get_fe().n_dofs_per_cell());
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          const auto mean = setting.mean(cell, u);
          if (!law.admissible(to_array<dim>(mean)))
            {
              for (auto &value : setting.vertex_values(cell, result))
                EXPECT_LT((value -= mean).linfty_norm(), 1e-14);
              ++(mean(0) > 0. ? n_negative_pressures : n_negative_densities);
              continue;
            }
          bool positive = true;
          for (const auto &value : setting.vertex_values(cell, bounded))
            positive &= law.admissible(to_array<dim>(value));
          for (const auto &value : setting.vertex_values(cell, result))
            EXPECT_TRUE(law.admissible(to_array<dim>(value)));
          cell->get_dof_indices(indices);
          for (const auto i : indices)
            {
              const double change = result(i) - bounded(i);
              EXPECT_TRUE(!positive || std::abs(change) < 1e-14) << change;
            }
          EXPECT_LT((setting.mean(cell, result) -= mean).linfty_norm(), 1e-14);
          ++(positive ? n_positive : n_mended);
        }
      EXPECT_GT(n_mended, 0u);
      EXPECT_GT(n_positive, 0u);
      EXPECT_GT(n_negative_densities, 0u);
      EXPECT_GT(n_negative_pressures, 0u);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(LimiterTest)

TEST_P(LimiterTest, TrianglesLikeDealii)
{
  compare_with_dealii<2>();
}

TEST_P(LimiterTest, TetrahedraLikeDealii)
{
  compare_with_dealii<3>();
}

TEST_P(LimiterTest, LinearFunctionsStay)
{
  check_that_linear_functions_stay<2>();
  check_that_linear_functions_stay<3>();
}

TEST_P(LimiterTest, TrianglesPositive)
{
  check_positivity<2>();
}

TEST_P(LimiterTest, TetrahedraPositive)
{
  check_positivity<3>();
}

TEST_P(LimiterTest, PositivityOfAnyDegree)
{
  // Curved elements beside affine ones.
  for (const unsigned int degree : {1, 2, 4})
    check_positivity_of_any_degree<2>(CurvedSetting<2, Euler<2>>(degree, 2, bump_at_side<2>()));
  check_positivity_of_any_degree<3>(CurvedSetting<3, Euler<3>>(2, 2, bump_at_side<3>()));
}

TEST_P(LimiterTest, PositivityOnHypercubes)
{
  for (const unsigned int degree : {1, 2, 4})
    check_positivity_of_any_degree<2>(HypercubeSetting<2, Euler<2>>(degree, Cells::distorted));
  check_positivity_of_any_degree<2>(HypercubeSetting<2, Euler<2>>(3, Cells::parallelepipeds));
  check_positivity_of_any_degree<3>(HypercubeSetting<3, Euler<3>>(2, Cells::refined, {}, 2));
}
