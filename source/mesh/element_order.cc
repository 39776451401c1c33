// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/bounding_box.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/algebra/parallel_sort.h>
#include <saltus/base/device/threads.h>
#include <saltus/mesh/element_mesh.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Position along the space-filling curve, its most significant number first.
    template <int dim>
    using CurvePosition = std::array<std::uint64_t, dim>;

    /// Of the points from @p begin on to before @p end, on the curve through @p box, which holds
    /// all of them.
    template <int dim>
    std::vector<CurvePosition<dim>>
    curve_positions(const std::vector<Point<dim>> &points,
                    const unsigned int             begin,
                    const unsigned int             end,
                    const BoundingBox<dim>        &box)
    {
      constexpr int           bits = 20; // finer than any mesh that fits into memory
      std::vector<Point<dim>> range(points.begin() + begin, points.begin() + end);
      // The curve fills the box of the points that it is given.
      range.push_back(box.get_boundary_points().first);
      range.push_back(box.get_boundary_points().second);
      return Utilities::inverse_Hilbert_space_filling_curve(range, bits);
    }

    /// What decides on the range of an element, in the order of the ranges.
    using Kind = std::pair<bool, GeometryKind>; // whether it is shared

    /// Blocks of one kind after each other.
    template <typename KindOf>
    std::vector<ElementRange>
    make_ranges(const ElementShape shape, const unsigned int n_elements, const KindOf &kind_of)
    {
      std::vector<ElementRange> ranges;
      for (unsigned int begin = 0; begin < n_elements; begin += block_size)
        {
          const unsigned int end = std::min(begin + block_size, n_elements);
          Kind               most(false, GeometryKind::affine);
          for (unsigned int e = begin; e < end; ++e)
            {
              const Kind kind = kind_of(e);
              most = {std::max(most.first, kind.first), std::max(most.second, kind.second)};
            }
          if (ranges.empty() || ranges.back().kind != most.second ||
              ranges.back().needs_ghosts != most.first)
            ranges.push_back({shape, most.second, most.first, begin, end});
          ranges.back().end = end;
        }
      return ranges;
    }
  } // namespace

  template <int dim>
  ElementOrder<dim>::ElementOrder(const Triangulation<dim>           &triangulation,
                                  const ReferenceCell                &shape,
                                  const std::vector<SharedFace<dim>> &shared_faces,
                                  const Kinds                        &kinds)
    : triangulation(triangulation)
    , element_of_cell(triangulation.n_active_cells(), numbers::invalid_unsigned_int)
  {
    AssertThrow(triangulation.n_global_active_cells() > 0,
                ExcMessage("The triangulation is empty."));
    std::vector<Cell> owned;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() && cell->reference_cell() == shape)
        owned.push_back(cell);
    const unsigned int      n = owned.size();
    std::vector<Point<dim>> centers(n);
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int i = begin; i < end; ++i)
        centers[i] = owned[i]->center();
    });
    std::vector<bool> is_shared(triangulation.n_active_cells(), false); // by active cell index
    for (const SharedFace<dim> &face : shared_faces)
      is_shared[face.cell] = true;

    // Ties are left in the order of the cells.
    std::vector<std::tuple<Kind, CurvePosition<dim>, unsigned int>> cell_at(n);
    const BoundingBox<dim> box(n > 0 ? centers : std::vector<Point<dim>>(1));
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      const auto positions = curve_positions<dim>(centers, begin, end, box);
      for (unsigned int i = begin; i < end; ++i)
        cell_at[i] = {{is_shared[owned[i]->active_cell_index()],
                       kinds ? kinds(owned[i]) : GeometryKind::affine},
                      positions[i - begin],
                      i};
    });
    parallel_sort(cell_at);

    cells.resize(n);
    if (shape.is_simplex())
      vertices.resize(n, identity_permutation<dim>());
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        {
          cells[e]                                       = owned[std::get<2>(cell_at[e])];
          element_of_cell[cells[e]->active_cell_index()] = e;
        }
    });
    ranges = make_ranges(shape.is_simplex() ? ElementShape::simplex : ElementShape::hypercube,
                         n,
                         [&](const unsigned int e) { return std::get<0>(cell_at[e]); });
  }

  template class ElementOrder<2>;
  template class ElementOrder<3>;
} // namespace Saltus
