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
#include <type_traits>

namespace Saltus::Poisson
{
  namespace
  {
    template <typename Operator>
    constexpr bool is_mixed = std::is_same_v<typename Operator::VectorType, BlockVector<double>>;

    /// The operator in another precision.
    template <typename Operator, typename Number>
    struct InPrecision;

    template <template <int, typename> class Operator, int dim, typename Number>
    struct InPrecision<Operator<dim, double>, Number>
    {
      using type = Operator<dim, Number>;
    };

    /// What couples no two elements of different shapes.
    template <typename Operator, typename Matrix>
    using Diagonal = std::conditional_t<is_mixed<Operator>, ShapeDiagonal<Matrix>, Matrix>;

    template <typename Operator>
    Device
    device_of(const Operator &A)
    {
      return OnShapes<typename Operator::VectorType>::device(A);
    }

    /// A preconditioner of Trilinos on the assembled matrix.
    template <int dim>
    std::unique_ptr<dealii::TrilinosWrappers::PreconditionBase>
    host_preconditioner_of(const LaplaceOperator<dim>                   &A,
                           const std::string                            &name,
                           const dealii::TrilinosWrappers::SparseMatrix &matrix)
    {
      using namespace dealii::TrilinosWrappers;
      if (name == "AMG")
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
          return amg;
        }
      // Of a symmetric matrix it is symmetric. (Ifpack's incomplete Cholesky decomposition drops
      // too much of these matrices to be of use.)
      auto ilu = std::make_unique<PreconditionILU>();
      ilu->initialize(matrix);
      return ilu;
    }

    /// AztecOO keeps its vectors on the host.
    /// @param on_host a preconditioner that works there, or nullptr
    template <int dim>
    SolveReport
    solve_on_host(const LaplaceOperator<dim>                       &A,
                  Vector<double>                                   &x,
                  const Vector<double>                             &b,
                  const LinearMap<double>                          &preconditioner,
                  const dealii::TrilinosWrappers::PreconditionBase *on_host,
                  const SolverSettings                             &settings)
    {
      dealii::Vector<double> x_host, b_host;
      A.copy_to(x_host, x);
      A.copy_to(b_host, b);
      std::unique_ptr<const EpetraPreconditioner> adaptor;
      if (!preconditioner.is_identity())
        adaptor = std::make_unique<EpetraPreconditioner>(A, preconditioner);
      const Epetra_Operator *inverse = on_host ? &on_host->trilinos_operator() : adaptor.get();
      const SolveReport      report =
        solve_aztecoo(EpetraOperator(A), x_host, b_host, inverse, settings);
      A.copy_from(x, x_host);
      return report;
    }
  } // namespace

  template <typename Operator>
  LinearSolver<Operator>::LinearSolver(const Operator &A, const SolverParameters &parameters)
    : A(A)
    , parameters(parameters)
  {
    make_preconditioner();
  }


  template <typename Operator>
  void
  LinearSolver<Operator>::make_preconditioner()
  {
    const std::string &name = parameters.preconditioner;
    using Mass              = Diagonal<Operator, ElementScaling<double>>;
    using Blocks            = Diagonal<Operator, BlockDiagonal<double>>;
    if constexpr (!is_mixed<Operator>)
      if (parameters.on_host())
        {
          assemble(A, matrix);
          host_preconditioner = host_preconditioner_of(A, name, matrix);
        }
    if (name == "inverse mass")
      {
        const auto mass = std::make_shared<Mass>();
        A.compute_inverse_mass(*mass);
        apply(mass);
      }
    else if (name == "block Jacobi")
      {
        const auto blocks = std::make_shared<Blocks>();
        A.compute_block_diagonal(*blocks);
        blocks->invert();
        apply(blocks);
      }
    else if (name == "p-multigrid" && parameters.multigrid.single_precision)
      make_multigrid<float>();
    else if (name == "p-multigrid")
      make_multigrid<double>();
  }


  template <typename Operator>
  template <typename Number>
  void
  LinearSolver<Operator>::make_multigrid()
  {
    using Multigrid = PMultigrid<typename InPrecision<Operator, Number>::type>;
    using Algebraic = AlgebraicMultigrid<Number>;
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


  template <typename Operator>
  std::vector<std::pair<std::string, double>>
  LinearSolver<Operator>::time_parts(const SolveReport &report) const
  {
    if (!time_multigrid || report.iterations == 0)
      return {};
    VectorType x, y;
    A.initialize_vector(x);
    A.initialize_vector(y);
    Stopwatch watch(device_of(A));
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


  template <typename Operator>
  template <typename Matrix>
  void
  LinearSolver<Operator>::apply(const std::shared_ptr<Matrix> &matrix)
  {
    behind         = matrix;
    preconditioner = LinearMap<double, VectorType>(*matrix);
  }


  template <typename Operator>
  SolveReport
  LinearSolver<Operator>::solve(VectorType &x, const VectorType &b) const
  {
    if constexpr (!is_mixed<Operator>)
      {
        if (parameters.type == "AztecOO")
          return solve_on_host(
            A, x, b, preconditioner, host_preconditioner.get(), parameters.settings);
        if (parameters.type == "Belos")
          return solve_belos(A,
                             x,
                             b,
                             preconditioner,
                             parameters.settings,
                             parameters.block_belos ? BelosMethod::block_cg
                                                    : BelosMethod::pseudo_block_cg);
      }
    return solve_cg(A,
                    x,
                    b,
                    preconditioner,
                    parameters.settings,
                    parameters.varies() ? CGVariant::flexible : CGVariant::standard);
  }


  template class LinearSolver<LaplaceOperator<2>>;
  template class LinearSolver<LaplaceOperator<3>>;
  template class LinearSolver<MixedLaplaceOperator<2>>;
} // namespace Saltus::Poisson
