// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_couplings_h
#define saltus_mesh_agglomerate_couplings_h

#include <saltus/mesh/agglomerate/agglomeration.h>

#include <vector>

namespace Saltus
{
  /// Put the most strongly coupled pairs of neighbours together, then pairs of these, and so on, as
  /// long as there are many more than @p n_groups. The coupling through an interface of the area a
  /// between volumes V and W is \f$a^2 (1/V + 1/W)\f$, what diffusion makes of it; the area is that
  /// of the interface as it is seen from far away, which does not grow where it is jagged. Thin
  /// elements so come together across their long sides. Couplings are equal up to a relative
  /// difference of 1e-6; of equal ones, the pair with the closest numbers comes first. The result
  /// depends neither on the unit of length nor on the place of the mesh.
  /// @return `[element]`: the number of its group
  template <int dim>
  std::vector<unsigned int>
  pair_by_couplings(const Agglomeration<dim> &elements, const unsigned int n_groups);
} // namespace Saltus

#endif
