// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_space_time_records_h
#define saltus_operators_polytopic_kernels_space_time_records_h

#include <saltus/operators/polytopic/kernels/polytopic_records.h>

/// What slabs of space and time need besides the numbers at the points of their prisms: work for
/// launch() that points or elements do.
namespace Saltus
{
  /// Points in space that follow one another, each at several times.
  struct PrismPiece
  {
    std::size_t first   = 0; ///< number of the first point in space and time
    std::size_t begin   = 0; ///< number of the first point in space
    int         n       = 0; ///< points in space
    int         n_times = 0, first_time = 0;
    int         owner = 0; ///< added to the number of a point's owner among those of space
  };

  /// A piece at one of its times.
  struct PieceAtTime
  {
    int piece, time;
  };

  /// See PrismPieces.
  struct PrismPieceArrays
  {
    const PrismPiece *pieces  = nullptr;
    const double     *times   = nullptr;
    const double     *weights = nullptr;
  };

  /// Points of prisms from those in space, which pieces at a time do.
  template <int dim>
  struct MakePrismPoints
  {
    PrismPieceArrays   pieces;
    const PieceAtTime *entries = nullptr;
    double             length  = 1.; ///< of the slab
    /// Of points in space: places `[q][d]`, owners, and weights or normals `[q][d]`.
    const double *places_in_space = nullptr;
    const int    *owners_in_space = nullptr;
    const double *weights = nullptr, *normals_in_space = nullptr;
    const int    *numbers = nullptr; ///< `[owner in space]` that is counted; nullptr: itself
    double       *places  = nullptr; ///< `[point][d]`, the last of which is the time
    int          *owners  = nullptr;
    double       *out     = nullptr; ///< the weights, or the normals where the next one is not
    bool          is_face = false;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      constexpr int     n_out = dim + 1;
      const PrismPiece &piece = pieces.pieces[entries[i].piece];
      const int         t     = piece.first_time + entries[i].time;
      std::size_t       point = piece.first + std::size_t(entries[i].time) * piece.n;
      for (std::size_t q = piece.begin; q < piece.begin + piece.n; ++q, ++point)
        {
          for (int d = 0; d < dim; ++d)
            places[point * n_out + d] = places_in_space[q * dim + d];
          places[point * n_out + dim] = length * pieces.times[t];
          const int owner             = owners_in_space[q];
          owners[point]               = piece.owner + (numbers == nullptr ? owner : numbers[owner]);
          const double weight         = length * pieces.weights[t];
          if (!is_face)
            out[point] = weight * weights[q];
          else
            for (int d = 0; d < n_out; ++d)
              if (normals_in_space != nullptr) // along the time
                out[point * n_out + d] = d < dim ? weight * normals_in_space[q * dim + d] : 0.;
              else // where a prism begins
                out[point * n_out + d] = d < dim ? 0. : -weights[q];
        }
    }
  };

  /// Values of functions at points in space for the same points at some times, which pieces at a
  /// time do: component c is that number of the values which @ref from says, or a constant.
  template <int dim>
  struct SpreadValues
  {
    static constexpr int max_components = (dim + 1) * (dim + 2) / 2;

    PrismPieceArrays   pieces;
    const PieceAtTime *entries = nullptr;
    int                n_in = 1, n_out = 1;
    int                from[max_components]      = {}; ///< -1: none
    double             constants[max_components] = {};
    const double      *values                    = nullptr; ///< `[point in space][n_in]`
    double            *out                       = nullptr; ///< `[point][n_out]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const PrismPiece &piece = pieces.pieces[entries[i].piece];
      double           *to = out + (piece.first + std::size_t(entries[i].time) * piece.n) * n_out;
      for (std::size_t q = piece.begin; q < piece.begin + piece.n; ++q, to += n_out)
        for (int c = 0; c < n_out; ++c)
          to[c] = from[c] < 0 ? constants[c] : values[q * n_in + from[c]];
    }
  };

  /// Polynomials of elements, and of the prisms over them.
  template <int dim>
  struct PrismArrays
  {
    const int           *degrees     = nullptr; ///< `[element]`
    const int           *first_dofs  = nullptr; ///< `[element]`
    const int           *first_rows  = nullptr; ///< `[prism]`
    const int           *prisms      = nullptr; ///< `[element]`: the first one, and their number
    const int           *of_space    = nullptr; ///< `[mode of a prism]`: mode of its element
    const unsigned char *powers      = nullptr; ///< `[mode of a prism][direction]`
    LegendreFamily       family      = LegendreFamily::total;
    double               step_length = 1.; ///< of an element with one

    SALTUS_HOST_DEVICE
    int
    n_steps(const int element) const
    {
      return prisms[element + 1] - prisms[element];
    }

    SALTUS_HOST_DEVICE
    int
    n_modes(const int element) const
    {
      return n_legendre_modes<dim + 1>(degrees[element], family);
    }

    /// The constant in time with mean square 1 in a step.
    SALTUS_HOST_DEVICE
    double
    constant(const int element) const
    {
      return sqrt(n_steps(element) / step_length);
    }
  };

  /// The values of a function at the end of a slab, which elements do.
  template <int dim>
  struct TakeTrace
  {
    PrismArrays<dim> prisms;
    const double    *of_prisms = nullptr; ///< `[row]`
    double          *trace     = nullptr; ///< `[dof]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      double       *here = trace + prisms.first_dofs[element];
      const double *from = of_prisms + prisms.first_rows[prisms.prisms[element + 1] - 1];
      for (int m = 0; m < n_legendre_modes<dim>(prisms.degrees[element]); ++m)
        here[m] = 0;
      for (int m = 0; m < prisms.n_modes(element); ++m)
        here[prisms.of_space[m]] +=
          prisms.constant(element) * legendre_factor(prisms.powers[m * (dim + 1) + dim]) * from[m];
    }
  };

  /// The function that is in all of a slab what it was at its bottom, which elements do.
  template <int dim>
  struct ExtendTrace
  {
    PrismArrays<dim> prisms;
    const double    *trace     = nullptr; ///< `[dof]`
    double          *of_prisms = nullptr; ///< `[row]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      const double *from = trace + prisms.first_dofs[element];
      for (int k = prisms.prisms[element]; k < prisms.prisms[element + 1]; ++k)
        for (int m = 0; m < prisms.n_modes(element); ++m)
          of_prisms[prisms.first_rows[k] + m] =
            prisms.powers[m * (dim + 1) + dim] > 0
              ? 0.
              : from[prisms.of_space[m]] / prisms.constant(element);
    }
  };

  /// Values of a polytopic function at points in its elements.
  template <int dim>
  struct ValuesAtPoints
  {
    BoxArrays<dim>         boxes;
    PolytopicElements<dim> elements;
    const int             *first_dofs   = nullptr; ///< `[element]`
    const int             *elements_of  = nullptr; ///< `[owner]`
    const int             *owners       = nullptr; ///< `[point]`
    const double          *places       = nullptr; ///< `[point][d]`
    const double          *coefficients = nullptr; ///< `[dof]`
    double                *out          = nullptr; ///< `[point]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const int                element = elements_of[owners[i]];
      const Array<double, dim> xi      = boxes.place(element, places + std::size_t(i) * dim);
      double                   values[dim][max_legendre_degree + 1];
      for (int d = 0; d < dim; ++d)
        legendre(elements.degrees[element], xi[d], [&](const int k, const double v, const double) {
          values[d][k] = v;
        });
      double    sum     = 0;
      const int n_modes = elements.n_modes(element);
      for (int m = 0; m < n_modes; ++m)
        {
          double product = coefficients[first_dofs[element] + m];
          for (int d = 0; d < dim; ++d)
            product *= values[d][elements.powers[m * dim + d]];
          sum += product;
        }
      out[i] = elements.scales[element] * sum;
    }
  };

  template <int dim>
  using SpaceTimeWork = WorkList<MakePrismPoints<dim>,
                                 SpreadValues<dim>,
                                 TakeTrace<dim>,
                                 ExtendTrace<dim>,
                                 ValuesAtPoints<dim>>;
} // namespace Saltus

#endif
