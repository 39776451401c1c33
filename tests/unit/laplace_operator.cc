// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator against an assembly with deal.II, its properties, and a solve.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/operators/laplace_operator.h>

#include <gtest/gtest.h>
#include <helpers/l2_error.h>
#include <helpers/on_device.h>
#include <random>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double diffusion = 1.7, reaction = 0.6, penalty_factor = 1.2, robin = 2.5;

  const std::string solution_text = "sin(2*x+0.3)*cos(y)";
  const std::string gradient_x    = "2*cos(2*x+0.3)*cos(y)";
  const std::string gradient_y    = "-sin(2*x+0.3)*sin(y)";

  StateFunction<2>
  expression(const std::string &text)
  {
    return {Expression(2, text, 1, {{"k", diffusion}, {"lambda", reaction}, {"a", robin}}, "test")};
  }

  template <int dim>
  struct Setting
  {
    explicit Setting(const unsigned int degree, const unsigned int n_refinements = 0)
      : mapping(FE_SimplexP<dim>(1))
      , dof_handler(triangulation)
    {
      Point<dim> corner;
      for (unsigned int d = 0; d < dim; ++d)
        corner[d] = 1.;
      Saltus::GridGenerator::box<dim>(
        triangulation, Point<dim>(), corner, std::vector<unsigned int>(dim, dim == 2 ? 4 : 2), 0.2);
      triangulation.refine_global(n_refinements);
      dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(degree));
    }

    dealii::Vector<double>
    random_vector(const unsigned int seed) const
    {
      std::mt19937                           generator(seed);
      std::uniform_real_distribution<double> random(-1., 1.);
      dealii::Vector<double>                 u(dof_handler.n_dofs());
      for (double &value : u)
        value = random(generator);
      return u;
    }

    Triangulation<dim> triangulation;
    MappingFE<dim>     mapping;
    DoFHandler<dim>    dof_handler;
  };

  /// All kinds of conditions on the sides of the box.
  template <int dim>
  EllipticBoundaryConditions<dim>
  all_conditions()
  {
    EllipticBoundaryConditions<dim> conditions;
    conditions.set_dirichlet(0);
    conditions.set_neumann(1);
    conditions.set_robin(2, robin);
    for (unsigned int id = 3; id < 2 * dim; ++id)
      conditions.set_dirichlet(id);
    return conditions;
  }

  template <int dim, typename Number>
  void
  reinit(LaplaceOperator<dim, Number>          &A,
         const Setting<dim>                    &setting,
         const EllipticBoundaryConditions<dim> &conditions,
         const Device                           device)
  {
    typename LaplaceOperator<dim, Number>::AdditionalData data;
    data.diffusion      = diffusion;
    data.reaction       = reaction;
    data.penalty_factor = penalty_factor;
    A.reinit(setting.mapping, setting.dof_handler, conditions, data, device);
  }

  template <int dim, typename Number>
  dealii::Vector<double>
  vmult(const LaplaceOperator<dim, Number> &A, const dealii::Vector<double> &u)
  {
    Saltus::Vector<Number> src, dst;
    A.initialize_vector(src);
    A.initialize_vector(dst);
    A.copy_from(src, u);
    A.vmult(dst, src);
    dealii::Vector<double> result;
    A.copy_to(result, dst);
    return result;
  }

  /// The oracle: `A u` by FEValues, with the other side's values computed at real points.
  template <int dim>
  class Assembly
  {
  public:
    Assembly(const Setting<dim> &setting, const dealii::Vector<double> &u)
      : setting(setting)
      , fe(setting.dof_handler.get_fe())
      , u(u)
    {}

    dealii::Vector<double>
    result(const EllipticBoundaryConditions<dim> &conditions) const
    {
      const unsigned int                   p = fe.degree, n = fe.n_dofs_per_cell();
      FEValues<dim>                        volume(setting.mapping,
                           fe,
                           simplex_quadrature<dim>(2 * p),
                           update_values | update_gradients | update_JxW_values |
                             update_quadrature_points);
      FEFaceValues<dim>                    faces(setting.mapping,
                              fe,
                              simplex_quadrature<dim - 1>(2 * p + 1),
                              update_values | update_gradients | update_JxW_values |
                                update_quadrature_points | update_normal_vectors);
      dealii::Vector<double>               all(u.size());
      std::vector<types::global_dof_index> indices(n);
      for (const auto &cell : setting.dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(indices);
          volume.reinit(cell);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              const auto [value, gradient] = at(cell, volume.quadrature_point(q));
              for (unsigned int i = 0; i < n; ++i)
                all(indices[i]) += (diffusion * (gradient * volume.shape_grad(i, q)) +
                                    reaction * value * volume.shape_value(i, q)) *
                                   volume.JxW(q);
            }
          for (const unsigned int f : cell->face_indices())
            {
              faces.reinit(cell, f);
              for (const unsigned int q : faces.quadrature_point_indices())
                {
                  const Point<dim> x           = faces.quadrature_point(q);
                  const auto       normal      = faces.normal_vector(q);
                  const auto [value, gradient] = at(cell, x);
                  double tau = penalty(cell, f), jump, flux = diffusion * (gradient * normal),
                         half = 1.;
                  if (!cell->at_boundary(f))
                    {
                      const auto neighbor       = cell->neighbor(f);
                      const auto [other, slope] = at(neighbor, x);
                      tau  = std::max(tau, penalty(neighbor, cell->neighbor_of_neighbor(f)));
                      jump = value - other;
                      flux = 0.5 * (flux + diffusion * (slope * normal));
                      half = 0.5;
                    }
                  else
                    {
                      const auto &condition = conditions.at(cell->face(f)->boundary_id());
                      if (condition.kind != EllipticBoundary::dirichlet)
                        {
                          for (unsigned int i = 0; i < n; ++i)
                            all(indices[i]) +=
                              condition.robin * value * faces.shape_value(i, q) * faces.JxW(q);
                          continue;
                        }
                      jump = value;
                      tau *= 2.;
                    }
                  for (unsigned int i = 0; i < n; ++i)
                    all(indices[i]) +=
                      ((tau * jump - flux) * faces.shape_value(i, q) -
                       half * jump * diffusion * (faces.shape_grad(i, q) * normal)) *
                      faces.JxW(q);
                }
            }
        }
      return all;
    }

  private:
    template <typename Cell>
    std::pair<double, Tensor<1, dim>>
    at(const Cell &cell, const Point<dim> &x) const
    {
      const Point<dim> unit = setting.mapping.transform_real_to_unit_cell(cell, x);
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      cell->get_dof_indices(indices);
      Tensor<2, dim> jacobian;
      for (unsigned int d = 0; d < dim; ++d)
        for (unsigned int r = 0; r < dim; ++r)
          jacobian[d][r] = cell->vertex(r + 1)[d] - cell->vertex(0)[d];
      double         value = 0;
      Tensor<1, dim> gradient;
      for (unsigned int i = 0; i < indices.size(); ++i)
        {
          value += u(indices[i]) * fe.shape_value(i, unit);
          gradient += u(indices[i]) * fe.shape_grad(i, unit);
        }
      return {value, transpose(invert(jacobian)) * gradient};
    }

    template <typename Cell>
    double
    penalty(const Cell &cell, const unsigned int face) const
    {
      const double p = fe.degree;
      return penalty_factor * 0.5 * (dim + 1) * (p + 1) * (p + dim) / dim * diffusion *
             cell->face(face)->measure() / cell->measure();
    }

    const Setting<dim>           &setting;
    const FiniteElement<dim>     &fe;
    const dealii::Vector<double> &u;
  };

  double
  relative_difference(dealii::Vector<double> a, const dealii::Vector<double> &b)
  {
    a -= b;
    return a.l2_norm() / b.l2_norm();
  }

  class LaplaceTest : public OnDevice
  {
  protected:
    template <int dim>
    void
    compare_with_assembly(const unsigned int max_degree)
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          SCOPED_TRACE("degree " + std::to_string(degree));
          const Setting<dim>           setting(degree);
          const auto                   conditions = all_conditions<dim>();
          const auto                   u          = setting.random_vector(1);
          const auto                   expected   = Assembly<dim>(setting, u).result(conditions);
          LaplaceOperator<dim, double> A;
          LaplaceOperator<dim, float>  A_float;
          reinit(A, setting, conditions, device());
          reinit(A_float, setting, conditions, device());
          EXPECT_LT(relative_difference(vmult(A, u), expected), 1e-11);
          EXPECT_LT(relative_difference(vmult(A_float, u), expected), 1e-4);
          // Symmetric and positive.
          const auto v = setting.random_vector(2), Au = vmult(A, u), Av = vmult(A, v);
          EXPECT_NEAR(Au * v, Av * u, 1e-12 * Au.l2_norm() * v.l2_norm());
          EXPECT_GT(Au * u, 0.);
        }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(LaplaceTest)

TEST_P(LaplaceTest, Triangles)
{
  compare_with_assembly<2>(7);
}

TEST_P(LaplaceTest, Tetrahedra)
{
  compare_with_assembly<3>(4);
}

/// Rates p+1 with every kind of condition, by deal.II's CG.
TEST_P(LaplaceTest, Rates)
{
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0, expression(solution_text));
  conditions.set_neumann(1, expression("k*" + gradient_x));
  conditions.set_robin(2, robin, expression("-k*(" + gradient_y + ") + a*" + solution_text));
  conditions.set_dirichlet(3, expression(solution_text));
  const auto source = expression("(5*k + lambda)*" + solution_text);
  for (unsigned int degree = 1; degree <= 4; ++degree)
    {
      double error = 0, rate = 0;
      for (unsigned int n_refinements = 1; n_refinements <= 2; ++n_refinements)
        {
          const Setting<2>   setting(degree, n_refinements);
          LaplaceOperator<2> A;
          reinit(A, setting, conditions, device());
          Saltus::Vector<double> x, b;
          A.initialize_vector(x);
          A.right_hand_side(b, source);
          SolverControl                    control(5000, 1e-11 * b.l2_norm());
          SolverCG<Saltus::Vector<double>> cg(control);
          cg.solve(A, x, b, PreconditionIdentity());
          dealii::Vector<double> solution;
          A.copy_to(solution, x);
          const double before = error;
          error               = l2_error(setting.mapping,
                           setting.dof_handler,
                           solution,
                           Expression(2, solution_text, 1));
          rate                = std::log2(before / error);
        }
      std::cout << "p = " << degree << ": error " << error << ", rate " << rate << std::endl;
      EXPECT_GT(rate, degree + 0.75);
    }
}

TEST_P(LaplaceTest, BadInputIsRefused)
{
  const Setting<2>              setting(1);
  LaplaceOperator<2>            A;
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0);
  EXPECT_THROW(reinit(A, setting, conditions, device()), ExceptionBase); // ids without a condition
  LaplaceOperator<2>::AdditionalData data;
  data.diffusion = 0;
  EXPECT_THROW(A.reinit(setting.mapping, setting.dof_handler, all_conditions<2>(), data, device()),
               ExceptionBase);
  EXPECT_THROW(conditions.set_robin(1, -1.), ExceptionBase);
  EXPECT_THROW(conditions.set_neumann(0), ExceptionBase); // two conditions
}
