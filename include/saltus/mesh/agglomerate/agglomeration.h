// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_agglomeration_h
#define saltus_mesh_agglomerate_agglomeration_h

#include <deal.II/grid/tria.h>

#include <saltus/mesh/agglomerate/cell_graph.h>

#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// Which cells of a mesh make up which polytopic element: each active cell belongs to one, whose
  /// cells are connected through faces.
  ///
  /// Elements can be given one by one, as to deal.II's AgglomerationHandler, or by the functions
  /// below.
  ///
  /// On a mesh that is spread over ranks each has elements of its own cells, which it counts from
  /// 0, and all call the functions below and check() together.
  template <int dim>
  class Agglomeration
  {
  public:
    using Cell = typename dealii::Triangulation<dim>::active_cell_iterator;

    static constexpr unsigned int no_element = static_cast<unsigned int>(-1);

    /// No cell has an element yet.
    /// @param triangulation must live as long, unchanged
    explicit Agglomeration(const dealii::Triangulation<dim> &triangulation);

    /// @param elements `[active cell index]`: the number of the element of each cell; no_element
    /// for those of other ranks
    /// @throws dealii::ExcMessage as check() does
    Agglomeration(const dealii::Triangulation<dim> &triangulation,
                  std::vector<unsigned int>         elements);

    /// The same without a check, for elements that are known to be valid.
    /// @param graph of the elements of this rank, see graph()
    Agglomeration(const dealii::Triangulation<dim>       &triangulation,
                  std::vector<unsigned int>               elements,
                  const std::shared_ptr<const CellGraph> &graph);

    /// The next element of this rank consists of these cells.
    /// @return its number
    /// @throws dealii::ExcMessage for no cells, and for a cell that has an element already; for
    /// cells of other ranks check() does, so that all ranks stop
    unsigned int
    define_agglomerate(const std::vector<Cell> &cells);

    /// Collective. Valid elements are checked once.
    /// @throws dealii::ExcMessage on all ranks that names the first cell without an element, number
    /// without cells, element with a cell of another rank, or element whose cells are not connected
    /// through faces
    void
    check() const;

    /// Elements of this rank as nodes, with edges between those that have a face in common.
    /// Neighbors have ascending numbers.
    /// Collective.
    /// @throws dealii::ExcMessage as check() does
    const CellGraph &
    graph() const;

    const dealii::Triangulation<dim> &
    triangulation() const
    {
      return *tria;
    }

    /// Of this rank.
    unsigned int
    n_elements() const
    {
      return n;
    }

    /// `[active cell index]`
    const std::vector<unsigned int> &
    elements() const
    {
      return element_of_cell;
    }

  private:
    /// @return graph()
    /// @throws dealii::ExcMessage that names the mistake of this rank
    CellGraph
    check_own() const;

    const dealii::Triangulation<dim> *tria;
    std::vector<unsigned int>         element_of_cell;
    unsigned int                      n = 0;

    mutable std::shared_ptr<const CellGraph> neighbors; ///< nullptr before check()
  };


  /// Every cell is an element.
  template <int dim>
  Agglomeration<dim>
  agglomerate_none(const dealii::Triangulation<dim> &triangulation);

  /// How cells or elements are put together.
  enum class Grouping
  {
    metis, ///< in equal parts with short interfaces, by METIS through deal.II
    boxes, ///< by a tree of boxes: each is halved across its longest extent, with as many centres
           ///< on one side as on the other, as an R-tree is packed
    couplings ///< in pairs of the most strongly coupled, and pairs of pairs, see
              ///< pair_by_couplings(); what is divided is divided by boxes
  };

  /// About @p n_elements elements of equally many cells, on each rank. Small pieces that are not
  /// connected to the rest of their element become parts of a neighbour.
  template <int dim>
  Agglomeration<dim>
  agglomerate(const dealii::Triangulation<dim> &triangulation,
              const Grouping                    grouping,
              const unsigned int                n_elements);

  /// The same of elements.
  template <int dim>
  Agglomeration<dim>
  agglomerate(const Agglomeration<dim> &elements,
              const Grouping            grouping,
              const unsigned int        n_elements);

  /// Divide elements into about @p n_parts of equally many of their cells each, at least two; one
  /// of a single cell stays as it is. Elements are numbered in the order of those that they are
  /// parts of.
  /// @param divided `[element]`: whether to divide it
  template <int dim>
  Agglomeration<dim>
  split(const Agglomeration<dim> &elements,
        const std::vector<bool>  &divided,
        const Grouping            grouping,
        const unsigned int        n_parts);

  /// Connected elements with the same label become one.
  /// @param labels `[element]`
  template <int dim>
  Agglomeration<dim>
  unite(const Agglomeration<dim> &elements, const std::vector<unsigned int> &labels);

  /// `[element]`: of which element of @p larger ones it is a part; if it consists of several, one
  /// of them.
  template <int dim>
  std::vector<unsigned int>
  parents(const Agglomeration<dim> &elements, const Agglomeration<dim> &larger);

  /// The cells with one ancestor @p n_levels above them, or of the coarse mesh if there are fewer.
  template <int dim>
  Agglomeration<dim>
  agglomerate_by_ancestors(const dealii::Triangulation<dim> &triangulation,
                           const unsigned int                n_levels);

  /// Connected cells of one material id.
  template <int dim>
  Agglomeration<dim>
  agglomerate_by_material(const dealii::Triangulation<dim> &triangulation);

  /// From a text file: a number for each active cell in their order, `#` begins a comment. For
  /// meshes on one rank.
  /// @throws dealii::ExcMessage that names the file and the line
  template <int dim>
  Agglomeration<dim>
  read_agglomeration(const dealii::Triangulation<dim> &triangulation, const std::string &file);

  /// Divide elements among ranks, with about equally many cells for each and short interfaces, by
  /// METIS: what spread_triangulation() cuts a mesh by.
  /// @return `[active cell index]`: the rank of each cell
  template <int dim>
  std::vector<unsigned int>
  ranks_of_cells(const Agglomeration<dim> &elements, const unsigned int n_ranks);

  /// The same with sums of weights that are about equal.
  /// @param weights `[element]`
  template <int dim>
  std::vector<unsigned int>
  ranks_of_cells(const Agglomeration<dim>        &elements,
                 const std::vector<unsigned int> &weights,
                 const unsigned int               n_ranks);

  /// The same elements on a mesh that spread_triangulation() has made and cut in this way.
  /// Collective.
  /// @param elements `[active cell index]` of the serial mesh, on the first rank
  template <int dim>
  Agglomeration<dim>
  spread_agglomeration(const std::vector<unsigned int>  &elements,
                       const dealii::Triangulation<dim> &triangulation);
} // namespace Saltus

#endif
