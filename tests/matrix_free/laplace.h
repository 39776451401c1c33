// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef tests_matrix_free_laplace_h
#define tests_matrix_free_laplace_h

#include "matrix_free_space.h"

namespace MatrixFreeComparison
{
  /// The symmetric interior penalty discretisation of the Laplacian on cubes, with Dirichlet
  /// conditions on the whole boundary.
  template <int dim, int degree>
  class Laplace
  {
  public:
    /// @param triangulation of cubes of one size
    explicit Laplace(const Triangulation<dim> &triangulation)
      : space(triangulation, degree)
      , penalty((degree + 1) * (degree + 2) / 2. /
                triangulation.begin_active()->extent_in_direction(0))
    {}

    void
    vmult(Vector &dst, const Vector &src) const
    {
      space.loop(*this,
                 &Laplace::add_cells,
                 &Laplace::add_faces,
                 &Laplace::add_boundary,
                 dst,
                 src,
                 MatrixFree<dim, double>::DataAccessOnFaces::gradients);
    }

    Space<dim, 1> space;

  private:
    using Range          = std::pair<unsigned int, unsigned int>;
    using FaceEvaluation = FEFaceEvaluation<dim, degree, degree + 1, 1>;

    inline static const auto of_faces = EvaluationFlags::values | EvaluationFlags::gradients;

    void
    add_cells(const MatrixFree<dim, double> &matrix_free,
              Vector                        &dst,
              const Vector                  &src,
              const Range                   &cells) const
    {
      FEEvaluation<dim, degree, degree + 1, 1> u(matrix_free);
      for (unsigned int cell = cells.first; cell < cells.second; ++cell)
        {
          u.reinit(cell);
          u.gather_evaluate(src, EvaluationFlags::gradients);
          for (unsigned int q = 0; q < u.n_q_points; ++q)
            u.submit_gradient(u.get_gradient(q), q);
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
          inside.gather_evaluate(src, of_faces);
          outside.gather_evaluate(src, of_faces);
          for (unsigned int q = 0; q < inside.n_q_points; ++q)
            {
              const Width jump = inside.get_value(q) - outside.get_value(q);
              const Width mean =
                0.5 * (inside.get_normal_derivative(q) + outside.get_normal_derivative(q));
              const Width test = penalty * jump - mean;
              inside.submit_value(test, q);
              outside.submit_value(-test, q);
              inside.submit_normal_derivative(-0.5 * jump, q);
              outside.submit_normal_derivative(-0.5 * jump, q);
            }
          inside.integrate_scatter(of_faces, dst);
          outside.integrate_scatter(of_faces, dst);
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
          inside.gather_evaluate(src, of_faces);
          for (unsigned int q = 0; q < inside.n_q_points; ++q)
            {
              const Width u = inside.get_value(q);
              inside.submit_value(2. * penalty * u - inside.get_normal_derivative(q), q);
              inside.submit_normal_derivative(-u, q);
            }
          inside.integrate_scatter(of_faces, dst);
        }
    }

    const double penalty;
  };
} // namespace MatrixFreeComparison

#endif
