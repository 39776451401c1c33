// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "linear_solver.h"

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_solver.h>

#include <saltus/base/ranks/check_memory.h>
#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/epetra_matrix.h>
#include <saltus/solvers/krylov/gmres.h>
#include <saltus/solvers/polytopic/linear_functions.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <algorithm>
#include <Epetra_MultiVector.h>
#include <iostream>
#include <limits>
#include <Teuchos_ParameterList.hpp>

namespace Saltus::Polytopic
{
  using namespace dealii::TrilinosWrappers;
  using HostVector = dealii::LinearAlgebra::distributed::Vector<double>;

  namespace
  {
    /// Unknowns of an element, if all have as many; else 1.
    unsigned int
    block_size(const BlockSparsity &sparsity)
    {
      double smallest = std::numeric_limits<int>::max(), largest = 1.;
      for (unsigned int e = 0; e < sparsity.n_elements(); ++e)
        {
          smallest = std::min<double>(smallest, sparsity.size(e));
          largest  = std::max<double>(largest, sparsity.size(e));
        }
      smallest = -max_over_ranks(sparsity.partition, -smallest);
      largest  = max_over_ranks(sparsity.partition, largest);
      return smallest == largest ? largest : 1;
    }
  } // namespace


  void
  check_memory_of_solver(const BlockSparsity    &sparsity,
                         const SolverParameters &parameters,
                         const Device            device,
                         const MPI_Comm          communicator)
  {
    const double n         = sparsity.n_values();
    double       on_device = n * sizeof(double), on_host = 0.;
    if (parameters.preconditioner == PreconditionerType::multigrid) // the finest level's copy
      on_device += n * (parameters.multigrid.single_precision ? sizeof(float) : sizeof(double));
    if (parameters.on_host()) // the rows, the matrix of Trilinos, and factors of as many entries
      on_host = n * (sizeof(double) + sizeof(int)) *
                (parameters.preconditioner == PreconditionerType::none ? 2 : 3);
    const std::string name = "The matrix of " + std::to_string(sparsity.n_global_rows()) +
                             " rows with what its solver makes of it";
    if (device.is_cuda())
      check_memory(Device::cpu(), communicator, name, on_host);
    check_memory(device, communicator, name, device.is_cuda() ? on_device : on_device + on_host);
  }


  template <int dim>
  LinearSolver<dim>::LinearSolver(const BlockCSRMatrix<double>           &matrix,
                                  const SolverParameters                 &parameters,
                                  const MPI_Comm                          communicator,
                                  const std::vector<std::vector<double>> &near_null_vectors)
    : A(matrix)
    , communicator(communicator)
    , parameters(parameters)
  {
    if (parameters.on_host())
      make_host_solver(near_null_vectors);
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
    : LinearSolver(matrix,
                   parameters,
                   op.space().mesh().triangulation().get_communicator(),
                   parameters.preconditioner == PreconditionerType::amg
                     ? linear_functions(op.space())
                     : std::vector<std::vector<double>>())
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
    data.elements_first  = parameters.multigrid.elements_first;
    data.cycle           = parameters.multigrid.cycle;
    const auto multigrid = std::make_shared<Multigrid>();
    multigrid->initialize(op, A, data);
    multigrid->print(std::cout);
    behind         = multigrid;
    preconditioner = LinearMap<double>(*multigrid);
  }


  template <int dim>
  void
  LinearSolver<dim>::make_host_solver(const std::vector<std::vector<double>> &near_null_vectors)
  {
    matrix.reinit(*epetra_matrix(A.distributed_rows(), communicator));
    if (parameters.preconditioner == PreconditionerType::ilu)
      {
        auto ilu = std::make_unique<PreconditionILU>();
        ilu->initialize(matrix);
        host_preconditioner = std::move(ilu);
      }
    else if (parameters.preconditioner == PreconditionerType::amg)
      make_amg(near_null_vectors);
    else if (parameters.type == SolverType::trilinos_direct)
      {
        factors = std::make_unique<SolverDirect>(control_of_factors);
        factors->initialize(matrix);
      }
    else
      host_preconditioner = std::make_unique<PreconditionIdentity>();
  }


  template <int dim>
  void
  LinearSolver<dim>::make_amg(const std::vector<std::vector<double>> &near_null_vectors)
  {
    PreconditionAMG::AdditionalData data;
    data.elliptic              = parameters.type == SolverType::trilinos_cg;
    data.higher_order_elements = true;
    Teuchos::ParameterList              list;
    std::unique_ptr<Epetra_MultiVector> vectors;
    data.set_parameters(list, vectors, matrix);
    if (!near_null_vectors.empty())
      {
        vectors = std::make_unique<Epetra_MultiVector>(matrix.trilinos_matrix().DomainMap(),
                                                       near_null_vectors.size());
        for (std::size_t v = 0; v < near_null_vectors.size(); ++v)
          std::copy(near_null_vectors[v].begin(), near_null_vectors[v].end(), (*vectors)[v]);
        if (const unsigned int n = block_size(A.sparsity()); n > 1)
          {
            list.set("PDE equations", static_cast<int>(n));
            list.set("smoother: type (level 0)", "symmetric block Gauss-Seidel"); // the finest
          }
        list.set("null space: type", "pre-computed");
        list.set("null space: dimension", static_cast<int>(near_null_vectors.size()));
        list.set("null space: vectors", vectors->Values());
      }
    auto amg = std::make_unique<PreconditionAMG>();
    amg->initialize(matrix, list);
    host_preconditioner = std::move(amg);
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
