// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_adapt_cell_origins_h
#define saltus_mesh_adapt_cell_origins_h

#include <deal.II/distributed/tria.h>

#include <saltus/mesh/adapt/element_determinants.h>

#include <array>
#include <vector>

namespace Saltus
{
  /// What a cell of this rank was before its mesh was adapted.
  template <int dim>
  struct CellOrigin
  {
    static constexpr unsigned int n_children = 1U << dim;

    enum class Kind : unsigned char
    {
      none,  ///< the cell is another rank's
      same,  ///< it has stayed as it was
      child, ///< it is a part of a larger one
      parent ///< it consists of smaller ones
    };

    Kind          kind  = Kind::none;
    unsigned char child = 0; ///< which child of the larger cell
    unsigned int  rank  = 0; ///< that owned the cells
    /// `[c]`: their numbers on that rank; one, or of a parent those of its children.
    std::array<unsigned int, n_children> cells{};
  };

  /// By active cell index.
  template <int dim>
  using CellOrigins = std::vector<CellOrigin<dim>>;

  /// What has become of the cells of a mesh when it was adapted, perhaps more than once.
  template <int dim>
  struct AdaptedCells
  {
    ElementDeterminants<dim> before;

    /// Those of the first one count the elements of the mesh before. In between there are the cells
    /// of a rank in the order of their active cell indices.
    std::vector<CellOrigins<dim>> rounds;
  };

  /// `execute_coarsening_and_refinement()`, after which the cells may be on other ranks, too.
  /// Collective.
  /// @param numbers by active cell index: what is to be known of this rank's cells
  template <int dim>
  CellOrigins<dim>
  refine_and_note(dealii::parallel::distributed::Triangulation<dim> &triangulation,
                  const std::vector<unsigned int>                   &numbers);

  /// Numbers for refine_and_note(): of this rank's cells one after the other.
  template <int dim>
  std::vector<unsigned int>
  numbers_in_order(const CellOrigins<dim> &origins);
} // namespace Saltus

#endif
