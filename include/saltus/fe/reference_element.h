// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_reference_element_h
#define saltus_fe_reference_element_h

#include <deal.II/base/quadrature.h>
#include <deal.II/base/tensor.h>

#include <saltus/fe/basis.h>
#include <saltus/fe/cell_shape.h>
#include <saltus/fe/simplex.h>

#include <vector>

namespace Saltus
{
  /// The smallest Witherden-Vincent rule on the reference simplex (Gauss rule in 1D) that
  /// integrates polynomials of total degree @p degree exactly. Its points are symmetric: a
  /// permutation of the vertices permutes the points. Beyond the degree max_symmetric_degree() it
  /// is tetrahedron_rule_of_degree_12() as far as that goes, then a collapsed Gauss rule, which is
  /// larger and not symmetric.
  template <int dim>
  dealii::Quadrature<dim>
  simplex_quadrature(const unsigned int degree);

  /// simplex_quadrature(), or on hypercubes Gauss's rule, of the degree in each direction.
  template <int dim>
  dealii::Quadrature<dim>
  cell_quadrature(const dealii::ReferenceCell &cell, const unsigned int degree);

  /// The largest degree that Witherden-Vincent rules integrate exactly.
  template <int dim>
  unsigned int
  max_symmetric_degree();

  /// A cell's shape with the basis of one degree at the points of quadrature rules:
  /// everything about an element that does not depend on the mesh.
  template <int dim>
  class ReferenceElement : public CellShape<dim>
  {
  public:
    /// @param degree of the basis
    /// @param volume_degree,face_degree polynomial degrees that the quadrature rules integrate
    /// exactly, at least
    /// @param cell of whose shape it is
    /// @throws dealii::ExcMessage for a face degree beyond max_symmetric_degree(), on simplices:
    /// the two sides of a face must see the same points
    ReferenceElement(
      const unsigned int           degree,
      const unsigned int           volume_degree,
      const unsigned int           face_degree,
      const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

    unsigned int degree;
    unsigned int volume_degree, face_degree; ///< that the rules integrate exactly
    Basis<dim>   basis;
    unsigned int n_modes;

    std::vector<dealii::Point<dim>> volume_points;    ///< `[q]`
    std::vector<double>             volume_weights;   ///< `[q]`, sum: volume of the reference cell
    std::vector<double>             volume_values;    ///< `[q][m]`
    std::vector<double>             volume_gradients; ///< `[q][r][m]`

    std::vector<dealii::Point<dim>> face_points;    ///< `[f][q]`, in the cell's coordinates
    std::vector<double>             face_weights;   ///< `[q]`, sum 1
    std::vector<double>             face_values;    ///< `[f][q][m]`
    std::vector<double>             face_gradients; ///< `[f][q][r][m]`
    std::vector<double>             vertex_values;  ///< `[v][m]`
    /// `[o][q]`: number of point q seen from the neighbour whose face has orientation o.
    std::vector<FacePoint> face_permutations;

    unsigned int
    n_volume_points() const
    {
      return volume_weights.size();
    }

    unsigned int
    n_face_points() const
    {
      return face_weights.size();
    }

  private:
    void
    set_up_volume();

    void
    set_up_faces();
  };
} // namespace Saltus

#endif
