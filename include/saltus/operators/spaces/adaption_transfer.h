// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_adaption_transfer_h
#define saltus_operators_spaces_adaption_transfer_h

#include <saltus/base/algebra/vector.h>
#include <saltus/mesh/adapt/cell_origins.h>
#include <saltus/mesh/element_mesh.h>

#include <vector>

namespace Saltus
{
  /// Takes vectors over to the mesh that theirs was adapted to, see MeshAdaptor, on their device:
  /// polynomials as they are to children, by \f$ L^2 \f$ projection on the reference cell to
  /// parents. On parallelepipeds no integral changes by that. What comes from other ranks, since
  /// p4est has spread the cells anew, goes through the hosts' memory.
  template <int dim>
  class AdaptionTransfer
  {
  public:
    /// Collective.
    /// @param mesh the adapted one
    /// @param device of the vectors
    AdaptionTransfer(const AdaptedCells<dim> &cells,
                     const ElementMesh<dim>  &mesh,
                     const Device             device);

    /// Set @p after, of the adapted mesh, to what has become of @p before. Collective.
    /// @throws dealii::ExcMessage for vectors of different degrees or numbers of components, or on
    /// another device
    template <typename Number>
    void
    run(Vector<Number> &after, const Vector<Number> &before) const;

  private:
    /// Of one set of CellOrigins.
    struct Round
    {
      unsigned int             n_elements, n_before;
      Memory<int>              kinds, sources;         ///< see AdaptElements
      Memory<int>              sent;                   ///< `[i]`: elements that other ranks need
      std::vector<std::size_t> sent_to, received_from; ///< `[rank]`: the first one, and the end
    };

    Round
    make_round(const CellOrigins<dim>          &origins,
               const std::vector<unsigned int> &cells,
               const unsigned int               n_before) const;

    template <typename Number>
    void
    run(const Round          &round,
        const Memory<Number> &matrices,
        Vector<Number>       &after,
        const Vector<Number> &before) const;

    const Device       device;
    const MPI_Comm     communicator;
    unsigned int       n_elements_before = 0;
    std::vector<Round> rounds;
  };
} // namespace Saltus

#endif
