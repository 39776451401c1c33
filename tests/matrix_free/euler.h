// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef tests_matrix_free_euler_h
#define tests_matrix_free_euler_h

#include "matrix_free_space.h"

namespace MatrixFreeComparison
{
  /// A stage of a Runge-Kutta scheme with two registers for Euler's equations, with local
  /// Lax-Friedrichs fluxes and everything leaving at the boundary.
  template <int dim, int degree>
  class Euler
  {
  public:
    static constexpr int n_components = dim + 2;

    using Scalar = Width;
    using State  = Tensor<1, n_components, Width>;
    using Normal = Tensor<1, dim, Width>;

    explicit Euler(const Triangulation<dim> &triangulation)
      : space(triangulation, degree)
      , residual(space.vector())
    {}

    /// s = A s + dt L(u), out = u + B s
    void
    stage(const Vector &u, const double A, const double B, const double dt, Vector &s, Vector &out)
    {
      space.loop(*this,
                 &Euler::add_cells,
                 &Euler::add_faces,
                 &Euler::add_boundary,
                 residual,
                 u,
                 MatrixFree<dim, double>::DataAccessOnFaces::values);
      space.matrix_free.cell_loop(&Euler::divide_by_mass,
                                  this,
                                  residual,
                                  residual,
                                  {},
                                  [&](const unsigned int begin, const unsigned int end) {
                                    for (unsigned int i = begin; i < end; ++i)
                                      {
                                        const double sum =
                                          A * s.local_element(i) + dt * residual.local_element(i);
                                        s.local_element(i)   = sum;
                                        out.local_element(i) = u.local_element(i) + B * sum;
                                      }
                                  });
    }

    Space<dim, n_components> space;

  private:
    using Range          = std::pair<unsigned int, unsigned int>;
    using Evaluation     = FEEvaluation<dim, degree, degree + 1, n_components>;
    using FaceEvaluation = FEFaceEvaluation<dim, degree, degree + 1, n_components>;

    static Scalar
    pressure(const State &u)
    {
      Scalar momentum_squared = u[1] * u[1];
      for (int d = 1; d < dim; ++d)
        momentum_squared += u[1 + d] * u[1 + d];
      return 0.4 * (u[dim + 1] - 0.5 * momentum_squared / u[0]);
    }

    static Tensor<1, n_components, Normal>
    flux(const State &u)
    {
      const Scalar inverse = 1. / u[0], p = pressure(u);
      Normal       velocity;
      for (int d = 0; d < dim; ++d)
        velocity[d] = u[1 + d] * inverse;
      Tensor<1, n_components, Normal> result;
      for (int d = 0; d < dim; ++d)
        {
          result[0][d] = u[1 + d];
          for (int e = 0; e < dim; ++e)
            result[1 + e][d] = u[1 + e] * velocity[d];
          result[1 + d][d] += p;
          result[dim + 1][d] = (u[dim + 1] + p) * velocity[d];
        }
      return result;
    }

    static State
    flux(const State &u, const Normal &n)
    {
      const auto of_u = flux(u);
      State      result;
      for (int c = 0; c < n_components; ++c)
        result[c] = of_u[c] * n;
      return result;
    }

    static Scalar
    wave_speed(const State &u, const Normal &n)
    {
      Scalar momentum = u[1] * n[0];
      for (int d = 1; d < dim; ++d)
        momentum += u[1 + d] * n[d];
      return std::abs(momentum / u[0]) + std::sqrt(1.4 * pressure(u) / u[0]);
    }

    static State
    lax_friedrichs(const State &inside, const State &outside, const Normal &n)
    {
      const Scalar lambda = std::max(wave_speed(inside, n), wave_speed(outside, n));
      return 0.5 * (flux(inside, n) + flux(outside, n) + lambda * (inside - outside));
    }

    void
    add_cells(const MatrixFree<dim, double> &matrix_free,
              Vector                        &dst,
              const Vector                  &src,
              const Range                   &cells) const
    {
      Evaluation u(matrix_free);
      for (unsigned int cell = cells.first; cell < cells.second; ++cell)
        {
          u.reinit(cell);
          u.gather_evaluate(src, EvaluationFlags::values);
          for (unsigned int q = 0; q < u.n_q_points; ++q)
            u.submit_gradient(flux(u.get_value(q)), q);
          u.integrate_scatter(EvaluationFlags::gradients, dst);
        }
    }

    void
    add_faces(const MatrixFree<dim, double> &matrix_free,
              Vector                        &dst,
              const Vector                  &src,
              const Range                   &faces) const
    {
      FaceEvaluation inside(matrix_free, true), outside(matrix_free, false);
      for (unsigned int face = faces.first; face < faces.second; ++face)
        {
          inside.reinit(face);
          outside.reinit(face);
          inside.gather_evaluate(src, EvaluationFlags::values);
          outside.gather_evaluate(src, EvaluationFlags::values);
          for (unsigned int q = 0; q < inside.n_q_points; ++q)
            {
              const State f = lax_friedrichs(inside.get_value(q),
                                             outside.get_value(q),
                                             inside.get_normal_vector(q));
              inside.submit_value(-f, q);
              outside.submit_value(f, q);
            }
          inside.integrate_scatter(EvaluationFlags::values, dst);
          outside.integrate_scatter(EvaluationFlags::values, dst);
        }
    }

    void
    add_boundary(const MatrixFree<dim, double> &matrix_free,
                 Vector                        &dst,
                 const Vector                  &src,
                 const Range                   &faces) const
    {
      FaceEvaluation inside(matrix_free, true);
      for (unsigned int face = faces.first; face < faces.second; ++face)
        {
          inside.reinit(face);
          inside.gather_evaluate(src, EvaluationFlags::values);
          for (unsigned int q = 0; q < inside.n_q_points; ++q)
            inside.submit_value(-flux(inside.get_value(q), inside.get_normal_vector(q)), q);
          inside.integrate_scatter(EvaluationFlags::values, dst);
        }
    }

    void
    divide_by_mass(const MatrixFree<dim, double> &matrix_free,
                   Vector                        &dst,
                   const Vector                  &src,
                   const Range                   &cells) const
    {
      Evaluation u(matrix_free);
      MatrixFreeOperators::CellwiseInverseMassMatrix<dim, degree, n_components, double> inverse(u);
      for (unsigned int cell = cells.first; cell < cells.second; ++cell)
        {
          u.reinit(cell);
          u.read_dof_values(src);
          inverse.apply(u.begin_dof_values(), u.begin_dof_values());
          u.set_dof_values(dst);
        }
    }

    Vector residual;
  };
} // namespace MatrixFreeComparison

#endif
