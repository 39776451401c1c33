// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_barth_jespersen_h
#define saltus_operators_barth_jespersen_h

#include <saltus/operators/launcher.h>
#include <saltus/physics/array.h>

namespace Saltus
{
  /// Limiting coefficient of Barth and Jespersen for one variable of one element (Fuhry et al.,
  /// equations 17 to 19): the largest factor in [0,1] by which the deviation from the mean may be
  /// scaled so that the values at the face points stay between the means of the element and its
  /// neighbours.
  /// @param below,above smallest and largest of these means minus the element's own (<= 0, >= 0)
  /// @param lowest,highest smallest and largest deviation from the mean at the face points
  template <typename Number>
  SALTUS_HOST_DEVICE
  Number
  barth_jespersen_factor(const Number below,
                         const Number above,
                         const Number lowest,
                         const Number highest)
  {
    Number factor = 1;
    if (highest > above)
      factor = above / highest;
    if (lowest < below)
      factor = min(factor, below / lowest);
    return factor;
  }

  /// Limits one element of degree 1: first every variable on its own (Barth and Jespersen), then,
  /// where that leaves a quantity such as the pressure negative at a face point, all variables
  /// together (Zhang and Shu, Proc. R. Soc. A 467, 2011, in the form for concave quantities).
  template <typename Law, typename Number>
  class ElementLimiter
  {
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;
    static constexpr int n_modes      = dim + 1;

    using State     = Array<Number, n_components>;
    using Arguments = LimiterArguments<Law, Number>;

    /// The least of a positive quantity that is left at a face point, relative to its value for the
    /// mean. Only as large as rounding asks for.
    static constexpr double floor = 1e-6;

  public:
    SALTUS_HOST_DEVICE
    ElementLimiter(const Arguments &arg, const int element)
      : arg(arg)
      , element(element)
    {
      mean = mean_of(element);
      for (int d = 0; d < dim; ++d)
        for (int c = 0; c < n_components; ++c)
          slopes[d][c] = arg.u[index(element, 1 + d) + c];
    }

    SALTUS_HOST_DEVICE
    void
    run()
    {
      limit_to_neighbors();
      limit_to_positive();
      if (changed)
        for (int d = 0; d < dim; ++d)
          for (int c = 0; c < n_components; ++c)
            arg.u[index(element, 1 + d) + c] = slopes[d][c];
    }

  private:
    SALTUS_HOST_DEVICE
    static std::size_t
    index(const int e, const int mode)
    {
      return coefficient_index(e, mode, n_modes, n_components);
    }

    SALTUS_HOST_DEVICE
    State
    mean_of(const int e) const
    {
      State state;
      for (int c = 0; c < n_components; ++c)
        state[c] = arg.tables.volume_values[0] * arg.u[index(e, 0) + c];
      return state;
    }

    /// Deviation from the mean at face point @p point, counted over all faces.
    SALTUS_HOST_DEVICE
    State
    deviation(const int point) const
    {
      const Number *phi = arg.tables.face_values + point * n_modes + 1;
      State         state;
      for (int c = 0; c < n_components; ++c)
        {
          state[c] = phi[0] * slopes[0][c];
          for (int d = 1; d < dim; ++d)
            state[c] += phi[d] * slopes[d][c];
        }
      return state;
    }

    SALTUS_HOST_DEVICE
    void
    scale(const int component, const Number factor)
    {
      changed |= factor < 1;
      for (int d = 0; d < dim; ++d)
        slopes[d][component] *= factor;
    }

    SALTUS_HOST_DEVICE
    void
    limit_to_neighbors()
    {
      State below{}, above{}, lowest{}, highest{};
      for (int f = 0; f < arg.tables.n_faces; ++f)
        {
          const int neighbor = arg.mesh.neighbors[point_index(element, f, arg.tables.n_faces, 1)];
          if (neighbor < 0)
            continue;
          const State across = mean_of(neighbor);
          for (int c = 0; c < n_components; ++c)
            {
              below[c] = min(below[c], across[c] - mean[c]);
              above[c] = max(above[c], across[c] - mean[c]);
            }
        }
      for (int point = 0; point < arg.tables.n_faces * arg.tables.n_face_points; ++point)
        {
          const State difference = deviation(point);
          for (int c = 0; c < n_components; ++c)
            {
              lowest[c]  = min(lowest[c], difference[c]);
              highest[c] = max(highest[c], difference[c]);
            }
        }
      for (int c = 0; c < n_components; ++c)
        scale(c, barth_jespersen_factor(below[c], above[c], lowest[c], highest[c]));
    }

    /// One quantity after the other, because the concavity of a later one may rest on the
    /// positivity of an earlier one (the pressure's on the density's).
    SALTUS_HOST_DEVICE
    void
    limit_to_positive()
    {
      for (int i = 0; i < Law::n_positive; ++i)
        {
          const Number at_mean = arg.law.positive(mean)[i];
          const Number least   = Number(floor) * at_mean;
          Number       factor  = 1;
          for (int point = 0; point < arg.tables.n_faces * arg.tables.n_face_points; ++point)
            {
              State state = deviation(point);
              for (int c = 0; c < n_components; ++c)
                state[c] += mean[c];
              const Number here = arg.law.positive(state)[i];
              if (here < least)
                factor = min(factor, (at_mean - least) / (at_mean - here));
            }
          if (factor < 1)
            for (int c = 0; c < n_components; ++c)
              scale(c, factor);
        }
    }

    const Arguments &arg;
    const int        element;
    State            mean;
    State            slopes[dim]; ///< coefficients of modes 1 to dim
    bool             changed = false;
  };
} // namespace Saltus

#endif
