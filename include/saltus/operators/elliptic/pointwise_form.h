// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_pointwise_form_h
#define saltus_operators_elliptic_pointwise_form_h

#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/elliptic/elliptic_coefficient.h>

namespace Saltus
{
  /// The bilinear form of LaplaceOperator at quadrature points of elements whose geometry is
  /// stored, on the device of their space: see PointwiseForm. Nothing if there are none.
  template <typename Number>
  class PointwiseFormMemory
  {
  public:
    PointwiseFormMemory() = default;

    /// @param metrics of @p space, with the true gradients
    template <int dim>
    PointwiseFormMemory(const ElementSpace<dim, Number>      &space,
                        const ElementMetrics<dim>            &metrics,
                        const CoefficientValues<dim, Number> &diffusion);

    PointwiseForm<Number>
    arrays() const
    {
      return {volume.data(),
              areas.data(),
              along.data(),
              along_across.data(),
              map_modes.data(),
              in_groups};
    }

    std::size_t
    memory_consumption() const
    {
      return (volume.size() + areas.size() + along.size() + along_across.size() +
              map_modes.size()) *
             sizeof(Number);
    }

  private:
    template <int dim>
    void
    set_up_map_modes(const ElementSpace<dim, Number> &space);

    Memory<Number> volume, areas, along, along_across, map_modes;
    bool           in_groups = false; ///< see AlongLayout
  };
} // namespace Saltus

#endif
