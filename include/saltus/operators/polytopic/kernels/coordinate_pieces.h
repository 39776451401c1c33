// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_coordinate_pieces_h
#define saltus_operators_polytopic_kernels_coordinate_pieces_h

#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/algebra/part_of.h>
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>

#include <cstdint>

/// Assembly in coordinate form (Dong, Georgoulis and Kappas, section 3, first approach): every cell
/// and every facet makes its own entries, and those with the same row and column are added
/// afterwards. Work for launch(), between which keys are sorted and numbers added up.
namespace Saltus
{
  /// Where an owner's points begin.
  struct MarkFirstPoints
  {
    const int *owners = nullptr; ///< `[point]`
    int       *marks  = nullptr; ///< 1 or 0

    SALTUS_HOST_DEVICE
    void
    operator()(const int q) const
    {
      marks[q] = q == 0 || owners[q] != owners[q - 1];
    }
  };

  /// Cells, then facets of elements: each with a row of blocks of its own, as if it were an
  /// element. The elements themselves come after all of them: as neighbours.
  template <int dim>
  struct Pieces
  {
    AssembleRows<dim> rows; ///< of the elements
    int               n_elements = 0, n_blocks = 0, n_cells = 0, n_facets = 0;
    std::size_t       n_volume_points = 0, n_face_points = 0;
    const int        *first_in_cell = nullptr, *first_on_facet = nullptr; ///< points

    SALTUS_HOST_DEVICE
    int
    size() const
    {
      return n_cells + n_facets;
    }

    /// What a piece belongs to.
    struct Place
    {
      int row, column; ///< elements
    };

    SALTUS_HOST_DEVICE
    Place
    place(const int piece) const
    {
      if (piece < n_cells)
        {
          const std::size_t q       = first_in_cell[piece];
          const int         element = part_of(rows.volume_starts, n_elements, q);
          return {element, element};
        }
      const std::size_t q     = first_on_facet[piece - n_cells];
      const int         block = part_of(rows.face_starts, n_blocks, q);
      return {part_of(rows.row_starts, n_elements, block), rows.columns[block]};
    }

    /// Points of the piece's cell, and on its facet, begin here.
    SALTUS_HOST_DEVICE
    std::size_t
    first_volume_point(const int piece) const
    {
      return piece < n_cells ? first_in_cell[piece] : n_volume_points;
    }

    SALTUS_HOST_DEVICE
    std::size_t
    first_face_point(const int piece) const
    {
      return piece < n_cells  ? 0
             : piece < size() ? static_cast<std::size_t>(first_on_facet[piece - n_cells])
                              : n_face_points;
    }
  };

  template <int dim>
  struct CountPieceBlocks
  {
    Pieces<dim> pieces;
    int        *counts = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int piece) const
    {
      const auto place = pieces.place(piece);
      counts[piece]    = place.row == place.column ? 1 : 2;
    }
  };

  /// The rows of the pieces, see AssembleRows.
  template <int dim>
  struct MakePieces
  {
    Pieces<dim>  pieces;
    const int   *row_starts  = nullptr; ///< `[piece]`
    int         *degrees     = nullptr; ///< `[piece or element]`
    double      *scales      = nullptr;
    int         *columns     = nullptr; ///< `[block of a piece]`
    int         *room        = nullptr;
    std::size_t *face_starts = nullptr, *volume_starts = nullptr;
    int         *n_steps = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int piece) const
    {
      const auto  place       = pieces.place(piece);
      const auto &elements    = pieces.rows.elements;
      degrees[piece]          = elements.degrees[place.row];
      scales[piece]           = elements.scales[place.row];
      volume_starts[piece]    = pieces.first_volume_point(piece);
      const std::size_t begin = pieces.first_face_point(piece),
                        end   = piece < pieces.n_cells ? begin : pieces.first_face_point(piece + 1);
      const int n             = elements.n_modes(place.row);
      int       b             = row_starts[piece];
      if (place.row != place.column)
        put(b++,
            pieces.size() + place.column,
            n * elements.n_modes(place.column),
            begin,
            end - begin);
      const bool has_points = place.row == place.column;
      put(b, piece, n * n, has_points ? begin : end, has_points ? end - begin : 0);
      if (piece == pieces.size() - 1)
        {
          volume_starts[pieces.size()] = pieces.n_volume_points;
          face_starts[b + 1]           = pieces.n_face_points;
        }
    }

  private:
    SALTUS_HOST_DEVICE
    void
    put(const int         block,
        const int         column,
        const int         n_entries,
        const std::size_t first_point,
        const std::size_t n_points) const
    {
      columns[block]     = column;
      room[block]        = room_for_block(n_entries, 1);
      face_starts[block] = first_point;
      n_steps[block]     = (n_points + 3) / 4;
    }
  };

  /// What the entries of a matrix of blocks are sorted by: row and column of the block, of which
  /// the diagonal ones come last in their rows, then the place in the block.
  struct EntryKeys
  {
    static constexpr std::uint64_t none = ~static_cast<std::uint64_t>(0);

    int n_columns = 0; ///< elements and ghosts
    int n_places  = 0; ///< in the largest block

    SALTUS_HOST_DEVICE
    std::uint64_t
    key(const int row, const int column, const int place) const
    {
      const std::uint64_t block =
        static_cast<std::uint64_t>(row) * (n_columns + 1) + (row == column ? n_columns : column);
      return block * n_places + place;
    }

    SALTUS_HOST_DEVICE
    std::uint64_t
    block(const std::uint64_t key) const
    {
      return key / n_places;
    }
  };

  /// The keys of all that the pieces have.
  template <int dim>
  struct MakeEntryKeys
  {
    Pieces<dim>        pieces;
    EntryKeys          by;
    const int         *row_starts   = nullptr; ///< `[piece]`
    const std::size_t *block_starts = nullptr; ///< `[block of a piece]`
    std::uint64_t     *keys         = nullptr;
    int               *numbers      = nullptr; ///< of the entries

    SALTUS_HOST_DEVICE
    void
    operator()(const int piece) const
    {
      const auto  place    = pieces.place(piece);
      const auto &elements = pieces.rows.elements;
      for (int b = row_starts[piece]; b < row_starts[piece + 1]; ++b)
        {
          const int column = b + 1 < row_starts[piece + 1] ? place.column : place.row;
          const int n      = elements.n_modes(place.row) * elements.n_modes(column);
          for (std::size_t i = block_starts[b]; i < block_starts[b + 1]; ++i)
            {
              const int entry = i - block_starts[b];
              keys[i]         = entry < n ? by.key(place.row, column, entry) : EntryKeys::none;
              numbers[i]      = i;
            }
        }
    }
  };

  /// Which of the sorted entries are the first of their place, or of their block.
  struct MarkNewKeys
  {
    EntryKeys            by;
    bool                 blocks = false; ///< rather than places
    const std::uint64_t *keys   = nullptr;
    int                 *marks  = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const std::uint64_t before = i == 0 ? EntryKeys::none : keys[i - 1];
      marks[i]                   = keys[i] != EntryKeys::none &&
                 (i == 0 || (blocks ? by.block(keys[i]) != by.block(before) : keys[i] != before));
    }
  };

  /// Add up the entries of a place. Those in order stay so: every sum has its own order.
  template <int dim>
  struct AddEntries
  {
    Pieces<dim>          pieces;
    EntryKeys            by;
    int                  n_entries = 0;
    const std::uint64_t *keys      = nullptr;
    const int           *numbers   = nullptr;
    const int           *blocks    = nullptr; ///< `[entry]`: blocks that begin before it
    const double        *entries   = nullptr;
    int                 *n_strange = nullptr; ///< set to 1 if the blocks are not those of the rows

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      if (keys[i] == EntryKeys::none || (i > 0 && keys[i - 1] == keys[i]))
        return;
      double sum = 0;
      for (int k = i; k < n_entries && keys[k] == keys[i]; ++k)
        sum += entries[numbers[k]];
      const auto &rows = pieces.rows;
      const int block = blocks[i + 1] - 1, row = part_of(rows.row_starts, pieces.n_elements, block);
      const auto first = by.key(row, rows.columns[block], 0);
      if (block >= pieces.n_blocks || by.block(first) != by.block(keys[i]))
        {
          *n_strange = 1;
          return;
        }
      rows.values[rows.block_starts[block] + (keys[i] - first)] = sum;
    }
  };
} // namespace Saltus

#endif
