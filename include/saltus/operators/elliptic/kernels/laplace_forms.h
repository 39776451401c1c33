// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_laplace_forms_h
#define saltus_operators_elliptic_kernels_laplace_forms_h

#include <saltus/fe/simplex.h>
#include <saltus/operators/elliptic/kernels/sparse_laplace_element.h>

/// How the forms of the Laplace operator on simplices run on GPUs. Host code chooses among the
/// forms by their shared memory; the kernels take the same numbers.
namespace Saltus
{
  /// How the sparse form runs best.
  struct SparseLaunch
  {
    FaceLoop face_loop;
    int      min_blocks;       ///< of threads on a multiprocessor: bounds the registers of a thread
    bool     in_parts = false; ///< whether the faces have a kernel of their own
  };

  /// Measured on an H100, by degree. The instructions of unrolled code must fit into their cache,
  /// and the sums of a thread into its registers.
  template <int dim, typename Number>
  constexpr SparseLaunch
  sparse_launch(const int degree, const bool smooths)
  {
    constexpr auto unrolled = FaceLoop::unrolled, rolled = FaceLoop::rolled;
    // double precision, single precision, a step of the smoother
    constexpr SparseLaunch triangles[3][8]  = {{{unrolled, 8},
                                                {unrolled, 6},
                                                {rolled, 5},
                                                {rolled, 5},
                                                {rolled, 4},
                                                {rolled, 3},
                                                {rolled, 2},
                                                {rolled, 2}},
                                               {{unrolled, 12},
                                                {unrolled, 9},
                                                {unrolled, 7},
                                                {unrolled, 5},
                                                {unrolled, 4},
                                                {unrolled, 3},
                                                {rolled, 5},
                                                {rolled, 3}},
                                               {{unrolled, 8},
                                                {unrolled, 6},
                                                {unrolled, 4},
                                                {unrolled, 3},
                                                {rolled, 4},
                                                {rolled, 3},
                                                {rolled, 2},
                                                {rolled, 2}}};
    constexpr SparseLaunch tetrahedra[3][6] = {
      {{unrolled, 4}, {rolled, 4}, {rolled, 3}, {rolled, 2}, {rolled, 2, true}, {rolled, 2, true}},
      {{unrolled, 8}, {unrolled, 6}, {unrolled, 3}, {rolled, 4}, {rolled, 2}, {rolled, 2}},
      {{unrolled, 4}, {unrolled, 3}, {rolled, 3}, {rolled, 2}, {rolled, 2}, {rolled, 2}}};
    const int kind = smooths ? 2 : sizeof(Number) == sizeof(float) ? 1 : 0;
    if constexpr (dim == 2)
      return triangles[kind][degree - 1];
    else
      return tetrahedra[kind][degree - 1];
  }

  /// Whether there is a kernel for a step of the smoother. Levels of multigrid are in single
  /// precision; of many modes blocks are no work for one thread.
  template <int dim, typename Number>
  constexpr bool
  has_smoothing_kernel(const int degree)
  {
    return sizeof(Number) == sizeof(float) && Simplex<dim>::n_modes(degree) <= 28;
  }

  /// Threads of a block of the sparse form, one an element.
  constexpr int n_sparse_threads = 128;

  /// The modes that the sparse form copies to shared memory, see CopiedModes.
  struct SparseCopies
  {
    bool copies;       ///< those across
    bool keeps_own;    ///< if it copies
    int  shared_bytes; ///< of a block
  };

  template <int dim, typename Number>
  constexpr SparseCopies
  sparse_copies(const int degree, const bool smooths, const ElementPart part)
  {
    const SparseLaunch launch  = sparse_launch<dim, Number>(degree, smooths);
    const int          of_side = Simplex<dim>::n_modes(degree) * n_sparse_threads * sizeof(Number);
    // Whether a multiprocessor of the GPUs for which this was measured has the shared memory, of
    // which sums that are not in registers need some.
    const auto fits      = [&](const int bytes) { return launch.min_blocks * bytes <= 200 * 1024; };
    const bool keeps_own = fits(2 * of_side);
    const int  bytes     = (keeps_own ? 2 : 1) * of_side;
    const bool copies =
      launch.face_loop == FaceLoop::rolled && part != ElementPart::volume && fits(bytes);
    return {copies, keeps_own, copies ? bytes : 0};
  }

  /// Shared memory in bytes of a block of TensorVolume, which has degree 5 or 6.
  constexpr int
  tensor_volume_bytes(const int degree)
  {
    return degree == 5 ? 46592 : 97024;
  }

  struct TensorLaplaceLaunch
  {
    int n_sets;     ///< of 16 elements that a warp works on
    int n_warps;    ///< of a block
    int min_blocks; ///< on a multiprocessor: bounds the registers of a thread
    /// Batches of points that are worked on together, if the number of points is compiled in. The
    /// data of one batch come while another is worked on.
    int n_unrolled;
    /// Whether what is needed for a batch is read before the one before is worked on: by
    /// add_faces(), and by set_far_traces().
    bool reads_ahead, reads_far_ahead;

    /// Elements of a block.
    constexpr int
    n_elements() const
    {
      return 16 * n_sets * n_warps;
    }
  };

  /// Measured on an H200. A kernel that spills registers is slow, even with more warps.
  /// Larger blocks have fewer far faces.
  /// @param compiled whether the numbers of points are compiled in: if not, they may be larger, and
  /// the traces of as many elements would not fit
  template <int dim>
  constexpr TensorLaplaceLaunch
  tensor_laplace_launch(const int degree, const bool compiled)
  {
    constexpr int                 all           = 1000;
    constexpr TensorLaplaceLaunch triangles[]   = {{1, 4, 8, all, false, false},
                                                   {1, 4, 6, all, false, false},
                                                   {1, 4, 4, all, false, false},
                                                   {1, 4, 4, 2, false, false},
                                                   {1, 4, 3, 2, true, false},
                                                   {1, 4, 2, 3, true, false},
                                                   {1, 4, 2, 2, true, false},
                                                   {1, 4, 2, 2, false, false}},
                                  tetrahedra[]  = {{1, 4, 5, all, false, true},
                                                   {2, 4, 3, 2, false, true},
                                                   {1, 12, 1, 3, true, true},
                                                   {1, 4, 2, 4, true, true},
                                                   {1, 4, 1, 4, false, false},
                                                   {1, 2, 3, 1, false, false}},
                                  of_any_rule[] = {{1, 4, 4, 1, false, true},
                                                   {1, 4, 3, 1, true, true}};
    if constexpr (dim == 2)
      return triangles[degree - 1];
    else if (degree == 2 || degree == 3)
      return compiled ? tetrahedra[degree - 1] : of_any_rule[degree - 2];
    else
      return tetrahedra[degree - 1];
  }

  /// Distance of the points in the traces of @p n_elements, see TensorLaplace: the lanes of a
  /// quarter of a warp write to different banks.
  constexpr int
  tensor_laplace_stride(const int n_elements)
  {
    return n_elements + 2;
  }

  /// Shared memory in bytes of a block of TensorLaplace.
  /// @param n_face_points of a face
  template <int dim, typename Number>
  constexpr int
  tensor_laplace_bytes(const int degree, const bool compiled, const int n_face_points)
  {
    constexpr int n_faces = Simplex<dim>::n_faces, of_pair = 2 * sizeof(double);
    const int     n        = tensor_laplace_launch<dim>(degree, compiled).n_elements();
    const int     traces   = n_faces * n_face_points * tensor_laplace_stride(n) * of_pair;
    const int     of_block = n_faces * n * (sizeof(FaceRecord) + sizeof(Number)) +
                         n_faces * n_faces * n * sizeof(short) + n_faces * sizeof(int);
    const int permutations = 2 * Simplex<dim>::n_orientations * n_face_points * sizeof(FacePoint);
    return traces + of_pair + (of_block + of_pair - 1) / of_pair * of_pair + permutations;
  }

  /// How ThreadLaplace is launched.
  struct ThreadLaplaceLaunch
  {
    int  n_threads;     ///< of a block, which are its elements
    int  min_blocks;    ///< on a multiprocessor: bounds the registers of a thread
    int  n_far_threads; ///< that share the work on a far face
    bool unrolls;       ///< loops over points
    bool unrolls_far;   ///< those over the points of a far face
  };

  /// With the form at points of tetrahedra, or that of the maps of triangles. The former was
  /// measured on an H200: with more registers more is read ahead. The latter was on an H100: a
  /// kernel that spills registers is slow.
  template <int dim>
  constexpr ThreadLaplaceLaunch
  thread_laplace_launch(const int degree, const int map_degree)
  {
    if (dim == 3)
      return {320, 2, 1, true, true};
    if (degree == 1)
      return {128, 5, 2, true, false};
    if (map_degree == 2)
      return {256, 2, 3, true, false};
    if (degree == 2)
      return {128, 3, 3, true, false};
    return {192, 2, 2, true, false};
  }

  /// Shared memory in bytes of a block of ThreadLaplace, with the rules that it has compiled in.
  template <int dim, typename Number>
  constexpr int
  thread_laplace_bytes(const int degree, const int map_degree)
  {
    constexpr int n_faces   = Simplex<dim>::n_faces;
    const int     n         = thread_laplace_launch<dim>(degree, map_degree).n_threads;
    const int     nf        = Simplex<dim - 1>::n_quadrature_points(2 * degree);
    const int     of_points = 2 * n_faces * nf * n * sizeof(Number) + sizeof(FaceRecord);
    const int     of_far    = n_faces * n * sizeof(short) + sizeof(int);
    return of_points + n_faces * n * sizeof(FaceRecord) + (of_far + 7) / 8 * 8;
  }
} // namespace Saltus

#endif
