// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_polytopic_mesh_h
#define saltus_mesh_agglomerate_polytopic_mesh_h

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <saltus/base/algebra/ghost_elements.h>
#include <saltus/base/device/mirrored_array.h>
#include <saltus/base/device/shared_cache.h>
#include <saltus/mesh/agglomerate/agglomeration.h>
#include <saltus/mesh/agglomerate/array_part.h>

#include <memory>
#include <mutex>
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


  /// The numbers of boxes one after the other, as kernels want them: `[box]`, centre and rows of
  /// \f$J\f$.
  template <int dim>
  std::vector<double>
  box_numbers(const std::vector<ElementBox<dim>> &boxes);


  /// How the boxes of elements lie.
  enum class BoxAxes
  {
    parallel, ///< to the coordinates
    principal ///< along the principal axes of the element's vertices: smaller for oblique elements
  };


  /// Polytopic elements, their parts and how they meet.
  ///
  /// An element consists of cells of a deal.II mesh of any shapes; its interface with another one
  /// is a set of faces of cells, or parts of such faces where nodes hang.
  ///
  /// On a mesh that is spread over ranks each counts its own elements from 0, and behind them its
  /// ghosts: elements of other ranks across their facets, of which it knows box and volume. Among
  /// those of all ranks the numbers of a rank's elements follow those of the ranks before.
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

    /// Collective.
    /// @param mapping and the triangulation must live as long, unchanged
    /// @throws dealii::ExcMessage for an agglomeration that Agglomeration::check() rejects, and for
    /// cells that check_cells() rejects
    PolytopicMesh(const dealii::Mapping<dim> &mapping,
                  const Agglomeration<dim>   &agglomeration,
                  const BoxAxes               axes = BoxAxes::parallel);

    /// Other elements of the cells of @p mesh, which are shared and not checked again. Collective.
    /// @throws dealii::ExcMessage for an agglomeration that Agglomeration::check() rejects
    PolytopicMesh(const PolytopicMesh &mesh, const Agglomeration<dim> &agglomeration);

    /// Of this rank.
    unsigned int
    n_elements() const
    {
      return agglomeration.n_elements();
    }

    /// Of this rank, and its ghosts.
    unsigned int
    n_known_elements() const
    {
      return boxes.size();
    }

    /// Of all ranks.
    std::size_t
    n_global_elements() const
    {
      return ghost_elements ? ghost_elements->partition->n_global_elements : n_elements();
    }

    /// Number of this rank's first one among those of all ranks.
    std::size_t
    first_element() const
    {
      return ghost_elements ? ghost_elements->partition->first_element : 0;
    }

    /// None on one rank.
    const std::shared_ptr<const GhostElements> &
    ghosts() const
    {
      return ghost_elements;
    }

    /// The active cells that an element of this rank consists of, by their indices; of a ghost
    /// those across facets.
    ArrayPart<unsigned int>
    cells(const unsigned int element) const
    {
      return part(cell_numbers, cell_starts, element);
    }

    /// The boundary of an element of this rank, ordered by neighbours: those at the boundary of the
    /// mesh come last. They are found when somebody first asks, as not everybody does.
    ArrayPart<Facet>
    facets(const unsigned int element) const
    {
      std::call_once(boundaries->found, [this]() { find_facets(); });
      return part(boundaries->all, boundaries->starts, element);
    }

    /// Also of ghosts.
    const ElementBox<dim> &
    box(const unsigned int element) const
    {
      return boxes[element];
    }

    /// Of all these, see Saltus::box_numbers().
    const MirroredArray<double> &
    box_numbers() const
    {
      return numbers_of_boxes;
    }

    /// The mean of a cell's vertices.
    dealii::Point<dim>
    cell_center(const unsigned int cell) const;

    /// Of an active cell by its index, that of a ghost included.
    double
    cell_volume(const unsigned int cell) const
    {
      return shared_cells->volumes[cell];
    }

    /// Also of ghosts.
    double
    volume(const unsigned int element) const
    {
      return volumes[element];
    }

    /// An active cell by its index.
    const Cell &
    cell(const unsigned int index) const
    {
      return shared_cells->active[index];
    }

    /// @param cell index of an active one; of other ranks only those across facets have an element
    unsigned int
    element_of(const unsigned int cell) const
    {
      return elements[cell];
    }

    /// Whether an active cell belongs to an element of this rank or to a ghost.
    bool
    is_known(const unsigned int cell) const
    {
      return elements[cell] != no_element;
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

    const SharedCache cache; ///< what those who use the mesh share

  private:
    template <typename T>
    static ArrayPart<T>
    part(const std::vector<T> &values, const std::vector<std::size_t> &starts, const unsigned int i)
    {
      return {values.data() + starts[i], values.data() + starts[i + 1]};
    }

    /// Data of the cells, which all meshes of these cells share.
    struct Cells
    {
      std::vector<Cell>   active;
      std::vector<double> volumes; ///< `[active cell]`, of this rank and ghosts
    };

    PolytopicMesh(const dealii::Mapping<dim>         &mapping,
                  const Agglomeration<dim>           &agglomeration,
                  const BoxAxes                       axes,
                  const std::shared_ptr<const Cells> &cells);

    static std::shared_ptr<const Cells>
    make_cells(const dealii::Triangulation<dim> &triangulation);

    void
    sort_cells();

    /// Number the elements of other ranks' cells across faces. Collective.
    void
    find_ghosts();

    void
    find_facets() const;

    /// Of two cells with a common face, whether the first gives its points: on all ranks the same.
    bool
    comes_first(const unsigned int cell, const unsigned int other) const;

    /// Append what of a face of a cell is at the boundary of its element.
    void
    add_facets(std::vector<Facet> &facets, const unsigned int cell, const unsigned int face) const;

    void
    find_boxes();

    void
    add_boxes_of_ghosts();

    struct Facets
    {
      std::once_flag           found;
      std::vector<std::size_t> starts;
      std::vector<Facet>       all;
    };

    const dealii::Mapping<dim> *map;
    Agglomeration<dim>          agglomeration;
    BoxAxes                     box_axes;
    std::vector<unsigned int>   elements; ///< `[active cell]`

    std::shared_ptr<const Cells> shared_cells;

    std::shared_ptr<const GhostElements> ghost_elements;

    std::shared_ptr<Facets> boundaries = std::make_shared<Facets>();

    std::vector<std::size_t>     cell_starts;
    std::vector<unsigned int>    cell_numbers;
    std::vector<double>          volumes;
    std::vector<ElementBox<dim>> boxes;
    MirroredArray<double>        numbers_of_boxes;
  };
} // namespace Saltus

#endif
