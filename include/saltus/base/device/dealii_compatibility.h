// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_dealii_compatibility_h
#define saltus_base_device_dealii_compatibility_h

#include <deal.II/base/config.h>
#include <deal.II/grid/reference_cell.h>
#include <deal.II/grid/tria.h>

/// What differs between the versions of deal.II that Saltus works with, in one place.
namespace Saltus::Compatibility
{
  /// In how many ways deal.II refines a cell of this kind isotropically. Cutting off the corners of
  /// a tetrahedron leaves an octahedron, which versions from 9.6 on cut along any of its three
  /// diagonals, usually the shortest.
  inline unsigned int
  n_isotropic_refinements([[maybe_unused]] const dealii::ReferenceCell &cell)
  {
#if DEAL_II_VERSION_GTE(9, 6, 0)
    return cell.n_isotropic_refinement_choices();
#else
    return 1;
#endif
  }

  /// Refine the only cell of @p triangulation in way number @p way of n_isotropic_refinements().
  template <int dim>
  void
  refine_isotropically(dealii::Triangulation<dim>         &triangulation,
                       [[maybe_unused]] const unsigned int way)
  {
    const auto cell = triangulation.begin_active();
    cell->set_refine_flag();
#if DEAL_II_VERSION_GTE(9, 6, 0)
    const dealii::ReferenceCell type = cell->reference_cell();
    if (type.n_isotropic_refinement_choices() > 1)
      cell->set_refine_choice(static_cast<unsigned int>(type.get_isotropic_refinement_choice(way)));
#endif
    triangulation.execute_coarsening_and_refinement();
  }
} // namespace Saltus::Compatibility

#endif
