// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/belos_traits.h>
#include <saltus/solvers/krylov/scaled_system.h>

#include <algorithm>
#include <BelosBlockCGSolMgr.hpp>
#include <BelosBlockGmresSolMgr.hpp>
#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosStatusTest.hpp>
#include <memory>
#include <Teuchos_oblackholestream.hpp>
#include <Teuchos_ParameterList.hpp>

namespace Saltus
{
  namespace
  {
    /// Iterations of GMRES before it starts again.
    constexpr int n_krylov_vectors = 60;

    /// A system that watches conjugate gradients: Belos multiplies by the matrix once an iteration,
    /// and every residual passes the preconditioner.
    template <typename Number>
    class WatchedProblem
      : public Belos::LinearProblem<Number, MultiVector<Number>, LinearMap<Number>>
    {
      using Base = Belos::LinearProblem<Number, MultiVector<Number>, LinearMap<Number>>;

    public:
      /// @param histories one for every column
      WatchedProblem(const LinearMap<Number>              &matrix,
                     MultiVector<Number>                  &x,
                     const MultiVector<Number>            &b,
                     const LinearMap<Number>              &preconditioner,
                     const BelosMethod                     method,
                     const std::vector<ResidualHistory *> &histories)
        : Base(Teuchos::rcpFromRef(matrix), Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b))
        , histories(histories)
      {
        if (method == BelosMethod::gmres)
          this->setRightPrec(Teuchos::rcpFromRef(preconditioner));
        else
          {
            this->setLeftPrec(Teuchos::rcpFromRef(preconditioner));
            this->setHermitian();
          }
        this->setProblem();
        iteration = 0;
      }

      void
      applyOp(const MultiVector<Number> &x, MultiVector<Number> &y) const override
      {
        ++iteration;
        Base::applyOp(x, y);
      }

      void
      applyLeftPrec(const MultiVector<Number> &residuals, MultiVector<Number> &y) const override
      {
        // Those that have not converged; none while the problem is set up.
        const std::vector<int> columns = this->getLSIndex();
        if (!columns.empty())
          {
            const std::vector<Number> norms = residuals.norms();
            for (std::size_t j = 0; j < norms.size(); ++j)
              histories[columns.at(j)]->record(iteration, norms[j]);
          }
        Base::applyLeftPrec(residuals, y);
      }

    private:
      const std::vector<ResidualHistory *> histories;
      mutable unsigned int                 iteration = 0;
    };

    /// Watches GMRES, which knows the norms of residuals only.
    template <typename Number>
    class Watch : public Belos::StatusTest<Number, MultiVector<Number>, LinearMap<Number>>
    {
    public:
      Watch(const WatchedProblem<Number> &problem, const std::vector<ResidualHistory *> &histories)
        : problem(problem)
        , histories(histories)
      {}

      Belos::StatusType
      checkStatus(
        Belos::Iteration<Number, MultiVector<Number>, LinearMap<Number>> *iteration) override
      {
        std::vector<Number> norms;
        iteration->getNativeResiduals(&norms);
        const std::vector<int> columns = problem.getLSIndex();
        for (std::size_t j = 0; j < norms.size(); ++j)
          histories[columns.at(j)]->record(iteration->getNumIters(), norms[j]);
        return getStatus();
      }

      /// It stops nothing.
      Belos::StatusType
      getStatus() const override
      {
        return Belos::Failed;
      }

      void
      reset() override
      {}

      void
      print(std::ostream &, int) const override
      {}

    private:
      const WatchedProblem<Number>        &problem;
      const std::vector<ResidualHistory *> histories;
    };

    Teuchos::RCP<Teuchos::ParameterList>
    parameters(const SolverSettings &settings,
               const unsigned int    max_iterations,
               const BelosMethod     method,
               const int             n_columns)
    {
      const auto list = Teuchos::parameterList();
      // Of this type whatever Number is.
      list->set("Convergence Tolerance", settings.tolerance);
      list->set("Maximum Iterations", static_cast<int>(max_iterations));
      list->set("Implicit Residual Scaling", std::string("Norm of RHS"));
      list->set("Output Stream", Teuchos::RCP<std::ostream>(new Teuchos::oblackholestream));
      if (method == BelosMethod::gmres)
        {
          list->set("Flexible Gmres", true);
          list->set("Num Blocks", n_krylov_vectors);
          list->set("Maximum Restarts", static_cast<int>(max_iterations / n_krylov_vectors));
          list->set("Explicit Residual Scaling", std::string("Norm of RHS"));
          return list;
        }
      // The products of the residual with itself and with what the preconditioner makes of it at
      // once.
      list->set("Fold Convergence Detection Into Allreduce", true);
      if (method == BelosMethod::block_cg)
        list->set("Block Size", n_columns);
      return list;
    }

    /// Why it stopped if by an exception, else nothing.
    template <typename Number>
    std::string
    run(const Teuchos::RCP<WatchedProblem<Number>> &problem,
        const Teuchos::RCP<Teuchos::ParameterList> &list,
        const BelosMethod                           method,
        const std::vector<ResidualHistory *>       &histories)
    {
      using MV = MultiVector<Number>;
      using OP = LinearMap<Number>;
      try
        {
          if (method == BelosMethod::gmres)
            {
              Belos::BlockGmresSolMgr<Number, MV, OP> solver(problem, list);
              solver.setDebugStatusTest(Teuchos::rcp(new Watch<Number>(*problem, histories)));
              solver.solve();
            }
          else if (method == BelosMethod::block_cg)
            Belos::BlockCGSolMgr<Number, MV, OP>(problem, list).solve();
          else
            Belos::PseudoBlockCGSolMgr<Number, MV, OP>(problem, list).solve();
        }
      catch (const Belos::BelosError &error)
        {
          // The last line says what, those before say where in Belos.
          const std::string text(error.what());
          const auto        end   = text.find_last_not_of(" \n");
          const auto        begin = text.rfind('\n', end);
          return "Belos says: " +
                 text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
        }
      return "";
    }

    /// The system of a right-hand side, and what happened to it.
    template <typename Number>
    struct Column
    {
      Column(const std::string       &name,
             const SystemMatrix       matrices,
             const SolverSettings    &settings,
             const LinearMap<Number> &matrix,
             Vector<Number>          &x,
             const Vector<Number>    &b)
        : system(matrix, x, b)
        , history(name, settings, system.rhs_norm(), system.unit(), matrices)
      {}

      bool
      is_zero() const
      {
        return system.rhs_norm() == 0.;
      }

      ScaledSystem<Number> system;
      ResidualHistory      history;
    };

    /// The same for some columns, as far as the recurrence says.
    template <typename Number>
    std::string
    run(const std::vector<Column<Number> *> &columns,
        const LinearMap<Number>             &matrix,
        const LinearMap<Number>             &preconditioner,
        const SolverSettings                &settings,
        const BelosMethod                    method)
    {
      std::vector<Vector<Number> *>  x, b;
      std::vector<ResidualHistory *> histories;
      unsigned int                   max_iterations = settings.max_iterations;
      for (Column<Number> *column : columns)
        {
          x.push_back(&column->system.x());
          b.push_back(const_cast<Vector<Number> *>(&column->system.b())); // is not written
          histories.push_back(&column->history);
          max_iterations = std::min(max_iterations, column->history.iterations_left());
        }
      MultiVector<Number>       all_x(x);
      const MultiVector<Number> all_b(b);
      return run(Teuchos::rcp(new WatchedProblem<Number>(
                   matrix, all_x, all_b, preconditioner, method, histories)),
                 parameters(settings, max_iterations, method, columns.size()),
                 method,
                 histories);
    }
  } // namespace

  template <typename Number>
  std::vector<SolveReport>
  solve_belos(const typename LinearMap<Number>::Argument &matrix,
              MultiVector<Number>                        &x,
              const MultiVector<Number>                  &b,
              const typename LinearMap<Number>::Argument &preconditioner,
              const SolverSettings                       &settings,
              const BelosMethod                           method)
  {
    AssertThrow(x.n_columns() == b.n_columns(),
                dealii::ExcDimensionMismatch(x.n_columns(), b.n_columns()));
    const std::string name = method == BelosMethod::gmres      ? "Belos' GMRES"
                             : method == BelosMethod::block_cg ? "Belos' block CG"
                                                               : "Belos' pseudo-block CG";
    std::vector<std::unique_ptr<Column<Number>>> columns;
    std::vector<Column<Number> *>                unsolved;
    for (unsigned int j = 0; j < b.n_columns(); ++j)
      {
        columns.push_back(std::make_unique<Column<Number>>(name,
                                                           method == BelosMethod::gmres
                                                             ? SystemMatrix::any
                                                             : SystemMatrix::positive_definite,
                                                           settings,
                                                           matrix,
                                                           x.column(j),
                                                           b.column(j)));
        Column<Number> &column = *columns.back();
        if (column.is_zero()) // Belos stumbles over it.
          {
            x.column(j) = Number(0);
            column.history.record(0, 0.);
          }
        else
          unsolved.push_back(&column);
      }
    std::string reason;
    while (!unsolved.empty() && reason.empty())
      {
        reason = run(unsolved, matrix, preconditioner, settings, method);
        const auto solved =
          std::remove_if(unsolved.begin(), unsolved.end(), [](Column<Number> *column) {
            return !column->history.starts_again([&]() { return column->system.residual_norm(); });
          });
        unsolved.erase(solved, unsolved.end());
      }
    std::vector<SolveReport> reports;
    for (const auto &column : columns)
      {
        column->system.finish();
        reports.push_back(column->history.finish(column->is_zero() ? "" : reason));
      }
    return reports;
  }

  template <typename Number>
  SolveReport
  solve_belos(const typename LinearMap<Number>::Argument &matrix,
              Vector<Number>                             &x,
              const Vector<Number>                       &b,
              const typename LinearMap<Number>::Argument &preconditioner,
              const SolverSettings                       &settings,
              const BelosMethod                           method)
  {
    MultiVector<Number>       columns({&x});
    const MultiVector<Number> rhs({const_cast<Vector<Number> *>(&b)}); // is not written
    return solve_belos<Number>(matrix, columns, rhs, preconditioner, settings, method).front();
  }

#define SALTUS_SOLVE_BELOS(Number)                                           \
  template std::vector<SolveReport> solve_belos(const LinearMap<Number> &,   \
                                                MultiVector<Number> &,       \
                                                const MultiVector<Number> &, \
                                                const LinearMap<Number> &,   \
                                                const SolverSettings &,      \
                                                const BelosMethod);          \
  template SolveReport              solve_belos(const LinearMap<Number> &,   \
                                                Vector<Number> &,            \
                                                const Vector<Number> &,      \
                                                const LinearMap<Number> &,   \
                                                const SolverSettings &,      \
                                                const BelosMethod);
  SALTUS_SOLVE_BELOS(double)
  SALTUS_SOLVE_BELOS(float)
#undef SALTUS_SOLVE_BELOS
} // namespace Saltus
