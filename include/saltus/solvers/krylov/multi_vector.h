// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_multi_vector_h
#define saltus_solvers_krylov_multi_vector_h

#include <saltus/base/algebra/vector.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// A few vectors of one shape on one device, as the columns of a tall matrix: what Trilinos'
  /// Belos works on. Columns are shared with views. No operation but print() moves more than
  /// scalars between host and device; products of several columns wait for the device once.
  template <typename Number>
  class MultiVector
  {
  public:
    MultiVector() = default;

    /// @p n_columns zeros of the shape of @p shape, from a pool: in the iterations of a solver
    /// nothing is allocated.
    MultiVector(const Vector<Number> &shape, const unsigned int n_columns);

    /// A view of vectors of the caller, which must live as long.
    explicit MultiVector(const std::vector<Vector<Number> *> &vectors);

    unsigned int
    n_columns() const
    {
      return columns.size();
    }

    Vector<Number> &
    column(const unsigned int i)
    {
      return *columns[i];
    }

    const Vector<Number> &
    column(const unsigned int i) const
    {
      return *columns[i];
    }

    /// Some of the columns, shared.
    MultiVector
    view(const std::vector<int> &indices) const;

    /// New columns with the same values.
    MultiVector
    copy() const;

    /// The values of the first columns of @p other, as many as there are here.
    void
    assign(const MultiVector &other);

    /// `this = a A + b B`; either may be this.
    void
    equ(const Number a, const MultiVector &A, const Number b, const MultiVector &B);

    /// `this = s this + A C`, where C is `[column of A][column of this]`. @p A has no column of
    /// this.
    void
    multiply(const Number s, const MultiVector &A, const std::vector<Number> &C);

    /// Every column times its factor.
    void
    scale(const std::vector<Number> &factors);

    /// The products of the columns of the same number.
    std::vector<Number>
    dots(const MultiVector &other) const;

    /// The products of all columns with all of @p other, `[column][column of other]`.
    std::vector<Number>
    products(const MultiVector &other) const;

    /// Euclidean norms of the columns.
    std::vector<Number>
    norms() const;

    /// Numbers between -1 and 1, others with every call.
    void
    randomize();

    /// The coefficients, by columns.
    void
    print(std::ostream &out) const;

  private:
    std::vector<std::shared_ptr<Vector<Number>>> columns;
  };
} // namespace Saltus

#endif
