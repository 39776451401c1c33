// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_boundary_quantities_h
#define saltus_io_results_boundary_quantities_h

#include <deal.II/fe/fe_values.h>

#include <saltus/io/functions/quantities.h>

#include <memory>
#include <set>

namespace Saltus
{
  /// A face of a chosen part of the boundary, seen from its cell.
  template <int dim>
  struct SurfaceFace
  {
    typename SolutionSpace<dim>::Cell cell;
    unsigned int                      face;
    dealii::types::global_dof_index   number; ///< of the cell, see cell_numbers()

    dealii::types::boundary_id
    id() const
    {
      return cell->face(face)->boundary_id();
    }
  };


  /// The active faces of this rank's cells with one of @p ids, in the order of
  /// SolutionSpace::cells. Collective.
  /// @throws dealii::ExcMessage naming @p entry and the first id that the mesh does not have
  template <int dim>
  std::vector<SurfaceFace<dim>>
  surface_faces(const SolutionSpace<dim>                   &space,
                const std::set<dealii::types::boundary_id> &ids,
                const std::string                          &entry);


  /// What is known at one point of a boundary face.
  template <int dim>
  struct BoundaryPoint
  {
    dealii::Point<dim>     point;
    dealii::Tensor<1, dim> normal;     ///< unit, out of the domain
    double                 weight;     ///< of the quadrature, times the area element
    std::vector<double>    quantities; ///< of the inner side
    dealii::Tensor<1, dim> friction;   ///< \f$ \tau n \f$ with the viscous stress, if there is any
    double                 heat_flux;  ///< \f$ -k \nabla T \cdot n \f$, if heat is conducted
  };


  /// The quantities of a solution at the same points of the reference face on many faces.
  template <int dim>
  class BoundaryQuantities
  {
  public:
    BoundaryQuantities(const SolutionSpace<dim>          &space,
                       const dealii::Quadrature<dim - 1> &quadrature);

    /// `[point]`
    std::vector<BoundaryPoint<dim>>
    evaluate(const SurfaceFace<dim> &face, const SolutionVector &solution);

  private:
    const SolutionSpace<dim>                           &space;
    ByShape<std::unique_ptr<dealii::FEFaceValues<dim>>> of_shapes;
    std::vector<dealii::Vector<double>>                 values;
    std::vector<std::vector<dealii::Tensor<1, dim>>>    gradients; ///< where fluxes need them
  };
} // namespace Saltus

#endif
