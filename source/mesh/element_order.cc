// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/threads.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/position_text.h>

#include <algorithm>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  ElementOrder<dim>::ElementOrder(const Triangulation<dim> &triangulation)
  {
    const unsigned int n = triangulation.n_active_cells();
    AssertThrow(n > 0, ExcMessage("The triangulation is empty."));
    std::vector<typename Triangulation<dim>::active_cell_iterator> by_index;
    by_index.reserve(n);
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        AssertThrow(cell->reference_cell() == ReferenceCells::get_simplex<dim>(),
                    ExcMessage("Only triangles and tetrahedra are supported, but " +
                               cell_text(cell) + " is a " + cell->reference_cell().to_string() +
                               "."));
        by_index.push_back(cell);
      }
    std::vector<Point<dim>> centers(n);
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int i = begin; i < end; ++i)
        centers[i] = by_index[i]->center();
    });

    constexpr int             bits  = 20; // finer than any mesh that fits into memory
    const auto                curve = Utilities::inverse_Hilbert_space_filling_curve(centers, bits);
    std::vector<unsigned int> cell_of_element(n);
    std::iota(cell_of_element.begin(), cell_of_element.end(), 0);
    std::stable_sort(cell_of_element.begin(),
                     cell_of_element.end(),
                     [&](const unsigned int a, const unsigned int b) {
                       return curve[a] < curve[b];
                     });

    cells.resize(n);
    element_of_cell.resize(n);
    vertices.resize(n, identity_permutation<dim>());
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        {
          cells[e]                            = by_index[cell_of_element[e]];
          element_of_cell[cell_of_element[e]] = e;
        }
    });
  }

  template class ElementOrder<2>;
  template class ElementOrder<3>;
} // namespace Saltus
