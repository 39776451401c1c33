// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_mixed_interface_h
#define saltus_operators_spaces_mixed_interface_h

#include <saltus/base/algebra/vector_sum.h>
#include <saltus/base/ranks/rank_messages.h>
#include <saltus/mesh/mixed_mesh.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/mixed_traces.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Where the states across a mesh's faces to elements of other shapes are to be written.
  template <typename Number>
  struct StatesAcross
  {
    Number                  *data = nullptr;
    std::vector<std::size_t> first;                  ///< `[b]`: of boundary face b, where it is one
    bool                     with_gradients = false; ///< and penalties, see NumbersAcross
    /// What the factor of the penalty is that elements want, times \f$ |\det J| \f$.
    double penalty     = 0.;
    bool   with_fluxes = false; ///< in place of gradients and penalties a flux
    /// `[b][q][r]`: of these faces, which combinations of reference derivatives they are.
    std::vector<std::vector<double>> fluxes = {};
    /// `[e]`, as a vector with one mode: of the mesh's own elements, one more number to tell those
    /// across; nullptr: none
    const Number *of_elements  = nullptr;
    unsigned int  n_components = 0; ///< of the states; 0: as many as the spaces have
  };

  /// Tells the elements of one shape the states in those of another across their common faces, and
  /// derivatives where they are asked for: at the points of the faces, which are Gauss's for both.
  /// Then such a face is for either shape one at which the state outside is given, and both find
  /// the same flux to rounding.
  template <int dim, typename Number>
  class MixedInterface
  {
  public:
    using Spaces = std::vector<const ElementSpace<dim, Number> *>;

    /// Collective.
    /// @param spaces on each of the meshes, with as many components; their tables are used
    /// @param across `[mesh]`; the arrays stay where they are as long as this is used
    /// @throws dealii::ExcMessage where the maps of two elements do not agree on their common face
    MixedInterface(const MixedMesh<dim>                    &meshes,
                   const Spaces                            &spaces,
                   const std::vector<StatesAcross<Number>> &across);

    /// Write the states of @p u, with the layouts of the spaces and as many components as states
    /// have.
    void
    set_states(const VectorSum<Number, BlockVector<Number>> &u) const;

    /// Whether nobody on the host waits for messages.
    bool
    on_device() const
    {
      return messages == nullptr || messages->on_device();
    }

  private:
    /// Sides of the elements of a mesh, or of those across them, and the array with their numbers.
    struct Sides
    {
      unsigned int      mesh;
      int               n;
      Memory<MixedSide> list;
      Memory<Number>    maps; ///< see MixedTraces
      Number           *array;
      NumbersAcross     numbers;
    };

    /// @throws dealii::ExcMessage if the faces' rules differ
    void
    check_points() const;

    void
    check_geometry(const MixedMesh<dim> &meshes, const std::vector<MixedFace> &faces) const;

    /// For the element that has @p face: what satisfies both.
    std::vector<double>
    penalties(const MixedMesh<dim>                    &meshes,
              const std::vector<MixedFace>            &faces,
              const std::vector<StatesAcross<Number>> &across) const;

    /// @param begin,end faces; `maps_of(MixedFace)`, `side(face)` and `array(mesh)` of each
    template <typename Maps, typename Side, typename Array>
    std::vector<Sides>
    make_sides(const MixedMesh<dim>         &meshes,
               const std::vector<MixedFace> &faces,
               const std::size_t             begin,
               const std::size_t             end,
               const NumbersAcross          &numbers,
               const Maps                   &maps_of,
               const Side                   &side,
               const Array                  &array) const;

    void
    launch_traces(const std::vector<Sides>                     &sides,
                  const VectorSum<Number, BlockVector<Number>> &u) const;

    Device                      device;
    Spaces                      spaces;
    unsigned int                n_face_points = 0;
    std::vector<const Number *> of_elements; ///< `[mesh]`
    std::vector<Sides>          local, sending, receiving;
    mutable Memory<Number>      sent, received; ///< `[i][q]`: state and derivatives, by rank
    std::unique_ptr<RankMessages<Number>> messages;
  };
} // namespace Saltus

#endif
