// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/algebra/sort_pairs.h>
#include <saltus/base/device/launch.h>
#include <saltus/operators/polytopic/coordinate_assembly.h>
#include <saltus/operators/polytopic/kernels/coordinate_pieces.h>
#include <saltus/operators/polytopic/kernels/polytopic_records.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Where the points of the owners begin.
    Memory<int>
    first_points(const Memory<int> &owners)
    {
      Memory<int> marks(owners.device(), owners.size());
      launch(owners.device(), owners.size(), MarkFirstPoints{owners.data(), marks.data()});
      const Memory<int> starts = prefix_sums<int>(marks);
      Memory<int>       first(owners.device(), last_of(starts));
      launch(owners.device(), owners.size(), ListMarked{starts.data(), nullptr, first.data()});
      return first;
    }

    template <typename T>
    void
    copy_behind(Memory<T> &all, const std::size_t n_before, const T *values, const std::size_t n)
    {
      if (all.device().is_cuda())
        CudaRuntime::copy_on_device(all.data() + n_before, values, n * sizeof(T));
      else
        std::copy_n(values, n, all.data() + n_before);
    }

    /// Entries in coordinate form.
    struct Entries
    {
      Memory<std::uint64_t> keys;
      Memory<int>           numbers;
      Memory<double>        values;
    };

    /// Let the pieces assemble as if they were elements.
    template <int dim>
    Entries
    entries_of(const Pieces<dim> &pieces,
               const EntryKeys   &by,
               const unsigned int n_known_elements,
               const int          max_degree,
               const Device       device)
    {
      const int   n = pieces.size();
      Memory<int> counts(device, n);
      launch(device, n, CountPieceBlocks<dim>{pieces, counts.data()});
      const Memory<int> row_starts = prefix_sums<int>(counts);
      const int         n_blocks   = last_of(row_starts);

      Memory<int>    degrees(device, n + n_known_elements);
      Memory<double> scales(device, n + n_known_elements);
      Memory<int>    columns(device, n_blocks), room(device, n_blocks), steps(device, n_blocks);
      Memory<std::size_t> face_starts(device, n_blocks + 1), volume_starts(device, n + 1);
      copy_behind(degrees, n, pieces.rows.elements.degrees, n_known_elements);
      copy_behind(scales, n, pieces.rows.elements.scales, n_known_elements);
      launch(device,
             n,
             MakePieces<dim>{pieces,
                             row_starts.data(),
                             degrees.data(),
                             scales.data(),
                             columns.data(),
                             room.data(),
                             face_starts.data(),
                             volume_starts.data(),
                             steps.data()});
      const Memory<std::size_t> block_starts = prefix_sums<std::size_t>(room);
      const Memory<int>         step_starts  = prefix_sums<int>(steps);
      const std::size_t         n_entries    = last_of(block_starts);
      AssertThrow(n_entries <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
                  ExcMessage("Assembly in coordinate form has " + std::to_string(n_entries) +
                             " entries to sort here, and can number " +
                             std::to_string(std::numeric_limits<int>::max()) +
                             ": assemble in place."));

      std::vector<int> all(n);
      std::iota(all.begin(), all.end(), 0);
      const Memory<int> numbers(device, all);
      Entries           result{Memory<std::uint64_t>(device, n_entries),
                     Memory<int>(device, n_entries),
                     Memory<double>(device, n_entries)};
      AssembleRows<dim> work  = pieces.rows;
      work.elements.degrees   = degrees.data();
      work.elements.scales    = scales.data();
      work.row_starts         = row_starts.data();
      work.columns            = columns.data();
      work.block_starts       = block_starts.data();
      work.volume_starts      = volume_starts.data();
      work.face_starts        = face_starts.data();
      work.face_steps         = step_starts.data();
      work.by_degree          = {};
      work.by_degree.elements = numbers.data();
      for (int degree = max_degree; degree <= max_legendre_degree; ++degree)
        work.by_degree.starts[degree + 1] = n;
      work.values = result.values.data();
      launch(device, n, work);
      launch(device,
             n,
             MakeEntryKeys<dim>{pieces,
                                by,
                                row_starts.data(),
                                block_starts.data(),
                                result.keys.data(),
                                result.numbers.data()});
      return result;
    }
  } // namespace


  template <int dim>
  void
  assemble_coordinates(const AssembleRows<dim> &rows,
                       const BlockSparsity     &sparsity,
                       const unsigned int       n_known_elements,
                       const Memory<int>       &volume_owners,
                       const Memory<int>       &face_owners)
  {
    const Device      device   = volume_owners.device();
    const Memory<int> in_cells = first_points(volume_owners), on_facets = first_points(face_owners);
    const Pieces<dim> pieces{rows,
                             static_cast<int>(sparsity.n_elements()),
                             static_cast<int>(sparsity.n_blocks()),
                             static_cast<int>(in_cells.size()),
                             static_cast<int>(on_facets.size()),
                             volume_owners.size(),
                             face_owners.size(),
                             in_cells.data(),
                             on_facets.data()};
    int               max_degree = 0;
    for (int degree = 0; degree <= max_legendre_degree; ++degree)
      if (rows.by_degree.starts[degree + 1] > rows.by_degree.starts[degree])
        max_degree = degree;
    const int       largest = n_legendre_modes<dim>(max_degree, rows.elements.family);
    const EntryKeys by{static_cast<int>(n_known_elements), largest * largest};

    Entries   entries = entries_of(pieces, by, n_known_elements, max_degree, device);
    const int n       = entries.keys.size();
    sort_pairs(device, n, entries.keys.data(), entries.numbers.data());
    Memory<int> marks(device, n), strange(device, 1);
    launch(device, n, MarkNewKeys{by, true, entries.keys.data(), marks.data()});
    const Memory<int> blocks = prefix_sums<int>(marks);
    launch(device,
           n,
           AddEntries<dim>{pieces,
                           by,
                           n,
                           entries.keys.data(),
                           entries.numbers.data(),
                           blocks.data(),
                           entries.values.data(),
                           strange.data()});
    AssertThrow(last_of(strange) == 0 && last_of(blocks) == static_cast<int>(sparsity.n_blocks()),
                ExcInternalError("Entries in coordinate form have other blocks than the matrix."));
  }


  template void
  assemble_coordinates(const AssembleRows<2> &,
                       const BlockSparsity &,
                       const unsigned int,
                       const Memory<int> &,
                       const Memory<int> &);
  template void
  assemble_coordinates(const AssembleRows<3> &,
                       const BlockSparsity &,
                       const unsigned int,
                       const Memory<int> &,
                       const Memory<int> &);
} // namespace Saltus
