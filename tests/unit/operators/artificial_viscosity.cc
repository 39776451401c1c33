// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Artificial viscosity against an assembly with deal.II, on each shape and where shapes meet, by
// elements and continuous.
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/full_matrix.h>

#include <saltus/fe/dg_element.h>
#include <saltus/fe/reference_element.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/cell_faces.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>
#include <helpers/mixed.h>
#include <helpers/on_device.h>
#include <memory>
#include <vector>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Sensors between what begins and what ends to be spread.
  ArtificialViscosity
  wide(const bool continuous)
  {
    ArtificialViscosity result;
    result.strength   = 0.7;
    result.width      = 4.;
    result.shift      = -5.;
    result.continuous = continuous;
    return result;
  }

  /// Numbers of cells, or the continuous function of deal.II's that has at each vertex the largest
  /// of them, on parallelograms, parallelepipeds and simplices.
  template <int dim>
  class OnCells
  {
  public:
    OnCells(const Triangulation<dim> &triangulation, const bool continuous)
      : numbers(triangulation.n_active_cells())
      , continuous(continuous)
      , functions(triangulation)
    {
      const hp::FECollection<dim> elements(FE_SimplexP<dim>(1), FE_Q<dim>(1));
      for (const auto &cell : functions.active_cell_iterators())
        cell->set_active_fe_index(cell->reference_cell().is_simplex() ? 0 : 1);
      functions.distribute_dofs(elements);
    }

    void
    choose()
    {
      at_vertices.reinit(functions.n_dofs());
      AffineConstraints<double> constraints;
      if (functions.get_triangulation().all_reference_cells_are_hyper_cube())
        DoFTools::make_hanging_node_constraints(functions, constraints);
      constraints.close();
      for (const auto &cell : functions.active_cell_iterators())
        for (const auto i : indices_of(cell))
          at_vertices(i) = std::max(at_vertices(i), numbers[cell->active_cell_index()]);
      constraints.distribute(at_vertices);
    }

    double
    at(const typename Triangulation<dim>::active_cell_iterator &cell, const Point<dim> &x) const
    {
      if (!continuous)
        return numbers[cell->active_cell_index()];
      Tensor<2, dim> edges;
      for (unsigned int r = 0; r < dim; ++r)
        {
          const unsigned int v = cell->reference_cell().is_simplex() ? 1 + r : 1 << r;
          for (unsigned int d = 0; d < dim; ++d)
            edges[d][r] = cell->vertex(v)[d] - cell->vertex(0)[d];
        }
      const Point<dim> unit(invert(edges) * (x - cell->vertex(0)));
      const typename DoFHandler<dim>::active_cell_iterator of_functions(
        &functions.get_triangulation(), cell->level(), cell->index(), &functions);
      const auto indices = indices_of(of_functions);
      double     sum     = 0;
      for (unsigned int i = 0; i < indices.size(); ++i)
        sum += of_functions->get_fe().shape_value(i, unit) * at_vertices(indices[i]);
      return sum;
    }

    std::vector<double> numbers; ///< by active cell index

  private:
    static std::vector<types::global_dof_index>
    indices_of(const typename DoFHandler<dim>::active_cell_iterator &cell)
    {
      std::vector<types::global_dof_index> indices(cell->get_fe().n_dofs_per_cell());
      cell->get_dof_indices(indices);
      return indices;
    }

    const bool             continuous;
    DoFHandler<dim>        functions;
    dealii::Vector<double> at_vertices;
  };

  /// The largest speed of waves in the direction @p n at x.
  template <int dim>
  double
  wave_speed(const Euler<dim>             &law,
             const dealii::Vector<double> &mean,
             const Point<dim> & /*x*/,
             const Tensor<1, dim> &n)
  {
    Tensor<1, dim> velocity;
    for (unsigned int d = 0; d < dim; ++d)
      velocity[d] = mean(1 + d) / mean(0);
    const double pressure =
      (law.gamma - 1.) * (mean(dim + 1) - 0.5 * mean(0) * velocity.norm_square());
    return std::abs(velocity * n) + std::sqrt(law.gamma * pressure / mean(0));
  }

  template <int dim>
  double
  wave_speed(const Advection<dim> & /*law*/,
             const dealii::Vector<double> & /*mean*/,
             const Point<dim>     &x,
             const Tensor<1, dim> &n)
  {
    double speed = 0.;
    for (unsigned int d = 0; d < dim; ++d)
      speed += Velocity<dim>().value(x, d) * n[d];
    return std::abs(speed);
  }

  /// Artificial viscosities and what they add to the right-hand side, on such cells.
  template <int dim, typename Law>
  class SpreadShocks
  {
    using Cell = typename DoFHandler<dim>::active_cell_iterator;

    static constexpr unsigned int n_components = Law::n_components;

  public:
    SpreadShocks(const Mapping<dim>           &mapping,
                 const DoFHandler<dim>        &dof_handler,
                 const dealii::Vector<double> &u,
                 const bool                    continuous)
      : mapping(mapping)
      , dof_handler(dof_handler)
      , u(u)
      , p(dof_handler.get_fe(0).degree)
      , viscosities(dof_handler.get_triangulation(), continuous)
    {
      for (unsigned int i = 0; i < dof_handler.get_fe_collection().size(); ++i)
        {
          const auto &fe   = dof_handler.get_fe(i);
          const auto  side = [&](const unsigned int degree) {
            return std::make_unique<Side<dim>>(
              mapping,
              fe,
              cell_quadrature<dim - 1>(fe.reference_cell().face_reference_cell(0), degree),
              update_flags);
          };
          sides.push_back(side(2 * p + 1));
          sides_in.push_back(side(2 * p));
          sides_out.push_back(side(2 * p));
        }
      for (const auto &cell : dof_handler.active_cell_iterators())
        viscosities.numbers[cell->active_cell_index()] = viscosity(cell);
      viscosities.choose();
    }

    double
    smallest() const
    {
      return *std::min_element(viscosities.numbers.begin(), viscosities.numbers.end());
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
    std::unique_ptr<FEValues<dim>>
    in_volume(const Cell &cell, const FiniteElement<dim> &fe, const unsigned int degree) const
    {
      auto values = std::make_unique<FEValues<dim>>(
        mapping, fe, cell_quadrature<dim>(cell->reference_cell(), degree), update_flags);
      values->reinit(static_cast<const typename Triangulation<dim>::cell_iterator &>(cell));
      return values;
    }

    std::vector<types::global_dof_index>
    indices_of(const Cell &cell) const
    {
      std::vector<types::global_dof_index> indices(cell->get_fe().n_dofs_per_cell());
      cell->get_dof_indices(indices);
      return indices;
    }

    static double
    area_of(const FEFaceValuesBase<dim> &values)
    {
      double area = 0.;
      for (const unsigned int q : values.quadrature_point_indices())
        area += values.JxW(q);
      return area;
    }

    double
    viscosity(const Cell &cell) const
    {
      const auto                          of_state = in_volume(cell, cell->get_fe(), 2 * p);
      const FEValues<dim>                &values   = *of_state;
      const unsigned int                  n        = values.n_quadrature_points;
      const auto                          indices  = indices_of(cell);
      std::vector<dealii::Vector<double>> states(n, dealii::Vector<double>(n_components));
      values.get_function_values(u, indices, states);
      const auto           lower        = dg_element<dim>(cell->reference_cell(), p - 1);
      const auto           of_lower     = in_volume(cell, *lower, 2 * p);
      const FEValues<dim> &lower_values = *of_lower;

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

      double surface = 0., speeds = 0.;
      for (const unsigned int f : cell->face_indices())
        {
          const auto  &face = sides[cell->active_fe_index()]->reinit({cell, f});
          const double area = area_of(face);
          surface += area;
          double speed = 0.;
          for (const unsigned int q : face.quadrature_point_indices())
            speed =
              std::max(speed,
                       wave_speed(Law(), mean, face.quadrature_point(q), face.normal_vector(q)));
          speeds += area * speed;
        }
      const ArtificialViscosity choice = wide(false);
      const double above = std::log10(1. - lower_norm / norm) + 4. * std::log10(double(p));
      const double part =
        0.5 * (1. + std::sin(numbers::PI / 2. *
                             std::clamp((above - choice.shift) / choice.width, -1., 1.)));
      const double h = 2. * dim * volume / surface;
      return choice.strength * part * h / p * speeds / surface;
    }

    void
    add(const Cell &cell, dealii::Vector<double> &result) const
    {
      const FiniteElement<dim> &fe      = cell->get_fe();
      const unsigned int        n       = fe.n_dofs_per_cell();
      const auto                indices = indices_of(cell);
      dealii::Vector<double>    rhs(n), solution(n);
      FullMatrix<double>        mass(n, n);

      const auto           in_cell   = in_volume(cell, fe, 2 * p);
      const FEValues<dim> &of_mass   = *in_cell;
      const bool           simplex   = cell->reference_cell().is_simplex();
      const auto           of_fluxes = in_volume(cell, fe, simplex ? 2 * p - 2 : 2 * p);
      const FEValues<dim> &volume    = *of_fluxes;
      const auto           in        = gradients(volume, indices);
      for (const unsigned int q : volume.quadrature_point_indices())
        {
          const double here = viscosities.at(cell, volume.quadrature_point(q));
          for (unsigned int i = 0; i < n; ++i)
            {
              const unsigned int c = fe.system_to_component_index(i).first;
              rhs(i) -= here * in[q][c] * volume.shape_grad(i, q) * volume.JxW(q);
            }
        }
      for (const unsigned int q : of_mass.quadrature_point_indices())
        for (unsigned int i = 0; i < n; ++i)
          for (unsigned int j = 0; j < n; ++j)
            if (fe.system_to_component_index(i).first == fe.system_to_component_index(j).first)
              mass(i, j) += of_mass.shape_value(i, q) * of_mass.shape_value(j, q) * of_mass.JxW(q);
      for (const unsigned int f : cell->face_indices())
        for (const auto &[face, across] : parts_of_face<dim>(cell, f))
          if (across)
            add_face(face, *across, rhs);
      mass.gauss_jordan();
      mass.vmult(solution, rhs);
      result.add(indices, solution);
    }

    void
    add_face(const FaceOfCell<dim>  &face,
             const FaceOfCell<dim>  &across,
             dealii::Vector<double> &rhs) const
    {
      const FiniteElement<dim> &fe      = face.cell->get_fe();
      const auto               &inside  = sides_in[face.cell->active_fe_index()]->reinit(face);
      const auto               &outside = sides_out[across.cell->active_fe_index()]->reinit(across);
      const double              sigma =
        area_of(inside) * std::max(faces_over_volume(face, p), faces_over_volume(across, p));
      const auto u_in     = states(inside, indices_of(face.cell)),
                 u_out    = states(outside, indices_of(across.cell));
      const auto grad_in  = gradients(inside, indices_of(face.cell)),
                 grad_out = gradients(outside, indices_of(across.cell));
      for (const unsigned int q : inside.quadrature_point_indices())
        {
          const Point<dim> x = inside.quadrature_point(q);
          unsigned int     k = 0;
          while (outside.quadrature_point(k).distance(x) > 1e-10)
            ++k;
          const double here = viscosities.at(face.cell, x), there = viscosities.at(across.cell, x);
          const Tensor<1, dim> normal = inside.normal_vector(q);
          for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
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

    std::vector<dealii::Vector<double>>
    states(const FEValuesBase<dim>                    &values,
           const std::vector<types::global_dof_index> &indices) const
    {
      std::vector<dealii::Vector<double>> result(values.n_quadrature_points,
                                                 dealii::Vector<double>(n_components));
      values.get_function_values(u, indices, result);
      return result;
    }

    std::vector<std::vector<Tensor<1, dim>>>
    gradients(const FEValuesBase<dim>                    &values,
              const std::vector<types::global_dof_index> &indices) const
    {
      std::vector<std::vector<Tensor<1, dim>>> result(values.n_quadrature_points,
                                                      std::vector<Tensor<1, dim>>(n_components));
      for (unsigned int q = 0; q < values.n_quadrature_points; ++q)
        for (unsigned int i = 0; i < indices.size(); ++i)
          result[q][values.get_fe().system_to_component_index(i).first] +=
            u(indices[i]) * values.shape_grad(i, q);
      return result;
    }

    const Mapping<dim>           &mapping;
    const DoFHandler<dim>        &dof_handler;
    const dealii::Vector<double> &u;
    const unsigned int            p;
    const UpdateFlags update_flags = update_values | update_gradients | update_JxW_values |
                                     update_normal_vectors | update_quadrature_points;
    OnCells<dim> viscosities;
    /// By element: with the points of wave speeds, and of the fluxes.
    std::vector<std::unique_ptr<Side<dim>>> sides, sides_in, sides_out;
  };

  /// What the operator adds for it, without and with the viscosity of a gas.
  /// @param everywhere whether all elements have artificial viscosity
  template <typename Operator, typename Law, int dim>
  void
  expect_as_assembled(const Mapping<dim>           &mapping,
                      const DoFHandler<dim>        &dof_handler,
                      const dealii::Vector<double> &u,
                      const Device                  device,
                      const bool                    everywhere = true)
  {
    for (const bool continuous : {false, true})
      {
        SCOPED_TRACE(continuous ? "continuous" : "by element");
        const SpreadShocks<dim, Law> expected(mapping, dof_handler, u, continuous);
        const dealii::Vector<double> added = expected.residual();
        EXPECT_EQ(expected.smallest() > 0., everywhere);
        std::vector<Law> laws(1);
        if constexpr (HasSecondOrderFlux<Law>::value)
          {
            laws.emplace_back();
            laws[1].transport.viscosity = 0.1;
          }
        for (const Law &law : laws)
          {
            dealii::Vector<double> found[2];
            for (const bool spread : {false, true})
              {
                Operator                          op;
                typename Operator::AdditionalData data;
                data.fields = fields<dim, Law>();
                if (spread)
                  data.artificial_viscosity = wide(continuous);
                op.reinit(mapping, dof_handler, law, all_conditions<dim, Law>(), device, data);
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
  }

  template <typename Law>
  using MixedOperator = MixedConservationLawOperator<2, Law>;

  /// @param triangulation is sheared, so that no direction is special
  template <typename Law>
  void
  expect_on_mixed_cells(Triangulation<2> &triangulation, const Device device)
  {
    dealii::GridTools::transform(
      [](const Point<2> &x) { return Point<2>(x[0] + 0.3 * x[1], x[1] - 0.1 * x[0]); },
      triangulation);
    const auto mapping = straight_mapping();
    for (unsigned int p = 1; p <= 5; ++p)
      {
        const MixedSetting<Law> setting(triangulation, mapping, p);
        expect_as_assembled<MixedOperator<Law>, Law>(mapping,
                                                     setting.dof_handler,
                                                     setting.random_state(0.1),
                                                     device);
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
        expect_as_assembled<MixedOperator<Euler<2>>, Euler<2>>(
          mapping, setting.dof_handler, u, device, false);
      }
  }

  /// Alone on a mesh of one shape.
  template <int dim, typename Setting>
  void
  expect_alone(const Setting &setting, const Device device)
  {
    expect_as_assembled<ConservationLawOperator<dim, Euler<dim>>, Euler<dim>>(
      setting.mapping, setting.dof_handler, setting.random_state(0.05), device);
  }

  template <int dim>
  void
  expect_with_hanging_faces(const Device device)
  {
    for (const unsigned int p : {1, 2})
      {
        HypercubeSetting<dim, Euler<dim>> setting(p, Cells::parallelepipeds, {}, 2);
        refine_some(setting.triangulation);
        ASSERT_TRUE(setting.triangulation.has_hanging_nodes());
        setting.dof_handler.distribute_dofs(FESystem<dim>(FE_HypercubeDG<dim>(p), dim + 2));
        expect_alone<dim>(setting, device);
      }
  }
} // namespace

using ArtificialViscosityTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(ArtificialViscosityTest)

TEST_P(ArtificialViscosityTest, WhereShapesMeet)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 5, 0.);
  expect_on_mixed_cells<Euler<2>>(triangulation, device());
  triangulation.clear();
  make_mixed_box(triangulation, 5, 0.);
  expect_on_mixed_cells<Advection<2>>(triangulation, device());
}

// Either shape has no elements then.
TEST_P(ArtificialViscosityTest, Quadrilaterals)
{
  Triangulation<2> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(triangulation, 3, 0., 1., true);
  expect_on_mixed_cells<Euler<2>>(triangulation, device());
}

TEST_P(ArtificialViscosityTest, Triangles)
{
  Triangulation<2> quadrilaterals, triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 2, 0., 1., true);
  dealii::GridGenerator::convert_hypercube_to_simplex_mesh(quadrilaterals, triangulation);
  expect_on_mixed_cells<Euler<2>>(triangulation, device());
}

TEST_P(ArtificialViscosityTest, InHalfOfTheDomain)
{
  Triangulation<2> quadrilaterals, triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 6, 0., 1., true);
  expect_above(quadrilaterals, device());
  quadrilaterals.clear();
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 4, 0., 1., true);
  dealii::GridGenerator::convert_hypercube_to_simplex_mesh(quadrilaterals, triangulation);
  expect_above(triangulation, device());
}

TEST_P(ArtificialViscosityTest, HangingFaces2D)
{
  expect_with_hanging_faces<2>(device());
}

TEST_P(ArtificialViscosityTest, HangingFaces3D)
{
  expect_with_hanging_faces<3>(device());
}

TEST_P(ArtificialViscosityTest, Tetrahedra)
{
  for (const unsigned int p : {1, 3})
    expect_alone<3>(Setting<3, Euler<3>>(p, {}, 2, Vertices::shuffled), device());
}
