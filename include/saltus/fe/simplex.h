// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_simplex_h
#define saltus_fe_simplex_h

namespace Saltus
{
  /// Number of a point on a face.
  using FacePoint = unsigned short;

  /// Points of simplex_quadrature() for the polynomial degrees from 0 on, as far as kernels are
  /// compiled for them.
  constexpr int triangle_quadrature_sizes[] =
    {1, 1, 3, 6, 6, 7, 12, 15, 16, 19, 25, 28, 33, 37, 42};
  constexpr int tetrahedron_quadrature_sizes[] = {1, 1, 4, 8, 14, 14, 24, 35, 46, 59, 81};

  /// What kernels that are compiled for triangles or tetrahedra know of them: numbers that others
  /// take from CellShape and ReferenceElement when the program runs.
  template <int dim>
  struct Simplex
  {
    static constexpr int n_vertices      = dim + 1;
    static constexpr int n_faces         = dim + 1;
    static constexpr int n_vertex_pairs  = dim * (dim + 1) / 2;
    static constexpr int n_face_vertices = dim;
    static constexpr int n_orientations  = dim == 2 ? 2 : 6; ///< permutations of a face's vertices

    /// Dimension of the polynomials up to a degree.
    static constexpr int
    n_modes(const int degree)
    {
      int n = 1;
      for (int d = 1; d <= dim; ++d)
        n = n * (degree + d) / d;
      return n;
    }

    /// Number of points of the rule that integrates polynomials of @p degree exactly; 0 where it is
    /// not known here.
    static constexpr int
    n_quadrature_points(const int degree)
    {
      constexpr int n = dim == 2 ? sizeof(triangle_quadrature_sizes) / sizeof(int)
                                 : sizeof(tetrahedron_quadrature_sizes) / sizeof(int);
      if (dim == 1)
        return degree / 2 + 1;
      if (degree >= n)
        return 0;
      return dim == 2 ? triangle_quadrature_sizes[degree] : tetrahedron_quadrature_sizes[degree];
    }
  };
} // namespace Saltus

#endif
