// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_mixed_face_terms_h
#define saltus_operators_elliptic_mixed_face_terms_h

#include <saltus/operators/elliptic/kernels/mixed_face_work.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/mixed_interface.h>

#include <vector>

namespace Saltus
{
  /// The side that an element has of a face to an element of another shape, in host memory: the
  /// form of LaplaceOperator there.
  struct MixedFaceSide
  {
    unsigned int boundary_face = 0; ///< its number in the mesh of the shape
    unsigned int element = 0, face = 0;
    double       penalty = 0.; ///< that the side would have alone

    // At the points, in the order in which the element has them: see MixedFaceArrays.
    std::vector<double> weights, along;
  };

  /// The terms of LaplaceOperator on the faces of the elements of one shape to those of another, on
  /// the device of a space: see MixedFaceArrays.
  template <int dim, typename Number>
  class MixedFaceTerms
  {
  public:
    /// @param sides in the order of the elements, with the penalties of the faces
    MixedFaceTerms(const ElementSpace<dim, Number> &space, const std::vector<MixedFaceSide> &sides);

    /// Where values and fluxes of the elements across are to be written before add().
    StatesAcross<Number>
    states_across() const;

    /// `out += scale` times the terms of @p u and of what was written.
    void
    add(const Vector<Number> &u, const Number scale, Vector<Number> &out) const;

    /// The same of the mode @p column of all elements, with zero across.
    void
    add_own(const unsigned int column, Vector<Number> &out) const;

    std::size_t
    memory_consumption() const;

  private:
    MixedFaceArrays<Number>
    arrays(const Vector<Number> &like) const;

    void
    run(const MixedFacePoints<dim, Number> &points, const Number scale, Vector<Number> &out) const;

    Device                           device;
    ElementTables<Number>            tables;
    unsigned int                     n_faces = 0, n_elements = 0;
    std::vector<std::size_t>         first;  ///< see StatesAcross
    std::vector<std::vector<double>> fluxes; ///< the same
    Memory<int>                      elements, faces, starts;
    Memory<Number>                   penalties, weights, along;
    mutable Memory<Number>           across, terms;
  };
} // namespace Saltus

#endif
