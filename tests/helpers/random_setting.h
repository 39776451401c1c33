// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_random_setting_h
#define saltus_tests_helpers_random_setting_h

#include <deal.II/base/function.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>

#include <algorithm>
#include <cmath>
#include <random>

/// States, data and meshes on which operators are compared.
namespace Saltus::Tests
{
  using dealii::DoFHandler;
  using dealii::FE_SimplexP;
  using dealii::FESystem;
  using dealii::Function;
  using dealii::MappingFE;
  using dealii::Point;
  using dealii::Triangulation;

  template <int dim>
  struct Velocity : public Function<dim>
  {
    Velocity()
      : Function<dim>(dim)
    {}

    double
    value(const Point<dim> &p, const unsigned int component) const override
    {
      return component == 0 ? 1. - p[1] : (component == 1 ? p[0] + 0.3 : 0.7 * p[0] - p[1]);
    }
  };

  template <int dim, typename Law>
  FieldFunction<dim>
  fields()
  {
    if (Law::n_fields == 0)
      return {};
    return {std::make_shared<Velocity<dim>>(), false, false};
  }

  /// An admissible state that the data and the free stream take.
  template <typename Law>
  std::vector<double>
  constant_state()
  {
    if (Law::n_components == 1)
      return {1.25};
    std::vector<double> u = {1.1, 0.4, -0.3, 0.2};
    u.resize(Law::n_components - 1);
    u.push_back(2.9);
    return u;
  }

  template <int dim, typename Law>
  FieldFunction<dim>
  constant_data()
  {
    return {std::make_shared<dealii::Functions::ConstantFunction<dim>>(constant_state<Law>()),
            false,
            false};
  }

  /// Every kind of condition that the law knows, on the sides of a box.
  template <int dim, typename Law>
  BoundaryConditions<dim>
  all_conditions()
  {
    const bool              euler = Law::n_components > 1;
    const auto              data  = constant_data<dim, Law>();
    BoundaryConditions<dim> conditions;
    conditions.set_prescribed(0, data);
    conditions.set_outflow(1);
    for (unsigned int id = 2; id < 2 * dim; ++id)
      if (euler && id % 2 == 0)
        conditions.set_wall(id);
      else if (euler)
        conditions.set_far_field(id, data);
      else
        conditions.set_prescribed(id, data);
    return conditions;
  }

  /// Inlet and outlet of Euler's equations on the last two sides of a box, walls on the others.
  template <int dim>
  BoundaryConditions<dim>
  inlet_and_outlet()
  {
    const auto constant = [](const std::vector<double> &values) {
      return FieldFunction<dim>(std::make_shared<dealii::Functions::ConstantFunction<dim>>(values),
                                false,
                                false);
    };
    // The state of constant_state() has the pressure 1.1, or a little less.
    std::vector<double> inlet = {1.4, 1.05, 0.3, 0.4};
    inlet.resize(1 + dim);
    inlet.push_back(1.);
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim - 2; ++id)
      conditions.set_wall(id);
    conditions.set_total_pressure_inlet(2 * dim - 2, constant(inlet));
    conditions.set_pressure_outlet(2 * dim - 1, constant({1.05}));
    return conditions;
  }

  template <int dim>
  Euler<dim>
  euler(const RiemannSolver solver)
  {
    Euler<dim> law;
    law.riemann_solver = solver;
    return law;
  }

  /// The same mesh with the vertices of every cell in a random one of the orders that keep its
  /// orientation positive.
  template <int dim>
  void
  shuffle_vertices(Triangulation<dim> &triangulation)
  {
    auto [vertices, cells, boundary] =
      dealii::GridTools::get_coarse_mesh_description(triangulation);
    std::mt19937 generator(42);
    for (dealii::CellData<dim> &cell : cells)
      {
        dealii::Tensor<2, dim> edges;
        do
          {
            std::shuffle(cell.vertices.begin(), cell.vertices.end(), generator);
            for (unsigned int d = 0; d < dim; ++d)
              edges[d] = vertices[cell.vertices[d + 1]] - vertices[cell.vertices[0]];
          }
        while (determinant(edges) < 0.);
      }
    triangulation.clear();
    triangulation.create_triangulation(vertices, cells, boundary);
  }

  /// Declares about every third cell, here and there, to be of a geometry that is not affine.
  template <int dim>
  GeometryKind
  some_are_stored(const typename ElementOrder<dim>::Cell &cell)
  {
    const Point<dim> center = cell->center();
    return std::fmod(17. * center[0] + 31. * center[1], 1.) < 0.3 ? GeometryKind::stored
                                                                  : GeometryKind::affine;
  }

  enum class Vertices
  {
    ordered,
    shuffled
  };

  /// One mesh, element and random state.
  template <int dim, typename Law>
  struct Setting
  {
    /// @param n subdivisions of the box in each direction
    explicit Setting(const unsigned int degree,
                     const Law         &law      = Law(),
                     const unsigned int n        = dim == 2 ? 5 : 3,
                     const Vertices     vertices = Vertices::ordered)
      : mapping(FE_SimplexP<dim>(1))
      , dof_handler(triangulation)
      , law(law)
    {
      Point<dim> corner;
      for (unsigned int d = 0; d < dim; ++d)
        corner[d] = 1. + 0.25 * d;
      Saltus::GridGenerator::box<dim>(
        triangulation, Point<dim>(), corner, std::vector<unsigned int>(dim, n), 0.2);
      if (vertices == Vertices::shuffled)
        shuffle_vertices(triangulation);
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), Law::n_components));
    }

    std::shared_ptr<const ElementMesh<dim>>
    mesh(const std::vector<PeriodicBoundary>     &periodic        = {},
         const unsigned int                       matching_rounds = max_matching_rounds,
         const typename ElementOrder<dim>::Kinds &kinds           = {}) const
    {
      return std::make_shared<const ElementMesh<dim>>(
        mapping, triangulation, periodic, matching_rounds, kinds);
    }

    /// The constant state plus random modes, small enough to stay admissible.
    dealii::Vector<double>
    random_state(const double amplitude) const
    {
      std::mt19937                                 generator(42);
      std::uniform_real_distribution<double>       random(-1., 1.);
      const auto                                  &fe    = dof_handler.get_fe();
      const auto                                   state = constant_state<Law>();
      dealii::Vector<double>                       u(dof_handler.n_dofs());
      std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
      const double                                 phi0 = std::sqrt(dim == 2 ? 2. : 6.);
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            {
              const auto [c, m] = fe.system_to_component_index(i);
              u(indices[i]) =
                (m == 0 ? state[c] / phi0 : 0.) + amplitude * random(generator) / (m + 1);
            }
        }
      return u;
    }

    Triangulation<dim> triangulation;
    MappingFE<dim>     mapping;
    DoFHandler<dim>    dof_handler;
    Law                law;
  };

  template <int dim, typename Law, typename Number>
  dealii::Vector<double>
  residual(const Setting<dim, Law>                 &setting,
           const BoundaryConditions<dim>           &conditions,
           const dealii::Vector<double>            &state,
           const Device                             device,
           const unsigned int                       quadrature_increase = 0,
           const unsigned int                       matching_rounds     = max_matching_rounds,
           const typename ElementOrder<dim>::Kinds &kinds               = {})
  {
    ConservationLawOperator<dim, Law, Number>                          op;
    typename ConservationLawOperator<dim, Law, Number>::AdditionalData data;
    data.fields              = fields<dim, Law>();
    data.quadrature_increase = quadrature_increase;
    op.reinit(setting.mesh(conditions.periodic(), matching_rounds, kinds),
              setting.dof_handler,
              setting.law,
              conditions,
              device,
              data);
    Saltus::Vector<Number> u, r;
    op.initialize_vector(u);
    op.initialize_vector(r);
    op.copy_from(u, state);
    TimeClock clock = op.make_clock();
    op.apply(clock, u, r);
    op.check_states(clock);
    dealii::Vector<double> result;
    op.copy_to(result, r);
    return result;
  }

  inline double
  relative_difference(dealii::Vector<double> a, const dealii::Vector<double> &b)
  {
    const double norm = b.l2_norm();
    a -= b;
    return a.l2_norm() / norm;
  }
} // namespace Saltus::Tests

#endif
