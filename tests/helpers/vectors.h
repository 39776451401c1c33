// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_vectors_h
#define saltus_tests_helpers_vectors_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/algebra/vector.h>

#include <gtest/gtest.h>
#include <random>
#include <vector>

/// Vectors that tests fill, copy and compare.
namespace Saltus::Tests
{
  /// Numbers between -1 and 1.
  template <typename VectorType = dealii::Vector<double>>
  VectorType
  random_vector(const std::size_t size, const unsigned int seed)
  {
    std::mt19937                           generator(seed);
    std::uniform_real_distribution<double> random(-1., 1.);
    VectorType                             result(size);
    for (auto &entry : result)
      entry = random(generator);
    return result;
  }

  /// A vector with one number an element.
  inline Saltus::Vector<double>
  random_vector(const Device device, const std::size_t size, const unsigned int seed)
  {
    Saltus::Vector<double> result(device, size, 1, 1);
    result.set_entries(random_vector<std::vector<double>>(size, seed));
    return result;
  }

  /// Call @p body(degree of freedom, cell, mode, component) for all of them, cell by cell.
  template <int dim, typename Body>
  void
  for_entries(const dealii::DoFHandler<dim> &dof_handler, const Body &body)
  {
    std::vector<dealii::types::global_dof_index> indices;
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        const auto &fe = cell->get_fe();
        indices.resize(fe.n_dofs_per_cell());
        cell->get_dof_indices(indices);
        for (unsigned int i = 0; i < indices.size(); ++i)
          {
            const auto [c, m] = fe.system_to_component_index(i);
            body(indices[i], cell->active_cell_index(), m, c);
          }
      }
  }

  /// What coefficients are multiplied with by the mass matrix: |det J|.
  template <int dim>
  dealii::Vector<double>
  mass(const dealii::DoFHandler<dim> &dof_handler)
  {
    dealii::Vector<double>                       result(dof_handler.n_dofs());
    std::vector<dealii::types::global_dof_index> indices(dof_handler.get_fe().n_dofs_per_cell());
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        cell->get_dof_indices(indices);
        for (const auto i : indices)
          result(i) = cell->measure() / cell->reference_cell().volume();
      }
    return result;
  }

  /// A vector of an operator's or of its space in deal.II's numbering.
  template <typename Space, typename Number>
  dealii::Vector<double>
  to_dealii(const Space &space, const Saltus::Vector<Number> &from)
  {
    dealii::Vector<double> result;
    space.copy_to(result, from);
    return result;
  }

  /// A vector of zeros of an operator.
  template <typename Operator>
  auto
  zeros(const Operator &op) -> Saltus::Vector<typename Operator::value_type>
  {
    Saltus::Vector<typename Operator::value_type> result;
    op.initialize_vector(result);
    return result;
  }

  /// Of a space.
  template <typename Space>
  auto
  zeros(const Space &space) -> decltype(space.make_vector())
  {
    return space.make_vector();
  }

  /// The reverse of to_dealii().
  template <typename Space, typename VectorType>
  auto
  copied(const Space &space, const VectorType &from)
  {
    auto result = zeros(space);
    space.copy_from(result, from);
    return result;
  }

  inline double
  relative_difference(dealii::Vector<double> a, const dealii::Vector<double> &b)
  {
    const double norm = b.l2_norm();
    a -= b;
    return a.l2_norm() / norm;
  }

  /// What the products of a symmetric and positive operator B with two vectors fulfil.
  template <typename VectorType>
  void
  expect_symmetric_and_positive(const VectorType &u,
                                const VectorType &v,
                                const VectorType &Bu,
                                const VectorType &Bv,
                                const double      tolerance = 1e-12)
  {
    EXPECT_NEAR(Bu * v, Bv * u, tolerance * Bu.l2_norm() * v.l2_norm());
    EXPECT_GT(Bu * u, 0.);
  }
} // namespace Saltus::Tests

#endif
