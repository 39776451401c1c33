// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_element_sums_h
#define saltus_operators_spaces_element_sums_h

#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/memory.h>
#include <saltus/operators/spaces/element_mass.h>

#include <vector>

namespace Saltus
{
  /// Sums over the elements of all ranks of what is known of each on the device, weighted like sums
  /// over the points or modes of the reference cell, see ElementMass.
  class ElementSums
  {
  public:
    template <int dim, typename Number>
    explicit ElementSums(const ElementSpace<dim, Number> &space)
      : partition(space.mesh->partition)
      , weights(space.device, ElementMass<dim, Number>(space).element_factors())
    {}

    /// Zeros for @p n numbers of each element, `[i][e]`.
    Memory<double>
    make_array(const unsigned int n) const
    {
      return Memory<double>(weights.device(), n * weights.size());
    }

    /// The @p n weighted sums, by one product for all. Collective.
    /// @param values `[i][e]`
    std::vector<double>
    sums(const unsigned int n, const Memory<double> &values) const
    {
      std::vector<const double *> of_each(n), same(n, weights.data());
      for (unsigned int i = 0; i < n; ++i)
        of_each[i] = values.data() + i * weights.size();
      std::vector<double> results(n);
      VectorKernels<double>(weights.device())
        .dots(n, weights.size(), of_each.data(), same.data(), results.data());
      return sum_over_ranks(partition, results);
    }

    /// Smallest and largest of the numbers @p i. Collective.
    /// @param values `[i][e]`
    std::pair<double, double>
    range(const unsigned int i, const Memory<double> &values) const
    {
      const auto [lowest, highest] = VectorKernels<double>(weights.device())
                                       .range(weights.size(), values.data() + i * weights.size());
      return {-max_over_ranks(partition, -lowest), max_over_ranks(partition, highest)};
    }

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return weights.size() * sizeof(double);
    }

  private:
    std::shared_ptr<const ElementPartition> partition;
    Memory<double>                          weights; ///< `[e]`
  };
} // namespace Saltus

#endif
