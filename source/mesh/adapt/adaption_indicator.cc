// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/numerics/derivative_approximation.h>
#include <deal.II/numerics/error_estimator.h>

#include <saltus/fe/basis.h>
#include <saltus/mesh/adapt/adaption_indicator.h>

#include <cmath>
#include <functional>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    using HostVector = LinearAlgebra::distributed::Vector<double>;

    template <int dim>
    using Cell = typename DoFHandler<dim>::active_cell_iterator;

    /// Of each cell of this rank.
    template <int dim>
    Vector<float>
    of_cells(const DoFHandler<dim>                          &dof_handler,
             const std::function<double(const Cell<dim> &)> &indicator)
    {
      Vector<float> result(dof_handler.get_triangulation().n_active_cells());
      for (const auto &cell : dof_handler.active_cell_iterators())
        if (cell->is_locally_owned())
          result[cell->active_cell_index()] = indicator(cell);
      return result;
    }

    template <int dim>
    Vector<float>
    kelly(const Mapping<dim>    &mapping,
          const DoFHandler<dim> &dof_handler,
          const HostVector      &solution)
    {
      Vector<float> result(dof_handler.get_triangulation().n_active_cells());
      ComponentMask first(dof_handler.get_fe().n_components(), false);
      first.set(0, true);
      KellyErrorEstimator<dim>::estimate(mapping,
                                         dof_handler,
                                         QGauss<dim - 1>(dof_handler.get_fe().degree + 1),
                                         {},
                                         solution,
                                         result,
                                         first);
      return result;
    }

    template <int dim>
    Vector<float>
    gradient(const Mapping<dim>    &mapping,
             const DoFHandler<dim> &dof_handler,
             const HostVector      &solution)
    {
      Vector<float> result(dof_handler.get_triangulation().n_active_cells());
      DerivativeApproximation::approximate_gradient(mapping, dof_handler, solution, result);
      for (const auto &cell : dof_handler.get_triangulation().active_cell_iterators())
        if (cell->is_locally_owned())
          result[cell->active_cell_index()] *= std::pow(cell->diameter(), 1. + 0.5 * dim);
      return result;
    }

    /// Jumps through the faces of a cell, which may hang on either side.
    template <int dim>
    class FaceJumps
    {
    public:
      FaceJumps(const Mapping<dim>       &mapping,
                const FiniteElement<dim> &fe,
                const HostVector         &solution)
        : solution(solution)
        , rule(fe.degree + 1)
        , faces(mapping, fe, rule, flags())
        , faces_across(mapping, fe, rule, flags())
        , sub_faces(mapping, fe, rule, flags())
      {}

      /// \f$ \int_{\partial K} [u]^2 \f$
      double
      square(const Cell<dim> &cell)
      {
        double sum = 0.;
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f))
            continue;
          else if (cell->neighbor(f)->has_children())
            for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
              {
                sub_faces.reinit(cell, f, s);
                faces_across.reinit(cell->neighbor_child_on_subface(f, s),
                                    cell->neighbor_of_neighbor(f));
                sum += square(sub_faces, faces_across);
              }
          else if (cell->neighbor_is_coarser(f))
            {
              const auto [face, sub_face] = cell->neighbor_of_coarser_neighbor(f);
              faces.reinit(cell, f);
              sub_faces.reinit(cell->neighbor(f), face, sub_face);
              sum += square(faces, sub_faces);
            }
          else
            {
              faces.reinit(cell, f);
              faces_across.reinit(cell->neighbor(f), cell->neighbor_of_neighbor(f));
              sum += square(faces, faces_across);
            }
        return sum;
      }

    private:
      static UpdateFlags
      flags()
      {
        return update_values | update_JxW_values | update_quadrature_points;
      }

      std::vector<double>
      values(const FEFaceValuesBase<dim> &on) const
      {
        std::vector<double> result(rule.size());
        on[FEValuesExtractors::Scalar(0)].get_function_values(solution, result);
        return result;
      }

      double
      square(const FEFaceValuesBase<dim> &here, const FEFaceValuesBase<dim> &across) const
      {
        const auto inside = values(here), outside = values(across);
        double     sum = 0.;
        for (unsigned int q = 0; q < rule.size(); ++q)
          {
            // Cells may be turned against each other: the point across is the nearest one.
            const auto distance = [&](const unsigned int k) {
              return here.quadrature_point(q).distance_square(across.quadrature_point(k));
            };
            unsigned int nearest = 0;
            for (unsigned int k = 1; k < rule.size(); ++k)
              if (distance(k) < distance(nearest))
                nearest = k;
            const double jump = inside[q] - outside[nearest];
            sum += jump * jump * here.JxW(q);
          }
        return sum;
      }

      const HostVector     &solution;
      const QGauss<dim - 1> rule;
      FEFaceValues<dim>     faces, faces_across;
      FESubfaceValues<dim>  sub_faces;
    };

    /// The share of a function that lower degrees do not see.
    template <int dim>
    class Smoothness
    {
    public:
      explicit Smoothness(const FiniteElement<dim> &fe)
        : fe(fe)
        , n_modes(fe.n_dofs_per_cell() / fe.n_components())
        , lower(fe.reference_cell(), fe.degree - 1)
        , embedding(Basis<dim>(fe.reference_cell(), fe.degree).embedding(lower))
        , indices(fe.n_dofs_per_cell())
      {}

      double
      operator()(const Cell<dim> &cell, const HostVector &solution)
      {
        cell->get_dof_indices(indices);
        const auto mode = [&](const unsigned int m) {
          return solution(indices[fe.component_to_system_index(0, m)]);
        };
        double all = 0., of_lower = 0.;
        for (unsigned int m = 0; m < n_modes; ++m)
          all += mode(m) * mode(m);
        for (unsigned int k = 0; k < lower.n_modes(); ++k)
          {
            double projected = embedding.empty() ? mode(k) : 0.;
            for (unsigned int m = 0; m < n_modes && !embedding.empty(); ++m)
              projected += embedding[m * lower.n_modes() + k] * mode(m);
            of_lower += projected * projected;
          }
        return all > of_lower ? std::sqrt((all - of_lower) / all) : 0.;
      }

    private:
      const FiniteElement<dim>            &fe;
      const unsigned int                   n_modes;
      const Basis<dim>                     lower;
      const std::vector<double>            embedding;
      std::vector<types::global_dof_index> indices;
    };

    template <int dim>
    double
    square_of_vorticity(FEValues<dim>     &values,
                        const Cell<dim>   &cell,
                        const HostVector  &solution,
                        const unsigned int first_velocity)
    {
      using Velocity = FEValuesViews::Vector<dim>;
      values.reinit(cell);
      std::vector<typename Velocity::curl_type> curls(values.n_quadrature_points);
      values[FEValuesExtractors::Vector(first_velocity)].get_function_curls(solution, curls);
      double sum = 0.;
      for (const unsigned int q : values.quadrature_point_indices())
        sum += curls[q].norm_square() * values.JxW(q);
      return sum;
    }
  } // namespace

  template <int dim>
  Vector<float>
  adaption_indicators(const AdaptionIndicator kind,
                      const Mapping<dim>     &mapping,
                      const DoFHandler<dim>  &dof_handler,
                      const HostVector       &solution,
                      const unsigned int      first_velocity)
  {
    const FiniteElement<dim> &fe = dof_handler.get_fe();
    switch (kind)
      {
        case AdaptionIndicator::kelly:
          {
            return kelly(mapping, dof_handler, solution);
          }
        case AdaptionIndicator::gradient:
          {
            return gradient(mapping, dof_handler, solution);
          }
        case AdaptionIndicator::jump:
          {
            FaceJumps<dim> jumps(mapping, fe, solution);
            return of_cells<dim>(dof_handler,
                                 [&](const auto &cell) { return std::sqrt(jumps.square(cell)); });
          }
        case AdaptionIndicator::smoothness:
          {
            AssertThrow(fe.degree > 0,
                        ExcMessage("The smoothness of a solution is not seen with degree 0: choose "
                                   "degree 1 or above, or another indicator."));
            Smoothness<dim> smoothness(fe);
            return of_cells<dim>(dof_handler,
                                 [&](const auto &cell) { return smoothness(cell, solution); });
          }
        case AdaptionIndicator::vorticity:
          {
            FEValues<dim> values(mapping,
                                 fe,
                                 QGauss<dim>(fe.degree + 1),
                                 update_gradients | update_JxW_values);
            return of_cells<dim>(dof_handler, [&](const auto &cell) {
              return cell->diameter() *
                     std::sqrt(square_of_vorticity(values, cell, solution, first_velocity));
            });
          }
      }
    AssertThrow(false, ExcInternalError());
  }

  template Vector<float>
  adaption_indicators(const AdaptionIndicator,
                      const Mapping<2> &,
                      const DoFHandler<2> &,
                      const HostVector &,
                      const unsigned int);
  template Vector<float>
  adaption_indicators(const AdaptionIndicator,
                      const Mapping<3> &,
                      const DoFHandler<3> &,
                      const HostVector &,
                      const unsigned int);
} // namespace Saltus
