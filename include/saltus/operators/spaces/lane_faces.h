// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_lane_faces_h
#define saltus_operators_spaces_lane_faces_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/spaces/face_code.h>

/// A face of each of the elements that a kernel works on at once.
namespace Saltus
{
  // Faces have the number of the vertex opposite. An element is seen with one of its faces as the
  // base after some swaps of vertices. There are three kinds of faces, with these functions:
  // - `swap<level>(body)` calls `body(amount)` if the vertices `level + 1` and `level + 2` must be
  //   swapped: everywhere (Always), or in lanes where the number `amount` is 1 and not 0;
  // - `with_sign(value)` is the value of a mode that is odd in the vertices 0 and 1, after the swap
  //   of these.
  struct Always
  {};

  /// A face known when the code is compiled.
  template <int face, typename T>
  struct FixedFace
  {
    template <int level, typename Body>
    SALTUS_HOST_DEVICE
    void
    swap(const Body &body) const
    {
      if constexpr (face <= level + 1)
        body(Always());
    }

    SALTUS_HOST_DEVICE
    T
    with_sign(const T &value) const
    {
      return face == 0 ? -value : value;
    }
  };

  /// A face that all lanes have in common.
  template <typename T>
  struct CommonFace
  {
    SALTUS_HOST_DEVICE
    explicit CommonFace(const int face)
      : face(face)
      , odd_modes((typename LaneWords<T>::Type{} + 1) * (face == 0 ? 1 : 0))
    {}

    template <int level, typename Body>
    SALTUS_HOST_DEVICE
    void
    swap(const Body &body) const
    {
      if (face <= level + 1)
        body(Always());
    }

    SALTUS_HOST_DEVICE
    T
    with_sign(const T &value) const
    {
      return flip_sign(value, odd_modes);
    }

    int         face;
    SignMask<T> odd_modes;
  };

  /// A face for each lane.
  template <int dim, typename T>
  struct LaneFaces
  {
    using Words = LaneWords<T>;

    /// The faces as the elements across count them.
    SALTUS_HOST_DEVICE
    explicit LaneFaces(const FaceCode<typename Words::Type> &code)
      : odd_modes(code.face_is_first())
    {
      static_for<dim - 1>([&](auto level) SALTUS_INLINE_LAMBDA {
        const auto swapped          = code.template face_is_at_most<decltype(level)::value + 1>();
        amounts[level.value]        = Words::numbers(swapped);
        in_some_thread[level.value] = any_thread(Words::in_some_lane(swapped));
      });
    }

    template <int level, typename Body>
    SALTUS_HOST_DEVICE
    void
    swap(const Body &body) const
    {
      if (in_some_thread[level])
        body(amounts[level]);
    }

    SALTUS_HOST_DEVICE
    T
    with_sign(const T &value) const
    {
      return flip_sign(value, odd_modes);
    }

    SignMask<T> odd_modes;
    T           amounts[dim - 1];
    bool        in_some_thread[dim - 1];
  };
} // namespace Saltus

#endif
