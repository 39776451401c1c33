// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hanging_steps_h
#define saltus_operators_spaces_hanging_steps_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/device/launch.h>
#include <saltus/operators/spaces/hanging_gradients.h>
#include <saltus/operators/spaces/hypercube_tables.h>

/// The three steps in which integrals over hanging faces are found, as work for one point at a
/// time: traces at the points of the sides; what both sides are given, at the points of the smaller
/// ones, where the larger one has what its functions have at its own points, interpolated (exactly,
/// as they are polynomials); and the sums of that over the parts of the larger sides.
///
/// What needs no ghosts is done before messages have come, as kernels for elements that need none
/// begin then, and read the results: also of parts of faces that have ghosts behind other parts.
namespace Saltus
{
  /// On which of the hanging faces, or parts, a step works.
  struct HangingRange
  {
    int  first       = 0; ///< number
    int  first_ghost = 0; ///< element
    bool with_ghosts = false;

    /// Whether an element, or one of several, is a ghost as this asks for it.
    template <typename... Elements>
    SALTUS_HOST_DEVICE
    bool
    has(const Elements... elements) const
    {
      return ((elements >= first_ghost) || ...) == with_ghosts;
    }
  };

  /// The hanging faces on which there is something to do, up to the last one: also those that have
  /// ghosts behind some parts are looked at both times.
  template <typename Number>
  HangingRange
  range_of_hanging_faces(const HangingArrays<Number> &hanging,
                         const int                    n_elements,
                         const bool                   with_ghosts)
  {
    return {with_ghosts ? hanging.n_faces_here : 0, n_blocks(n_elements) * block_size, with_ghosts};
  }

  /// The steps, of the hanging faces without ghosts or of those with ghosts. Each of the three is
  /// given a HangingRange, and returns its work or does it.
  /// @param of_both_sides whether the first step is for the sides of all numbers, see
  /// HangingArrays, or for the larger ones
  /// @param set_parts `(n, range)`: the second step, for n points
  template <typename Number, typename Traces, typename SetParts, typename Larger>
  void
  run_hanging_steps(const Device                 device,
                    const HangingArrays<Number> &hanging,
                    const int                    n_face_points,
                    const int                    n_elements,
                    const bool                   with_ghosts,
                    const bool                   of_both_sides,
                    const Traces                &traces,
                    const SetParts              &set_parts,
                    const Larger                &larger)
  {
    if ((with_ghosts ? hanging.n_parts - hanging.n_parts_here : hanging.n_parts) == 0)
      return;
    HangingRange range      = range_of_hanging_faces(hanging, n_elements, with_ghosts);
    const int    first_face = range.first;
    const int    first_part = with_ghosts ? hanging.n_parts_here : 0;
    const int    last_face  = with_ghosts ? hanging.n_faces : hanging.n_faces_here;
    const int    n_sides    = hanging.n_faces + hanging.n_parts;
    const auto   nf         = static_cast<std::size_t>(n_face_points);
    range.first             = of_both_sides ? 0 : first_face;
    launch(device, ((of_both_sides ? n_sides : hanging.n_faces) - range.first) * nf, traces(range));
    range.first = first_part;
    set_parts((hanging.n_parts - first_part) * nf, range);
    range.first = first_face;
    launch(device, (last_face - first_face) * nf, larger(range));
  }

  /// Larger than any that is compiled.
  constexpr int max_hypercube_degree = 9;

  /// Coefficients of an element. Their strides are found once: where the number of modes is known
  /// at run time only, a CoefficientLayout searches for them.
  template <typename Number>
  struct ElementModes
  {
    const Number *first;
    int           mode_stride, component_stride;

    SALTUS_HOST_DEVICE
    ElementModes(const Number *u, const CoefficientLayout &layout, const int element)
      : first(u + layout.index(element, 0))
      , mode_stride(layout.mode_stride())
      , component_stride(layout.component_stride())
    {}

    SALTUS_HOST_DEVICE
    Number
    operator()(const int m, const int c) const
    {
      return first[m * mode_stride + c * component_stride];
    }
  };

  /// The value of a function of several components at point @p q of face @p f.
  template <int dim, int n_components, typename Number>
  SALTUS_HOST_DEVICE
  Array<Number, n_components>
  trace_on_hypercube(const ElementTables<Number> &tables,
                     const Number                *u,
                     const int                    element,
                     const int                    f,
                     const int                    q)
  {
    Array<Number, n_components> state{};
    const ElementModes<Number>  modes(u, {tables.n_modes, n_components}, element);
    HypercubeTables<dim, Number, max_hypercube_degree, true>(tables).for_face_values(
      f * tables.n_face_points + q, [&](const int m, const Number value) {
        for (int c = 0; c < n_components; ++c)
          state[c] += value * modes(m, c);
      });
    return state;
  }

  /// First step: values and reference derivatives of elements at their own points of hanging faces.
  /// @tparam Coefficients `of(element)(m, c)`: the coefficient of a component
  template <int dim, int n_components, typename Number, typename Coefficients>
  struct SideTraces
  {
    ElementTables<Number>    tables;
    HangingGradients<Number> hanging;
    Coefficients             coefficients;
    HangingRange             range; ///< of numbers of sides, see HangingArrays

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      using Tables                       = HypercubeTables<dim, Number, max_hypercube_degree, true>;
      const HangingArrays<Number> &faces = hanging.faces;
      const int  nf = tables.n_face_points, number = range.first + index / nf, q = index % nf;
      const bool is_larger = number < faces.n_faces;
      const int  element =
        is_larger ? faces.faces[number].element : faces.parts[number - faces.n_faces].element;
      const int f = is_larger ? faces.faces[number].face : faces.parts[number - faces.n_faces].face;
      if (!range.has(element))
        return;
      const Tables of(tables);
      const auto   coefficient = coefficients.of(element);
      const auto   put         = [&](const auto &for_modes, Number *to) {
        Number sum[n_components] = {};
        for_modes([&](const int m, const Number value) {
          for (int c = 0; c < n_components; ++c)
            sum[c] += value * coefficient(m, c);
        });
        for (int c = 0; c < n_components; ++c)
          to[c] = sum[c];
      };
      Number *to =
        hanging.traces + (static_cast<std::size_t>(number) * nf + q) * (1 + dim) * n_components;
      put([&](const auto &add) { of.for_face_values(f * nf + q, add); }, to);
      for (int r = 0; r < dim; ++r)
        put([&](const auto &add) { of.for_face_derivatives(f * nf + q, r, add); },
            to + (1 + r) * n_components);
    }
  };

  /// Last step: what is given at the points of the parts, as moments with the functions that
  /// HangingArrays::interpolation has.
  /// @tparam n numbers at a point
  template <int n, typename Number>
  struct LargerSums
  {
    HangingGradients<Number> hanging;
    int                      n_face_points;
    HangingRange             range; ///< of hanging faces

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const HangingArrays<Number> &faces = hanging.faces;
      const int                    nf = n_face_points, h = range.first + index / nf, a = index % nf;
      const auto                   face   = faces.faces[h];
      Number                       sum[n] = {};
      for (int i = face.first_part; i < face.first_part + face.n_parts; ++i)
        for (int q = 0; q < nf; ++q)
          {
            const Number  entry = faces.interpolation[(faces.parts[i].sub_face * nf + q) * nf + a];
            const Number *term  = hanging.terms + (static_cast<std::size_t>(i) * nf + q) * n;
            for (int k = 0; k < n; ++k)
              sum[k] += entry * term[k];
          }
      for (int k = 0; k < n; ++k)
        faces.fluxes[(static_cast<std::size_t>(h) * nf + a) * n + k] = sum[k];
    }
  };

  /// What the larger side has at point @p q of a part, one of `[k][c]`, of its traces.
  /// @tparam n numbers at a point
  template <int n, typename Number>
  SALTUS_HOST_DEVICE
  Array<Number, n>
  interpolated_trace(const HangingGradients<Number> &hanging,
                     const FacePart                 &part,
                     const int                       n_face_points,
                     const int                       q)
  {
    Array<Number, n> result{};
    for (int a = 0; a < n_face_points; ++a)
      {
        const Number entry =
          hanging.faces.interpolation[(part.sub_face * n_face_points + q) * n_face_points + a];
        const Number *from =
          hanging.traces + (static_cast<std::size_t>(part.larger) * n_face_points + a) * n;
        for (int k = 0; k < n; ++k)
          result[k] += entry * from[k];
      }
    return result;
  }
} // namespace Saltus

#endif
