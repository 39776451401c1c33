// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_ghost_arrays_h
#define saltus_operators_spaces_ghost_arrays_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/ranks/peer_memory.h>

/// What the ranks of a mesh send each other about the elements at the faces that they share, as
/// kernels see it: numbers that determine a polynomial as far as the face needs it. They are
/// coefficients in an orthonormal basis of its part that matters; that the basis is orthonormal
/// makes the matrix that unpacks the transpose of the one that packs.
namespace Saltus
{
  template <typename Number>
  struct GhostArrays
  {
    int n_ghosts    = 0;
    int first_ghost = 0;
    int n_numbers   = 0; ///< of each component that travel

    CoefficientLayout layout; ///< of the vector

    const int    *elements     = nullptr; ///< `[i]`: of which ghost i's owner needs something
    const int    *to_pack      = nullptr; ///< `[i]`: number of the matrix
    const int    *to_unpack    = nullptr; ///< `[i]`
    const Number *matrices     = nullptr; ///< `[matrix][k][m]`
    Number       *sent         = nullptr; ///< `[i][k][c]`
    const Number *received     = nullptr; ///< `[i][k][c]`
    Number       *coefficients = nullptr; ///< of a vector

    /// Messages of parts of `sent` and `received`, if kernels are to send and receive themselves.
    CudaRuntime::PeerTraffic peers;
  };

  /// Number @p k of ghost @p i, as its owner needs it of this rank's element.
  template <typename Number>
  SALTUS_HOST_DEVICE
  void
  pack(const GhostArrays<Number> &arg, const int i, const int k)
  {
    const CoefficientLayout &layout = arg.layout;
    const Number            *row =
      arg.matrices +
      (static_cast<std::size_t>(arg.to_pack[i]) * arg.n_numbers + k) * layout.n_modes;
    for (int c = 0; c < layout.n_components; ++c)
      {
        Number sum = 0;
        for (int m = 0; m < layout.n_modes; ++m)
          sum += row[m] * arg.coefficients[layout.index(arg.elements[i], m, c)];
        arg.sent[(static_cast<std::size_t>(i) * arg.n_numbers + k) * layout.n_components + c] = sum;
      }
  }

  /// Mode @p m of ghost @p i.
  template <typename Number>
  SALTUS_HOST_DEVICE
  void
  unpack(const GhostArrays<Number> &arg, const int i, const int m)
  {
    const CoefficientLayout &layout = arg.layout;
    const Number            *matrix =
      arg.matrices + static_cast<std::size_t>(arg.to_unpack[i]) * arg.n_numbers * layout.n_modes;
    const Number *values =
      arg.received + static_cast<std::size_t>(i) * arg.n_numbers * layout.n_components;
    for (int c = 0; c < layout.n_components; ++c)
      {
        Number sum = 0;
        for (int k = 0; k < arg.n_numbers; ++k)
          sum += matrix[k * layout.n_modes + m] * values[k * layout.n_components + c];
        arg.coefficients[layout.index(arg.first_ghost + i, m, c)] = sum;
      }
  }

  /// Both as work for launch(), for all numbers or modes of all ghosts.
  template <typename Number>
  struct PackGhosts
  {
    GhostArrays<Number> arg;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      pack(arg, i / arg.n_numbers, i % arg.n_numbers);
    }
  };

  template <typename Number>
  struct UnpackGhosts
  {
    GhostArrays<Number> arg;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      unpack(arg, i / arg.layout.n_modes, i % arg.layout.n_modes);
    }
  };
} // namespace Saltus

#endif
