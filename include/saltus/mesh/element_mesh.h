// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_element_mesh_h
#define saltus_mesh_element_mesh_h

#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/shared_cache.h>
#include <saltus/base/ranks/element_partition.h>
#include <saltus/fe/cell_shape.h>
#include <saltus/fe/vertex_permutation.h>
#include <saltus/mesh/affine_geometry.h>
#include <saltus/mesh/curve/element_map.h>
#include <saltus/mesh/element_range.h>
#include <saltus/mesh/face_matching.h>
#include <saltus/mesh/mesh_memory.h>
#include <saltus/mesh/periodic_faces.h>
#include <saltus/mesh/shared_faces.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/signals2/connection.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace Saltus
{
  /// The order in which operators see the active cells of a shape that this rank owns:
  /// along a Hilbert curve through the cell centres, so that neighbours are near in memory (yet
  /// nearer with order_in_groups() and order_in_strips()); first those that need nothing of others,
  /// then the others, so that there is something to do while messages travel; of each, those of one
  /// kind of geometry after those of another. And the order in which they see the vertices of each:
  /// everything that concerns an element, geometry, faces, coefficients, goes by its own numbers.
  template <int dim>
  class ElementOrder
  {
  public:
    using Cell = typename dealii::Triangulation<dim>::active_cell_iterator;

    /// Kind of the geometry of a cell that this rank owns.
    using Kinds = std::function<GeometryKind(const Cell &)>;

    /// @param shape which cells: those of a triangulation that mixes shapes, or all
    /// @param kinds empty: all are affine
    /// @throws dealii::ExcMessage if the triangulation is empty
    ElementOrder(const dealii::Triangulation<dim>   &triangulation,
                 const dealii::ReferenceCell        &shape,
                 const std::vector<SharedFace<dim>> &shared_faces = {},
                 const Kinds                        &kinds        = {});

    const dealii::Triangulation<dim> &triangulation;

    std::vector<Cell> cells; ///< `[e]`
    /// By active cell index; invalid for others' cells, and for those of another shape.
    std::vector<unsigned int> element_of_cell;

    std::vector<ElementRange> ranges; ///< of all elements

    /// Whether no range of this rank's is of another kind.
    bool
    all_affine() const
    {
      return std::all_of(ranges.begin(), ranges.end(), [](const ElementRange &range) {
        return range.kind == GeometryKind::affine;
      });
    }

    /// `[e]`: which vertices of the cell the element's are; at first the same. Empty for
    /// hypercubes, whose vertices keep their order.
    std::vector<VertexPermutation<dim>> vertices;

    /// Which vertices of the cell those of an element are, or the first ones of a hypercube.
    VertexPermutation<dim>
    vertices_of(const unsigned int element) const
    {
      return vertices.empty() ? identity_permutation<dim>() : vertices[element];
    }

    unsigned int
    n_elements() const
    {
      return cells.size();
    }

    /// Number of the first copy of another rank's element.
    unsigned int
    first_ghost() const
    {
      return n_blocks(n_elements()) * block_size;
    }

    /// Number in the triangulation of vertex @p v of an element.
    unsigned int
    vertex_index(const unsigned int element, const unsigned int v) const
    {
      return cells[element]->vertex_index(vertices.empty() ? v : vertices[element][v]);
    }

    /// Number in its cell of face @p f of an element.
    unsigned int
    cell_face(const CellShape<dim> &shape, const unsigned int element, const unsigned int f) const
    {
      return vertices.empty() ? f : shape.face_in_cell(f, vertices[element]);
    }
  };

  /// How elements meet.
  template <int dim>
  class FaceConnectivity
  {
  public:
    /// A face at the boundary, or to a cell of another shape.
    struct BoundaryFace
    {
      unsigned int               element;
      unsigned int               face;
      unsigned int               cell_face; ///< its number in deal.II's cell
      dealii::types::boundary_id id; ///< inside numbers::internal_face_boundary_id, as in deal.II

      bool
      is_inside() const
      {
        return id == dealii::numbers::internal_face_boundary_id;
      }
    };

    /// The copy of an element of another rank, behind one face or part of a face: element
    /// `first_ghost() + i` of the mesh. An element of another rank with several faces here has as
    /// many copies. A simplex across a whole face has the number and the order of points of its
    /// face from the element on this side, so that it is like any neighbour with a matched face;
    /// others have those of their cells.
    struct Ghost
    {
      unsigned int           rank;      ///< that owns the element
      unsigned int           element;   ///< on this side
      unsigned int           face;      ///< its number of the face
      unsigned int           cell_face; ///< the number of the face in the ghost's cell
      VertexPermutation<dim> vertices;  ///< which vertices of its cell those of a simplex are
    };

    /// The larger side of a face that meets smaller ones.
    struct HangingFace
    {
      unsigned int element;
      unsigned int face;
      /// `[s]`: what is across part s of the face, see CellShape, as in the record of a face that
      /// is no more than this part.
      std::array<FaceRecord, dealii::GeometryInfo<dim>::max_children_per_face> parts;
    };

    /// Faces with the numbers that they have in deal.II's cells.
    /// @param periodic_pairs see match_periodic_boundaries()
    /// @param shared_faces those of @p order
    /// @throws dealii::ExcMessage for tangled meshes, where two cells of positive orientation lie
    /// on the same side of the face that they share, for meshes with cells that are refined in some
    /// directions only, and for tetrahedra with hanging nodes
    FaceConnectivity(const ElementOrder<dim>                  &order,
                     const CellShape<dim>                     &shape,
                     const std::vector<PeriodicFacePair<dim>> &periodic_pairs = {},
                     const std::vector<SharedFace<dim>>       &shared_faces   = {});

    /// Choose numbers that are the same on both sides of the faces, see match_faces(), and set the
    /// vertices of @p order accordingly. For conforming meshes of simplices.
    void
    match(ElementOrder<dim> &order, const CellShape<dim> &shape, const unsigned int n_rounds);

    /// Set the vertices of @p order, and number the faces accordingly. For conforming meshes of
    /// simplices.
    /// @param vertices `[active cell]`, of this rank's cells
    void
    set_vertices(ElementOrder<dim>                         &order,
                 const CellShape<dim>                      &shape,
                 const std::vector<VertexPermutation<dim>> &vertices);

    const FaceRecord &
    face(const unsigned int element, const unsigned int f) const
    {
      return faces[static_cast<std::size_t>(element) * n_faces + f];
    }

    std::vector<BoundaryFace> boundary_faces; ///< `[b]`, in the order of elements and their faces

    std::vector<HangingFace> hanging_faces; ///< `[h]`, in the order of elements and their faces

    /// `[i]`: by rank, and for each rank in the order in which that one has its ghosts of this
    /// rank's elements.
    std::vector<Ghost> ghosts;

    /// Those with an interior face that has another number on its other side.
    std::vector<int> unmatched_elements;

  private:
    /// Give faces other numbers, `[e][f]`, and put vertices and triangles in the order of these.
    void
    renumber(ElementOrder<dim>                &order,
             const CellShape<dim>             &shape,
             const std::vector<unsigned char> &numbers);

    bool
    is_matched(const unsigned int element) const;

    bool
    is_conforming() const;

    /// Of boundary faces, ghosts and unmatched elements.
    void
    set_up_lists(const ElementOrder<dim> &order, const CellShape<dim> &shape);

    const unsigned int           n_faces;
    std::vector<FaceRecord>      faces; ///< `[e][f]`
    std::vector<SharedFace<dim>> shared_faces;
  };

  /// The shape of the cells of a triangulation.
  /// @throws dealii::ExcMessage on all ranks together if they are not all simplices or all
  /// hypercubes
  template <int dim>
  dealii::ReferenceCell
  common_reference_cell(const dealii::Triangulation<dim> &triangulation);

  /// How a mapping of deal.II is taken over: as it is on affine cells, on others as a polynomial of
  /// a degree.
  template <int dim>
  class ElementMapping
  {
  public:
    /// Finds out which of the cells of a shape that this rank owns are curved, that is not affine:
    /// those with a point of map_nodes() of this degree, or of degree 3, farther from its place in
    /// the affine cell with the same vertices than 1e-10 of the cell's size and what rounding of
    /// its coordinates explains.
    /// @param degree 1: there must be none among simplices
    /// @throws dealii::ExcMessage on all ranks for curved cells with degree 1, for a degree that is
    /// not in [1, max_degree], and for a mapping of other shapes
    ElementMapping(const dealii::Mapping<dim>       &mapping,
                   const dealii::Triangulation<dim> &triangulation,
                   const dealii::ReferenceCell      &cell,
                   const unsigned int                degree);

    static constexpr unsigned int max_degree = dim == 2 ? 8 : 6;

    const dealii::Mapping<dim> &mapping;
    const unsigned int          degree;
    const dealii::ReferenceCell cell; ///< the shape

    bool
    is_curved(const typename ElementOrder<dim>::Cell &cell) const
    {
      return curved[cell->active_cell_index()] != 0;
    }

    /// Whether a cell of any rank is.
    bool
    has_curved_cells() const
    {
      return has_curved;
    }

  private:
    std::vector<unsigned char> curved; ///< by active cell index
    bool                       has_curved = false;
  };

  /// Maps from the reference cell to the elements.
  template <int dim>
  class ElementGeometry
  {
  public:
    /// @throws dealii::ExcMessage at a degenerate or inverted element, and at a curved one that is
    /// folded: where the determinant of its map is not positive.
    /// The geometry of ghosts comes from the ranks that own them, so this is collective.
    ElementGeometry(const ElementOrder<dim>                       &order,
                    const FaceConnectivity<dim>                   &connectivity,
                    const std::shared_ptr<const ElementPartition> &partition,
                    const CellShape<dim>                          &shape,
                    const ElementMapping<dim>                     &mapping);

    const dealii::ReferenceCell cell; ///< the shape of all elements

    // Of affine elements; of curved ones of the affine map with the same volume that is the map
    // between the vertices but for a factor, on hypercubes between the means of opposite faces.
    // With ghosts; padding in between repeats the last element.
    std::vector<dealii::Point<dim>>     origins;   ///< `[e]`: vertex 0
    std::vector<dealii::Tensor<2, dim>> jacobians; ///< `[e]`: \f$ \partial x_d/\partial\hat x_r \f$
    std::vector<dealii::Tensor<2, dim>> inverse_jacobians; ///< `[e][r][d]`
    /// `[e]`: the mean of \f$ |\det J| \f$. The determinant itself is negative in elements that are
    /// mirror images of their cells.
    std::vector<double> volume_factors;

    /// Of the maps of curved elements.
    const unsigned int map_degree;

    /// Whether an element of any rank is curved.
    const bool has_curved_elements;

    /// The map of a curved element or ghost, nullptr of affine ones.
    const ElementMap<dim> *
    curved_map(const unsigned int element) const
    {
      return element < maps.size() ? maps[element].get() : nullptr;
    }

    /// Many points of many elements: see ElementPoints.
    dealii::Point<dim>
    map(const unsigned int element, const dealii::Point<dim> &unit_point) const
    {
      if (const ElementMap<dim> *curved = curved_map(element))
        return curved->position(unit_point);
      return origins[element] + jacobians[element] * unit_point;
    }

    /// The tangent of an affine element's map, the same at all points.
    AffineGeometry<dim, double>
    tangent(const unsigned int element) const
    {
      Assert(curved_map(element) == nullptr, dealii::ExcInternalError());
      return AffineGeometry<dim, double>(
        [&](const int i) { return inverse_jacobians[element][i / dim][i % dim]; });
    }

    /// A face of an affine element as it sees it.
    struct Face
    {
      dealii::Tensor<1, dim> normal; ///< outward, of length 1
      double                 area;   ///< over \f$ |\det J| \f$
    };

    /// @param reference_normal see AffineGeometry::set_normal()
    Face
    face(const unsigned int element, const double *reference_normal) const;

  private:
    /// The maps of curved elements, and the affine ones with their volumes.
    void
    set_up_curved(const ElementOrder<dim> &order, const ElementMapping<dim> &mapping);

    /// Of the element or ghost that is curved like this. @p mean is that of the determinant.
    void
    set_curved_map(const unsigned int                     element,
                   std::unique_ptr<const ElementMap<dim>> map,
                   const double                           mean);

    std::vector<std::unique_ptr<const ElementMap<dim>>> maps; ///< `[e]`, see curved_map()

    void
    set_up_ghosts(const ElementOrder<dim>     &order,
                  const FaceConnectivity<dim> &connectivity,
                  const ElementPartition      &partition);

    /// The maps of ghosts that are curved, after set_up_ghosts().
    void
    set_up_curved_ghosts(const ElementOrder<dim>     &order,
                         const FaceConnectivity<dim> &connectivity,
                         const ElementPartition      &partition);
  };

  /// Points of the reference cell in the elements of a mesh.
  template <int dim>
  class ElementPoints
  {
  public:
    ElementPoints(const ElementGeometry<dim>            &geometry,
                  const std::vector<dealii::Point<dim>> &unit_points)
      : geometry(geometry)
      , unit_points(unit_points)
    {
      if (geometry.has_curved_elements)
        modes =
          std::make_unique<const ModeTable<dim>>(geometry.map_degree, unit_points, geometry.cell);
    }

    /// `[i]`
    std::vector<dealii::Point<dim>>
    positions(const unsigned int element) const
    {
      if (const ElementMap<dim> *curved = geometry.curved_map(element))
        return curved->positions(*modes);
      std::vector<dealii::Point<dim>> result;
      for (const dealii::Point<dim> &point : unit_points)
        result.push_back(geometry.map(element, point));
      return result;
    }

  private:
    const ElementGeometry<dim>           &geometry;
    const std::vector<dealii::Point<dim>> unit_points;
    std::unique_ptr<const ModeTable<dim>> modes;
  };

  /// All that operators of any kind, degree and precision on one mesh have in common: the order of
  /// the elements, their geometry, and how they meet. Operators that share a mesh exchange vectors
  /// as they are. Of a triangulation that mixes shapes it is the part of one of them, see
  /// meshes_by_shape().
  ///
  /// On a triangulation that is spread over ranks, each has a mesh of the cells that it owns and of
  /// ghosts, see FaceConnectivity::Ghost; the ranks make and use it together.
  ///
  /// A mesh is of one moment: it belongs to the triangulation as it is when the mesh is made. When
  /// that is refined, moved or destroyed the mesh takes note, and nothing new can be set up on it.
  /// Then a new mesh is made, and each object is set up on it by one call, those that others need
  /// first: operators and flows by `reinit()`, preconditioners by `initialize()`, clocks by
  /// `clock = op.make_clock(clock.state())`, vectors by `initialize_vector()`; time integrators
  /// notice. Nothing of the old mesh is left in them. What goes on is time, number of steps and
  /// limits of a clock, and what `reinit()` is given again: laws, conditions and coefficients.
  ///
  /// Steps in time change vectors, clocks, and what solvers remember of earlier steps, but neither
  /// mesh nor spaces, boundary ids, conditions and coefficients: all of these stay where they are
  /// from one reinit() to the next, as launches that were recorded rely upon.
  template <int dim>
  class ElementMesh
  {
  public:
    /// @param matching_rounds see match_faces(); what operators compute does not depend on it, but
    /// how fast
    /// @throws dealii::ExcMessage for meshes that cannot be used: of simplices with hanging nodes,
    /// or with cells of several shapes; see also FaceConnectivity, ElementMapping and
    /// ElementGeometry
    /// @param kinds of the cells' geometry: affine cells may be declared another kind
    /// @param map_degree see ElementMapping
    /// @param cell the shape; ReferenceCells::Invalid: the one that all cells have
    ElementMesh(const dealii::Mapping<dim>              &mapping,
                const dealii::Triangulation<dim>        &triangulation,
                const std::vector<PeriodicBoundary>     &periodic_boundaries = {},
                const unsigned int                       matching_rounds     = max_matching_rounds,
                const typename ElementOrder<dim>::Kinds &kinds               = {},
                const unsigned int                       map_degree          = 1,
                const dealii::ReferenceCell             &cell = dealii::ReferenceCells::Invalid);

    /// The same with a given order of the vertices of this rank's cells, for coefficients that
    /// belong to it.
    /// @param vertices `[active cell]`
    ElementMesh(const dealii::Mapping<dim>                &mapping,
                const dealii::Triangulation<dim>          &triangulation,
                const std::vector<PeriodicBoundary>       &periodic_boundaries,
                const std::vector<VertexPermutation<dim>> &vertices,
                const unsigned int                         map_degree = 1,
                const dealii::ReferenceCell               &cell = dealii::ReferenceCells::Invalid);

    const CellShape<dim>                          shape;
    const std::vector<PeriodicBoundary>           periodic_boundaries;
    const ElementOrder<dim>                       order;
    const FaceConnectivity<dim>                   connectivity;
    const std::shared_ptr<const ElementPartition> partition; ///< none on one rank
    const ElementGeometry<dim>                    geometry;
    const SharedCache                             cache; ///< what those who use the mesh share

    unsigned int
    n_elements() const
    {
      return order.n_elements();
    }

    /// `[i]`: the ranks that own the ghosts, see exchange_across().
    std::vector<unsigned int>
    ghost_ranks() const;

    /// `[i]`: which vertices of the element that it copies those of ghost i are. Collective.
    std::vector<VertexPermutation<dim>>
    vertices_in_owners() const;

    /// @throws dealii::ExcMessage if the triangulation has been refined, moved or destroyed since
    /// the mesh was made
    void
    check_up_to_date() const;

    /// @throws dealii::ExcMessage unless this is the mesh of @p triangulation as it is now
    void
    check_triangulation(const dealii::Triangulation<dim> &triangulation) const;

    /// The arrays on a device: one copy for all who ask, kept as long as one of them holds it.
    template <typename Number>
    std::shared_ptr<const MeshMemory<Number>>
    on_device(const Device device) const;

  private:
    using Numbering = std::pair<ElementOrder<dim>, FaceConnectivity<dim>>;

    template <typename NumberVertices>
    ElementMesh(const ElementMapping<dim>               &mapping,
                const dealii::Triangulation<dim>        &triangulation,
                const std::vector<PeriodicBoundary>     &periodic_boundaries,
                const typename ElementOrder<dim>::Kinds &kinds,
                const NumberVertices                    &number_vertices);

    ElementMesh(const ElementMapping<dim>           &mapping,
                const std::vector<PeriodicBoundary> &periodic_boundaries,
                Numbering                          &&numbering);

    std::atomic<bool>                  up_to_date{true};
    boost::signals2::scoped_connection listener; ///< to changes of the triangulation
  };
} // namespace Saltus

#endif
