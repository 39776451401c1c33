// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/weight_adjusted_mass.h>

#include <iomanip>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The values of the projection of the function with the values @p values at the volume points.
    template <int dim>
    std::vector<double>
    projected(const ReferenceElement<dim> &reference, const std::vector<double> &values)
    {
      std::vector<double> result(values.size());
      for (unsigned int m = 0; m < reference.n_modes; ++m)
        {
          double moment = 0.;
          for (unsigned int q = 0; q < values.size(); ++q)
            moment += reference.volume_weights[q] * values[q] *
                      reference.volume_values[q * reference.n_modes + m];
          for (unsigned int q = 0; q < values.size(); ++q)
            result[q] += moment * reference.volume_values[q * reference.n_modes + m];
        }
      return result;
    }
  } // namespace

  template <int dim>
  std::vector<double>
  inverse_projected_determinants(const ReferenceElement<dim> &reference,
                                 const ModeTable<dim>        &at_volume_points,
                                 const ElementMap<dim>       &map)
  {
    std::vector<double> result = projected(reference, map.determinants(at_volume_points));
    for (unsigned int q = 0; q < result.size(); ++q)
      {
        if (!(result[q] > 0.))
          {
            std::ostringstream text;
            text << std::setprecision(9)
                 << "An element is too strongly curved for polynomials of degree "
                 << reference.degree << ": at (" << map.positions(at_volume_points)[q]
                 << ") the determinant of its map, projected onto them, is " << result[q]
                 << "; it must be positive.";
            AssertThrow(false, ExcMessage(text.str()));
          }
        result[q] = 1. / result[q];
      }
    return result;
  }

#define SALTUS_WEIGHT_ADJUSTED_MASS(dim)                                                          \
  template std::vector<double> inverse_projected_determinants<dim>(const ReferenceElement<dim> &, \
                                                                   const ModeTable<dim> &,        \
                                                                   const ElementMap<dim> &);
  SALTUS_WEIGHT_ADJUSTED_MASS(2)
  SALTUS_WEIGHT_ADJUSTED_MASS(3)
#undef SALTUS_WEIGHT_ADJUSTED_MASS
} // namespace Saltus
