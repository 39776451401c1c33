// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hanging_faces_h
#define saltus_operators_spaces_hanging_faces_h

#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/hanging_arrays.h>

#include <optional>
#include <vector>

namespace Saltus
{
  /// The hanging faces of a mesh of hypercubes, on the device of a space: HangingArrays.
  template <typename Number>
  class HangingFaces
  {
  public:
    /// None if the mesh is conforming.
    /// @param n_components of what has fluxes
    /// @param form of the normals, see ElementMetrics
    template <int dim>
    HangingFaces(const ElementSpace<dim, Number> &space,
                 const unsigned int               n_components,
                 const std::optional<MetricForm>  form = {});

    bool
    empty() const
    {
      return parts.size() == 0;
    }

    HangingArrays<Number>
    arrays() const;

    /// MeshArrays::faces where hanging faces and their parts have the kind `hanging` and the
    /// numbers of their fluxes.
    const FaceRecord *
    records() const
    {
      return faces.data();
    }

    /// `[h]`, in host memory
    std::vector<LargerFace>
    larger_faces() const
    {
      return larger.to_host();
    }

    /// `[i]`, in host memory
    std::vector<FacePart>
    face_parts() const
    {
      return parts.to_host();
    }

    std::size_t
    memory_consumption() const;

  private:
    HangingArrays<Number>  sizes; ///< without arrays
    Memory<LargerFace>     larger;
    Memory<FacePart>       parts;
    Memory<FaceRecord>     faces; ///< `[block][f][l]`
    Memory<Number>         interpolation, projection, line_interpolation, line_projection;
    Memory<Number>         normals, volume_ratios;
    mutable Memory<Number> traces, fluxes;
  };
} // namespace Saltus

#endif
