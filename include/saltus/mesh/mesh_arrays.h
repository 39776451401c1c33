// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mesh_arrays_h
#define saltus_mesh_mesh_arrays_h

#include <saltus/base/device/host_device.h>

#include <cstring>

/// A mesh as kernels see it: plain structs of pointers and sizes, without deal.II and CUDA.
namespace Saltus
{
  /// What is on the other side of a face.
  enum class FaceKind : unsigned char
  {
    interior, ///< another element
    boundary, ///< nothing
    ghost,    ///< a copy of an element of another rank
    hanging   ///< several smaller elements
  };

  /// A face as one of its elements sees it.
  struct alignas(8) FaceRecord
  {
    int neighbor = 0; ///< number of the element across, of the boundary face or the hanging face
    unsigned char face        = 0; ///< the neighbour's number of the face
    unsigned char orientation = 0; ///< permutation of the face's points, see CellShape
    /// Which part of the neighbour's face it is, see CellShape: s + 1 for part s, 0 for all of it.
    unsigned char sub_face = 0;
    FaceKind      kind     = FaceKind::interior;

    SALTUS_HOST_DEVICE
    bool
    at_boundary() const
    {
      return kind == FaceKind::boundary;
    }

    /// The element across; at the boundary @p element itself, as a stand-in. Not of hanging faces.
    SALTUS_HOST_DEVICE
    int
    element_across(const int element) const
    {
      return at_boundary() ? element : neighbor;
    }

    /// The number of the boundary face, -1 inside.
    SALTUS_HOST_DEVICE
    int
    boundary_face() const
    {
      return at_boundary() ? neighbor : -1;
    }
  };
  static_assert(sizeof(FaceRecord) == 8, "GPUs read a face in one access");

  /// Read a record in one access of eight bytes: compilers for GPUs would make one of each member.
  SALTUS_HOST_DEVICE
  FaceRecord
  read_face(const FaceRecord *from)
  {
    using Word [[gnu::may_alias]] = unsigned long long;
    const unsigned long long word = *reinterpret_cast<const Word *>(from);
    FaceRecord               record;
    __builtin_memcpy(static_cast<void *>(&record), &word, sizeof(word));
    return record;
  }

  enum class ElementShape : unsigned char
  {
    simplex,
    hypercube
  };
  constexpr int n_element_shapes = 2;

  /// How the map from the reference cell varies in an element.
  enum class GeometryKind : unsigned char
  {
    affine, ///< one Jacobian an element
    stored  ///< any; what integrals need of it is stored at quadrature points
  };
  constexpr int n_geometry_kinds = 2;

  /// Elements, `e`, in blocks of `block_size`, `l` being the number in the block; `f` faces, `r`
  /// reference directions, `d` directions in space. The last block is filled up by repeating the
  /// last element with all that belongs to it, so that kernels need no test: they work on copies,
  /// and store nothing.
  ///
  /// Ghosts have numbers from the next block on, behind the padding. What others need of an element
  /// is there for ghosts as well, in as many more blocks: that much of an array is marked below.
  template <typename Number>
  struct MeshArrays
  {
    int n_elements = 0;

    /// Kernels work on the elements from here on, the first one of a block, to before this one:
    /// those of an ElementRange.
    int          begin = 0, end = 0;
    ElementShape shape = ElementShape::simplex; ///< of these
    GeometryKind kind  = GeometryKind::affine;  ///< of these

    /// `[block][r][d][l]`: \f$ \partial \hat x_r / \partial x_d \f$ of affine elements. Its
    /// determinant may be negative. With ghosts.
    const Number *inverse_jacobians = nullptr;
    /// `[block][f][l]`
    const FaceRecord *faces = nullptr;

    /// Whether all interior faces of the mesh have the same number on both sides,
    /// `faces[block][f][l].face == f`.
    bool matched = true;
  };
} // namespace Saltus

#endif
