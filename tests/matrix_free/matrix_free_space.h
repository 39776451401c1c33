// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef tests_matrix_free_matrix_free_space_h
#define tests_matrix_free_matrix_free_space_h

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/matrix_free/fe_evaluation.h>
#include <deal.II/matrix_free/matrix_free.h>
#include <deal.II/matrix_free/operators.h>
#include <deal.II/numerics/vector_tools.h>

// The library has these for its own width of vectors only.
#include <deal.II/matrix_free/dof_info.templates.h>
#include <deal.II/matrix_free/evaluation_template_factory.templates.h>
#include <deal.II/matrix_free/evaluation_template_factory_hanging_nodes.templates.h>
#include <deal.II/matrix_free/mapping_info.templates.h>
#include <deal.II/matrix_free/mapping_info_storage.templates.h>
#include <deal.II/matrix_free/matrix_free.templates.h>
#include <deal.II/matrix_free/shape_info.templates.h>
// It has the guard of another header.
#undef dealii_matrix_free_evaluation_template_factory_templates_h
#include <deal.II/matrix_free/evaluation_template_face_factory.templates.h>

/// deal.II's `MatrixFree` as programs of its own use it, to compare rates and results with.
namespace MatrixFreeComparison
{
  using namespace dealii;

  using Vector = LinearAlgebra::distributed::Vector<double>;
  using Width  = VectorizedArray<double>;


  /// Nodal polynomials at the Gauss points, with quadrature in the same points.
  template <int dim, int n_components>
  class Space
  {
  public:
    Space(const Triangulation<dim> &triangulation, const unsigned int degree)
      : mapping(1)
      , dof_handler(triangulation)
    {
      const QGauss<1> rule(degree + 1);
      dof_handler.distribute_dofs(FESystem<dim>(FE_DGQArbitraryNodes<dim>(rule), n_components));
      constraints.close();
      typename MatrixFree<dim, double>::AdditionalData data;
      data.tasks_parallel_scheme = MatrixFree<dim, double>::AdditionalData::none;
      data.mapping_update_flags  = update_gradients | update_JxW_values;
      data.mapping_update_flags_inner_faces =
        update_gradients | update_JxW_values | update_normal_vectors;
      data.mapping_update_flags_boundary_faces = data.mapping_update_flags_inner_faces;
      matrix_free.reinit(mapping, dof_handler, constraints, rule, data);
    }

    Vector
    vector() const
    {
      Vector result;
      matrix_free.initialize_dof_vector(result);
      return result;
    }

    Vector
    interpolate(const Function<dim> &function) const
    {
      Vector result = vector();
      VectorTools::interpolate(mapping, dof_handler, function, result);
      return result;
    }

    /// Integrals of the nodal polynomials, which are the diagonal mass matrix.
    Vector
    weights() const
    {
      Vector                                         result = vector();
      FEEvaluation<dim, -1, 0, n_components, double> one(matrix_free);
      Tensor<1, n_components, Width>                 value;
      for (int c = 0; c < n_components; ++c)
        value[c] = 1.;
      for (unsigned int cell = 0; cell < matrix_free.n_cell_batches(); ++cell)
        {
          one.reinit(cell);
          for (unsigned int q = 0; q < one.n_q_points; ++q)
            if constexpr (n_components == 1)
              one.submit_value(value[0], q);
            else
              one.submit_value(value, q);
          one.integrate_scatter(EvaluationFlags::values, result);
        }
      return result;
    }

    /// Work on cells, faces and faces at the boundary.
    template <typename Operator>
    using Work = void (Operator::*)(const MatrixFree<dim, double> &,
                                    Vector &,
                                    const Vector &,
                                    const std::pair<unsigned int, unsigned int> &) const;

    /// Integrals over all of them, with the traces of neighbours alone.
    /// @param traces what faces need of their cells
    template <typename Operator>
    void
    loop(const Operator                                           &op,
         const Work<Operator>                                      cells,
         const Work<Operator>                                      faces,
         const Work<Operator>                                      boundary,
         Vector                                                   &dst,
         const Vector                                             &src,
         const typename MatrixFree<dim, double>::DataAccessOnFaces traces) const
    {
      matrix_free.loop(cells, faces, boundary, &op, dst, src, true, traces, traces);
    }

    MappingQ<dim>             mapping;
    DoFHandler<dim>           dof_handler;
    AffineConstraints<double> constraints;
    MatrixFree<dim, double>   matrix_free;
  };
} // namespace MatrixFreeComparison

#endif
