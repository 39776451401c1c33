// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_space_time_records_h
#define saltus_operators_polytopic_kernels_space_time_records_h

#include <saltus/operators/polytopic/kernels/polytopic_records.h>

/// Functions on slabs of space and time: work for launch() that points or elements do.
namespace Saltus
{
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
      const int          element = elements_of[owners[i]];
      Array<double, dim> x;
      for (int d = 0; d < dim; ++d)
        x[d] = places[std::size_t(i) * dim + d];
      const Array<double, dim> xi = boxes.place(element, x);
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
} // namespace Saltus

#endif
