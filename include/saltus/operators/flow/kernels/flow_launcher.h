// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_flow_launcher_h
#define saltus_operators_flow_kernels_flow_launcher_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/algebra/combination.h>
#include <saltus/mesh/element_range.h>
#include <saltus/mesh/mesh_arrays.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/spaces/element_tables.h>
#include <saltus/operators/spaces/hanging_arrays.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/physics/incompressible_flow.h>

/// The interface between the operators of incompressible flow and their back ends; see
/// operators/conservation_law/kernels/launcher.h.
namespace Saltus
{
  /// With the derivative r, which is the inverse mass matrix times the form of the inputs:
  /// `s = A s + scale r`, `out = base + B s`, and that times the mass matrix if `times_mass`.
  /// Without an accumulator s is `scale r`, and forgotten.
  template <typename Form, typename Number>
  struct FlowArguments
  {
    using value_type = Number;

    Form                  form;
    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;
    StoredArrays<Number>  stored;

    const FlowBoundary *kinds = nullptr; ///< `[b]`
    const Number       *data  = nullptr; ///< `[b][q][i]`; nullptr: zeros
    /// `[b][q][c]`: input i across faces of the kind FlowBoundary::across
    const Number *across[Form::n_inputs] = {};

    HangingArrays<Number> hanging; ///< with the fluxes of DerivativeFlux

    Combination<Number> inputs[Form::n_inputs];
    Number given_factor = 1;  ///< of a velocity that is carried: times that of the carrier
    Combination<Number> base; ///< may contain `out`
    Number              scale       = 1;
    Number              A           = 0;
    Number              B           = 1;
    Number             *accumulator = nullptr; ///< s
    bool                times_mass  = false;
    Number             *out         = nullptr; ///< must differ from the inputs

    RangeLaunch launch; ///< of the mesh's range

    /// What is given at point @p q of boundary face @p b, or the values across.
    SALTUS_HOST_DEVICE
    Array<Number, Form::n_given>
    given(const int b, const int q, const int n_face_points) const
    {
      const std::size_t            point = static_cast<std::size_t>(b) * n_face_points + q;
      Array<Number, Form::n_given> result;
      if (kinds[b] == FlowBoundary::across)
        {
          constexpr int n = Form::n_components;
          for (int i = 0; i < Form::n_in; ++i)
            result[i] = across[i / n][point * n + i % n];
          return result;
        }
      for (int i = 0; i < Form::n_given; ++i)
        result[i] = data == nullptr ? Number(0) : data[point * Form::n_data + i % Form::n_data];
      if constexpr (Form::n_given > Form::n_data)
        for (int i = 0; i < Form::n_data; ++i)
          result[i] *= given_factor;
      return result;
    }
  };

  /// Degrees from 1 to this one are compiled.
  constexpr int
  max_flow_degree(const int dim, const ElementShape shape = ElementShape::simplex)
  {
    return shape == ElementShape::simplex ? (dim == 2 ? 8 : 6) : (dim == 2 ? 7 : 5);
  }
} // namespace Saltus

#endif
