// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_vertex_permutation_h
#define saltus_fe_vertex_permutation_h

#include <deal.II/base/point.h>
#include <deal.II/grid/reference_cell.h>

#include <array>
#include <vector>

/// Simplices whose vertices have another order than in deal.II's cell.
namespace Saltus
{
  /// Vertex `v` of the element is vertex `permutation[v]` of the cell.
  template <int dim>
  using VertexPermutation = std::array<unsigned char, dim + 1>;

  template <int dim>
  VertexPermutation<dim>
  identity_permutation()
  {
    VertexPermutation<dim> permutation;
    for (unsigned int v = 0; v <= dim; ++v)
      permutation[v] = v;
    return permutation;
  }

  /// 1 for an even permutation, -1 for an odd one, which makes the element a mirror image of the
  /// cell.
  template <int dim>
  int
  permutation_sign(const VertexPermutation<dim> &permutation)
  {
    int sign = 1;
    for (unsigned int v = 0; v <= dim; ++v)
      for (unsigned int w = 0; w < v; ++w)
        if (permutation[w] > permutation[v])
          sign = -sign;
    return sign;
  }

  /// Coordinates in the cell of the point with the coordinates @p point in the element.
  template <int dim>
  dealii::Point<dim>
  to_cell(const VertexPermutation<dim> &permutation, const dealii::Point<dim> &point)
  {
    double             of_first = 1.; // the barycentric coordinate of vertex 0
    dealii::Point<dim> result;
    const auto         set = [&](const unsigned int v, const double barycentric) {
      if (permutation[v] > 0)
        result[permutation[v] - 1] = barycentric;
    };
    for (unsigned int d = 0; d < dim; ++d)
      {
        set(d + 1, point[d]);
        of_first -= point[d];
      }
    set(0, of_first);
    return result;
  }

  /// How the coefficients of a polynomial in the modal basis depend on the order of the vertices.
  ///
  /// The map between the two reference cells leaves their volume as it is and polynomials of each
  /// degree among themselves. So for every permutation there is an orthogonal matrix,
  /// \f$ B_{mn} = \int \phi_m(\hat x_\text{cell})\,\phi_n(\hat x_\text{element}) \f$, that consists
  /// of a block for each total degree.
  class ModePermutations
  {
  public:
    ModePermutations() = default;

    /// Of the polynomials of a degree on a cell. Hypercubes know the identity only.
    template <int dim>
    static ModePermutations
    make(const dealii::ReferenceCell &cell, const unsigned int degree);

    /// Number of a permutation; 0 is the identity.
    template <int dim>
    static unsigned char
    code(const VertexPermutation<dim> &permutation);

    /// `to = B from`: from the coefficients in the element to those in the cell, of several
    /// polynomials at once.
    /// @param from,to `[m][i]`
    /// @param n number of polynomials i
    void
    to_cell(const unsigned char code, const unsigned int n, const double *from, double *to) const
    {
      multiply(code, n, from, to, n_modes(), 1);
    }

    /// `to = B^T from`, the way back.
    void
    to_element(const unsigned char code, const unsigned int n, const double *from, double *to) const
    {
      multiply(code, n, from, to, 1, n_modes());
    }

    unsigned int
    n_modes() const
    {
      return first_modes.back();
    }

  private:
    /// @param row,column strides of the matrix
    void
    multiply(const unsigned char code,
             const unsigned int  n,
             const double       *from,
             double             *to,
             const unsigned int  row,
             const unsigned int  column) const;

    std::vector<unsigned int>        first_modes; ///< of each degree, then the number of modes
    std::vector<std::vector<double>> matrices;    ///< `[code][m][n]`
  };
} // namespace Saltus

#endif
