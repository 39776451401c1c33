// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator on quadrilaterals and hexahedra, also with hanging nodes, against
// an assembly with deal.II, and its parts against its matrix.
#include <deal.II/fe/fe_values.h>

#include <saltus/mesh/element_metrics.h>
#include <saltus/solvers/krylov/epetra_matrix.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/elliptic_hypercubes.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  using Setting = EllipticHypercubes<dim>;

  /// The oracle: the matrix by FEValues, FEFaceValues and FESubfaceValues, with the penalty of the
  /// operator.
  template <int dim>
  class Assembly
  {
    using Cell = typename DoFHandler<dim>::active_cell_iterator;

  public:
    Assembly(const Setting<dim> &setting, const EllipticCoefficients<dim> &coefficients)
      : setting(setting)
      , coefficients(coefficients)
      , p(setting.dof_handler.get_fe().degree)
      , rule(p + 1)
      , face_rule(p + 1)
    {}

    /// @param penalty `(cell, face)`: of one side
    template <typename Penalty>
    FullMatrix<double>
    matrix(const EllipticBoundaryConditions<dim> &conditions, const Penalty &penalty) const
    {
      const auto &fe = setting.dof_handler.get_fe();
      const auto  flags =
        update_values | update_gradients | update_JxW_values | update_quadrature_points;
      FEValues<dim>                        volume(setting.mapping, fe, rule, flags);
      const auto                           face_flags = flags | update_normal_vectors;
      FEFaceValues<dim>                    here(setting.mapping, fe, face_rule, face_flags);
      FEFaceValues<dim>                    there(setting.mapping, fe, face_rule, face_flags);
      FESubfaceValues<dim>                 on_part(setting.mapping, fe, face_rule, face_flags);
      FullMatrix<double>                   result(setting.dof_handler.n_dofs());
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          volume.reinit(cell);
          cell->get_dof_indices(indices);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              const Point<dim> x = volume.quadrature_point(q);
              const auto       k = diffusion(cell, x);
              const double     c = reaction(cell, x);
              for (unsigned int j = 0; j < indices.size(); ++j)
                {
                  const auto   flux = k * volume.shape_grad(j, q) * volume.JxW(q);
                  const double mass = c * volume.shape_value(j, q) * volume.JxW(q);
                  for (unsigned int i = 0; i < indices.size(); ++i)
                    result(indices[i], indices[j]) +=
                      flux * volume.shape_grad(i, q) + mass * volume.shape_value(i, q);
                }
            }
          for (const unsigned int f : cell->face_indices())
            {
              here.reinit(cell, f);
              if (cell->at_boundary(f))
                {
                  add_boundary(conditions.at(cell->face(f)->boundary_id(), 1),
                               2. * penalty(cell, f),
                               cell,
                               here,
                               result);
                  continue;
                }
              const auto other = cell->neighbor(f);
              if (!other->is_active())
                continue; // from the other side
              const bool         hangs = cell->neighbor_is_coarser(f);
              const unsigned int g =
                hangs ? cell->neighbor_of_coarser_neighbor(f).first : cell->neighbor_of_neighbor(f);
              const double tau = std::max(penalty(cell, f), penalty(other, g));
              if (hangs)
                {
                  on_part.reinit(other, g, cell->neighbor_of_coarser_neighbor(f).second);
                  add_interior(tau, cell, here, other, on_part, result);
                }
              else if (cell->id() < other->id())
                {
                  there.reinit(other, g);
                  add_interior(tau, cell, here, other, there, result);
                }
            }
        }
      return result;
    }

  private:
    SymmetricTensor<2, dim>
    diffusion(const Cell &cell, const Point<dim> &x) const
    {
      const auto k =
        coefficients.diffusion(coefficients.sampling == Sampling::by_element ? center(cell) : x);
      return coefficients.tensor ? k : k[0][0] * unit_symmetric_tensor<dim>();
    }

    double
    reaction(const Cell &cell, const Point<dim> &x) const
    {
      return coefficients.reaction(coefficients.sampling == Sampling::by_element ? center(cell)
                                                                                 : x);
    }

    Point<dim>
    center(const Cell &cell) const
    {
      Point<dim> middle;
      for (unsigned int d = 0; d < dim; ++d)
        middle[d] = 0.5;
      return setting.mapping.transform_unit_to_real_cell(cell, middle);
    }

    void
    add_boundary(const EllipticBoundaryCondition<dim> &condition,
                 const double                          tau,
                 const Cell                           &cell,
                 const FEFaceValues<dim>              &face,
                 FullMatrix<double>                   &result) const
    {
      std::vector<types::global_dof_index> indices(face.dofs_per_cell);
      cell->get_dof_indices(indices);
      for (const unsigned int q : face.quadrature_point_indices())
        {
          const auto kn = diffusion(cell, face.quadrature_point(q)) * face.normal_vector(q);
          for (unsigned int i = 0; i < indices.size(); ++i)
            for (unsigned int j = 0; j < indices.size(); ++j)
              {
                const double v = face.shape_value(i, q), u = face.shape_value(j, q);
                double       entry = 0.;
                if (condition.kind == EllipticBoundary::dirichlet)
                  entry =
                    tau * u * v - kn * face.shape_grad(j, q) * v - kn * face.shape_grad(i, q) * u;
                else if (condition.kind == EllipticBoundary::robin)
                  entry = condition.robin * u * v;
                result(indices[i], indices[j]) += entry * face.JxW(q);
              }
        }
    }

    /// @param face at whose points the integral is a sum
    /// @param face_across with the same points, perhaps in another order
    void
    add_interior(const double                 tau,
                 const Cell                  &here,
                 const FEFaceValues<dim>     &face,
                 const Cell                  &there,
                 const FEFaceValuesBase<dim> &face_across,
                 FullMatrix<double>          &result) const
    {
      const unsigned int                   n = face.dofs_per_cell;
      std::vector<types::global_dof_index> indices(n), across(n);
      here->get_dof_indices(indices);
      there->get_dof_indices(across);
      indices.insert(indices.end(), across.begin(), across.end());
      std::vector<double> jump(2 * n), flux(2 * n);
      for (const unsigned int q : face.quadrature_point_indices())
        {
          const Point<dim> x = face.quadrature_point(q);
          unsigned int     r = 0;
          while (face_across.quadrature_point(r).distance(x) > 1e-8)
            ++r;
          const auto kn       = diffusion(here, x) * face.normal_vector(q);
          const auto kn_there = diffusion(there, x) * face.normal_vector(q);
          for (unsigned int i = 0; i < n; ++i)
            {
              jump[i]     = face.shape_value(i, q);
              jump[n + i] = -face_across.shape_value(i, r);
              flux[i]     = 0.5 * (kn * face.shape_grad(i, q));
              flux[n + i] = 0.5 * (kn_there * face_across.shape_grad(i, r));
            }
          for (unsigned int i = 0; i < 2 * n; ++i)
            for (unsigned int j = 0; j < 2 * n; ++j)
              result(indices[i], indices[j]) +=
                (tau * jump[i] * jump[j] - flux[j] * jump[i] - flux[i] * jump[j]) * face.JxW(q);
        }
    }

    const Setting<dim>              &setting;
    const EllipticCoefficients<dim> &coefficients;
    const unsigned int               p;
    const QGauss<dim>                rule;
    const QGauss<dim - 1>            face_rule;
  };

  /// The penalty of one side: in affine cells by its formula, in others with what bounds gradients
  /// on faces there.
  template <int dim>
  class SidePenalty
  {
    static constexpr unsigned int n_faces = GeometryInfo<dim>::faces_per_cell;

  public:
    SidePenalty(const Setting<dim>              &setting,
                const LaplaceOperator<dim>      &A,
                const EllipticCoefficients<dim> &coefficients)
      : space(A.element_space())
      , coefficients(coefficients)
      , metrics(space.reference, space.geometry, MetricForm::cross_product)
      , penalties(setting.dof_handler.get_triangulation().n_active_cells())
    {
      const auto       &fe = setting.dof_handler.get_fe();
      FEFaceValues<dim> face(setting.mapping,
                             fe,
                             QGauss<dim - 1>(fe.degree + 1),
                             update_normal_vectors | update_quadrature_points);
      FEValues<dim>     volume(setting.mapping,
                           fe,
                           QGauss<dim>(fe.degree + 1),
                           update_quadrature_points);
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          volume.reinit(cell);
          penalties[cell->active_cell_index()] = of_cell(cell, volume, face);
        }
    }

    template <typename Cell>
    double
    operator()(const Cell &cell, const unsigned int f) const
    {
      return penalties[cell->active_cell_index()][f];
    }

  private:
    template <typename Cell>
    std::array<double, n_faces>
    of_cell(const Cell &cell, const FEValues<dim> &volume, FEFaceValues<dim> &face) const
    {
      const unsigned int e      = space.order.element_of_cell[cell->active_cell_index()];
      const bool         curved = space.geometry.curved_map(e) != nullptr,
                 by_point       = coefficients.sampling == Sampling::by_point;
      double     smallest = 1e300, largest = 0.;
      const auto look = [&](const SymmetricTensor<2, dim> &k) {
        smallest = std::min(smallest, trace(k));
        largest  = std::max(largest, trace(k));
      };
      for (const Point<dim> &x : volume.get_quadrature_points())
        look(diffusion(e, x));
      std::array<double, n_faces> result{};
      for (const unsigned int f : cell->face_indices())
        {
          face.reinit(cell, f);
          for (const unsigned int q : face.quadrature_point_indices())
            {
              const auto k = diffusion(e, face.quadrature_point(q));
              look(k);
              result[f] = std::max(result[f], face.normal_vector(q) * (k * face.normal_vector(q)));
            }
        }
      const double p = space.reference.degree;
      const double factor =
        curved || by_point ? dim : correlation(cell, diffusion(e, cell->center()));
      for (const unsigned int f : cell->face_indices())
        result[f] *=
          penalty_factor * 0.5 * (p + 1) * (p + 2) * factor * largest / smallest *
          (curved ? metrics.trace_areas(e)[f] : cell->face(f)->measure() / cell->measure());
      return result;
    }

    SymmetricTensor<2, dim>
    diffusion(const unsigned int e, const Point<dim> &x) const
    {
      const auto k =
        coefficients.diffusion(coefficients.sampling == Sampling::by_point
                                 ? x
                                 : space.geometry.map(e, 0.5 * (Point<dim>() + corner())));
      return coefficients.tensor ? k : k[0][0] * unit_symmetric_tensor<dim>();
    }

    static Tensor<1, dim>
    corner()
    {
      Tensor<1, dim> result;
      for (unsigned int d = 0; d < dim; ++d)
        result[d] = 1.;
      return result;
    }

    /// The largest eigenvalue, by powers of the matrix.
    template <typename Cell>
    static double
    correlation(const Cell &cell, const SymmetricTensor<2, dim> &k)
    {
      Tensor<2, dim> jacobian;
      for (unsigned int d = 0; d < dim; ++d)
        for (unsigned int r = 0; r < dim; ++r)
          jacobian[d][r] = cell->vertex(1 << r)[d] - cell->vertex(0)[d];
      const auto     inverse = invert(jacobian);
      const auto     K       = inverse * Tensor<2, dim>(k) * transpose(inverse);
      Tensor<2, dim> C;
      for (unsigned int r = 0; r < dim; ++r)
        for (unsigned int s = 0; s < dim; ++s)
          C[r][s] = K[r][s] / std::sqrt(K[r][r] * K[s][s]);
      Tensor<1, dim> x;
      for (unsigned int d = 0; d < dim; ++d)
        x[d] = 1. + 0.3 * d;
      double value = 0.;
      for (unsigned int i = 0; i < 20000; ++i)
        {
          x     = C * x;
          value = x.norm();
          x /= value;
        }
      return value;
    }

    const ElementSpace<dim, double>         &space;
    const EllipticCoefficients<dim>         &coefficients;
    const ElementMetrics<dim>                metrics;
    std::vector<std::array<double, n_faces>> penalties; // of each cell
  };

  class HypercubeLaplaceTest : public OnDevice
  {
  protected:
    /// Of an element, of which parts of the matrix need a kernel each.
    static constexpr unsigned int max_modes = 36;

    template <typename Number, int dim>
    std::unique_ptr<LaplaceOperator<dim, Number>>
    make(const Setting<dim>                    &setting,
         const EllipticCoefficients<dim>       &coefficients,
         const EllipticBoundaryConditions<dim> &conditions) const
    {
      auto A = std::make_unique<LaplaceOperator<dim, Number>>();
      A->reinit(setting.mesh(conditions.periodic()),
                setting.dof_handler,
                conditions,
                device(),
                coefficients.template data<Number>());
      return A;
    }

    template <int dim>
    void
    compare_with_assembly(const Setting<dim>              &setting,
                          const EllipticCoefficients<dim> &coefficients) const
    {
      const auto conditions = all_elliptic_conditions<dim>();
      const auto A          = make<double>(setting, coefficients, conditions);
      const auto A_float    = make<float>(setting, coefficients, conditions);
      const auto u          = setting.random_vector(1);
      const auto matrix     = Assembly<dim>(setting, coefficients)
                            .matrix(conditions, SidePenalty<dim>(setting, *A, coefficients));
      dealii::Vector<double> expected(u.size()), product(u.size());
      matrix.vmult(expected, u);
      EXPECT_LT(relative_difference(vmult(*A, u), expected), 1e-11);
      EXPECT_LT(relative_difference(vmult(*A_float, u), expected), 1e-4);

      if (setting.dof_handler.get_fe().n_dofs_per_cell() > max_modes)
        return;
      TrilinosWrappers::SparseMatrix assembled;
      assemble(*A, assembled);
      assembled.vmult(product, u);
      EXPECT_LT(relative_difference(product, expected), 1e-11);
      auto                   x = copied(*A, u), y = zeros(*A), z = y;
      Saltus::Vector<double> diagonal;
      A->compute_diagonal(diagonal);
      const auto of_matrix = to_dealii(*A, diagonal);
      for (unsigned int i = 0; i < u.size(); ++i)
        EXPECT_NEAR(of_matrix(i), matrix(i, i), 1e-11 * diagonal.linfty_norm());
      A->vmult(y, x);
      EXPECT_LT(A->residual(z, x, y), 1e-12 * y.l2_norm());
    }

    template <int dim>
    void
    compare_all(const std::vector<Cells> &meshes, const std::vector<unsigned int> &degrees) const
    {
      for (const Cells cells : meshes)
        for (const unsigned int degree : degrees)
          {
            const unsigned int n = dim == 2 && degree <= 3 ? 3 : 2;
            const Setting<dim> setting(degree, cells, n);
            const auto         all = all_elliptic_coefficients<dim>();
            for (std::size_t i = degree % 2; i<all.size(); i += degree> 2 ? 3 : 1)
              {
                SCOPED_TRACE("mesh " + std::to_string(static_cast<int>(cells)) + ", degree " +
                             std::to_string(degree) + ", " + all[i].name);
                compare_with_assembly(setting, all[i]);
              }
          }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(HypercubeLaplaceTest)

TEST_P(HypercubeLaplaceTest, Quadrilaterals)
{
  const std::vector<Cells> meshes = {Cells::parallelepipeds,
                                     Cells::distorted,
                                     Cells::turned,
                                     Cells::refined};
#ifdef DEBUG
  compare_all<2>(meshes, {1, 2, 3}); // as below
#else
  compare_all<2>(meshes, {1, 2, 3, 4, 5, 6, 7});
#endif
}

TEST_P(HypercubeLaplaceTest, Hexahedra)
{
  const std::vector<Cells> meshes = {Cells::parallelepipeds, Cells::turned, Cells::refined};
#ifdef DEBUG // others take minutes with deal.II's assertions
  compare_all<3>(meshes, {1});
  compare_all<3>({Cells::parallelepipeds}, {2});
#else
  compare_all<3>(meshes, {1, 2});
  compare_all<3>({Cells::parallelepipeds}, {3, 4, 5});
  compare_all<3>({Cells::distorted, Cells::turned, Cells::refined}, {3});
#endif
}
