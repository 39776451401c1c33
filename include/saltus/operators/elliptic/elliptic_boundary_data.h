// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_elliptic_boundary_data_h
#define saltus_operators_elliptic_elliptic_boundary_data_h

#include <saltus/operators/elliptic/kernels/boundary_data_element.h>
#include <saltus/operators/spaces/boundary_values.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <functional>

namespace Saltus
{
  /// What boundary data of LaplaceOperator contribute to right-hand sides: of one, or of several
  /// components that it works on alike.
  template <int dim, typename Number, int n_components = 1>
  class EllipticBoundaryData
  {
  public:
    EllipticBoundaryData() = default;

    /// @param space of the operator, which must stay
    /// @param function see BoundaryValues
    /// @throws dealii::ExcMessage for a degree that was not compiled
    EllipticBoundaryData(
      const ElementSpace<dim, Number>                                              &space,
      const std::function<FieldFunction<dim>(const dealii::types::boundary_id id)> &function);

    /// Add what the data at @p times contributes to @p b.
    /// @param of_operator see LaplaceOperator::arguments()
    /// @throws dealii::ExcMessage that names the point where it is not finite
    void
    add(Vector<Number>                 &b,
        const LaplaceArguments<Number> &of_operator,
        const DataTimes                &times) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return values.memory_consumption();
    }

  private:
    using Arguments = BoundaryDataArguments<dim, Number, n_components>;

    const ElementSpace<dim, Number>         *space = nullptr;
    KernelsOfRanges<RangeKernels<Arguments>> kernels;
    BoundaryValues<dim, Number>              values;
  };
} // namespace Saltus

#endif
