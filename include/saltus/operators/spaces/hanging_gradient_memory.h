// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hanging_gradient_memory_h
#define saltus_operators_spaces_hanging_gradient_memory_h

#include <deal.II/base/tensor.h>

#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/hanging_faces.h>
#include <saltus/operators/spaces/hanging_gradients.h>

#include <functional>
#include <optional>

namespace Saltus
{
  /// A point of a part of a hanging face.
  template <int dim>
  struct HangingPoint
  {
    FacePart               part;
    LargerFace             larger;
    unsigned int           point;  ///< of the smaller element's face, as that counts its points
    dealii::Tensor<1, dim> normal; ///< out of the smaller element, see ElementMetrics::normals()
    /// `[r][d]`: gradients of the reference coordinates in both elements
    dealii::Tensor<2, dim> gradients, gradients_across;
  };

  /// Visit all points of hanging faces, as HangingArrays counts parts, and those of each part in
  /// the order of the smaller element's.
  /// @param form of the normals, see ElementMetrics
  template <int dim, typename Number>
  void
  for_hanging_points(const ElementSpace<dim, Number>                      &space,
                     const HangingFaces<Number>                           &faces,
                     const std::optional<MetricForm>                       form,
                     const std::function<void(const HangingPoint<dim> &)> &visit);

  /// The arrays of HangingGradients on the device of a space. Nothing if the mesh is conforming.
  template <typename Number>
  class HangingGradientMemory
  {
  public:
    HangingGradientMemory() = default;

    /// @param with_metrics whether they are needed
    /// @param form of the normals, see ElementMetrics
    template <int dim>
    HangingGradientMemory(const ElementSpace<dim, Number> &space,
                          const unsigned int               n_components,
                          const bool                       with_metrics,
                          const std::optional<MetricForm>  form = {});

    bool
    empty() const
    {
      return !faces || faces->empty();
    }

    HangingGradients<Number>
    arrays() const;

    const HangingFaces<Number> &
    hanging_faces() const
    {
      return *faces;
    }

    std::size_t
    memory_consumption() const;

  private:
    std::optional<HangingFaces<Number>> faces;
    Memory<Number>                      metrics;
    mutable Memory<Number>              traces, terms;
  };
} // namespace Saltus

#endif
