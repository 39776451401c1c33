// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_mixed_face_terms_h
#define saltus_operators_elliptic_mixed_face_terms_h

#include <saltus/operators/elliptic/kernels/mixed_face_work.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/mixed_interface.h>

#include <memory>
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

  /// Faces to other shapes and what forms there have in common, on the device of a space: see
  /// MixedFaceArrays.
  template <int dim, typename Number>
  class MixedFaceLists
  {
  public:
    /// @param sides in the order of the elements
    /// @param n_across numbers that are told at a point
    MixedFaceLists(const ElementSpace<dim, Number>  &space,
                   const std::vector<MixedFaceSide> &sides,
                   const unsigned int                n_components,
                   const unsigned int                n_across);

    /// Where those are to be written.
    StatesAcross<Number>
    states_across() const;

    /// Without `along`.
    MixedFaceArrays<Number>
    arrays(const Vector<Number> &like) const;

    /// `out += scale` times the sums of what @p points, with @p n of them a point, makes of @p
    /// faces.
    template <typename Points>
    void
    add(const Points                  &points,
        const unsigned int             n,
        const MixedFaceArrays<Number> &faces,
        const Number                   scale,
        Vector<Number>                &out) const
    {
      launch(device, static_cast<std::size_t>(n_faces) * tables.n_face_points * n, points);
      launch(device,
             static_cast<std::size_t>(n_elements) * tables.n_modes * n_components,
             MixedFaceSums<dim, Number>{faces, scale, out.data()});
    }

    std::size_t
    memory_consumption() const;

  private:
    Device                   device;
    ElementTables<Number>    tables;
    unsigned int             n_components, n_faces = 0, n_elements = 0;
    std::vector<std::size_t> first; ///< see StatesAcross
    Memory<int>              elements, faces, starts;
    Memory<Number>           weights;
    mutable Memory<Number>   across, terms;
  };

  /// The terms of LaplaceOperator on the faces of the elements of one shape to those of another,
  /// for all components of vectors.
  template <int dim, typename Number>
  class MixedFaceTerms
  {
  public:
    /// @param sides in the order of the elements, with the penalties of the faces
    MixedFaceTerms(const ElementSpace<dim, Number>  &space,
                   const std::vector<MixedFaceSide> &sides,
                   const unsigned int                n_components);

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
    void
    run(const Vector<Number> &like,
        const Number         *u,
        const int             column,
        const Number          scale,
        Vector<Number>       &out) const;

    MixedFaceLists<dim, Number>      lists;
    unsigned int                     n_components;
    std::vector<std::vector<double>> fluxes; ///< see StatesAcross
    Memory<Number>                   penalties, along;
  };

  /// MixedFaceTerms of all shapes of a mesh, which tell each other what is across.
  template <int dim, typename Number>
  class MixedFaceForm
  {
  public:
    /// @param spaces see MixedInterface
    /// @param sides `[mesh]`
    MixedFaceForm(const MixedMesh<dim>                               &meshes,
                  const typename MixedInterface<dim, Number>::Spaces &spaces,
                  const std::vector<std::vector<MixedFaceSide>>      &sides,
                  const unsigned int                                  n_components);

    /// `dst += scale` times the terms of @p src.
    void
    add(const BlockVector<Number> &src, const Number scale, BlockVector<Number> &dst) const;

    /// Of the shape with number @p i.
    const MixedFaceTerms<dim, Number> &
    part(const unsigned int i) const
    {
      return parts[i];
    }

    std::size_t
    memory_consumption() const;

  private:
    std::vector<MixedFaceTerms<dim, Number>>           parts;
    std::unique_ptr<const MixedInterface<dim, Number>> interface;
  };
} // namespace Saltus

#endif
