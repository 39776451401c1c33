// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_sparse_modal_rows_h
#define saltus_fe_sparse_modal_rows_h

namespace Saltus
{
  /// A matrix without its zeros. Rows with as many entries follow each other: where their number is
  /// known, a loop over them has no other branches.
  template <typename Number>
  struct SparseRows
  {
    /// Some of the rows.
    struct Part
    {
      int n_rows;
      int n_entries; ///< of each row
    };

    int           n_parts = 0;
    const Part   *parts   = nullptr;
    const int    *rows    = nullptr; ///< numbers of the rows, in their order here
    const int    *columns = nullptr; ///< of the entries, row by row
    const Number *entries = nullptr;
  };

  /// A symmetric matrix of full blocks on the diagonal, each of which takes some modes to the same
  /// modes. Blocks of a size follow each other.
  template <typename Number>
  struct SymmetricBlocks
  {
    /// Some of the blocks.
    struct Part
    {
      int n_blocks;
      int size; ///< of each: modes
    };

    int           n_parts = 0;
    const Part   *parts   = nullptr;
    const int    *modes   = nullptr; ///< block by block
    const Number *entries = nullptr; ///< block by block
  };

  /// Numbers of some modes.
  struct ModeNumbers
  {
    int        n       = 0;
    const int *numbers = nullptr;
  };

  /// The matrices of SparseModalTables, each of which acts on all modes of an element or of a face,
  /// for loops whose bounds are known when the program runs.
  template <int dim, typename Number>
  struct SparseModalRows
  {
    static constexpr int face_dim = dim - 1;

    int n_modes, n_face_modes;
    int n_lower_modes; ///< of one degree less

    SparseRows<Number> derivative[dim]; ///< DerivativeMatrix: lower modes from modes
    /// The transposed of all of them, from `[direction][lower mode]`.
    SparseRows<Number> divergence;

    SymmetricBlocks<Number> swap[dim - 1]; ///< of the vertices `level + 1` and `level + 2`
    SymmetricBlocks<Number> face_swap;     ///< the same of a face's vertices 1 and 2, in 3D
    ModeNumbers             odd, face_odd; ///< a swap of the vertices 0 and 1 changes their sign

    /// On the base: modes of the face from modes, with the same columns.
    SparseRows<Number> trace, slope;
    /// The same by mode: the face's mode, and the entries.
    const int    *on_face;
    const Number *trace_of_mode, *slope_of_mode;

    SparseRows<Number> radial;                    ///< RadialMatrix of a face
    SparseRows<Number> face_derivative[face_dim]; ///< DerivativeMatrix of a face
    SparseRows<Number> symmetric_radial;          ///< plus the transposed
    SparseRows<Number> symmetric_derivative[face_dim];
  };

  /// Those of a degree for which there are SparseModalTables; made once and kept.
  template <int dim, typename Number>
  const SparseModalRows<dim, Number> &
  sparse_modal_rows(const int degree);
} // namespace Saltus

#endif
