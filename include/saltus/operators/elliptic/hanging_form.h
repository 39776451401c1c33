// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_hanging_form_h
#define saltus_operators_elliptic_hanging_form_h

#include <saltus/operators/elliptic/elliptic_coefficient.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/hanging_faces.h>

#include <functional>
#include <optional>

namespace Saltus
{
  /// The form of LaplaceOperator on the hanging faces of a mesh, on the device of a space: see
  /// HangingForm. Nothing if the mesh is conforming.
  template <typename Number>
  class HangingFormMemory
  {
  public:
    HangingFormMemory() = default;

    /// @param penalty `(element, face)`: that of an element at one of its faces
    template <int dim>
    HangingFormMemory(const ElementSpace<dim, Number>      &space,
                      const CoefficientValues<dim, Number> &diffusion,
                      const std::function<double(const unsigned int, const unsigned int)> &penalty);

    bool
    empty() const
    {
      return !faces || faces->empty();
    }

    HangingForm<Number>
    arrays() const;

    /// See HangingFaces.
    const FaceRecord *
    records() const
    {
      return faces->records();
    }

    std::size_t
    memory_consumption() const;

  private:
    std::optional<HangingFaces<Number>> faces;
    Memory<Number>                      points;
    mutable Memory<Number>              traces, terms;
  };
} // namespace Saltus

#endif
