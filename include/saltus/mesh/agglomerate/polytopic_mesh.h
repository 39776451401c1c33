// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_polytopic_mesh_h
#define saltus_mesh_agglomerate_polytopic_mesh_h

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <saltus/mesh/agglomerate/agglomeration.h>
#include <saltus/mesh/agglomerate/array_part.h>

#include <vector>

namespace Saltus
{
  /// The box in which an element has its polynomials: \f$\xi = J (x - x_0)\f$ lies in
  /// \f$[-1,1]^{dim}\f$ for the element's vertices.
  template <int dim>
  struct ElementBox
  {
    dealii::Point<dim>     center;
    dealii::Tensor<2, dim> to_reference; ///< J

    dealii::Point<dim>
    reference_point(const dealii::Point<dim> &x) const
    {
      return dealii::Point<dim>(to_reference * (x - center));
    }

    double
    volume() const
    {
      return (1 << dim) / dealii::determinant(to_reference);
    }
  };


  /// How the boxes of elements lie.
  enum class BoxAxes
  {
    parallel, ///< to the coordinates
    principal ///< along the principal axes of the element's vertices: smaller for oblique elements
  };


  /// Polytopic elements, their parts and how they meet.
  ///
  /// An element consists of cells of a deal.II mesh of any shapes; its interface with another one
  /// is a set of faces of cells, or parts of such faces where nodes hang. All on one rank.
  template <int dim>
  class PolytopicMesh
  {
  public:
    using Cell = typename dealii::Triangulation<dim>::active_cell_iterator;

    static constexpr unsigned int no_element = Agglomeration<dim>::no_element;

    /// A piece of an element's boundary, as the element sees it.
    struct Facet
    {
      unsigned int               cell;     ///< whose face it is
      unsigned int               face;     ///< number of the face
      bool                       outward;  ///< whether that cell is the element's own
      unsigned int               neighbor; ///< element across; no_element: boundary
      dealii::types::boundary_id boundary_id;
      unsigned int               inside, outside; ///< the cells that meet there
    };

    /// @param mapping and the triangulation must live as long, unchanged
    /// @throws dealii::ExcMessage for an agglomeration that Agglomeration::check() refuses, and
    /// for meshes that are spread over several ranks
    PolytopicMesh(const dealii::Mapping<dim> &mapping,
                  const Agglomeration<dim>   &agglomeration,
                  const BoxAxes               axes = BoxAxes::parallel);

    unsigned int
    n_elements() const
    {
      return boxes.size();
    }

    /// The active cells that an element consists of, by their indices.
    ArrayPart<unsigned int>
    cells(const unsigned int element) const
    {
      return part(cell_numbers, cell_starts, element);
    }

    /// Its boundary, ordered by neighbours: those at the boundary of the mesh come last.
    ArrayPart<Facet>
    facets(const unsigned int element) const
    {
      return part(all_facets, facet_starts, element);
    }

    const ElementBox<dim> &
    box(const unsigned int element) const
    {
      return boxes[element];
    }

    /// The mean of a cell's vertices.
    dealii::Point<dim>
    cell_center(const unsigned int cell) const;

    /// Of an active cell by its index.
    double
    cell_volume(const unsigned int cell) const
    {
      return cell_volumes[cell];
    }

    double
    volume(const unsigned int element) const
    {
      return volumes[element];
    }

    /// An active cell by its index.
    const Cell &
    cell(const unsigned int index) const
    {
      return active_cells[index];
    }

    unsigned int
    element_of(const unsigned int cell) const
    {
      return agglomeration.elements()[cell];
    }

    const Agglomeration<dim> &
    cells_of_elements() const
    {
      return agglomeration;
    }

    BoxAxes
    axes() const
    {
      return box_axes;
    }

    const dealii::Mapping<dim> &
    mapping() const
    {
      return *map;
    }

    const dealii::Triangulation<dim> &
    triangulation() const
    {
      return agglomeration.triangulation();
    }

  private:
    template <typename T>
    static ArrayPart<T>
    part(const std::vector<T> &values, const std::vector<std::size_t> &starts, const unsigned int i)
    {
      return {values.data() + starts[i], values.data() + starts[i + 1]};
    }

    void
    sort_cells();

    void
    find_facets();

    /// Append what of a face of a cell is at the boundary of its element.
    void
    add_facets(std::vector<Facet> &facets, const unsigned int cell, const unsigned int face) const;

    void
    measure();

    void
    find_boxes();

    const dealii::Mapping<dim> *map;
    Agglomeration<dim>          agglomeration;
    BoxAxes                     box_axes;
    std::vector<Cell>           active_cells;

    std::vector<std::size_t>     cell_starts, facet_starts;
    std::vector<unsigned int>    cell_numbers;
    std::vector<Facet>           all_facets;
    std::vector<double>          cell_volumes, volumes;
    std::vector<ElementBox<dim>> boxes;
  };
} // namespace Saltus

#endif
