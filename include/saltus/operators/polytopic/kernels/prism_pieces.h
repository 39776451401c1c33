// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_prism_pieces_h
#define saltus_operators_polytopic_kernels_prism_pieces_h

#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/algebra/part_of.h>
#include <saltus/fe/legendre.h>
#include <saltus/operators/polytopic/kernels/polytopic_records.h>

#include <cmath>
#include <cstddef>

/// Prisms over polytopic elements: where their quadrature points come from, and which prisms meet.
/// Work for launch() that prisms do if nothing else is said, between which numbers are added up
/// (see sort_pairs.h and prefix_sums.h).
namespace Saltus
{
  /// Where points of a slab are.
  enum class PrismPart : int
  {
    volume     = 1,
    interfaces = 2,  ///< with prisms of other elements
    boundary   = 4,  ///< of the domain
    ends       = 8,  ///< of the prism before, where one begins
    bottom     = 16, ///< of the slab
    middles    = 32  ///< of cells
  };

  constexpr int
  operator|(const PrismPart a, const PrismPart b)
  {
    return static_cast<int>(a) | static_cast<int>(b);
  }

  /// Points in space that follow one another, each at several times; time by time. Times are
  /// fractions of a slab's interval.
  struct PrismPiece
  {
    PrismPart   part    = PrismPart::volume;
    int         n       = 0; ///< points in space
    std::size_t begin   = 0; ///< number of the first one
    int         n_times = 0; ///< of Gauss' rule; 0: one time, where the interval begins
    int         owner   = 0; ///< added to the number of a point's owner among those of space
    double      from = 0, to = 0;

    SALTUS_HOST_DEVICE
    int
    size() const
    {
      return n * (n_times > 1 ? n_times : 1);
    }
  };

  /// Gauss' rules in [0, 1].
  struct TimeRules
  {
    const double *points  = nullptr; ///< `[n (n - 1) / 2 + i]`: point i of the rule with n
    const double *weights = nullptr;

    /// To the last bit the same on all devices.
    SALTUS_HOST_DEVICE
    double
    time(const PrismPiece &piece, const int i) const
    {
      const int n = piece.n_times;
      return n == 0 ? piece.from
                    : ::fma(piece.to - piece.from, points[n * (n - 1) / 2 + i], piece.from);
    }

    SALTUS_HOST_DEVICE
    double
    weight(const PrismPiece &piece, const int i) const
    {
      const int n = piece.n_times;
      return n == 0 ? 1. : (piece.to - piece.from) * weights[n * (n - 1) / 2 + i];
    }
  };

  /// See PrismPieces.
  struct PrismPieceArrays
  {
    int                n_pieces = 0;
    const PrismPiece  *pieces   = nullptr;
    const std::size_t *starts   = nullptr; ///< `[piece]`, and the number of points
    TimeRules          rules;

    struct Place
    {
      const PrismPiece &piece;
      std::size_t       in_space; ///< number of the point there
      int               time;     ///< number of the time
    };

    SALTUS_HOST_DEVICE
    Place
    place(const std::size_t point) const
    {
      const int         p     = part_of(starts, n_pieces, point);
      const PrismPiece &piece = pieces[p];
      const int         i     = point - starts[p];
      return {piece, piece.begin + i % piece.n, i / piece.n};
    }
  };

  /// Elements with numbers of steps, and how they meet in space.
  struct SlabArrays
  {
    static constexpr int before = -1; ///< in place of a block in space: the prism before

    int        n_prisms     = 0;                         ///< of this rank
    bool       one_step     = false;                     ///< whether all elements have one
    const int *first_prisms = nullptr;                   ///< `[element or ghost]`, and their number
    const int *elements     = nullptr;                   ///< `[prism or ghost's]`
    const int *degrees      = nullptr;                   ///< `[element or ghost]`
    const int *row_starts = nullptr, *columns = nullptr; ///< in space, see BlockSparsity
    const int *cell_starts = nullptr; ///< `[element or ghost]`: cells of those before, and of all

    SALTUS_HOST_DEVICE
    int
    n_steps(const int element) const
    {
      return first_prisms[element + 1] - first_prisms[element];
    }

    SALTUS_HOST_DEVICE
    int
    step(const int prism) const
    {
      return prism - first_prisms[elements[prism]];
    }

    SALTUS_HOST_DEVICE
    int
    n_cells(const int element) const
    {
      return cell_starts[element + 1] - cell_starts[element];
    }

    SALTUS_HOST_DEVICE
    double
    begin(const int prism) const
    {
      return static_cast<double>(step(prism)) / n_steps(elements[prism]);
    }

    SALTUS_HOST_DEVICE
    double
    end(const int prism) const
    {
      return (step(prism) + 1.) / n_steps(elements[prism]);
    }

    /// Call `visit(column, block in space, from, to)` for the blocks of a prism's row in their
    /// order: for prisms that it meets at some time, the one before, and at last itself.
    template <typename Visit>
    SALTUS_HOST_DEVICE
    void
    for_blocks(const int prism, const Visit &visit) const
    {
      const int    e = elements[prism], last = row_starts[e + 1] - 1, s = step(prism);
      const int    n    = n_steps(e);
      const double from = begin(prism), to = end(prism);
      bool         waits = s > 0; // the one before
      for (int b = row_starts[e]; b < last; ++b)
        {
          const int other = columns[b], m = n_steps(other);
          if (waits && other > e)
            {
              visit(prism - 1, before, from, from);
              waits = false;
            }
          for (int r = s * m / n; r < m && r * n < (s + 1) * m; ++r)
            {
              const int    across = first_prisms[other] + r;
              const double a = begin(across), b_end = end(across);
              visit(across, b, a > from ? a : from, b_end < to ? b_end : to);
            }
        }
      if (waits)
        visit(prism - 1, before, from, from);
      visit(prism, last, from, to);
    }

    /// The same for block number i of the row alone.
    template <typename Visit>
    SALTUS_HOST_DEVICE
    void
    for_block(const int prism, const int i, const Visit &visit) const
    {
      if (one_step)
        {
          const int block = row_starts[prism] + i;
          visit(columns[block], block, 0., 1.);
          return;
        }
      int n = 0;
      for_blocks(prism, [&](const int column, const int block, const double from, const double to) {
        if (n++ == i)
          visit(column, block, from, to);
      });
    }
  };

  /// The pieces of points on faces: one a block, and for each prism one more behind its last one,
  /// where the slab begins.
  struct PrismRows
  {
    int        n_prisms   = 0;
    const int *row_starts = nullptr;

    SALTUS_HOST_DEVICE
    int
    prism(const int piece) const
    {
      return last_of_parts(n_prisms, [&](const int k) { return row_starts[k] + k <= piece; });
    }

    /// Of a piece of the prism.
    SALTUS_HOST_DEVICE
    bool
    is_last(const int prism, const int piece) const
    {
      return piece == row_starts[prism + 1] + prism;
    }
  };

  /// Points of elements and facets in space.
  struct SpacePointArrays
  {
    const std::size_t *volume_starts = nullptr; ///< `[element]`
    const std::size_t *face_starts   = nullptr; ///< `[block]`
    const int         *face_owners   = nullptr; ///< `[point]`: facet

    SALTUS_HOST_DEVICE
    int
    n_in_element(const int element) const
    {
      return volume_starts[element + 1] - volume_starts[element];
    }

    SALTUS_HOST_DEVICE
    int
    n_on_faces(const int block) const
    {
      return face_starts[block + 1] - face_starts[block];
    }

    /// Where there are any.
    SALTUS_HOST_DEVICE
    int
    first_facet(const int block) const
    {
      return face_owners[face_starts[block]];
    }

    SALTUS_HOST_DEVICE
    int
    n_facets(const int block) const
    {
      return n_on_faces(block) == 0
               ? 0
               : face_owners[face_starts[block + 1] - 1] - first_facet(block) + 1;
    }
  };

  /// What prisms have in common; where they meet in time, one a cell.
  struct PrismFacet
  {
    int prism, neighbor; ///< the latter -1 at the boundary and at the bottom
    int inside, outside; ///< numbers of cells
    int of_space;        ///< facet in space, or -1
  };

  /// Degrees and numbers of unknowns of prisms, those of ghosts included.
  template <int dim>
  struct CountPrismRows
  {
    SlabArrays     slab;
    LegendreFamily family  = LegendreFamily::total;
    int           *degrees = nullptr, *n_rows = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int prism) const
    {
      degrees[prism] = slab.degrees[slab.elements[prism]];
      n_rows[prism]  = n_legendre_modes<dim + 1>(degrees[prism], family);
    }
  };

  /// Numbers of blocks.
  struct CountPrismBlocks
  {
    SlabArrays slab;
    int       *counts = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int prism) const
    {
      int n = 0;
      slab.for_blocks(prism, [&](const int, const int, const double, const double) { ++n; });
      counts[prism] = n;
    }
  };

  /// Blocks and the pieces of points on faces, which these do.
  template <int dim>
  struct MakePrismBlocks
  {
    SlabArrays       slab;
    SpacePointArrays in_space;
    PrismRows        rows;
    LegendreFamily   family      = LegendreFamily::total;
    int              extra_times = 0; ///< beyond what products of polynomials need
    int             *columns     = nullptr;
    int             *rooms       = nullptr; ///< `[block]`
    PrismPiece      *pieces      = nullptr; ///< their owners are not yet there
    int             *sizes       = nullptr; ///< `[piece]`
    int             *n_facets    = nullptr; ///< `[piece]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int p) const
    {
      const int  prism = rows.prism(p), e = slab.elements[prism], own = slab.degrees[e];
      const auto beginning = [&](const PrismPart part) {
        return PrismPiece{part,
                          in_space.n_in_element(e),
                          in_space.volume_starts[e],
                          0,
                          0,
                          slab.begin(prism),
                          slab.begin(prism)};
      };
      if (rows.is_last(prism, p))
        {
          PrismPiece bottom = beginning(PrismPart::bottom);
          if (slab.step(prism) > 0)
            bottom.n = 0;
          put(p, bottom, bottom.n > 0 ? slab.n_cells(e) : 0);
          return;
        }
      const int b = p - prism;
      slab.for_block(prism,
                     b - rows.row_starts[prism],
                     [&](const int column, const int block, const double from, const double to) {
                       const int across = slab.degrees[slab.elements[column]];
                       columns[b]       = column;
                       rooms[b]         = room_for_block(n_legendre_modes<dim + 1>(own, family),
                                                 n_legendre_modes<dim + 1>(across, family));
                       if (block == SlabArrays::before)
                         put(p, beginning(PrismPart::ends), slab.n_cells(e));
                       else
                         put(p,
                             {column == prism ? PrismPart::boundary : PrismPart::interfaces,
                              in_space.n_on_faces(block),
                              in_space.face_starts[block],
                              (across > own ? across : own) + 1 + extra_times,
                              0,
                              from,
                              to},
                             in_space.n_facets(block));
                     });
    }

  private:
    SALTUS_HOST_DEVICE
    void
    put(const int p, const PrismPiece &piece, const int n) const
    {
      pieces[p]   = piece;
      sizes[p]    = piece.size();
      n_facets[p] = n;
    }
  };

  /// Where blocks have their points, and what the facets are; pieces on faces do this.
  struct MakePrismFacets
  {
    SlabArrays           slab;
    SpacePointArrays     in_space;
    PrismRows            rows;
    const FacetGeometry *facets_in_space = nullptr;
    const std::size_t   *piece_starts    = nullptr; ///< `[piece]`, and the number of points
    const int           *facet_starts    = nullptr; ///< `[piece]`
    const int           *first_cells     = nullptr; ///< `[prism or ghost's]`
    const int           *places_of_cells = nullptr; ///< `[active cell]`: in its element
    PrismPiece          *pieces          = nullptr;
    PrismFacet          *facets          = nullptr;
    std::size_t         *face_starts     = nullptr; ///< `[block]`, and the number of points
    int                 *n_fours         = nullptr; ///< `[block]`: steps of four points

    SALTUS_HOST_DEVICE
    void
    operator()(const int p) const
    {
      const int prism = rows.prism(p), b = p - prism;
      if (rows.is_last(prism, p))
        {
          if (slab.step(prism) == 0)
            meet_in_time(p, prism, -1);
          if (prism == rows.n_prisms - 1)
            face_starts[b] = piece_starts[p + 1];
          return;
        }
      slab.for_block(prism,
                     b - rows.row_starts[prism],
                     [&](const int column, const int block, const double, const double) {
                       if (block == SlabArrays::before)
                         meet_in_time(p, prism, column);
                       else
                         meet_in_space(p, prism, column, block);
                       const std::size_t end = piece_starts[column == prism ? p + 2 : p + 1];
                       face_starts[b]        = piece_starts[p];
                       n_fours[b]            = (end - piece_starts[p] + 3) / 4;
                     });
    }

  private:
    SALTUS_HOST_DEVICE
    void
    meet_in_time(const int p, const int prism, const int before) const
    {
      const int first = facet_starts[p], cell = first_cells[prism];
      pieces[p].owner = first;
      for (int i = 0; i < slab.n_cells(slab.elements[prism]); ++i)
        facets[first + i] = {
          prism, before, cell + i, before < 0 ? cell + i : first_cells[before] + i, -1};
    }

    SALTUS_HOST_DEVICE
    void
    meet_in_space(const int p, const int prism, const int column, const int block) const
    {
      const int n = in_space.n_facets(block);
      if (n == 0)
        return;
      const int of_space = in_space.first_facet(block), first = facet_starts[p];
      pieces[p].owner = first - of_space;
      for (int i = 0; i < n; ++i)
        {
          const FacetGeometry &facet = facets_in_space[of_space + i];
          const int            cell  = first_cells[prism] + places_of_cells[facet.inside];
          facets[first + i]          = {prism,
                               column == prism ? -1 : column,
                                        cell,
                               column == prism
                                          ? cell
                                          : first_cells[column] + places_of_cells[facet.outside],
                                        of_space + i};
        }
    }
  };

  /// The pieces of points in prisms.
  struct MakePrismVolumes
  {
    SlabArrays       slab;
    SpacePointArrays in_space;
    int              extra_times = 0;
    const int       *first_cells = nullptr;
    PrismPiece      *pieces      = nullptr; ///< `[prism]`
    int             *sizes       = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int prism) const
    {
      const int e   = slab.elements[prism];
      pieces[prism] = {PrismPart::volume,
                       in_space.n_in_element(e),
                       in_space.volume_starts[e],
                       slab.degrees[e] + 1 + extra_times,
                       first_cells[prism],
                       slab.begin(prism),
                       slab.end(prism)};
      sizes[prism]  = pieces[prism].size();
    }
  };

  /// Numbers of cells, which prisms of ghosts count, too.
  struct CountPrismCells
  {
    SlabArrays slab;
    int       *counts = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int prism) const
    {
      counts[prism] = slab.n_cells(slab.elements[prism]);
    }
  };

  /// Whose they are, and their middles in the middle of steps, at points in the order of cells.
  struct MakePrismCells
  {
    SlabArrays  slab;
    const int  *first_cells = nullptr;
    int        *prisms      = nullptr; ///< `[cell]`
    PrismPiece *middles     = nullptr; ///< `[prism]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int prism) const
    {
      const int    e = slab.elements[prism], n = slab.n_cells(e);
      const double middle = .5 * (slab.begin(prism) + slab.end(prism));
      for (int i = 0; i < n; ++i)
        prisms[first_cells[prism] + i] = prism;
      middles[prism] = {
        PrismPart::middles, n, static_cast<std::size_t>(slab.cell_starts[e]), 0, 0, middle, middle};
    }
  };

  /// Boxes over those of elements, ghosts included.
  template <int dim>
  struct MakePrismBoxes
  {
    SlabArrays     slab;
    BoxArrays<dim> boxes;             ///< of elements
    double         length  = 1.;      ///< of the slab
    double        *numbers = nullptr; ///< see box_numbers()

    SALTUS_HOST_DEVICE
    void
    operator()(const int prism) const
    {
      constexpr int n    = dim + 1;
      const int     e    = slab.elements[prism];
      const double  from = length * slab.begin(prism), to = length * slab.end(prism);
      double *center = numbers + prism * static_cast<std::size_t>(n + n * n), *rows = center + n;
      for (int i = 0; i < n; ++i)
        {
          center[i] = i < dim ? boxes.center(e)[i] : .5 * (from + to);
          for (int d = 0; d < n; ++d)
            rows[i * n + d] = i < dim && d < dim ? boxes.row(e, i)[d]
                              : i == d           ? 2. / (to - from)
                                                 : 0.;
        }
    }
  };

  /// Points of prisms from those in space.
  template <int dim>
  struct PrismPoints
  {
    PrismPieceArrays pieces;
    double           length = 1.; ///< of the slab
    /// In elements and on their faces: places `[q][d]`, owners, weights or normals `[q][d]`.
    const double *places_in_elements = nullptr, *places_on_faces = nullptr;
    const int    *owners_in_elements = nullptr, *owners_on_faces = nullptr;
    const double *weights = nullptr, *normals = nullptr;
    const int    *places_of_cells = nullptr; ///< `[cell in space]`: in its element

    SALTUS_HOST_DEVICE
    Array<double, dim + 1>
    x(const PrismPieceArrays::Place &place, const double *places) const
    {
      Array<double, dim + 1> result;
      for (int d = 0; d < dim; ++d)
        result[d] = places[place.in_space * dim + d];
      result[dim] = length * pieces.rules.time(place.piece, place.time);
      return result;
    }

    SALTUS_HOST_DEVICE
    double
    weight(const PrismPieceArrays::Place &place) const
    {
      return length * pieces.rules.weight(place.piece, place.time);
    }

    /// Number of the cell or facet of a point in an element.
    SALTUS_HOST_DEVICE
    int
    owner(const PrismPieceArrays::Place &place) const
    {
      return place.piece.owner + places_of_cells[owners_in_elements[place.in_space]];
    }
  };

  /// Those in prisms, see StoredCellPoints.
  template <int dim>
  struct PrismCellPoints
  {
    PrismPoints<dim> points;
    int             *cells   = nullptr; ///< `[point]`, for later
    double          *weights = nullptr;

    SALTUS_HOST_DEVICE
    CellPoint<dim + 1>
    take(const std::size_t q) const
    {
      const auto               place = points.pieces.place(q);
      const CellPoint<dim + 1> result{points.x(place, points.places_in_elements),
                                      points.weight(place) * points.weights[place.in_space],
                                      points.owner(place)};
      cells[q]   = result.cell;
      weights[q] = result.weight;
      return result;
    }
  };

  /// Those on their faces, see StoredFacetPoints.
  template <int dim>
  struct PrismFacetPoints
  {
    PrismPoints<dim>   points;
    const PrismFacet  *facets   = nullptr;
    const FacetRecord *in_space = nullptr; ///< `[facet in space]`
    int               *owners   = nullptr; ///< `[point]`, for later

    SALTUS_HOST_DEVICE
    PointOnFacet<dim + 1>
    take(const std::size_t q) const
    {
      const auto            place = points.pieces.place(q);
      const PrismPart       part  = place.piece.part;
      PointOnFacet<dim + 1> result;
      if (part == PrismPart::interfaces || part == PrismPart::boundary)
        {
          result.x            = points.x(place, points.places_on_faces);
          result.facet        = place.piece.owner + points.owners_on_faces[place.in_space];
          const double weight = points.weight(place);
          for (int d = 0; d < dim; ++d)
            result.normal[d] = weight * points.normals[place.in_space * dim + d];
          result.normal[dim] = 0;
        }
      else
        {
          result.x     = points.x(place, points.places_in_elements);
          result.facet = points.owner(place);
          for (int d = 0; d < dim; ++d)
            result.normal[d] = 0;
          result.normal[dim] = -points.weights[place.in_space];
        }
      owners[q] = result.facet;
      return result;
    }

    /// A facet with what those in space have.
    SALTUS_HOST_DEVICE
    FacetRecord
    facet(const int number) const
    {
      const PrismFacet &facet  = facets[number];
      FacetRecord       record = {0, 0, 0, 0, 0., 0., EllipticBoundary::dirichlet, 0.};
      if (facet.of_space >= 0)
        record = in_space[facet.of_space];
      record.element  = facet.prism;
      record.neighbor = facet.neighbor;
      record.inside   = facet.inside;
      record.outside  = facet.outside;
      return record;
    }
  };

  /// Values of functions at points in space for the same points at some times, which points in
  /// space and time do: component c is that number of the values which @ref from says, or a
  /// constant.
  template <int dim>
  struct SpreadValues
  {
    static constexpr int max_components = (dim + 1) * (dim + 2) / 2;

    PrismPieceArrays pieces;
    int              parts     = 0;     ///< of which PrismPart
    bool             each_time = false; ///< only those at the time
    double           time      = 0;
    int              n_in = 1, n_out = 1;
    int              from[max_components]      = {}; ///< -1: none
    double           constants[max_components] = {};
    const double    *values                    = nullptr; ///< `[point in space][n_in]`
    double          *out                       = nullptr; ///< `[point][n_out]`

    SALTUS_HOST_DEVICE
    void
    operator()(const int number) const
    {
      const std::size_t point = number;
      const auto        place = pieces.place(point);
      if ((static_cast<int>(place.piece.part) & parts) == 0 ||
          (each_time && pieces.rules.time(place.piece, place.time) != time))
        return;
      for (int c = 0; c < n_out; ++c)
        out[point * n_out + c] =
          from[c] < 0 ? constants[c] : values[place.in_space * n_in + from[c]];
    }
  };
} // namespace Saltus

#endif
