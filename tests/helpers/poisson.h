// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_poisson_h
#define saltus_tests_helpers_poisson_h

#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/operators/laplace_operator.h>

#include <map>
#include <vector>

/// A Poisson problem for tests of solvers.
namespace Saltus::Tests
{
  /// -laplace(u) = f on a distorted unit square, with Dirichlet conditions.
  struct Poisson
  {
    /// @param n subdivisions of the square in each direction, two triangles each
    Poisson(const unsigned int degree, const unsigned int n, const Device device)
      : mapping(dealii::FE_SimplexP<2>(1))
      , dof_handler(triangulation)
    {
      Saltus::GridGenerator::box<2>(
        triangulation, {}, dealii::Point<2>(1., 1.), std::vector<unsigned int>(2, n), 0.2);
      dof_handler.distribute_dofs(FE_SimplexDGModal<2>(degree));
      EllipticBoundaryConditions<2> conditions;
      for (unsigned int id = 0; id < 4; ++id)
        conditions.set_dirichlet(id);
      matrix.reinit(mapping, dof_handler, conditions, {}, device);
    }

    /// For the source @p text.
    Vector<double>
    right_hand_side(const std::string &text) const
    {
      Vector<double> b;
      matrix.right_hand_side(b, StateFunction<2>(Expression(2, text, 1), false));
      return b;
    }

    Vector<double>
    zero() const
    {
      Vector<double> x;
      matrix.initialize_vector(x);
      return x;
    }

    dealii::Vector<double>
    on_host(const Vector<double> &x) const
    {
      dealii::Vector<double> result;
      matrix.copy_to(result, x);
      return result;
    }

    /// |b - A x| / |b|
    double
    residual(const Vector<double> &x, const Vector<double> &b) const
    {
      Vector<double> r(b);
      matrix.vmult(r, x);
      r.sadd(-1., b);
      return r.l2_norm() / b.l2_norm();
    }

    dealii::Triangulation<2> triangulation;
    dealii::MappingFE<2>     mapping;
    dealii::DoFHandler<2>    dof_handler;
    LaplaceOperator<2>       matrix;
  };

  /// The entries of any linear map in deal.II's numbering, from its columns; for few rows.
  template <typename Operator>
  void
  tabulate(dealii::TrilinosWrappers::SparseMatrix &result, const Operator &matrix)
  {
    const unsigned int                          n = matrix.m();
    std::vector<std::map<unsigned int, double>> columns(n);
    dealii::DynamicSparsityPattern              pattern(n, n);
    dealii::Vector<double>                      unit(n), column(n);
    Vector<double>                              src, dst;
    matrix.initialize_vector(src);
    matrix.initialize_vector(dst);
    for (unsigned int j = 0; j < n; ++j)
      {
        unit    = 0.;
        unit(j) = 1.;
        matrix.copy_from(src, unit);
        matrix.vmult(dst, src);
        matrix.copy_to(column, dst);
        for (unsigned int i = 0; i < n; ++i)
          if (column(i) != 0.)
            {
              columns[j][i] = column(i);
              pattern.add(i, j);
            }
      }
    result.reinit(pattern);
    for (unsigned int j = 0; j < n; ++j)
      for (const auto &[i, value] : columns[j])
        result.set(i, j, value);
    result.compress(dealii::VectorOperation::insert);
  }
} // namespace Saltus::Tests

#endif
