// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_point_factors_h
#define saltus_operators_spaces_point_factors_h

#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/threads.h>
#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/spaces/element_space.h>

#include <algorithm>
#include <vector>

namespace Saltus
{
  /// Factors at the volume points of a space: others than 1 in curved elements only. They are
  /// there, on the device, for the blocks from the first to the last one that has such elements.
  template <typename Number>
  class PointFactors
  {
  public:
    /// @param n_components as often a factor stands there
    /// @param of_element `(metrics, e)`: the factors `[q]` in a curved element, of ElementMetrics
    template <int dim, typename OfElement>
    PointFactors(const ElementSpace<dim, Number> &space,
                 const unsigned int               n_components,
                 const OfElement                 &of_element)
      : n_in_block(space.reference.n_volume_points() * n_components * block_size)
    {
      const auto  &geometry = space.geometry;
      unsigned int first = space.n_elements(), end = 0;
      for (unsigned int e = 0; e < space.n_elements(); ++e)
        if (geometry.curved_map(e) != nullptr)
          {
            first = std::min(first, e);
            end   = e + 1;
          }
      if (first >= end)
        return;
      first_block_                       = first / block_size;
      n_blocks_                          = n_blocks(end) - first_block_;
      const unsigned int        n_points = space.reference.n_volume_points();
      const ElementMetrics<dim> metrics(space.reference, geometry, MetricForm::cross_product);
      std::vector<Number>       of_points(n_blocks_ * n_in_block, Number(1));
      parallel_for(end - first, [&](const unsigned int from, const unsigned int to) {
        for (unsigned int i = from; i < to; ++i)
          if (geometry.curved_map(first + i) != nullptr)
            {
              const std::vector<double> factors = of_element(metrics, first + i);
              for (unsigned int q = 0; q < n_points; ++q)
                std::fill_n(of_points.begin() +
                              point_index(first % block_size + i, q, n_points, n_components),
                            n_components,
                            factors[q]);
            }
      });
      values = Memory<Number>(space.device, of_points);
    }

    bool
    empty() const
    {
      return n_blocks_ == 0;
    }

    std::size_t
    first_block() const
    {
      return first_block_;
    }

    /// Elements in the blocks that have factors, and what fills up the last one.
    std::size_t
    n_elements() const
    {
      return n_blocks_ * block_size;
    }

    /// `[block][q][l][c]`
    const Number *
    data() const
    {
      return values.data();
    }

    /// Multiply what all blocks have at their points, `[block][q][l][c]`.
    void
    multiply(const Device device, Number *of_points) const
    {
      if (!empty())
        VectorKernels<Number>(device).scale(values.size(),
                                            values.data(),
                                            of_points + first_block_ * n_in_block);
    }

  private:
    std::size_t    n_in_block = 0, first_block_ = 0, n_blocks_ = 0;
    Memory<Number> values;
  };
} // namespace Saltus

#endif
