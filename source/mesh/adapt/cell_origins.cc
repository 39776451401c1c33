// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/adapt/cell_origins.h>

#include <cstring>
#include <type_traits>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  CellOrigins<dim>
  refine_and_note(parallel::distributed::Triangulation<dim> &triangulation,
                  const std::vector<unsigned int>           &numbers)
  {
    using OnP4est = parallel::distributed::Triangulation<dim>;
    using Cell    = typename OnP4est::cell_iterator;
    using Status  = typename OnP4est::CellStatus;
    using Origin  = CellOrigin<dim>;
    static_assert(std::is_trivially_copyable_v<Origin>, "It travels as its bytes.");

    AssertDimension(numbers.size(), triangulation.n_active_cells());
    const unsigned int here   = this_rank(triangulation.get_communicator());
    const unsigned int handle = triangulation.register_data_attach(
      [&](const Cell &cell, const Status status) {
        Origin origin;
        origin.rank = here;
        if (status == OnP4est::CELL_COARSEN)
          for (unsigned int c = 0; c < Origin::n_children; ++c)
            origin.cells[c] = numbers[cell->child(c)->active_cell_index()];
        else
          origin.cells[0] = numbers[cell->active_cell_index()];
        const auto *bytes = reinterpret_cast<const char *>(&origin);
        return std::vector<char>(bytes, bytes + sizeof(Origin));
      },
      false);
    triangulation.execute_coarsening_and_refinement();

    CellOrigins<dim> result(triangulation.n_active_cells());
    triangulation.notify_ready_to_unpack(
      handle, [&](const Cell &cell, const Status status, const auto &data) {
        Origin origin;
        std::memcpy(&origin, &*data.begin(), sizeof(Origin));
        if (status == OnP4est::CELL_REFINE)
          {
            origin.kind = Origin::Kind::child;
            for (unsigned char c = 0; c < Origin::n_children; ++c)
              {
                origin.child                                = c;
                result[cell->child(c)->active_cell_index()] = origin;
              }
          }
        else
          {
            origin.kind =
              status == OnP4est::CELL_COARSEN ? Origin::Kind::parent : Origin::Kind::same;
            result[cell->active_cell_index()] = origin;
          }
      });
    return result;
  }

  template <int dim>
  std::vector<unsigned int>
  numbers_in_order(const CellOrigins<dim> &origins)
  {
    std::vector<unsigned int> numbers(origins.size());
    unsigned int              n = 0;
    for (unsigned int i = 0; i < origins.size(); ++i)
      if (origins[i].kind != CellOrigin<dim>::Kind::none)
        numbers[i] = n++;
    return numbers;
  }

#define SALTUS_CELL_ORIGINS(dim)                                                                  \
  template CellOrigins<dim>          refine_and_note(parallel::distributed::Triangulation<dim> &, \
                                                     const std::vector<unsigned int> &);          \
  template std::vector<unsigned int> numbers_in_order<dim>(const CellOrigins<dim> &);
  SALTUS_CELL_ORIGINS(2)
  SALTUS_CELL_ORIGINS(3)
#undef SALTUS_CELL_ORIGINS
} // namespace Saltus
