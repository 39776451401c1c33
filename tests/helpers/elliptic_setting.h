// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_elliptic_setting_h
#define saltus_tests_helpers_elliptic_setting_h

#include <deal.II/fe/fe_values.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/elliptic/laplace_operator.h>

#include <algorithm>
#include <array>
#include <functional>
#include <helpers/meshes.h>
#include <helpers/vectors.h>
#include <optional>

/// Meshes, coefficients and the oracle with which elliptic operators are compared.
namespace Saltus::Tests
{
  using dealii::SymmetricTensor;

  template <int dim>
  struct EllipticSetting : public Box<dim>
  {
    using Box<dim>::mapping, Box<dim>::triangulation;

    explicit EllipticSetting(const unsigned int degree, const unsigned int n_refinements = 0)
      : Box<dim>(dim == 2 ? 4 : 2)
      , dof_handler(triangulation)
    {
      triangulation.refine_global(n_refinements);
      dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(degree));
    }

    dealii::Vector<double>
    random_vector(const unsigned int seed) const
    {
      return Tests::random_vector(dof_handler.n_dofs(), seed);
    }

    DoFHandler<dim> dof_handler;
  };

  constexpr double robin_coefficient = 2.5, penalty_factor = 1.2;

  template <int dim>
  EllipticBoundaryConditions<dim>
  dirichlet_conditions()
  {
    EllipticBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_dirichlet(id);
    return conditions;
  }

  template <int dim>
  EllipticBoundaryConditions<dim>
  neumann_conditions()
  {
    EllipticBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_neumann(id);
    return conditions;
  }

  /// All kinds of conditions on the sides of the box; perhaps its left and right side are one.
  template <int dim>
  EllipticBoundaryConditions<dim>
  all_elliptic_conditions(const bool periodic = false)
  {
    EllipticBoundaryConditions<dim> conditions;
    if (periodic)
      conditions.set_periodic(0, 1);
    else
      {
        conditions.set_dirichlet(0);
        conditions.set_neumann(1);
      }
    conditions.set_robin(2, robin_coefficient);
    for (unsigned int id = 3; id < 2 * dim; ++id)
      conditions.set_dirichlet(id);
    return conditions;
  }

  /// A field of symmetric tensors as a deal.II function: entries xx, xy, ..., or the first only.
  template <int dim>
  struct TensorFunction : public dealii::Function<dim>
  {
    using Value = std::function<SymmetricTensor<2, dim>(const Point<dim> &)>;

    TensorFunction(const Value &tensor, const unsigned int n_components)
      : dealii::Function<dim>(n_components)
      , tensor(tensor)
    {}

    double
    value(const Point<dim> &x, const unsigned int component) const override
    {
      const auto          k = tensor(x);
      std::vector<double> entries;
      for (unsigned int i = 0; i < dim; ++i)
        for (unsigned int j = i; j < dim; ++j)
          entries.push_back(k[i][j]);
      return entries[component];
    }

    const Value tensor;
  };

  /// Coefficients of an elliptic problem. Fields by point are linear, so that their integrals are
  /// exact.
  template <int dim>
  struct EllipticCoefficients
  {
    std::string                         name;
    typename TensorFunction<dim>::Value diffusion;
    std::function<double(Point<dim>)>   reaction; ///< may be empty
    bool                                tensor   = false;
    std::optional<Sampling>             sampling = {}; ///< none: constants

    template <typename Number>
    typename LaplaceOperator<dim, Number>::AdditionalData
    data() const
    {
      typename LaplaceOperator<dim, Number>::AdditionalData result;
      result.penalty_factor = penalty_factor;
      const Point<dim> origin;
      if (!sampling)
        {
          result.diffusion = diffusion(origin)[0][0];
          result.reaction  = reaction ? reaction(origin) : 0.;
          return result;
        }
      const auto field = [&](const auto &value, const unsigned int n_components) {
        return EllipticCoefficient<dim>(
          {std::make_shared<TensorFunction<dim>>(value, n_components), false, false}, *sampling);
      };
      result.diffusion = field(diffusion, tensor ? dim * (dim + 1) / 2 : 1);
      if (reaction)
        result.reaction =
          field([r = reaction](
                  const Point<dim> &x) { return r(x) * dealii::unit_symmetric_tensor<dim>(); },
                1);
      return result;
    }
  };

  template <int dim>
  std::vector<EllipticCoefficients<dim>>
  all_elliptic_coefficients()
  {
    const auto unit   = dealii::unit_symmetric_tensor<dim>();
    const auto scalar = [=](const Point<dim> &x) { return (1.5 + x[0] - 0.5 * x[1]) * unit; };
    const auto tensor = [=](const Point<dim> &x) {
      auto k  = (1.5 + x[0] - 0.5 * x[1]) * unit;
      k[0][0] = 2.;
      k[0][1] = 0.3 + 0.2 * x[1];
      k[dim - 1][dim - 2] += 0.25 * x[0];
      return k;
    };
    const auto reaction = [](const Point<dim> &x) { return x[0] * x[0] + 0.5; };
    const auto linear   = [](const Point<dim> &x) { return x[0] + 0.2 * x[dim - 1]; };
    return {{"constants",
             [=](const Point<dim> &) { return 1.7 * unit; },
             [](const Point<dim> &) { return 0.6; }},
            {"scalars by element", scalar, reaction, false, Sampling::by_element},
            {"tensors by element", tensor, reaction, true, Sampling::by_element},
            {"scalars by point", scalar, linear, false, Sampling::by_point},
            {"tensors by point", tensor, linear, true, Sampling::by_point}};
  }

  /// The oracle: `A u` by FEValues, with the other side's values computed at real points.
  template <int dim>
  class EllipticAssembly
  {
    using Cell             = typename DoFHandler<dim>::active_cell_iterator;
    using ValueAndGradient = std::pair<double, Tensor<1, dim>>;

  public:
    EllipticAssembly(const EllipticSetting<dim>      &setting,
                     const EllipticCoefficients<dim> &coefficients)
      : setting(setting)
      , coefficients(coefficients)
      , fe(setting.dof_handler.get_fe())
      , penalties(setting.dof_handler.get_triangulation().n_active_cells())
    {
      const auto                points = dealii::update_quadrature_points;
      dealii::FEFaceValues<dim> face(setting.mapping,
                                     fe,
                                     simplex_quadrature<dim - 1>(2 * fe.degree),
                                     points | dealii::update_normal_vectors);
      dealii::FEValues<dim>     volume(setting.mapping,
                                   fe,
                                   simplex_quadrature<dim>(2 * fe.degree + 2),
                                   points);
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          volume.reinit(cell);
          penalties[cell->active_cell_index()] = penalties_of(cell, volume, face);
        }
    }

    dealii::Vector<double>
    vmult(const EllipticBoundaryConditions<dim> &conditions, const dealii::Vector<double> &u) const
    {
      using dealii::types::global_dof_index;
      const unsigned int            p = fe.degree, n = fe.n_dofs_per_cell();
      dealii::FEValues<dim>         volume(setting.mapping,
                                   fe,
                                   simplex_quadrature<dim>(2 * p + 2),
                                   dealii::update_values | dealii::update_gradients |
                                     dealii::update_JxW_values | dealii::update_quadrature_points);
      dealii::FEFaceValues<dim>     faces(setting.mapping,
                                      fe,
                                      simplex_quadrature<dim - 1>(2 * p + 1),
                                      dealii::update_values | dealii::update_gradients |
                                        dealii::update_JxW_values |
                                        dealii::update_quadrature_points |
                                        dealii::update_normal_vectors);
      dealii::Vector<double>        all(u.size());
      std::vector<global_dof_index> indices(n);
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(indices);
          volume.reinit(cell);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              const Point<dim> x           = volume.quadrature_point(q);
              const auto [value, gradient] = at_point(volume, q, indices, u);
              for (unsigned int i = 0; i < n; ++i)
                all(indices[i]) += (diffusion(cell, x) * gradient * volume.shape_grad(i, q) +
                                    reaction(cell, x) * value * volume.shape_value(i, q)) *
                                   volume.JxW(q);
            }
          for (const unsigned int f : cell->face_indices())
            {
              faces.reinit(cell, f);
              const auto other = neighbor(setting.dof_handler, conditions.periodic(), cell, f);
              double     tau   = penalties[cell->active_cell_index()][f];
              std::vector<ValueAndGradient> beyond;
              if (other)
                {
                  tau    = std::max(tau, penalties[other->cell->active_cell_index()][other->face]);
                  beyond = at(other->cell, other->shift, faces.get_quadrature_points(), u);
                }
              for (const unsigned int q : faces.quadrature_point_indices())
                {
                  const Point<dim> x           = faces.quadrature_point(q);
                  const auto       normal      = faces.normal_vector(q);
                  const auto [value, gradient] = at_point(faces, q, indices, u);
                  const auto k                 = diffusion(cell, x);
                  double     jump, flux = k * gradient * normal, half = 1.;
                  if (other)
                    {
                      const Point<dim> there      = x + other->shift;
                      const auto [outside, slope] = beyond[q];
                      jump                        = value - outside;
                      flux = 0.5 * (flux + diffusion(other->cell, there) * slope * normal);
                      half = 0.5;
                    }
                  else
                    {
                      const auto &condition = conditions.at(cell->face(f)->boundary_id(), 1);
                      if (condition.kind != EllipticBoundary::dirichlet)
                        {
                          for (unsigned int i = 0; i < n; ++i)
                            all(indices[i]) +=
                              condition.robin * value * faces.shape_value(i, q) * faces.JxW(q);
                          continue;
                        }
                      jump = value;
                    }
                  const double scale = other ? 1. : 2.;
                  for (unsigned int i = 0; i < n; ++i)
                    all(indices[i]) += ((scale * tau * jump - flux) * faces.shape_value(i, q) -
                                        half * jump * (k * faces.shape_grad(i, q) * normal)) *
                                       faces.JxW(q);
                }
            }
        }
      return all;
    }

  private:
    /// In a cell, at real points that are shifted.
    std::vector<ValueAndGradient>
    at(const Cell                    &cell,
       const Tensor<1, dim>          &shift,
       const std::vector<Point<dim>> &points,
       const dealii::Vector<double>  &u) const
    {
      std::vector<Point<dim>> unit;
      for (const Point<dim> &x : points)
        unit.push_back(setting.mapping.transform_real_to_unit_cell(cell, x + shift));
      dealii::FEValues<dim> values(setting.mapping,
                                   fe,
                                   dealii::Quadrature<dim>(unit),
                                   dealii::update_values | dealii::update_gradients);
      values.reinit(cell);
      std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
      cell->get_dof_indices(indices);
      std::vector<ValueAndGradient> result;
      for (unsigned int q = 0; q < unit.size(); ++q)
        result.push_back(at_point(values, q, indices, u));
      return result;
    }

    /// The same in a cell at one of its quadrature points.
    template <typename Values>
    static ValueAndGradient
    at_point(const Values                                       &values,
             const unsigned int                                  q,
             const std::vector<dealii::types::global_dof_index> &indices,
             const dealii::Vector<double>                       &u)
    {
      double         value = 0;
      Tensor<1, dim> gradient;
      for (unsigned int i = 0; i < indices.size(); ++i)
        {
          value += u(indices[i]) * values.shape_value(i, q);
          gradient += u(indices[i]) * values.shape_grad(i, q);
        }
      return {value, gradient};
    }

    Point<dim>
    sampled(const Cell &cell, const Point<dim> &x) const
    {
      return coefficients.sampling == Sampling::by_element ? cell->center() : x;
    }

    SymmetricTensor<2, dim>
    diffusion(const Cell &cell, const Point<dim> &x) const
    {
      const auto k = coefficients.diffusion(sampled(cell, x));
      return coefficients.tensor ? k : k[0][0] * dealii::unit_symmetric_tensor<dim>();
    }

    double
    reaction(const Cell &cell, const Point<dim> &x) const
    {
      return coefficients.reaction(sampled(cell, x));
    }

    /// Of the faces of one side, from the values of the diffusion at the operator's points.
    std::array<double, dim + 1>
    penalties_of(const Cell                  &cell,
                 const dealii::FEValues<dim> &volume,
                 dealii::FEFaceValues<dim>   &face) const
    {
      double     smallest = 1e300, largest = 0;
      const auto look = [&](const SymmetricTensor<2, dim> &k) {
        smallest = std::min(smallest, trace(k));
        largest  = std::max(largest, trace(k));
      };
      for (const Point<dim> &x : volume.get_quadrature_points())
        look(diffusion(cell, x));
      std::array<double, dim + 1> result{};
      for (const unsigned int f : cell->face_indices())
        {
          face.reinit(cell, f);
          for (const unsigned int q : face.quadrature_point_indices())
            {
              const auto k = diffusion(cell, face.quadrature_point(q));
              const auto n = face.normal_vector(q);
              look(k);
              result[f] = std::max(result[f], n * (k * n));
            }
        }
      const double p = fe.degree;
      for (const unsigned int f : cell->face_indices())
        result[f] *= penalty_factor * 0.5 * (dim + 1) * (p + 1) * (p + dim) / dim * largest /
                     smallest * cell->face(f)->measure() / cell->measure();
      return result;
    }

    const EllipticSetting<dim>       &setting;
    const EllipticCoefficients<dim>  &coefficients;
    const dealii::FiniteElement<dim> &fe;

    std::vector<std::array<double, dim + 1>> penalties; ///< of each cell
  };

  template <int dim, typename Number>
  dealii::Vector<double>
  vmult(const LaplaceOperator<dim, Number> &A, const dealii::Vector<double> &u)
  {
    auto src = copied(A, u), dst = zeros(A);
    A.vmult(dst, src);
    return to_dealii(A, dst);
  }
} // namespace Saltus::Tests

#endif
