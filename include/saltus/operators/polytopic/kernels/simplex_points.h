// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_simplex_points_h
#define saltus_operators_polytopic_kernels_simplex_points_h

#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/algebra/part_of.h>
#include <saltus/fe/legendre.h>
#include <saltus/operators/polytopic/kernels/polytopic_records.h>

#include <cstddef>
#include <cstdint>

/// Which elements meet, and quadrature points, where all cells are affine simplices: work for
/// launch(), between which keys are sorted and numbers added up (see sort_pairs.h and
/// prefix_sums.h).
namespace Saltus
{
  /// Cells of a mesh, element by element; those of ghosts at interfaces come after a rank's own.
  template <int dim>
  struct SimplexArrays
  {
    using Vertex = Array<double, dim>;

    int           n_elements  = 0;       ///< without ghosts
    int           n_known     = 0;       ///< with them
    const double *vertices    = nullptr; ///< `[cell][vertex][d]`
    const int    *across      = nullptr; ///< `[cell][face]`: cell, or -1 - part of the boundary
    const int    *numbers     = nullptr; ///< `[cell]`: what it is called outside
    const int    *ranking     = nullptr; ///< `[cell]`: which is before another one, on all ranks
    const int    *elements    = nullptr; ///< `[cell]`
    const int    *first_cells = nullptr; ///< `[element]`, and the number of cells but for ghosts'

    /// The vertex that is not on a face of a cell.
    SALTUS_HOST_DEVICE
    static int
    opposite(const int face)
    {
      return dim == 2 ? (face + 2) % 3 : 3 - face;
    }

    SALTUS_HOST_DEVICE
    Vertex
    vertex(const int cell, const int v) const
    {
      Vertex x;
      for (int d = 0; d < dim; ++d)
        x[d] = vertices[(cell * (dim + 1UL) + v) * dim + d];
      return x;
    }

    /// Vertex number i of a face.
    SALTUS_HOST_DEVICE
    Vertex
    vertex_of_face(const int cell, const int face, const int i) const
    {
      return vertex(cell, i < opposite(face) ? i : i + 1);
    }

    SALTUS_HOST_DEVICE
    static Vertex
    difference(const Vertex &x, const Vertex &y)
    {
      Vertex result;
      for (int d = 0; d < dim; ++d)
        result[d] = x[d] - y[d];
      return result;
    }

    SALTUS_HOST_DEVICE
    double
    volume(const int cell) const
    {
      Vertex       edges[dim];
      const Vertex first = vertex(cell, 0);
      for (int d = 0; d < dim; ++d)
        edges[d] = difference(vertex(cell, d + 1), first);
      return abs(determinant<dim>(edges)) / (dim == 2 ? 2 : 6);
    }

    /// Of a face, outward of the cell, as long as the face is large.
    SALTUS_HOST_DEVICE
    Vertex
    normal(const int cell, const int face) const
    {
      const Vertex first = vertex_of_face(cell, face, 0);
      const Vertex a     = difference(vertex_of_face(cell, face, 1), first);
      Vertex       n;
      if constexpr (dim == 2)
        {
          n[0] = a[1];
          n[1] = -a[0];
        }
      else
        {
          const Vertex b = difference(vertex_of_face(cell, face, 2), first);
          for (int d = 0; d < 3; ++d)
            n[d] = .5 * (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]);
        }
      const double inside = dot<dim>(n, difference(vertex(cell, opposite(face)), first));
      for (int d = 0; d < dim; ++d)
        n[d] = inside > 0 ? -n[d] : n[d];
      return n;
    }
  };

  /// Where what the cells of elements have begins.
  template <int dim, typename Sum>
  struct FirstOfElements
  {
    SimplexArrays<dim> cells;
    const Sum         *of_cells = nullptr; ///< where that of the cells does
    Sum               *starts   = nullptr; ///< `[element]`, and the number of all

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      starts[element] = of_cells[cells.first_cells[element]];
    }
  };

  /// Facets in order: of an element by its neighbours, those at the boundary last.
  struct FacetOrder
  {
    int                  n_elements = 0;       ///< without ghosts
    int                  n_known    = 0;       ///< with them
    int                  n_bits     = 0;       ///< that n_known has
    const std::uint64_t *keys       = nullptr; ///< `[facet]`: see key()
    const int           *faces = nullptr; ///< `[facet]`: number of the cell times dim + 1, + face

    /// @param neighbor n_known at the boundary
    SALTUS_HOST_DEVICE
    std::uint64_t
    key(const int element, const int neighbor) const
    {
      return static_cast<std::uint64_t>(element) << n_bits | neighbor;
    }

    SALTUS_HOST_DEVICE
    int
    element(const int facet) const
    {
      return keys[facet] >> n_bits;
    }

    SALTUS_HOST_DEVICE
    int
    neighbor(const int facet) const
    {
      return keys[facet] & ((std::uint64_t(1) << n_bits) - 1);
    }

    SALTUS_HOST_DEVICE
    bool
    is_boundary(const int facet) const
    {
      return neighbor(facet) == n_known;
    }
  };

  /// Numbers of faces of cells that are facets.
  template <int dim>
  struct CountFacets
  {
    SimplexArrays<dim> cells;
    int               *counts = nullptr; ///< `[cell]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int cell) const
    {
      int n = 0;
      for (int f = 0; f <= dim; ++f)
        {
          const int other = cells.across[cell * (dim + 1) + f];
          n += other < 0 || cells.elements[other] != cells.elements[cell];
        }
      counts[cell] = n;
    }
  };

  /// The facets, cell by cell.
  template <int dim>
  struct ListFacets
  {
    SimplexArrays<dim> cells;
    FacetOrder         order;
    const int         *starts = nullptr; ///< `[cell]`
    std::uint64_t     *keys   = nullptr;
    int               *faces  = nullptr; ///< see FacetOrder

    SALTUS_HOST_DEVICE
    void
    operator()(const int cell) const
    {
      int next = starts[cell];
      for (int f = 0; f <= dim; ++f)
        {
          const int face = cell * (dim + 1) + f, other = cells.across[face];
          if (other >= 0 && cells.elements[other] == cells.elements[cell])
            continue;
          keys[next] =
            order.key(cells.elements[cell], other < 0 ? cells.n_known : cells.elements[other]);
          faces[next++] = face;
        }
    }
  };

  /// Sorts facets, which do it, where elements have few of them: their cells list them one element
  /// after the other.
  struct RankFacets
  {
    FacetOrder     order;                  ///< not in order yet
    const int     *first_facets = nullptr; ///< `[element]`
    std::uint64_t *keys         = nullptr;
    int           *faces        = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const std::uint64_t key = order.keys[i];
      const int           e   = order.element(i);
      int                 to  = first_facets[e];
      for (int j = first_facets[e]; j < first_facets[e + 1]; ++j)
        to += order.keys[j] < key || (order.keys[j] == key && j < i);
      keys[to]  = key;
      faces[to] = order.faces[i];
    }
  };

  /// Numbers of blocks of the elements' rows.
  struct CountBlocks
  {
    FacetOrder order;
    const int *first_facets = nullptr;
    int       *counts       = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      int n = 1;
      for (int i = first_facets[element]; i < first_facets[element + 1]; ++i)
        n += !order.is_boundary(i) &&
             (i == first_facets[element] || order.keys[i] != order.keys[i - 1]);
      counts[element] = n;
    }
  };

  /// Numbers of points of rules, by degree of the elements; 0: there is none.
  struct RuleSizesOfDegrees
  {
    /// Entry @p degree of one of the two; as an index it would cost each thread a copy of all.
    SALTUS_HOST_DEVICE
    static int
    of(const int (&sizes)[max_legendre_degree + 1], const int degree)
    {
      int n = 0;
      for (int d = 0; d <= max_legendre_degree; ++d)
        n = d == degree ? sizes[d] : n;
      return n;
    }

    int of_cell[max_legendre_degree + 1] = {}, of_face[max_legendre_degree + 1] = {};
  };

  /// Numbers of points on facets.
  struct CountFacetPoints
  {
    FacetOrder         order;
    const int         *degrees = nullptr; ///< `[element]`
    RuleSizesOfDegrees sizes;
    int               *counts = nullptr;

    /// The degree of the rule on a facet.
    SALTUS_HOST_DEVICE
    static int
    degree(const FacetOrder &order, const int *degrees, const int facet)
    {
      const int own = degrees[order.element(facet)], neighbor = order.neighbor(facet);
      return neighbor < order.n_known && degrees[neighbor] > own ? degrees[neighbor] : own;
    }

    SALTUS_HOST_DEVICE
    void
    operator()(const int facet) const
    {
      counts[facet] = RuleSizesOfDegrees::of(sizes.of_face, degree(order, degrees, facet));
    }
  };

  /// The blocks of the elements' rows.
  template <int dim>
  struct MakeBlocks
  {
    FacetOrder         order;
    const int         *first_facets = nullptr, *row_starts = nullptr;
    const int         *degrees      = nullptr; ///< `[element or ghost]`
    const std::size_t *first_points = nullptr; ///< `[facet]`, and the number of points
    int               *columns      = nullptr;
    int               *sizes        = nullptr; ///< `[block]`: room for its numbers
    std::size_t       *face_starts  = nullptr; ///< `[block]`, and the number of points
    int               *n_steps      = nullptr; ///< `[block]` of four points

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      const int begin = first_facets[element], end = first_facets[element + 1];
      int       block = row_starts[element];
      for (int i = begin; i < end;)
        {
          const int neighbor = order.neighbor(i), first = i;
          for (++i; i < end && order.keys[i] == order.keys[first];)
            ++i;
          if (neighbor < order.n_known)
            put(block++, element, neighbor, first, i);
          else
            put(block++, element, element, first, i);
        }
      if (block < row_starts[element + 1]) // not at the boundary
        put(block, element, element, end, end);
      if (element == order.n_elements - 1)
        face_starts[row_starts[element + 1]] = first_points[end];
    }

  private:
    SALTUS_HOST_DEVICE
    void
    put(const int block, const int row, const int column, const int first, const int last) const
    {
      columns[block] = column;
      sizes[block] =
        room_for_block(n_legendre_modes<dim>(degrees[row]), n_legendre_modes<dim>(degrees[column]));
      face_starts[block] = first_points[first];
      n_steps[block]     = (first_points[last] - first_points[first] + 3) / 4;
    }
  };

  /// Facets with what is known of them from the mesh, see FacetGeometry.
  template <int dim>
  struct MeasureFacets
  {
    SimplexArrays<dim> cells;
    FacetOrder         order;
    const double      *volumes = nullptr; ///< `[cell]`
    FacetGeometry     *facets  = nullptr;
    double            *normals = nullptr; ///< `[facet][d]`: outward, as long as the facet is large
    int               *faces   = nullptr; ///< `[facet]`: that gives the points, see FacetOrder

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const int  face = order.faces[i], cell = face / (dim + 1), other = cells.across[face];
      const auto n        = cells.normal(cell, face % (dim + 1));
      const bool boundary = other < 0;
      facets[i]           = {order.element(i),
                   boundary ? -1 : order.neighbor(i),
                             cells.numbers[cell],
                             cells.numbers[boundary ? cell : other],
                   boundary ? -1 - other : -1,
                             sqrt(dot<dim>(n, n)),
                             volumes[cell],
                             volumes[boundary ? cell : other]};
      for (int d = 0; d < dim; ++d)
        normals[i * static_cast<std::size_t>(dim) + d] = n[d];
      // Both sides have the same points, those of the cell that ranks first.
      faces[i] = face;
      if (!boundary && cells.ranking[other] < cells.ranking[cell])
        for (faces[i] = other * (dim + 1); cells.across[faces[i]] != cell;)
          ++faces[i];
    }
  };

  /// Volumes of cells, and the elements of the owners of their points, see PolytopicPoints.
  template <int dim>
  struct MeasureCells
  {
    SimplexArrays<dim> cells;
    int                n_own    = 0; ///< cells of elements of this rank: the first ones
    double            *volumes  = nullptr;
    int               *elements = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int cell) const
    {
      volumes[cell] = cells.volume(cell);
      if (cell < n_own)
        elements[cells.numbers[cell]] = cells.elements[cell];
    }
  };

  /// Volumes and surfaces of elements.
  template <int dim>
  struct MeasureElements
  {
    SimplexArrays<dim>   cells;
    const int           *first_facets = nullptr;
    const double        *of_cells     = nullptr; ///< volumes
    const FacetGeometry *facets       = nullptr;
    double              *volumes = nullptr, *perimeters = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      double volume = 0, perimeter = 0;
      for (int c = cells.first_cells[element]; c < cells.first_cells[element + 1]; ++c)
        volume += of_cells[c];
      for (int i = first_facets[element]; i < first_facets[element + 1]; ++i)
        perimeter += facets[i].area;
      volumes[element]    = volume;
      perimeters[element] = perimeter;
    }
  };

  /// Numbers of points in cells.
  template <int dim>
  struct CountCellPoints
  {
    SimplexArrays<dim> cells;
    const int         *degrees = nullptr;
    RuleSizesOfDegrees sizes;
    int               *counts = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int cell) const
    {
      counts[cell] = RuleSizesOfDegrees::of(sizes.of_cell, degrees[cells.elements[cell]]);
    }
  };

  /// Rules for all degrees of elements on a reference simplex: points in barycentric coordinates
  /// and weights that add up to 1.
  template <int dim>
  struct SimplexRules
  {
    int           starts[max_legendre_degree + 2] = {};      ///< `[degree]`
    const double *points                          = nullptr; ///< `[point][vertex]`
    const double *weights                         = nullptr;

    /// Sum of the vertices `vertex(v)` with the coordinates of a point.
    template <typename VertexOf>
    SALTUS_HOST_DEVICE
    auto
    place(const int point, const VertexOf &vertex) const
    {
      auto x = vertex(0);
      for (auto &coordinate : x.values)
        coordinate *= points[point * (dim + 1)];
      for (int v = 1; v <= dim; ++v)
        {
          const auto   other  = vertex(v);
          const double factor = points[point * (dim + 1) + v];
          for (unsigned int d = 0; d < sizeof(x) / sizeof(double); ++d)
            x[d] += factor * other[d];
        }
      return x;
    }
  };

  /// Points in cells.
  template <int dim>
  struct MakeCellPoints
  {
    SimplexArrays<dim> cells;
    int                n_cells = 0;
    const int         *degrees = nullptr;
    SimplexRules<dim>  rules;
    const std::size_t *starts  = nullptr; ///< `[cell]`
    const double      *volumes = nullptr; ///< `[cell]`
    double            *places  = nullptr; ///< see PointSet
    int               *owners  = nullptr;
    double            *weights = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int number) const
    {
      const std::size_t q    = number;
      const int         cell = part_of(starts, n_cells, q);
      const int         i =
        rules.starts[degrees[cells.elements[cell]]] + static_cast<int>(q - starts[cell]);
      const auto x = rules.place(i, [&](const int v) { return cells.vertex(cell, v); });
      for (int d = 0; d < dim; ++d)
        places[q * dim + d] = x[d];
      owners[q]  = cells.numbers[cell];
      weights[q] = rules.weights[i] * volumes[cell];
    }
  };

  /// Points on facets.
  template <int dim>
  struct MakeFacetPoints
  {
    SimplexArrays<dim>    cells;
    FacetOrder            order;
    int                   n_facets = 0;
    const int            *degrees  = nullptr;
    SimplexRules<dim - 1> rules;
    const std::size_t    *starts    = nullptr; ///< `[facet]`
    const double         *of_facets = nullptr; ///< normals, see MeasureFacets
    const int            *faces     = nullptr; ///< see MeasureFacets
    double               *places    = nullptr; ///< see PointSet
    int                  *owners    = nullptr;
    double               *normals   = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int number) const
    {
      const std::size_t q     = number;
      const int         facet = part_of(starts, n_facets, q);
      const int         cell = faces[facet] / (dim + 1), face = faces[facet] % (dim + 1);
      const int         i = rules.starts[CountFacetPoints::degree(order, degrees, facet)] +
                    static_cast<int>(q - starts[facet]);
      const auto x =
        rules.place(i, [&](const int v) { return cells.vertex_of_face(cell, face, v); });
      for (int d = 0; d < dim; ++d)
        {
          places[q * dim + d] = x[d];
          normals[q * dim + d] =
            rules.weights[i] * of_facets[facet * static_cast<std::size_t>(dim) + d];
        }
      owners[q] = facet;
    }
  };
} // namespace Saltus

#endif
