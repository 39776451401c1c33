// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_hanging_form_h
#define saltus_operators_elliptic_hanging_form_h

#include <saltus/operators/elliptic/elliptic_coefficient.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/hanging_gradient_memory.h>

#include <functional>

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
      return gradients.empty();
    }

    HangingForm<Number>
    arrays() const;

    /// See HangingFaces.
    const FaceRecord *
    records() const
    {
      return gradients.hanging_faces().records();
    }

    std::size_t
    memory_consumption() const;

  private:
    HangingGradientMemory<Number> gradients;
    Memory<Number>                points;
  };

  /// Room for the form of several components at once.
  template <typename Number>
  class HangingFormRoom
  {
  public:
    HangingFormRoom() = default;

    /// @param form that of one component
    HangingFormRoom(const Device               device,
                    const HangingForm<Number> &form,
                    const unsigned int         n_face_points,
                    const unsigned int         dim,
                    const unsigned int         n_components);

    /// @param form that of one component
    HangingForm<Number>
    arrays(HangingForm<Number> form) const;

    std::size_t
    memory_consumption() const
    {
      return (traces.size() + terms.size() + fluxes.size()) * sizeof(Number);
    }

  private:
    mutable Memory<Number> traces, terms, fluxes;
  };
} // namespace Saltus

#endif
