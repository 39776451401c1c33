// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "linear_solver.h"

#include <saltus/base/device/stopwatch.h>
#include <saltus/solvers/krylov/aztecoo.h>
#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/epetra_matrix.h>
#include <saltus/solvers/krylov/epetra_operator.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <algorithm>
#include <iostream>

namespace Saltus::Poisson
{
  template <int dim>
  LinearSolver<dim>::LinearSolver(const LaplaceOperator<dim> &A, const SolverParameters &parameters)
    : A(A)
    , parameters(parameters)
  {
    Stopwatch watch(A.element_space().device);
    make_preconditioner();
    const double total = watch.lap();
    if (seconds.empty())
      seconds = {{"preconditioner", total}};
  }


  template <int dim>
  void
  LinearSolver<dim>::make_preconditioner()
  {
    const std::string &name = parameters.preconditioner;
    if (parameters.on_host())
      make_host_preconditioner();
    else if (name == "inverse mass")
      {
        const auto mass = std::make_shared<ElementScaling<double>>();
        A.compute_inverse_mass(*mass);
        apply(mass);
      }
    else if (name == "block Jacobi")
      {
        const auto blocks = std::make_shared<BlockDiagonal<double>>();
        A.compute_block_diagonal(*blocks);
        blocks->invert();
        apply(blocks);
      }
    else if (name == "p-multigrid" && parameters.multigrid.single_precision)
      make_multigrid<float>();
    else if (name == "p-multigrid")
      make_multigrid<double>();
  }


  template <int dim>
  template <typename Number>
  void
  LinearSolver<dim>::make_multigrid()
  {
    using Multigrid                           = PMultigrid<LaplaceOperator<dim, Number>>;
    using Algebraic                           = AlgebraicMultigrid<Number>;
    const auto                        &wanted = parameters.multigrid;
    typename Multigrid::AdditionalData data;
    data.smoother_degree                = wanted.smoother_degree;
    data.coarse_space                   = wanted.continuous ? Multigrid::CoarseSpace::continuous
                                                            : Multigrid::CoarseSpace::discontinuous;
    data.algebraic.aggregation.smoothed = wanted.smoothed_aggregation;
    data.algebraic.cycle = wanted.k_cycle ? Algebraic::Cycle::K : Algebraic::Cycle::V;
    const auto multigrid = std::make_shared<Multigrid>();
    multigrid->initialize(A, data);
    multigrid->print(std::cout);
    const auto &times = multigrid->set_up_times();
    seconds           = {{"levels", times.levels},
                         {"coarse matrix", times.coarse_matrix},
                         {"algebraic levels", times.algebraic}};
    time_multigrid    = [=]() { return multigrid->time_parts(); };
    apply(multigrid);
  }


  template <int dim>
  std::vector<std::pair<std::string, double>>
  LinearSolver<dim>::time_parts(const SolveReport &report) const
  {
    if (!time_multigrid || report.iterations == 0)
      return {};
    Vector<double> x, y;
    A.initialize_vector(x);
    A.initialize_vector(y);
    Stopwatch watch(A.element_space().device);
    watch.lap();
    A.vmult(y, x);
    Times  times = {{"operator", watch.lap()}};
    double sum   = times[0].second;
    for (const auto &[name, seconds] : time_multigrid())
      {
        times.emplace_back(name, seconds);
        if (name != "the coarsest of them")
          sum += seconds;
      }
    // What is left; nothing, if the parts took longer alone than within the solution.
    times.emplace_back("vectors", std::max(0., report.seconds / report.iterations - sum));
    return times;
  }


  template <int dim>
  template <typename Matrix>
  void
  LinearSolver<dim>::apply(const std::shared_ptr<Matrix> &matrix)
  {
    behind         = matrix;
    preconditioner = LinearMap<double>(*matrix);
  }


  template <int dim>
  void
  LinearSolver<dim>::make_host_preconditioner()
  {
    using namespace dealii::TrilinosWrappers;
    assemble(A, matrix);
    if (parameters.preconditioner == "AMG")
      {
        auto                            amg = std::make_unique<PreconditionAMG>();
        PreconditionAMG::AdditionalData data;
        data.elliptic              = true;
        data.higher_order_elements = true;
        // Constants have the same coefficient in the first mode of every element, and no other.
        const unsigned int n_modes = A.element_space().reference.n_modes;
        std::vector<bool>  first_modes(matrix.local_size());
        for (unsigned int i = 0; i < first_modes.size(); i += n_modes)
          first_modes[i] = true;
        data.constant_modes = {first_modes};
        amg->initialize(matrix, data);
        host_preconditioner = std::move(amg);
      }
    else
      {
        // Of a symmetric matrix it is symmetric. (Ifpack's incomplete Cholesky decomposition drops
        // too much of these matrices to be of use.)
        auto ilu = std::make_unique<PreconditionILU>();
        ilu->initialize(matrix);
        host_preconditioner = std::move(ilu);
      }
  }


  template <int dim>
  SolveReport
  LinearSolver<dim>::solve(Vector<double> &x, const Vector<double> &b) const
  {
    if (parameters.type == "AztecOO")
      return solve_on_host(x, b);
    if (parameters.type == "Belos")
      return solve_belos(A,
                         x,
                         b,
                         preconditioner,
                         parameters.settings,
                         parameters.block_belos ? BelosMethod::block_cg
                                                : BelosMethod::pseudo_block_cg);
    return solve_cg(A,
                    x,
                    b,
                    preconditioner,
                    parameters.settings,
                    parameters.varies() ? CGVariant::flexible : CGVariant::standard);
  }


  template <int dim>
  SolveReport
  LinearSolver<dim>::solve_on_host(Vector<double> &x, const Vector<double> &b) const
  {
    dealii::Vector<double> x_host, b_host;
    A.copy_to(x_host, x);
    A.copy_to(b_host, b);
    std::unique_ptr<const EpetraPreconditioner> adaptor;
    if (!preconditioner.is_identity())
      adaptor = std::make_unique<EpetraPreconditioner>(A, preconditioner);
    const Epetra_Operator *inverse =
      host_preconditioner ? &host_preconditioner->trilinos_operator() : adaptor.get();
    const SolveReport report =
      solve_aztecoo(EpetraOperator(A), x_host, b_host, inverse, parameters.settings);
    A.copy_from(x, x_host);
    return report;
  }


  template class LinearSolver<2>;
  template class LinearSolver<3>;
} // namespace Saltus::Poisson
