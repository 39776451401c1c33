// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_linear_map_h
#define saltus_solvers_krylov_linear_map_h

#include <saltus/base/algebra/vector.h>

#include <functional>
#include <type_traits>

namespace Saltus
{
  /// Any matrix or preconditioner as a linear map of vectors, so that solvers need be compiled only
  /// once. Data stays where the vectors are.
  /// @tparam VectorType Vector, or BlockVector
  template <typename Number, typename VectorType = Vector<Number>>
  class LinearMap
  {
  public:
    using Function   = std::function<void(VectorType &, const VectorType &)>;
    using value_type = Number;

    /// A function's parameter of this type takes all that converts, and no part in the deduction of
    /// template arguments.
    using Argument = LinearMap;

    /// The identity.
    LinearMap() = default;

    /// A function `function(dst, src)`, or an object with `vmult(dst, src)`, which is not copied
    /// and must live as long.
    template <typename Matrix>
    LinearMap(const Matrix &matrix)
    {
      if constexpr (std::is_constructible<Function, const Matrix &>::value)
        function = matrix;
      else
        function = [&matrix](VectorType &dst, const VectorType &src) { matrix.vmult(dst, src); };
    }

    bool
    is_identity() const
    {
      return !function;
    }

    /// `dst = M src`; not in place.
    void
    vmult(VectorType &dst, const VectorType &src) const
    {
      if (is_identity())
        dst = src;
      else
        function(dst, src);
    }

  private:
    Function function;
  };
} // namespace Saltus

#endif
