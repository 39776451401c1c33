// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "linear_solver.h"

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_solver.h>

#include <saltus/base/device/error_message.h>
#include <saltus/base/ranks/check_memory.h>
#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/epetra_matrix.h>
#include <saltus/solvers/krylov/gmres.h>
#include <saltus/solvers/polytopic/linear_functions.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <algorithm>
#include <Epetra_MultiVector.h>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
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


  std::string
  note_on_dependence(const BlockCSRMatrix<double> &matrix,
                     const SolverParameters       &parameters,
                     const BoxAxes                 axes)
  {
    // Where functions are nearly dependent a residual says little of errors. Found by experiment
    // for p = 1 to 8 and elements by METIS, boxes and of one triangle: at a tolerance of 1e-10
    // errors are those of better bases for pivots of 3e-6 and more, and in part larger by orders of
    // magnitude for those of 2e-6 and less. They are not if the residual is as small as rounding
    // errors allow, which is that of direct solvers.
    constexpr double limit = 2e-6, tolerance_at_limit = 1e-12, tolerance_of_direct = 1e-16;
    const double     pivot     = smallest_pivot(matrix);
    const bool       is_direct = parameters.type == SolverType::trilinos_direct;
    const double     tolerance = is_direct ? tolerance_of_direct : parameters.settings.tolerance;
    if (pivot > limit || tolerance <= pivot / limit * tolerance_at_limit)
      return {};
    std::ostringstream text;
    text << std::setprecision(2)
         << "  note: polynomials are nearly dependent in an element that fills little of its box "
         << "(smallest pivot " << pivot << "): errors may be large whatever the residual. Take "
         << (axes == BoxAxes::parallel ? "Agglomeration/Boxes of elements = principal axes"
                                       : "lower degrees")
         << (is_direct ? ".\n" : ", or Solver/Type = Trilinos direct.\n");
    return text.str();
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
        try
          {
            factors->initialize(matrix);
          }
        catch (const dealii::ExceptionBase &error)
          {
            throw dealii::ExcMessage(
              "Solver/Type = Trilinos direct finds no factors of the matrix, which is singular or "
              "nearly so (" +
              error_message(error) +
              "). Does the equation determine the solution everywhere? Without Equation/Diffusion "
              "Equation/Velocity must carry it from an inflow, or Equation/Reaction be positive.");
          }
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
    ResidualHistory history(parameters.type_name(),
                            parameters.settings,
                            b.l2_norm(),
                            1.,
                            parameters.type == SolverType::trilinos_cg
                              ? SystemMatrix::positive_definite
                              : SystemMatrix::any);
    if (b.all_zero())
      {
        x = 0.;
        history.record(0, 0.);
        return history.finish();
      }
    Vector<double> residual(b), correction(b);
    A.residual(residual, x, b);
    double      norm = residual.l2_norm();
    bool        gave_up;
    std::string complaint;
    history.record(0, norm);
    do
      {
        const unsigned int n = run_on_host(correction, residual, history, complaint);
        gave_up              = n >= history.iterations_left();
        x.add(1., correction);
        A.residual(residual, x, b);
        const double before = norm;
        norm                = residual.l2_norm();
        if (norm > before) // by rounding errors
          {
            x.add(-1., correction);
            norm = before;
          }
        history.record(n, norm);
      }
    while (!gave_up && history.starts_again());
    return history.finish(history.is_accepted() ? "" : complaint);
  }


  template <int dim>
  unsigned int
  LinearSolver<dim>::run_on_host(Vector<double>        &x,
                                 const Vector<double>  &b,
                                 const ResidualHistory &history,
                                 std::string           &complaint) const
  {
    HostVector                solution(b.locally_owned_elements(), communicator), rhs(solution);
    const std::vector<double> entries = b.entries();
    std::copy(entries.begin(), entries.end(), rhs.begin());
    dealii::SolverControl control(history.iterations_left(), history.target(), false, false);
    const auto            run = [&](auto &&solver) {
      try
        {
          solver.solve(matrix, solution, rhs, *host_preconditioner);
        }
      catch (const dealii::SolverControl::NoConvergence &)
        {
          // The residual tells.
        }
      catch (const dealii::ExceptionBase &error)
        {
          complaint = error_message(error);
        }
    };
    if (factors)
      factors->solve(solution, rhs);
    else if (parameters.type == SolverType::trilinos_cg)
      run(SolverCG(control));
    else
      run(SolverGMRES(control));
    x.set_entries(std::vector<double>(solution.begin(), solution.end()));
    return control.last_step() == dealii::numbers::invalid_unsigned_int ? 0 : control.last_step();
  }


  template class LinearSolver<2>;
  template class LinearSolver<3>;
} // namespace Saltus::Polytopic
