// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_boundary_quantities_h
#define saltus_io_results_boundary_quantities_h

#include <deal.II/fe/fe_values.h>

#include <saltus/io/functions/quantities.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

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
    dealii::Point<dim>     position;
    dealii::Tensor<1, dim> normal;     ///< unit, out of the domain
    std::vector<double>    quantities; ///< of the inner side
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
  };


  /// Fluxes of the scheme through boundary faces.
  template <int dim>
  class FluxesThroughFaces
  {
  public:
    /// @throws dealii::ExcMessage naming @p entry if the space does not know them
    FluxesThroughFaces(const SolutionSpace<dim>            &space,
                       const std::vector<SurfaceFace<dim>> &faces,
                       const std::string                   &entry);

    /// Degree of the rule in of_second_order().
    unsigned int
    degree() const
    {
      return space.scheme->degree();
    }

    /// At the points where first-order fluxes are integrated: pressure, shear, volume.
    SurfaceFluxes<dim>
    of_first_order(const double time) const
    {
      return of_scheme(time, false);
    }

    /// At the points where second-order fluxes are integrated: friction, heat. The other numbers
    /// are there, too, but their sums differ from those that the scheme has.
    /// @param first those of_first_order(), which are returned if the rules are the same
    SurfaceFluxes<dim>
    of_second_order(const double time, const SurfaceFluxes<dim> &first) const;

  private:
    SurfaceFluxes<dim>
    of_scheme(const double time, const bool for_second_order_fluxes) const;

    const SolutionSpace<dim>            &space;
    const std::vector<SurfaceFace<dim>>  faces;
    std::set<dealii::types::boundary_id> ids;
    std::map<std::pair<unsigned int, unsigned int>, std::size_t>
      numbers; ///< of the faces by index of the cell and number of the face in it
  };


  /// Shape of all faces of a mesh: cells of several shapes have lines in common.
  template <int dim>
  dealii::ReferenceCell
  face_shape(const SolutionSpace<dim> &space);

  /// Rule on all faces of a mesh, of the degree @p degree.
  template <int dim>
  dealii::Quadrature<dim - 1>
  face_quadrature(const SolutionSpace<dim> &space, const unsigned int degree);
} // namespace Saltus

#endif
