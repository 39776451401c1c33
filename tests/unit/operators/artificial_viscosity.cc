// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Artificial viscosity against an assembly with deal.II, on each shape and where shapes meet.
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/full_matrix.h>

#include <saltus/fe/dg_element.h>
#include <saltus/fe/reference_element.h>
#include <saltus/physics/euler.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/mixed.h>
#include <helpers/on_device.h>
#include <memory>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr unsigned int n_components = 4;

  /// Sensors between what begins and what ends to be spread.
  ArtificialViscosity
  wide()
  {
    ArtificialViscosity result;
    result.strength = 0.7;
    result.width    = 4.;
    result.shift    = -5.;
    return result;
  }

  using Cell = DoFHandler<2>::active_cell_iterator;

  /// Artificial viscosities and what they add to the right-hand side, on parallelograms and
  /// triangles.
  class SpreadShocks
  {
  public:
    SpreadShocks(const Mapping<2>             &mapping,
                 const DoFHandler<2>          &dof_handler,
                 const dealii::Vector<double> &u)
      : mapping(mapping)
      , dof_handler(dof_handler)
      , u(u)
      , p(dof_handler.get_fe(0).degree)
      , face_rule(p + 1)
    {
      for (const auto &cell : dof_handler.active_cell_iterators())
        viscosities.push_back(viscosity(cell));
    }

    double
    smallest() const
    {
      return *std::min_element(viscosities.begin(), viscosities.end());
    }

    dealii::Vector<double>
    residual() const
    {
      dealii::Vector<double> result(dof_handler.n_dofs());
      for (const auto &cell : dof_handler.active_cell_iterators())
        add(cell, result);
      return result;
    }

  private:
    std::unique_ptr<FEValues<2>>
    in_volume(const Cell &cell, const FiniteElement<2> &fe) const
    {
      auto values = std::make_unique<FEValues<2>>(mapping,
                                                  fe,
                                                  cell_quadrature<2>(cell->reference_cell(), 2 * p),
                                                  update_flags);
      values->reinit(static_cast<const Triangulation<2>::cell_iterator &>(cell));
      return values;
    }

    std::unique_ptr<FEFaceValues<2>>
    on_face(const Cell &cell, const unsigned int f) const
    {
      auto values =
        std::make_unique<FEFaceValues<2>>(mapping, cell->get_fe(), face_rule, update_flags);
      values->reinit(static_cast<const Triangulation<2>::cell_iterator &>(cell), f);
      return values;
    }

    std::vector<types::global_dof_index>
    indices_of(const Cell &cell) const
    {
      std::vector<types::global_dof_index> indices(cell->get_fe().n_dofs_per_cell());
      cell->get_dof_indices(indices);
      return indices;
    }

    double
    viscosity(const Cell &cell) const
    {
      const auto                          of_state = in_volume(cell, cell->get_fe());
      const FEValues<2>                  &values   = *of_state;
      const unsigned int                  n        = values.n_quadrature_points;
      const auto                          indices  = indices_of(cell);
      std::vector<dealii::Vector<double>> states(n, dealii::Vector<double>(n_components));
      values.get_function_values(u, indices, states);
      const auto         lower        = dg_element<2>(cell->reference_cell(), p - 1);
      const auto         of_lower     = in_volume(cell, *lower);
      const FEValues<2> &lower_values = *of_lower;

      // The part of the density of lower degree: of orthogonal functions.
      double                 lower_norm = 0., norm = 0., volume = 0.;
      dealii::Vector<double> mean(n_components);
      for (unsigned int i = 0; i < lower->n_dofs_per_cell(); ++i)
        {
          double projected = 0., of_function = 0.;
          for (unsigned int q = 0; q < n; ++q)
            {
              projected += states[q](0) * lower_values.shape_value(i, q) * values.JxW(q);
              of_function += std::pow(lower_values.shape_value(i, q), 2) * values.JxW(q);
            }
          lower_norm += projected * projected / of_function;
        }
      for (unsigned int q = 0; q < n; ++q)
        {
          norm += std::pow(states[q](0), 2) * values.JxW(q);
          volume += values.JxW(q);
          mean.add(values.JxW(q), states[q]);
        }
      mean /= volume;

      const Tensor<1, 2> velocity({mean(1) / mean(0), mean(2) / mean(0)});
      const double       gamma = Euler<2>().gamma;
      const double pressure    = (gamma - 1.) * (mean(3) - 0.5 * mean(0) * velocity.norm_square());
      const double sound       = std::sqrt(gamma * pressure / mean(0));
      double       surface = 0., speeds = 0.;
      for (const unsigned int f : cell->face_indices())
        {
          const double area = cell->face(f)->measure();
          surface += area;
          speeds += area * (std::abs(velocity * on_face(cell, f)->normal_vector(0)) + sound);
        }
      const ArtificialViscosity choice = wide();
      const double above = std::log10(1. - lower_norm / norm) + 4. * std::log10(double(p));
      const double part =
        0.5 * (1. + std::sin(numbers::PI / 2. *
                             std::clamp((above - choice.shift) / choice.width, -1., 1.)));
      const double h = 4. * volume / surface;
      return choice.strength * part * h / p * speeds / surface;
    }

    double
    faces_over_volume(const Cell &cell, const double area) const
    {
      const double constant =
        cell->reference_cell().is_simplex() ? 0.75 * (p + 1.) * (p + 2.) : (p + 1.) * (p + 2.);
      return constant * area / cell->measure();
    }

    void
    add(const Cell &cell, dealii::Vector<double> &result) const
    {
      const FiniteElement<2> &fe = cell->get_fe();
      const unsigned int      n = fe.n_dofs_per_cell(), of_cell = cell->active_cell_index();
      const auto              indices = indices_of(cell);
      const double            here    = viscosities[of_cell];
      dealii::Vector<double>  rhs(n), solution(n);
      FullMatrix<double>      mass(n, n);

      const auto         in_cell = in_volume(cell, fe);
      const FEValues<2> &volume  = *in_cell;
      const auto         in      = gradients(volume, indices);
      for (const unsigned int q : volume.quadrature_point_indices())
        for (unsigned int i = 0; i < n; ++i)
          {
            const unsigned int c = fe.system_to_component_index(i).first;
            rhs(i) -= here * in[q][c] * volume.shape_grad(i, q) * volume.JxW(q);
            for (unsigned int j = 0; j < n; ++j)
              if (fe.system_to_component_index(j).first == c)
                mass(i, j) += volume.shape_value(i, q) * volume.shape_value(j, q) * volume.JxW(q);
          }
      for (const unsigned int f : cell->face_indices())
        if (!cell->at_boundary(f))
          {
            const Cell   other = cell->neighbor(f);
            const double there = viscosities[other->active_cell_index()];
            const double area  = cell->face(f)->measure();
            const double sigma =
              std::max(faces_over_volume(cell, area), faces_over_volume(other, area));
            const auto face_in = on_face(cell, f), face_out =
                                                     on_face(other, cell->neighbor_of_neighbor(f));
            const FEFaceValues<2> &inside = *face_in, &outside = *face_out;
            const auto             across = indices_of(other);
            const auto             u_in = states(inside, indices), u_out = states(outside, across);
            const auto grad_in = gradients(inside, indices), grad_out = gradients(outside, across);
            for (const unsigned int q : inside.quadrature_point_indices())
              {
                unsigned int k = 0;
                while (outside.quadrature_point(k).distance(inside.quadrature_point(q)) > 1e-10)
                  ++k;
                const Tensor<1, 2> normal = inside.normal_vector(q);
                for (unsigned int i = 0; i < n; ++i)
                  {
                    const unsigned int c    = fe.system_to_component_index(i).first;
                    const double       jump = u_in[q](c) - u_out[k](c);
                    const double       flux =
                      0.5 * (here * grad_in[q][c] * normal + there * grad_out[k][c] * normal -
                             (here + there) * sigma * jump);
                    rhs(i) += (flux * inside.shape_value(i, q) +
                               0.5 * here * jump * (inside.shape_grad(i, q) * normal)) *
                              inside.JxW(q);
                  }
              }
          }
      mass.gauss_jordan();
      mass.vmult(solution, rhs);
      result.add(indices, solution);
    }

    std::vector<dealii::Vector<double>>
    states(const FEValuesBase<2> &values, const std::vector<types::global_dof_index> &indices) const
    {
      std::vector<dealii::Vector<double>> result(values.n_quadrature_points,
                                                 dealii::Vector<double>(n_components));
      values.get_function_values(u, indices, result);
      return result;
    }

    std::vector<std::vector<Tensor<1, 2>>>
    gradients(const FEValuesBase<2>                      &values,
              const std::vector<types::global_dof_index> &indices) const
    {
      std::vector<std::vector<Tensor<1, 2>>> result(values.n_quadrature_points,
                                                    std::vector<Tensor<1, 2>>(n_components));
      for (unsigned int q = 0; q < values.n_quadrature_points; ++q)
        for (unsigned int i = 0; i < indices.size(); ++i)
          result[q][values.get_fe().system_to_component_index(i).first] +=
            u(indices[i]) * values.shape_grad(i, q);
      return result;
    }

    const Mapping<2>             &mapping;
    const DoFHandler<2>          &dof_handler;
    const dealii::Vector<double> &u;
    const unsigned int            p;
    const QGauss<1>               face_rule;
    const UpdateFlags update_flags = update_values | update_gradients | update_JxW_values |
                                     update_normal_vectors | update_quadrature_points;
    std::vector<double> viscosities;
  };

  /// What the operator adds for it, without and with the viscosity of a gas.
  /// @param everywhere whether all elements have artificial viscosity
  void
  expect_as_assembled(const Mapping<2>             &mapping,
                      const DoFHandler<2>          &dof_handler,
                      const dealii::Vector<double> &u,
                      const Device                  device,
                      const bool                    everywhere = true)
  {
    using Operator = MixedConservationLawOperator<2, Euler<2>>;
    const SpreadShocks           expected(mapping, dof_handler, u);
    const dealii::Vector<double> added = expected.residual();
    EXPECT_EQ(expected.smallest() > 0., everywhere);
    Euler<2> viscous;
    viscous.transport.viscosity = 0.1;
    for (const Euler<2> &law : {Euler<2>(), viscous})
      {
        dealii::Vector<double> found[2];
        for (const bool spread : {false, true})
          {
            Operator                 op;
            Operator::AdditionalData data;
            if (spread)
              data.artificial_viscosity = wide();
            op.reinit(mapping, dof_handler, law, all_conditions<2, Euler<2>>(), device, data);
            auto clock = op.make_clock();
            auto state = mixed_zeros(op), residual = mixed_zeros(op);
            op.copy_from(state, u);
            op.apply(clock, state, residual);
            op.check_states(clock);
            op.copy_to(found[spread], residual);
          }
        found[1] -= found[0];
        found[1] -= added;
        EXPECT_LT(found[1].linfty_norm(), 1e-11 * added.linfty_norm())
          << "degree " << dof_handler.get_fe(0).degree;
      }
  }

  /// @param triangulation is sheared, so that no direction is special
  void
  expect_as_assembled(Triangulation<2> &triangulation, const Device device)
  {
    dealii::GridTools::transform(
      [](const Point<2> &x) { return Point<2>(x[0] + 0.3 * x[1], x[1] - 0.1 * x[0]); },
      triangulation);
    const auto mapping = straight_mapping();
    for (unsigned int p = 1; p <= 5; ++p)
      {
        const MixedSetting<Euler<2>> setting(triangulation, mapping, p);
        expect_as_assembled(mapping, setting.dof_handler, setting.random_state(0.1), device);
      }
  }

  /// The same at states that are smooth below, so that elements there have none.
  void
  expect_above(const Triangulation<2> &triangulation, const Device device)
  {
    const auto mapping = straight_mapping();
    for (const unsigned int p : {1, 3})
      {
        const MixedSetting<Euler<2>>         setting(triangulation, mapping, p);
        const auto                           smooth = setting.random_state(0.);
        auto                                 u      = setting.random_state(0.1);
        std::vector<types::global_dof_index> indices;
        for (const auto &cell : setting.dof_handler.active_cell_iterators())
          if (cell->center()[1] < 0.5)
            {
              indices.resize(cell->get_fe().n_dofs_per_cell());
              cell->get_dof_indices(indices);
              for (const auto i : indices)
                u(i) = smooth(i) + 1e-5 * (u(i) - smooth(i));
            }
        expect_as_assembled(mapping, setting.dof_handler, u, device, false);
      }
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(OnDevice)

TEST_P(OnDevice, WhereShapesMeet)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 5, 0.);
  expect_as_assembled(triangulation, device());
}

// Either shape has no elements then.
TEST_P(OnDevice, Quadrilaterals)
{
  Triangulation<2> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(triangulation, 3, 0., 1., true);
  expect_as_assembled(triangulation, device());
}

TEST_P(OnDevice, Triangles)
{
  Triangulation<2> quadrilaterals, triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 2, 0., 1., true);
  dealii::GridGenerator::convert_hypercube_to_simplex_mesh(quadrilaterals, triangulation);
  expect_as_assembled(triangulation, device());
}

TEST_P(OnDevice, InHalfOfTheDomain)
{
  Triangulation<2> quadrilaterals, triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 6, 0., 1., true);
  expect_above(quadrilaterals, device());
  quadrilaterals.clear();
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 4, 0., 1., true);
  dealii::GridGenerator::convert_hypercube_to_simplex_mesh(quadrilaterals, triangulation);
  expect_above(triangulation, device());
}
