// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator on curved elements, beside affine ones: against an assembly with
// deal.II, and its parts against its matrix.
#include <deal.II/lac/lapack_full_matrix.h>

#include <saltus/solvers/krylov/epetra_matrix.h>

#include <helpers/curved_box.h>
#include <helpers/elliptic_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  struct CurvedEllipticSetting : public CurvedBox<dim>
  {
    CurvedEllipticSetting(const unsigned int degree,
                          const Bump<dim>   &bump       = bump_at_side<dim>(),
                          const unsigned int map_degree = 2)
      : CurvedBox<dim>(dim == 2 ? 10 : 4, bump, map_degree)
      , dof_handler(this->triangulation)
    {
      dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(degree));
    }

    dealii::Vector<double>
    random_vector(const unsigned int seed) const
    {
      return Tests::random_vector(dof_handler.n_dofs(), seed);
    }

    DoFHandler<dim> dof_handler;
  };

  /// All kinds of conditions; side 1, most of which is curved, has a Dirichlet condition.
  template <int dim>
  EllipticBoundaryConditions<dim>
  conditions_at_bump()
  {
    EllipticBoundaryConditions<dim> conditions;
    conditions.set_neumann(0);
    conditions.set_dirichlet(1);
    for (unsigned int id = 2; id < 2 * dim; ++id)
      conditions.set_robin(id, robin_coefficient);
    return conditions;
  }

  /// The oracle: `A u` by FEValues with rules of the operator's degrees.
  template <int dim>
  class CurvedEllipticAssembly
  {
    using Cell   = typename DoFHandler<dim>::active_cell_iterator;
    using Values = dealii::Vector<double>;

  public:
    CurvedEllipticAssembly(const CurvedEllipticSetting<dim> &setting,
                           const EllipticCoefficients<dim>  &coefficients)
      : setting(setting)
      , coefficients(coefficients)
      , fe(setting.dof_handler.get_fe())
      , volume(setting.mapping,
               fe,
               simplex_quadrature<dim>(volume_degree()),
               update_values | update_gradients | update_JxW_values | update_quadrature_points |
                 update_inverse_jacobians | update_jacobians)
      , inside(make_faces())
      , outside(make_faces())
    {
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        penalties.push_back(penalties_of(cell));
    }

    Values
    vmult(const EllipticBoundaryConditions<dim> &conditions, const Values &u)
    {
      const unsigned int                   n = fe.n_dofs_per_cell();
      Values                               result(u.size());
      std::vector<types::global_dof_index> indices(n);
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          Values local(n);
          add_volume(cell, u, local);
          for (const unsigned int f : cell->face_indices())
            add_face(cell, f, conditions, u, local);
          cell->get_dof_indices(indices);
          result.add(indices, local);
        }
      return result;
    }

  private:
    unsigned int
    volume_degree() const
    {
      if (coefficients.sampling == Sampling::by_point)
        return 2 * fe.degree + 2;
      if (coefficients.reaction)
        return 2 * fe.degree;
      return dim == 2 && setting.map_degree > fe.degree ? 2 * fe.degree - 1 : 2 * fe.degree - 2;
    }

    FEFaceValues<dim>
    make_faces() const
    {
      return {setting.mapping,
              fe,
              simplex_quadrature<dim - 1>(2 * fe.degree),
              update_values | update_gradients | update_JxW_values | update_normal_vectors |
                update_quadrature_points | update_inverse_jacobians};
    }

    Point<dim>
    sampled(const Cell &cell, const Point<dim> &x) const
    {
      if (coefficients.sampling != Sampling::by_element)
        return x;
      return setting.mapping.transform_unit_to_real_cell(
        cell, cell->reference_cell().template barycenter<dim>());
    }

    SymmetricTensor<2, dim>
    diffusion(const Cell &cell, const Point<dim> &x) const
    {
      const auto k = coefficients.diffusion(sampled(cell, x));
      return coefficients.tensor ? k : k[0][0] * unit_symmetric_tensor<dim>();
    }

    double
    reaction_at(const Cell &cell, const Point<dim> &x) const
    {
      return coefficients.reaction ? coefficients.reaction(sampled(cell, x)) : 0.;
    }

    void
    add_volume(const Cell &cell, const Values &u, Values &local)
    {
      volume.reinit(cell);
      std::vector<double>         value(volume.n_quadrature_points);
      std::vector<Tensor<1, dim>> gradient(volume.n_quadrature_points);
      volume.get_function_values(u, value);
      volume.get_function_gradients(u, gradient);
      for (const unsigned int q : volume.quadrature_point_indices())
        {
          const Point<dim>     x        = volume.quadrature_point(q);
          const Tensor<1, dim> flux     = diffusion(cell, x) * gradient[q];
          const double         reaction = reaction_at(cell, x) * value[q];
          for (unsigned int i = 0; i < local.size(); ++i)
            local(i) += (flux * volume.shape_grad(i, q) + reaction * volume.shape_value(i, q)) *
                        volume.JxW(q);
        }
    }

    void
    add_face(const Cell                            &cell,
             const unsigned int                     f,
             const EllipticBoundaryConditions<dim> &conditions,
             const Values                          &u,
             Values                                &local)
    {
      const bool at_boundary = cell->at_boundary(f);
      double     tau         = penalties[cell->active_cell_index()][f];
      if (!at_boundary)
        tau = std::max(
          tau, penalties[cell->neighbor(f)->active_cell_index()][cell->neighbor_of_neighbor(f)]);
      inside.reinit(cell, f);
      const unsigned int          n = inside.n_quadrature_points;
      std::vector<double>         here(n), there(n);
      std::vector<Tensor<1, dim>> slope(n), slope_there(n);
      inside.get_function_values(u, here);
      inside.get_function_gradients(u, slope);
      if (!at_boundary)
        {
          outside.reinit(cell->neighbor(f), cell->neighbor_of_neighbor(f));
          outside.get_function_values(u, there);
          outside.get_function_gradients(u, slope_there);
        }
      for (unsigned int q = 0; q < n; ++q)
        {
          const Point<dim> x      = inside.quadrature_point(q);
          const auto       normal = inside.normal_vector(q);
          const auto       k      = diffusion(cell, x);
          double           jump = here[q], flux = k * slope[q] * normal, penalized = 2. * tau;
          double           of_test = 1.;
          if (!at_boundary)
            {
              unsigned int same = 0;
              while (outside.quadrature_point(same).distance(x) > 1e-10)
                ++same;
              jump -= there[same];
              flux = 0.5 * (flux + diffusion(cell->neighbor(f), x) * slope_there[same] * normal);
              penalized = tau;
              of_test   = 0.5;
            }
          else if (const auto &condition = conditions.at(cell->face(f)->boundary_id(), 1);
                   condition.kind != EllipticBoundary::dirichlet)
            {
              flux      = -condition.robin * here[q];
              penalized = 0.;
              of_test   = 0.;
            }
          for (unsigned int i = 0; i < local.size(); ++i)
            local(i) += ((penalized * jump - flux) * inside.shape_value(i, q) -
                         of_test * jump * (k * inside.shape_grad(i, q) * normal)) *
                        inside.JxW(q);
        }
    }

    /// The largest and the smallest squared singular value of a matrix.
    static std::pair<double, double>
    squared_singular_values(const Tensor<2, dim> &E)
    {
      LAPACKFullMatrix<double> matrix(dim);
      for (unsigned int i = 0; i < dim; ++i)
        for (unsigned int j = 0; j < dim; ++j)
          matrix(i, j) = E[i][j];
      matrix.compute_svd();
      return {std::pow(matrix.singular_value(0), 2), std::pow(matrix.singular_value(dim - 1), 2)};
    }

    /// Of one side, `[f]`: what bounds fluxes on the face.
    std::array<double, dim + 1>
    penalties_of(const Cell &cell)
    {
      volume.reinit(cell);
      double measure = 0., smallest = 1e300, least = 1e300, most = 0.;
      for (const unsigned int q : volume.quadrature_point_indices())
        measure += volume.JxW(q);
      Tensor<2, dim> edges; // [d][r]
      for (unsigned int r = 0; r < dim; ++r)
        for (unsigned int d = 0; d < dim; ++d)
          edges[d][r] = cell->vertex(r + 1)[d] - cell->vertex(0)[d];
      const double         of_reference = cell->reference_cell().volume();
      const double         mean         = measure / of_reference;
      const Tensor<2, dim> affine       = edges * std::pow(mean / determinant(edges), 1. / dim);
      const auto           look         = [&](const Point<dim> &x) {
        const double value = trace(diffusion(cell, x));
        least              = std::min(least, value);
        most               = std::max(most, value);
      };
      for (const unsigned int q : volume.quadrature_point_indices())
        {
          const Tensor<2, dim> inverse(volume.inverse_jacobian(q));
          const auto           E = transpose(affine * inverse);
          smallest               = std::min(smallest,
                              squared_singular_values(E).second *
                                determinant(Tensor<2, dim>(volume.jacobian(q))) / mean);
          look(volume.quadrature_point(q));
        }
      const auto   weights = simplex_quadrature<dim - 1>(2 * fe.degree).get_weights();
      const double of_face = std::accumulate(weights.begin(), weights.end(), 0.);
      const double p       = fe.degree;
      const double factor  = penalty_factor * 0.5 * (dim + 1) * (p + 1) * (p + dim) / dim;
      std::array<double, dim + 1> result;
      for (const unsigned int f : cell->face_indices())
        {
          double normal_part = 0., largest = 0.;
          inside.reinit(cell, f);
          for (const unsigned int q : inside.quadrature_point_indices())
            {
              const Point<dim>     x = inside.quadrature_point(q);
              const auto           n = inside.normal_vector(q);
              const Tensor<2, dim> inverse(inside.inverse_jacobian(q));
              const double         area = inside.JxW(q) / weights[q] * of_face;
              look(x);
              normal_part = std::max(normal_part, n * (diffusion(cell, x) * n));
              largest     = std::max(largest,
                                 squared_singular_values(transpose(affine * inverse)).first * area);
            }
          result[f] = factor * normal_part * largest / smallest / measure;
        }
      for (double &value : result)
        value *= most / least;
      return result;
    }

    const CurvedEllipticSetting<dim> &setting;
    const EllipticCoefficients<dim>  &coefficients;
    const FiniteElement<dim>         &fe;
    FEValues<dim>                     volume;
    FEFaceValues<dim>                 inside, outside;

    std::vector<std::array<double, dim + 1>> penalties; ///< `[active cell][f]`
  };

  class CurvedLaplace : public OnDevice
  {
  protected:
    template <typename Number, int dim>
    std::unique_ptr<LaplaceOperator<dim, Number>>
    make(const CurvedEllipticSetting<dim>      &setting,
         const EllipticCoefficients<dim>       &coefficients,
         const EllipticBoundaryConditions<dim> &conditions,
         const unsigned int                     matching_rounds = max_matching_rounds) const
    {
      auto A = std::make_unique<LaplaceOperator<dim, Number>>();
      A->reinit(setting.mesh(conditions.periodic(), matching_rounds),
                setting.dof_handler,
                conditions,
                device(),
                coefficients.template data<Number>());
      return A;
    }

    template <int dim>
    void
    compare_with_assembly(const unsigned int degree, const unsigned int map_degree = 2) const
    {
      const CurvedEllipticSetting<dim> setting(degree, bump_at_side<dim>(), map_degree);
      const auto                       conditions = conditions_at_bump<dim>();
      const auto                       u = setting.random_vector(1), v = setting.random_vector(2);
      const auto                       all         = all_elliptic_coefficients<dim>();
      EllipticCoefficients<dim>        no_reaction = all[1]; // for kernels that know none
      no_reaction.reaction                         = {};
      for (const auto &coefficients : {all[degree % all.size()], all.back(), no_reaction})
        {
          SCOPED_TRACE("degree " + std::to_string(degree) + ", maps of degree " +
                       std::to_string(map_degree) + ", " + coefficients.name);
          const auto expected =
            CurvedEllipticAssembly<dim>(setting, coefficients).vmult(conditions, u);
          for (const unsigned int rounds : {max_matching_rounds, 0u})
            {
              const auto A = make<double>(setting, coefficients, conditions, rounds);
              EXPECT_EQ(A->element_space().order.ranges.front().kind, GeometryKind::affine);
              EXPECT_EQ(A->element_space().order.ranges.back().kind, GeometryKind::stored);
              const auto Au = vmult(*A, u), Av = vmult(*A, v);
              EXPECT_LT(relative_difference(Au, expected), 1e-11);
              EXPECT_NEAR(v * Au, u * Av, 1e-12 * v.l2_norm() * Au.l2_norm());
              EXPECT_GT(u * Au, 0.);
            }
          EXPECT_LT(relative_difference(vmult(*make<float>(setting, coefficients, conditions), u),
                                        expected),
                    1e-4);
        }
    }

    /// Blocks, diagonal and assembled matrix.
    template <int dim>
    void
    compare_parts(const unsigned int degree) const
    {
      const CurvedEllipticSetting<dim> setting(degree, bump_inside<dim>());
      const auto                       coefficients = all_elliptic_coefficients<dim>()[1];
      const auto A = make<double>(setting, coefficients, all_elliptic_conditions<dim>(true));
      TrilinosWrappers::SparseMatrix matrix;
      assemble(*A, matrix);
      const auto             u = setting.random_vector(3), Au = vmult(*A, u);
      dealii::Vector<double> product(u.size()), diagonal(u.size());
      matrix.vmult(product, u);
      EXPECT_LT(relative_difference(product, Au), 1e-12);
      // Both sides of a face see it as large.
      const auto  strengths = A->coupling_strengths();
      const auto &mesh      = *A->element_space().mesh;
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        for (unsigned int f = 0; f <= dim; ++f)
          {
            const FaceRecord &across = mesh.connectivity.face(e, f);
            if (across.at_boundary())
              continue;
            const double there = *strengths.block(across.neighbor, across.face + 1);
            EXPECT_NEAR(*strengths.block(e, f + 1), there, 1e-12 * there);
          }
      Saltus::Vector<double> own;
      A->compute_diagonal(own);
      A->copy_to(diagonal, own);
      // Of elements whose vertices have the order of their cells.
      const auto        &order = A->element_space().order;
      const unsigned int n     = setting.dof_handler.get_fe().n_dofs_per_cell();
      for (unsigned int e = 0; e < order.n_elements(); ++e)
        if (order.vertices[e] == identity_permutation<dim>())
          for (unsigned int m = 0; m < n; ++m)
            {
              const unsigned int i = order.cells[e]->active_cell_index() * n + m;
              EXPECT_NEAR(diagonal(i), matrix.diag_element(i), 1e-12 * diagonal.linfty_norm());
            }
    }

    /// A linear solution, which is in the space of polynomials of the degree of the maps: all of
    /// the right-hand side is boundary data, if the rule in the volume is exact for it.
    template <int dim>
    void
    check_boundary_data(const unsigned int degree) const
    {
      const CurvedEllipticSetting<dim> setting(degree);
      const std::string                solution = "1+2*x-3*y";
      const auto field = [](const std::string &text, const unsigned int n = 1) {
        return FieldFunction<dim>(Expression(dim, text, n));
      };
      EllipticBoundaryConditions<dim> conditions;
      conditions.set_neumann(0, field("-2"));
      for (unsigned int id = 1; id < 2 * dim; ++id)
        conditions.set_dirichlet(id, field(solution));
      typename LaplaceOperator<dim>::AdditionalData data;
      data.quadrature_degree = dim == 2 ? 0 : 2 * degree;
      LaplaceOperator<dim> A;
      A.reinit(setting.mapping, setting.dof_handler, conditions, device(), data);
      const FE_SimplexDGModal<dim>         fe(degree);
      const auto                           rule = simplex_quadrature<dim>(2 * degree);
      dealii::Vector<double>               u(A.m());
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(indices);
          for (unsigned int q = 0; q < rule.size(); ++q)
            {
              const Point<dim> x = setting.mapping.transform_unit_to_real_cell(cell, rule.point(q));
              for (unsigned int i = 0; i < indices.size(); ++i)
                u(indices[i]) +=
                  (1. + 2. * x[0] - 3. * x[1]) * fe.shape_value(i, rule.point(q)) * rule.weight(q);
            }
        }
      Saltus::Vector<double> b;
      A.right_hand_side(b, {});
      auto Au = zeros(A);
      A.vmult(Au, copied(A, u));
      EXPECT_GT(b.linfty_norm(), 0.1);
      EXPECT_LT(Au.max_difference(b), 1e-11 * b.linfty_norm());
    }

    /// Moments of a source, and means, by deal.II's rules.
    template <int dim>
    void
    check_integrals(const unsigned int degree) const
    {
      const CurvedEllipticSetting<dim> setting(degree);
      LaplaceOperator<dim>             A;
      A.reinit(setting.mesh(), setting.dof_handler, neumann_conditions<dim>(), device(), {});
      ASSERT_TRUE(A.is_singular());
      Saltus::Vector<double> moments;
      A.right_hand_side(moments, FieldFunction<dim>(Expression(dim, "x*y+1", 1)));
      auto x = copied(A, setting.random_vector(1));
      A.set_mean_value(x, 3.);
      dealii::Vector<double> u(A.m());
      A.copy_to(u, x);

      const auto                          &fe = setting.dof_handler.get_fe();
      FEValues<dim>                        values(setting.mapping,
                           fe,
                           simplex_quadrature<dim>(2 * degree + 2),
                           update_values | update_JxW_values | update_quadrature_points);
      dealii::Vector<double>               expected(A.m());
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      std::vector<double>                  of_u(values.n_quadrature_points);
      double                               measure = 0., integral = 0.;
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          values.reinit(cell);
          values.get_function_values(u, of_u);
          cell->get_dof_indices(indices);
          for (const unsigned int q : values.quadrature_point_indices())
            {
              const Point<dim> at = values.quadrature_point(q);
              measure += values.JxW(q);
              integral += of_u[q] * values.JxW(q);
              for (unsigned int i = 0; i < indices.size(); ++i)
                expected(indices[i]) +=
                  (at[0] * at[1] + 1.) * values.shape_value(i, q) * values.JxW(q);
            }
        }
      EXPECT_LT(relative_difference(to_dealii(A, moments), expected), 1e-12);
      EXPECT_NEAR(integral / measure, 3., 1e-12);
      // Constants are in the kernel.
      x         = 0.;
      auto zero = x;
      A.set_mean_value(x, 1.);
      A.vmult(zero, x);
      EXPECT_LT(zero.linfty_norm(), 1e-11);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(CurvedLaplace)

TEST_P(CurvedLaplace, Triangles)
{
  for (unsigned int degree = 1; degree <= 6; ++degree)
    compare_with_assembly<2>(degree);
  for (const unsigned int degree : {2, 3})
    compare_with_assembly<2>(degree, 3);
  compare_with_assembly<2>(4, 5);
}

TEST_P(CurvedLaplace, Tetrahedra)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    compare_with_assembly<3>(degree);
}

TEST_P(CurvedLaplace, Parts)
{
  compare_parts<2>(3);
  compare_parts<3>(2);
}

TEST_P(CurvedLaplace, BoundaryData)
{
  check_boundary_data<2>(2);
  check_boundary_data<2>(3);
  check_boundary_data<3>(2);
}

TEST_P(CurvedLaplace, Integrals)
{
  check_integrals<2>(3);
  check_integrals<3>(2);
}
