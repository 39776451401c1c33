// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_belos_traits_h
#define saltus_solvers_krylov_belos_traits_h

#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/krylov/multi_vector.h>

#include <algorithm>
#include <BelosMultiVecTraits.hpp>
#include <BelosOperatorTraits.hpp>
#include <BelosTypes.hpp>
#include <numeric>
#include <Teuchos_Range1D.hpp>
#include <Teuchos_SerialDenseMatrix.hpp>
#include <vector>

/// What Trilinos' Belos asks of its vectors and operators, for MultiVector and LinearMap. For
/// solvers of Belos other than those of solve_belos(): it takes long to compile.
namespace Belos
{
  template <typename Number>
  class MultiVecTraits<Number, Saltus::MultiVector<Number>>
  {
    using MV     = Saltus::MultiVector<Number>;
    using Matrix = Teuchos::SerialDenseMatrix<int, Number>;
    using Range  = Teuchos::Range1D;

  public:
    static Teuchos::RCP<MV>
    Clone(const MV &mv, const int n_columns)
    {
      return own(MV(mv.column(0), n_columns));
    }

    static Teuchos::RCP<MV>
    CloneCopy(const MV &mv)
    {
      return own(mv.copy());
    }

    static Teuchos::RCP<MV>
    CloneCopy(const MV &mv, const std::vector<int> &columns)
    {
      return own(mv.view(columns).copy());
    }

    static Teuchos::RCP<MV>
    CloneCopy(const MV &mv, const Range &columns)
    {
      return CloneCopy(mv, indices(columns));
    }

    static Teuchos::RCP<MV>
    CloneViewNonConst(MV &mv, const std::vector<int> &columns)
    {
      return own(mv.view(columns));
    }

    static Teuchos::RCP<MV>
    CloneViewNonConst(MV &mv, const Range &columns)
    {
      return own(mv.view(indices(columns)));
    }

    static Teuchos::RCP<const MV>
    CloneView(const MV &mv, const std::vector<int> &columns)
    {
      return own(mv.view(columns));
    }

    static Teuchos::RCP<const MV>
    CloneView(const MV &mv, const Range &columns)
    {
      return own(mv.view(indices(columns)));
    }

    static ptrdiff_t
    GetGlobalLength(const MV &mv)
    {
      return mv.column(0).size();
    }

    static int
    GetNumberVecs(const MV &mv)
    {
      return mv.n_columns();
    }

    /// The columns lie anywhere.
    static bool
    HasConstantStride(const MV &)
    {
      return false;
    }

    static void
    MvTimesMatAddMv(const Number alpha, const MV &A, const Matrix &B, const Number beta, MV &mv)
    {
      std::vector<Number> factors;
      for (int i = 0; i < B.numRows(); ++i)
        for (int j = 0; j < B.numCols(); ++j)
          factors.push_back(alpha * B(i, j));
      mv.multiply(beta, A, factors);
    }

    static void
    MvAddMv(const Number alpha, const MV &A, const Number beta, const MV &B, MV &mv)
    {
      mv.equ(alpha, A, beta, B);
    }

    static void
    MvScale(MV &mv, const Number alpha)
    {
      mv.scale(std::vector<Number>(mv.n_columns(), alpha));
    }

    static void
    MvScale(MV &mv, const std::vector<Number> &alpha)
    {
      mv.scale(alpha);
    }

    static void
    MvTransMv(const Number alpha, const MV &A, const MV &mv, Matrix &B)
    {
      const std::vector<Number> products = A.products(mv);
      for (unsigned int i = 0; i < A.n_columns(); ++i)
        for (unsigned int j = 0; j < mv.n_columns(); ++j)
          B(i, j) = alpha * products[i * mv.n_columns() + j];
    }

    static void
    MvDot(const MV &mv, const MV &A, std::vector<Number> &b)
    {
      fill(b, mv.dots(A));
    }

    static void
    MvNorm(const MV &mv, std::vector<Number> &norms, const NormType type = TwoNorm)
    {
      std::vector<Number> result;
      if (type == TwoNorm)
        result = mv.norms();
      else
        for (unsigned int j = 0; j < mv.n_columns(); ++j)
          result.push_back(type == OneNorm ? mv.column(j).l1_norm() : mv.column(j).linfty_norm());
      fill(norms, result);
    }

    static void
    SetBlock(const MV &A, const std::vector<int> &columns, MV &mv)
    {
      mv.view(columns).assign(A);
    }

    static void
    SetBlock(const MV &A, const Range &columns, MV &mv)
    {
      SetBlock(A, indices(columns), mv);
    }

    static void
    Assign(const MV &A, MV &mv)
    {
      mv.assign(A);
    }

    static void
    MvRandom(MV &mv)
    {
      mv.randomize();
    }

    static void
    MvInit(MV &mv, const Number alpha = 0)
    {
      for (unsigned int j = 0; j < mv.n_columns(); ++j)
        mv.column(j) = alpha;
    }

    static void
    MvPrint(const MV &mv, std::ostream &out)
    {
      mv.print(out);
    }

  private:
    static Teuchos::RCP<MV>
    own(MV &&mv)
    {
      return Teuchos::rcp(new MV(std::move(mv)));
    }

    static std::vector<int>
    indices(const Range &columns)
    {
      std::vector<int> result(columns.size());
      std::iota(result.begin(), result.end(), static_cast<int>(columns.lbound()));
      return result;
    }

    /// Belos hands over arrays that may be longer than needed.
    static void
    fill(std::vector<Number> &to, const std::vector<Number> &from)
    {
      to.resize(std::max(to.size(), from.size()));
      std::copy(from.begin(), from.end(), to.begin());
    }
  };

  /// A symmetric map, column by column.
  template <typename Number>
  class OperatorTraits<Number, Saltus::MultiVector<Number>, Saltus::LinearMap<Number>>
  {
  public:
    static void
    Apply(const Saltus::LinearMap<Number>   &map,
          const Saltus::MultiVector<Number> &x,
          Saltus::MultiVector<Number>       &y,
          const ETrans                       trans = NOTRANS)
    {
      TEUCHOS_TEST_FOR_EXCEPTION(trans != NOTRANS,
                                 std::invalid_argument,
                                 "Saltus::LinearMap has no transpose.");
      for (unsigned int j = 0; j < x.n_columns(); ++j)
        map.vmult(y.column(j), x.column(j));
    }

    static bool
    HasApplyTranspose(const Saltus::LinearMap<Number> &)
    {
      return false;
    }
  };
} // namespace Belos

#endif
