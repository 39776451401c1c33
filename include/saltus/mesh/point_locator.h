// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_point_locator_h
#define saltus_mesh_point_locator_h

#include <deal.II/base/point.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/element_map.h>

#include <array>
#include <memory>
#include <vector>

namespace Saltus
{
  /// Finds the cell of a mesh of one shape, straight or curved, in which a point lies, in
  /// logarithmic time.
  template <int dim>
  class PointLocator
  {
  public:
    using Simplex = std::array<dealii::Point<dim>, dim + 1>;

    /// What counts as rounding, see Place::outside.
    static constexpr double tolerance = 1e-8;

    using Maps = std::vector<ElementMap<dim>>;

    /// @param simplices of hypercubes, those of a vertex and the ones at the other ends of its
    /// lines
    /// @param maps empty if all are straight simplices
    explicit PointLocator(
      const std::vector<Simplex>  &simplices,
      const Maps                  &maps = {},
      const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

    using Cells = std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>;

    /// Cells of a mesh, counted in this order, as @p mapping maps them.
    PointLocator(const dealii::Mapping<dim> &mapping, const Cells &cells);

    /// The active cells that this rank owns, in the order of the triangulation.
    PointLocator(const dealii::Mapping<dim>       &mapping,
                 const dealii::Triangulation<dim> &triangulation);

    /// The same cells as their vertices span them.
    explicit PointLocator(const dealii::Triangulation<dim> &triangulation);

    ~PointLocator();

    struct Place
    {
      unsigned int       simplex;    ///< number of the cell
      dealii::Point<dim> unit_point; ///< in coordinates of the reference cell
      /// How far outside the point lies: minus the smallest barycentric coordinate, of hypercubes
      /// minus that of the coordinates and of 1 less them; 0 inside. Huge if a curved cell has no
      /// such coordinates, which only happens far from it.
      double outside;

      /// Whether the point lies in the simplex, up to rounding.
      bool
      inside() const
      {
        return outside < tolerance;
      }
    };

    /// The simplex with @p point: where it lies in several the one with the smallest
    /// Place::outside, the first of these; for a point outside all of them, one of the nearest.
    /// @throws dealii::ExcMessage if there is no simplex
    Place
    find(const dealii::Point<dim> &point) const;

  private:
    struct Tree;

    /// @param is_hypercube `[simplex]`
    PointLocator(const std::vector<Simplex> &simplices,
                 const Maps                 &maps,
                 const std::vector<bool>    &is_hypercube);

    Place
    place(const unsigned int simplex, const dealii::Point<dim> &point) const;

    /// Coordinates of a point in a curved simplex, by Newton's method; infinite if there are none.
    dealii::Point<dim>
    in_curved(const unsigned int        simplex,
              const dealii::Point<dim> &point,
              const dealii::Point<dim> &guess) const;

    std::vector<Simplex>        simplices;
    Maps                        maps;
    std::vector<bool>           is_hypercube;
    std::unique_ptr<const Tree> tree; ///< of bounding boxes
  };
} // namespace Saltus

#endif
