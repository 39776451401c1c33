// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "linear_solver.h"

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_solver.h>

#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/epetra_matrix.h>
#include <saltus/solvers/krylov/gmres.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <algorithm>
#include <iostream>

namespace Saltus::Polytopic
{
  using namespace dealii::TrilinosWrappers;
  using HostVector = dealii::LinearAlgebra::distributed::Vector<double>;

  template <int dim>
  LinearSolver<dim>::LinearSolver(const BlockCSRMatrix<double> &matrix,
                                  const SolverParameters       &parameters,
                                  const MPI_Comm                communicator)
    : A(matrix)
    , communicator(communicator)
    , parameters(parameters)
  {
    if (parameters.on_host())
      make_host_solver();
    else if (parameters.preconditioner == PreconditionerType::block_jacobi)
      {
        const auto inverse =
          std::make_shared<BlockCSRMatrix<double>>(inverse_diagonal_blocks(matrix));
        behind         = inverse;
        preconditioner = LinearMap<double>(*inverse);
      }
  }


  template <int dim>
  LinearSolver<dim>::LinearSolver(const PolytopicOperator<dim> &op,
                                  const BlockCSRMatrix<double> &matrix,
                                  const SolverParameters       &parameters)
    : LinearSolver(matrix, parameters, op.space().mesh().triangulation().get_communicator())
  {
    if (parameters.preconditioner != PreconditionerType::multigrid)
      return;
    if (parameters.multigrid.single_precision)
      make_multigrid<float>(op);
    else
      make_multigrid<double>(op);
  }


  template <int dim>
  template <typename Number>
  void
  LinearSolver<dim>::make_multigrid(const PolytopicOperator<dim> &op)
  {
    using Multigrid = PolytopicMultigrid<dim, Number>;
    typename Multigrid::AdditionalData data;
    data.smoother_degree = parameters.multigrid.smoother_degree;
    data.ratio           = parameters.multigrid.ratio;
    data.grouping        = parameters.multigrid.grouping;
    data.cycle           = parameters.multigrid.cycle;
    const auto multigrid = std::make_shared<Multigrid>();
    multigrid->initialize(op, A, data);
    multigrid->print(std::cout);
    behind         = multigrid;
    preconditioner = LinearMap<double>(*multigrid);
  }


  template <int dim>
  void
  LinearSolver<dim>::make_host_solver()
  {
    matrix.reinit(*epetra_matrix(A.distributed_rows(), communicator));
    if (parameters.preconditioner == PreconditionerType::ilu)
      {
        auto ilu = std::make_unique<PreconditionILU>();
        ilu->initialize(matrix);
        host_preconditioner = std::move(ilu);
      }
    else if (parameters.preconditioner == PreconditionerType::amg)
      {
        auto                            amg = std::make_unique<PreconditionAMG>();
        PreconditionAMG::AdditionalData data;
        data.elliptic              = parameters.type == SolverType::trilinos_cg;
        data.higher_order_elements = true;
        amg->initialize(matrix, data);
        host_preconditioner = std::move(amg);
      }
    else if (parameters.type == SolverType::trilinos_direct)
      {
        factors = std::make_unique<SolverDirect>(control_of_factors);
        factors->initialize(matrix);
      }
    else
      host_preconditioner = std::make_unique<PreconditionIdentity>();
  }


  template <int dim>
  SolveReport
  LinearSolver<dim>::solve(Vector<double> &x, const Vector<double> &b) const
  {
    if (parameters.on_host())
      return solve_on_host(x, b);
    if (parameters.type == SolverType::gmres)
      return solve_gmres(A, x, b, preconditioner, parameters.settings);
    if (parameters.type != SolverType::cg)
      return solve_belos(A,
                         x,
                         b,
                         preconditioner,
                         parameters.settings,
                         parameters.type == SolverType::belos_gmres ? BelosMethod::gmres
                                                                    : BelosMethod::pseudo_block_cg);
    const bool is_flexible = parameters.multigrid.cycle == MultigridCycle::K;
    return solve_cg(A,
                    x,
                    b,
                    preconditioner,
                    parameters.settings,
                    is_flexible ? CGVariant::flexible : CGVariant::standard);
  }


  template <int dim>
  SolveReport
  LinearSolver<dim>::solve_on_host(Vector<double> &x, const Vector<double> &b) const
  {
    const auto copy = [&](const Vector<double> &from) {
      HostVector                to(from.locally_owned_elements(), communicator);
      const std::vector<double> entries = from.entries();
      std::copy(entries.begin(), entries.end(), to.begin());
      return to;
    };
    HostVector            solution = copy(x);
    const HostVector      rhs      = copy(b);
    ResidualHistory       history("Trilinos", parameters.settings, rhs.l2_norm());
    dealii::SolverControl control(parameters.settings.max_iterations,
                                  history.target(),
                                  false,
                                  false);
    const auto            run = [&](auto &&solver) {
      try
        {
          solver.solve(matrix, solution, rhs, *host_preconditioner);
        }
      catch (const dealii::SolverControl::NoConvergence &)
        {
          // The residual tells.
        }
    };
    if (factors)
      factors->solve(solution, rhs);
    else if (parameters.type == SolverType::trilinos_cg)
      run(SolverCG(control));
    else
      run(SolverGMRES(control));
    x.set_entries(std::vector<double>(solution.begin(), solution.end()));
    Vector<double> residual(b);
    A.residual(residual, x, b);
    const unsigned int n = control.last_step() < 1000000000U ? control.last_step() : 0;
    history.record(n, residual.l2_norm());
    return history.finish();
  }


  template class LinearSolver<2>;
  template class LinearSolver<3>;
} // namespace Saltus::Polytopic
