// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_barth_jespersen_h
#define saltus_operators_conservation_law_kernels_barth_jespersen_h

#include <saltus/base/algebra/array.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>

namespace Saltus
{
  /// Limiting coefficient of Barth and Jespersen for one variable of one element (Fuhry et al.,
  /// equations 17 to 19): the largest factor in [0,1] by which the deviation from the mean may be
  /// scaled so that the values at the face points stay between the means of the element and its
  /// neighbors.
  /// @param below,above smallest and largest of these means minus the element's own (<= 0, >= 0)
  /// @param lowest,highest smallest and largest deviation from the mean at the face points
  template <typename T>
  SALTUS_HOST_DEVICE
  T
  barth_jespersen_factor(const T below, const T above, const T lowest, const T highest)
  {
    // The smaller one of above / highest and below / lowest, with a single division.
    const T    zero(0), one(1);
    const auto too_high = highest > above, too_low = lowest < below;
    const T    n_high = select(too_high, above, one), d_high = select(too_high, highest, one);
    const T    n_low = select(too_low, below, -one), d_low = select(too_low, lowest, -one);
    const auto high_counts = n_high * d_low - n_low * d_high > zero;
    return select(high_counts, n_high, n_low) / select(high_counts, d_high, d_low);
  }

  /// Limits an element of degree 1: first every variable on its own, then, where that leaves a
  /// quantity such as the pressure negative somewhere, all variables together (Zhang and Shu,
  /// Proc. R. Soc. A 467, 2011, in the form for concave quantities).
  ///
  /// The factor of Barth and Jespersen reduces the slopes of linear functions, too, at vertices and
  /// at walls. A weight hence leads from 1 to this factor. It depends on the misfit between the
  /// element's linear function and the means of the neighbors at their centroids. The largest
  /// difference of the means is its unit. The misfit of linear functions is 0 on every mesh, and
  /// small where the mesh resolves the solution.
  ///
  /// `T` is a number, or a pack of them for as many elements; `Number` is that of the tables.
  template <typename Law, typename T, typename Number>
  class ElementLimiter
  {
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;
    static constexpr int n_modes      = Simplex<dim>::n_modes(1);

    /// The least of a positive quantity that is left anywhere, relative to its value for the mean.
    /// Only as large as rounding asks for.
    static constexpr double least = 1e-6;

    /// Up to this misfit, relative to the variation, slopes are kept. From twice this misfit on the
    /// factor of Barth and Jespersen holds. The fraction @p always_there of the mean counts as
    /// variation, too.
    static constexpr double smooth = 0.25, always_there = 0.01;

  public:
    using State = Array<T, n_components>;

    static constexpr int n_faces = Simplex<dim>::n_faces;

    State mean;
    State neighbor_means[n_faces];    ///< at the boundary: its own
    T     to_neighbors[n_faces][dim]; ///< see LimiterArguments
    State slopes[dim];                ///< coefficients of modes 1 to dim, limited by run()
    T     factor;                     ///< the smallest one that run() scaled by; 1: nothing changed

    /// @param face_values basis functions `[point][m]` at the @p n_points points of all faces
    /// @param vertex_values basis functions `[v][m]`
    SALTUS_HOST_DEVICE
    void
    run(const Law &law, const Number *face_values, const int n_points, const Number *vertex_values)
    {
      factor = T(1);
      limit_to_neighbors(face_values, n_points);
      limit_to_positive(law, vertex_values);
    }

  private:
    /// Deviation from the mean at the point where the modes from 1 on have the values @p phi.
    template <typename Value>
    SALTUS_HOST_DEVICE
    State
    deviation(const Value *phi) const
    {
      State state;
      for (int c = 0; c < n_components; ++c)
        {
          state[c] = T(phi[0]) * slopes[0][c];
          for (int d = 1; d < dim; ++d)
            state[c] = state[c] + T(phi[d]) * slopes[d][c];
        }
      return state;
    }

    SALTUS_HOST_DEVICE
    void
    scale(const int component, const T by)
    {
      factor = min(factor, by);
      for (int d = 0; d < dim; ++d)
        slopes[d][component] = slopes[d][component] * by;
    }

    SALTUS_HOST_DEVICE
    void
    limit_to_neighbors(const Number *face_values, const int n_points)
    {
      State below{}, above{}, lowest{}, highest{}, misfit{};
      for (int f = 0; f < n_faces; ++f)
        {
          const State expected = deviation(to_neighbors[f]);
          for (int c = 0; c < n_components; ++c)
            {
              const T jump = neighbor_means[f][c] - mean[c];
              below[c]     = min(below[c], jump);
              above[c]     = max(above[c], jump);
              misfit[c]    = max(misfit[c], abs(jump - expected[c]));
            }
        }
      for (int point = 0; point < n_points; ++point)
        {
          const State difference = deviation(face_values + point * n_modes + 1);
          for (int c = 0; c < n_components; ++c)
            {
              lowest[c]  = min(lowest[c], difference[c]);
              highest[c] = max(highest[c], difference[c]);
            }
        }
      for (int c = 0; c < n_components; ++c)
        {
          const T allowed =
            T(Number(smooth)) * (max(above[c], -below[c]) + T(Number(always_there)) * abs(mean[c]));
          const T excess  = max(T(0), misfit[c] - allowed);
          const T share   = excess / max(max(excess, allowed), T(Number(1e-30))); // at most 1
          const T limited = barth_jespersen_factor(below[c], above[c], lowest[c], highest[c]);
          scale(c, T(1) - share * (T(1) - limited));
        }
    }

    /// A concave function of a linear one is smallest at a vertex. One quantity after the other,
    /// because the concavity of a later one may rest on the positivity of an earlier one (the
    /// pressure's on the density's). Where not even the mean is positive no slopes are left: the
    /// check of the states finds the mean.
    SALTUS_HOST_DEVICE
    void
    limit_to_positive(const Law &law, const Number *vertex_values)
    {
      SALTUS_UNROLL // each time only one of the quantities is computed
      for (int i = 0; i < Law::n_positive; ++i)
        {
          const T at_mean = law.positive(mean)[i];
          const T floor   = T(Number(least)) * at_mean;
          T       lowest  = at_mean;
          for (int vertex = 0; vertex < Simplex<dim>::n_vertices; ++vertex)
            {
              State state = deviation(vertex_values + vertex * n_modes + 1);
              for (int c = 0; c < n_components; ++c)
                state[c] = mean[c] + state[c];
              lowest = min(lowest, law.positive(state)[i]);
            }
          const auto too_low = lowest < floor;
          if (any(too_low)) // seldom
            {
              const T scaled = select(at_mean > T(0), (at_mean - floor) / (at_mean - lowest), T(0));
              const T by     = select(too_low, scaled, T(1));
              for (int c = 0; c < n_components; ++c)
                scale(c, by);
            }
        }
    }
  };
} // namespace Saltus

#endif
