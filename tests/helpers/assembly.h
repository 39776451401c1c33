// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_assembly_h
#define saltus_tests_helpers_assembly_h

#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <gtest/gtest.h>
#include <helpers/random_setting.h>

namespace Saltus::Tests
{
  using dealii::FEFaceValues;
  using dealii::FESubfaceValues;
  using dealii::FEValues;
  using dealii::FiniteElement;
  using dealii::Mapping;

  /// The oracle: the right-hand side by deal.II's FEValues, point by point, with states that the
  /// basis gives at real points. Slow, but it shares nothing with the operator but the law. On
  /// meshes that mix shapes, too.
  template <int dim, typename Law>
  class Assembly
  {
    static constexpr int n_components = Law::n_components;
    using State                       = Array<double, n_components>;
    using Field                       = Array<double, Law::n_fields>;

  public:
    Assembly(const Mapping<dim> &mapping, const DoFHandler<dim> &dof_handler, const Law &law)
      : mapping(mapping)
      , dof_handler(dof_handler)
      , law(law)
    {}

    /// \f$ M^{-1} L(u) \f$ cell by cell with a mass matrix by quadrature.
    dealii::Vector<double>
    residual(const dealii::Vector<double>  &u,
             const BoundaryConditions<dim> &conditions,
             const unsigned int             quadrature_increase = 0) const
    {
      dealii::Vector<double> result(dof_handler.n_dofs());
      for (unsigned int i = 0; i < dof_handler.get_fe_collection().size(); ++i)
        add_residual(i, u, conditions, quadrature_increase, result);
      return result;
    }

  private:
    /// On the cells with an element of the collection.
    void
    add_residual(const unsigned int             element,
                 const dealii::Vector<double>  &u,
                 const BoundaryConditions<dim> &conditions,
                 const unsigned int             quadrature_increase,
                 dealii::Vector<double>        &result) const
    {
      const FiniteElement<dim> &fe            = dof_handler.get_fe(element);
      const unsigned int        volume_degree = 2 * fe.degree + quadrature_increase;
      const auto                cell_shape    = fe.reference_cell();
      const auto                face_rule =
        cell_quadrature<dim - 1>(cell_shape.face_reference_cell(0), volume_degree + 1);
      const auto on_faces = dealii::update_values | dealii::update_JxW_values |
                            dealii::update_normal_vectors | dealii::update_quadrature_points;
      FEValues<dim>        volume(mapping,
                           fe,
                           cell_quadrature<dim>(cell_shape, volume_degree),
                           dealii::update_values | dealii::update_gradients |
                             dealii::update_JxW_values | dealii::update_quadrature_points);
      FEFaceValues<dim>    faces(mapping, fe, face_rule, on_faces);
      FESubfaceValues<dim> sub_faces(mapping, fe, face_rule, on_faces);
      // All components have the same functions, and so the same mass matrix.
      const unsigned int                           n           = fe.n_dofs_per_cell();
      const unsigned int                           n_functions = n / n_components;
      const auto                                   functions   = functions_of_components(fe);
      std::vector<dealii::types::global_dof_index> indices(n);
      for (const auto &cell : dof_handler.active_cell_iterators())
        if (cell->active_fe_index() == element)
          {
            dealii::LAPACKFullMatrix<double> mass(n_functions);
            dealii::Vector<double>           rhs(n);
            volume.reinit(cell);
            for (const unsigned int q : volume.quadrature_point_indices())
              {
                const State state = value_at(cell, volume.quadrature_point(q), u);
                const Field field = field_at(volume.quadrature_point(q));
                State       fluxes[dim];
                for (unsigned int d = 0; d < dim; ++d)
                  {
                    Array<double, dim> direction{};
                    direction[d] = 1.;
                    fluxes[d]    = law.flux(state, field, direction);
                  }
                for (unsigned int i = 0; i < n; ++i)
                  {
                    const unsigned int c        = fe.system_to_component_index(i).first;
                    const auto         gradient = volume.shape_grad_component(i, q, c);
                    for (unsigned int d = 0; d < dim; ++d)
                      rhs(i) += fluxes[d][c] * gradient[d] * volume.JxW(q);
                  }
                for (unsigned int i = 0; i < n_functions; ++i)
                  for (unsigned int j = 0; j < n_functions; ++j)
                    mass(i, j) += volume.shape_value(functions[0][i], q) *
                                  volume.shape_value(functions[0][j], q) * volume.JxW(q);
              }
            // `outside(inside, x, normal)`
            const auto subtract_flux = [&](const auto &face, const auto &outside) {
              for (const unsigned int q : face.quadrature_point_indices())
                {
                  const Point<dim>   x = face.quadrature_point(q);
                  Array<double, dim> normal;
                  for (unsigned int d = 0; d < dim; ++d)
                    normal[d] = face.normal_vector(q)[d];
                  const State inside = value_at(cell, x, u);
                  const State flux =
                    law.numerical_flux(inside, outside(inside, x, normal), field_at(x), normal);
                  for (unsigned int i = 0; i < n; ++i)
                    rhs(i) -= flux[fe.system_to_component_index(i).first] * face.shape_value(i, q) *
                              face.JxW(q);
                }
            };
            for (const unsigned int f : cell->face_indices())
              if (!cell->at_boundary(f) && cell->neighbor(f)->has_children())
                for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
                  {
                    sub_faces.reinit(cell, f, s);
                    subtract_flux(sub_faces, [&](const State &, const Point<dim> &x, const auto &) {
                      return value_at(cell->neighbor_child_on_subface(f, s), x, u);
                    });
                  }
              else
                {
                  faces.reinit(cell, f);
                  subtract_flux(faces,
                                [&](const State &inside, const Point<dim> &x, const auto &normal) {
                                  return cell->at_boundary(f)
                                           ? boundary_state(conditions.conditions().at(
                                                              cell->face(f)->boundary_id()),
                                                            inside,
                                                            x,
                                                            normal)
                                           : value_at(cell->neighbor(f), x, u);
                                });
                }
            mass.set_property(dealii::LAPACKSupport::symmetric);
            mass.compute_cholesky_factorization();
            cell->get_dof_indices(indices);
            dealii::Vector<double> of_component(n_functions);
            for (unsigned int c = 0; c < n_components; ++c)
              {
                for (unsigned int i = 0; i < n_functions; ++i)
                  of_component(i) = rhs(functions[c][i]);
                mass.solve(of_component);
                for (unsigned int i = 0; i < n_functions; ++i)
                  result(indices[functions[c][i]]) = of_component(i);
              }
          }
    }

    /// The numbers of an element's functions, `[component][function]`.
    static std::array<std::vector<unsigned int>, n_components>
    functions_of_components(const FiniteElement<dim> &fe)
    {
      std::array<std::vector<unsigned int>, n_components> result;
      result.fill(std::vector<unsigned int>(fe.n_dofs_per_cell() / n_components));
      for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
        {
          const auto [component, function] = fe.system_to_component_index(i);
          result[component][function]      = i;
        }
      return result;
    }

    template <typename Cell>
    State
    value_at(const Cell &cell, const Point<dim> &x, const dealii::Vector<double> &u) const
    {
      const Point<dim>          unit = mapping.transform_real_to_unit_cell(cell, x);
      const FiniteElement<dim> &fe   = cell->get_fe();
      std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
      cell->get_dof_indices(indices);
      State      state{};
      const auto functions = functions_of_components(fe);
      for (unsigned int i = 0; i < functions[0].size(); ++i)
        {
          const double value = fe.shape_value(functions[0][i], unit);
          for (unsigned int c = 0; c < n_components; ++c)
            state[c] += u(indices[functions[c][i]]) * value;
        }
      return state;
    }

    Field
    field_at(const Point<dim> &x) const
    {
      const Velocity<dim> velocity;
      Field               field;
      for (int d = 0; d < Law::n_fields; ++d)
        field[d] = velocity.value(x, d);
      return field;
    }

    State
    boundary_state(const typename BoundaryConditions<dim>::Condition &condition,
                   const State                                       &inside,
                   const Point<dim>                                  &x,
                   const Array<double, dim>                          &normal) const
    {
      State data{};
      if (!condition.data.empty())
        {
          dealii::Vector<double> value(condition.data.n_components());
          condition.data.function->vector_value(x, value);
          for (unsigned int c = 0; c < value.size(); ++c)
            data[c] = value(c);
        }
      return law.boundary_state(condition.kind, inside, data, normal);
    }

    const Mapping<dim>    &mapping;
    const DoFHandler<dim> &dof_handler;
    const Law              law;
  };

  /// The operator in both precisions against the assembly, at a random state, with numbers of the
  /// faces that are the same on both sides and with those of deal.II's cells.
  /// @param setting see residual()
  template <int dim, typename Law, template <int, typename> class AnySetting>
  void
  compare_with_assembly(const AnySetting<dim, Law>    &setting,
                        const Device                   device,
                        const unsigned int             quadrature_increase = 0,
                        const BoundaryConditions<dim> &conditions = all_conditions<dim, Law>())
  {
    SCOPED_TRACE("degree " + std::to_string(setting.dof_handler.get_fe().degree));
    const auto u        = setting.random_state(0.02);
    const auto expected = Assembly<dim, Law>(setting.mapping, setting.dof_handler, setting.law)
                            .residual(u, conditions, quadrature_increase);
    for (const unsigned int matching_rounds : {max_matching_rounds, 0u})
      {
        SCOPED_TRACE("after " + std::to_string(matching_rounds) + " rounds of matching");
        EXPECT_LT(relative_difference(
                    residual<dim, Law, double>(
                      setting, conditions, u, device, quadrature_increase, matching_rounds),
                    expected),
                  1e-11);
        EXPECT_LT(relative_difference(
                    residual<dim, Law, float>(
                      setting, conditions, u, device, quadrature_increase, matching_rounds),
                    expected),
                  1e-3);
      }
  }
} // namespace Saltus::Tests

#endif
