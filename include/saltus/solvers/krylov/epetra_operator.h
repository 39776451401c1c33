// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_epetra_operator_h
#define saltus_solvers_krylov_epetra_operator_h

#include <deal.II/lac/vector.h>

#include <saltus/solvers/krylov/linear_map.h>

#include <Epetra_Comm.h>
#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>
#include <Epetra_Operator.h>
#include <functional>
#include <string>

namespace Saltus
{
  /// What an Epetra_Operator of Saltus has besides Apply and ApplyInverse: a square matrix in
  /// deal.II's numbering, each rank with its rows, with no transpose and no norm.
  class EpetraAdaptor : public Epetra_Operator
  {
  public:
    /// `dst = M src` with this rank's entries in deal.II's numbering. Collective.
    using HostMap = std::function<void(dealii::Vector<double> &, const dealii::Vector<double> &)>;

    int
    Apply(const Epetra_MultiVector &, Epetra_MultiVector &) const override
    {
      return unsupported;
    }

    int
    ApplyInverse(const Epetra_MultiVector &, Epetra_MultiVector &) const override
    {
      return unsupported;
    }

    /// @return an error code if @p transpose
    int
    SetUseTranspose(bool transpose) override
    {
      return transpose ? unsupported : 0;
    }

    double
    NormInf() const override
    {
      return unsupported;
    }

    const char *
    Label() const override
    {
      return label.c_str();
    }

    bool
    UseTranspose() const override
    {
      return false;
    }

    bool
    HasNormInf() const override
    {
      return false;
    }

    const Epetra_Comm &
    Comm() const override
    {
      return map.Comm();
    }

    const Epetra_Map &
    OperatorDomainMap() const override
    {
      return map;
    }

    const Epetra_Map &
    OperatorRangeMap() const override
    {
      return map;
    }

  protected:
    EpetraAdaptor(const std::string &label, const VectorLayout &layout, const HostMap &host_map);

    /// Of the vectors of @p matrix.
    template <typename Operator>
    static VectorLayout
    layout_of(const Operator &matrix)
    {
      Vector<typename Operator::value_type> vector;
      matrix.initialize_vector(vector);
      return vector.layout();
    }

    /// Column by column; @p x and @p y may be the same.
    /// @return 0, or an error code if the lengths do not fit
    int
    apply(const Epetra_MultiVector &x, Epetra_MultiVector &y) const;

    /// A map of vectors on a device, between copies from and to the host.
    template <typename Operator, typename Number>
    static HostMap
    through_host(const Operator &matrix, const LinearMap<Number> &map)
    {
      Vector<Number> from;
      matrix.initialize_vector(from);
      return [&matrix, map, from, to = from](dealii::Vector<double>       &dst,
                                             const dealii::Vector<double> &src) mutable {
        matrix.copy_from(from, src);
        map.vmult(to, from);
        matrix.copy_to(dst, to);
      };
    }

    static constexpr int unsupported = -1;

  private:
    std::string    label;
    Epetra_MpiComm communicator;
    Epetra_Map     map;
    HostMap        host_map;
  };

  /// An operator of Saltus, on either device, as the matrix of AztecOO and of deal.II's
  /// TrilinosWrappers::SolverCG, which keep their vectors on the host: every application copies one
  /// vector to the device and one back. Where that matters, solve_belos() avoids it.
  class EpetraOperator : public EpetraAdaptor
  {
  public:
    /// @param matrix e.g. a LaplaceOperator, with `value_type`, `m`, `vmult`,
    /// `initialize_vector`, `copy_from` and `copy_to`; is not copied and must live as long
    template <typename Operator>
    explicit EpetraOperator(const Operator &matrix)
      : EpetraAdaptor("Saltus operator",
                      layout_of(matrix),
                      through_host(matrix, LinearMap<typename Operator::value_type>(matrix)))
    {}

    int
    Apply(const Epetra_MultiVector &x, Epetra_MultiVector &y) const override
    {
      return apply(x, y);
    }
  };

  /// A preconditioner of Saltus, on either device, for AztecOO and for deal.II's
  /// TrilinosWrappers::SolverCG, with the copies of EpetraOperator.
  class EpetraPreconditioner : public EpetraAdaptor
  {
  public:
    /// @param matrix as for EpetraOperator
    /// @param preconditioner an object with `vmult` for vectors of @p matrix; both are not copied
    /// and must live as long
    template <typename Operator, typename Preconditioner>
    EpetraPreconditioner(const Operator &matrix, const Preconditioner &preconditioner)
      : EpetraAdaptor("Saltus preconditioner",
                      layout_of(matrix),
                      through_host(matrix,
                                   LinearMap<typename Operator::value_type>(preconditioner)))
    {}

    int
    ApplyInverse(const Epetra_MultiVector &x, Epetra_MultiVector &y) const override
    {
      return apply(x, y);
    }
  };
} // namespace Saltus

#endif
