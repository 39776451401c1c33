// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_adaption_transfer_h
#define saltus_operators_spaces_adaption_transfer_h

#include <saltus/base/algebra/vector.h>
#include <saltus/mesh/adapt/cell_origins.h>
#include <saltus/mesh/element_mesh.h>

#include <map>
#include <tuple>
#include <vector>

namespace Saltus
{
  /// Takes vectors over to the mesh that theirs was adapted to, see MeshAdaptor, on their device:
  /// polynomials as they are to children, by \f$ L^2 \f$ projection on the reference cell to
  /// parents. On parallelepipeds no integral changes by that. Elsewhere values at points are scaled
  /// then, see KeepIntegrals, by what all children of an element, or a parent, lack of the integral
  /// before; where volumes stay the same, as those of bilinear cells do, constants stay so, too.
  /// What comes from other ranks, since p4est has spread the cells anew, goes through the hosts'
  /// memory.
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

    /// For polynomials of one degree, and vectors of one precision, on the device.
    template <typename Number>
    struct Tables
    {
      Tables(const AdaptionTransfer &transfer, const unsigned int degree);

      Memory<Number> matrices; ///< see AdaptElements
      Memory<Number> weights;  ///< see KeepIntegrals
      Memory<Number> before;   ///< determinants on the mesh before
      Memory<Number> after;    ///< and on the adapted one
    };

    template <typename Number>
    using AllTables = std::map<unsigned int, const Tables<Number>>; ///< `[degree]`

    /// They are made when they are first asked for.
    template <typename Number>
    const Tables<Number> &
    tables(const unsigned int degree) const;

    Round
    make_round(const CellOrigins<dim>          &origins,
               const std::vector<unsigned int> &cells,
               const unsigned int               n_before) const;

    /// Whether no element of any rank needs KeepIntegrals. Collective.
    bool
    find_whether_exact() const;

    /// The children of an element together, all others by themselves, in the last round.
    void
    make_groups(const CellOrigins<dim> &origins, const std::vector<unsigned int> &cells);

    /// Through all rounds. @param of_child,of_parent see AdaptElements
    template <typename Number>
    void
    carry(Vector<Number>       &after,
          const Vector<Number> &before,
          const Memory<Number> &matrices,
          const Number          of_child,
          const Number          of_parent) const;

    /// The same for what is per volume of the reference cell, with the same integrals afterwards.
    template <typename Number>
    void
    carry_densities(Vector<Number>       &after,
                    const Vector<Number> &before,
                    const Memory<Number> &matrices) const;

    template <typename Number>
    void
    carry(const Round          &round,
          Vector<Number>       &after,
          const Vector<Number> &before,
          const Memory<Number> &matrices,
          const Number          of_child,
          const Number          of_parent) const;

    template <typename Number>
    void
    keep_integrals(Vector<Number>       &after,
                   const Vector<Number> &before,
                   const Tables<Number> &tables) const;

    const Device                   device;
    const MPI_Comm                 communicator;
    const ElementDeterminants<dim> determinants_before, determinants_after;
    std::vector<Round>             rounds;
    bool                           is_exact = true;
    Memory<int>                    group_starts, group_elements; ///< see KeepIntegrals
    mutable std::tuple<AllTables<double>, AllTables<float>> all_tables;
  };
} // namespace Saltus

#endif
