// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/all_to_all.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/operators/spaces/adaption_transfer.h>
#include <saltus/operators/spaces/adaption_work.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// `[c][m][k]`: modes on child c of the polynomials that are modes of its parent.
    template <int dim, typename Number>
    std::vector<Number>
    matrices_to_children(const unsigned int n_modes)
    {
      const unsigned int        degree = std::lround(std::pow(n_modes, 1. / dim)) - 1;
      const FE_HypercubeDG<dim> fe(degree);
      AssertDimension(fe.n_dofs_per_cell(), n_modes);
      std::vector<Number> result;
      for (unsigned int c = 0; c < CellOrigin<dim>::n_children; ++c)
        {
          const FullMatrix<double> &matrix = fe.get_prolongation_matrix(c);
          for (unsigned int m = 0; m < n_modes; ++m)
            for (unsigned int k = 0; k < n_modes; ++k)
              result.push_back(matrix(m, k));
        }
      return result;
    }

    template <int dim>
    int
    kind_for_device(const CellOrigin<dim> &origin)
    {
      using Kind = typename CellOrigin<dim>::Kind;
      using Work = AdaptElements<double>;
      return origin.kind == Kind::same     ? Work::same
             : origin.kind == Kind::parent ? Work::parent
                                           : origin.child;
    }

    /// Active cell indices of the cells that this rank owns.
    template <int dim>
    std::vector<unsigned int>
    owned_cells(const CellOrigins<dim> &origins)
    {
      std::vector<unsigned int> result;
      for (unsigned int i = 0; i < origins.size(); ++i)
        if (origins[i].kind != CellOrigin<dim>::Kind::none)
          result.push_back(i);
      return result;
    }
  } // namespace

  template <int dim>
  AdaptionTransfer<dim>::AdaptionTransfer(const AdaptedCells<dim> &cells,
                                          const ElementMesh<dim>  &mesh,
                                          const Device             device)
    : device(device)
    , communicator(mesh.order.triangulation.get_communicator())
    , n_elements_before(cells.n_elements)
  {
    mesh.check_up_to_date();
    unsigned int n = n_elements_before;
    for (const CellOrigins<dim> &origins : cells.rounds)
      {
        std::vector<unsigned int> of_round;
        if (&origins == &cells.rounds.back())
          for (const auto &cell : mesh.order.cells)
            of_round.push_back(cell->active_cell_index());
        else
          of_round = owned_cells<dim>(origins);
        rounds.push_back(make_round(origins, of_round, n));
        n = of_round.size();
      }
  }

  template <int dim>
  typename AdaptionTransfer<dim>::Round
  AdaptionTransfer<dim>::make_round(const CellOrigins<dim>          &origins,
                                    const std::vector<unsigned int> &cells,
                                    const unsigned int               n_before) const
  {
    using Origin            = CellOrigin<dim>;
    using Remote            = std::pair<unsigned int, unsigned int>; // rank, number there
    const unsigned int here = this_rank(communicator), n_all = n_ranks(communicator);
    const auto         n_sources = [](const Origin &origin) {
      return origin.kind == Origin::Kind::parent ? Origin::n_children : 1U;
    };

    std::vector<Remote> remote;
    for (const unsigned int cell : cells)
      if (const Origin &origin = origins[cell]; origin.rank != here)
        for (unsigned int c = 0; c < n_sources(origin); ++c)
          remote.emplace_back(origin.rank, origin.cells[c]);
    std::sort(remote.begin(), remote.end());
    remote.erase(std::unique(remote.begin(), remote.end()), remote.end());

    Round            round;
    std::vector<int> kinds, sources;
    for (const unsigned int cell : cells)
      {
        const Origin &origin = origins[cell];
        kinds.push_back(kind_for_device(origin));
        for (unsigned int c = 0; c < Origin::n_children; ++c)
          if (c >= n_sources(origin))
            sources.push_back(0);
          else if (origin.rank == here)
            sources.push_back(origin.cells[c]);
          else
            sources.push_back(n_before + (std::lower_bound(remote.begin(),
                                                           remote.end(),
                                                           Remote(origin.rank, origin.cells[c])) -
                                          remote.begin()));
      }
    round.n_elements = cells.size();
    round.n_before   = n_before;
    round.kinds      = Memory<int>(device, kinds);
    round.sources    = Memory<int>(device, sources);
    if (n_all == 1)
      return round;

    std::vector<int> wanted;
    for (const Remote &element : remote)
      wanted.push_back(element.second);
    for (unsigned int rank = 0; rank <= n_all; ++rank)
      round.received_from.push_back(
        std::lower_bound(remote.begin(), remote.end(), Remote(rank, 0U)) - remote.begin());
    round.sent_to = starts_from_ranks(communicator, round.received_from);
    round.sent =
      Memory<int>(device, all_to_all(communicator, wanted, round.received_from, round.sent_to));
    return round;
  }

  template <int dim>
  template <typename Number>
  void
  AdaptionTransfer<dim>::run(Vector<Number> &after, const Vector<Number> &before) const
  {
    AssertThrow(after.n_modes() == before.n_modes() &&
                  after.n_components() == before.n_components() && after.device() == device &&
                  before.device() == device && before.n_elements() == n_elements_before &&
                  after.n_elements() == rounds.back().n_elements,
                ExcMessage("A vector with " + before.layout().description() +
                           " cannot be taken over to an adapted mesh as one with " +
                           after.layout().description() + '.'));
    const Memory<Number>  matrices(device, matrices_to_children<dim, Number>(after.n_modes()));
    Vector<Number>        between; // of the last round that is done
    const Vector<Number> *from = &before;
    for (const Round &round : rounds)
      if (&round == &rounds.back())
        run(round, matrices, after, *from);
      else
        {
          Vector<Number> next(device, round.n_elements, after.n_modes(), after.n_components());
          run(round, matrices, next, *from);
          between.swap(next);
          from = &between;
        }
  }

  template <int dim>
  template <typename Number>
  void
  AdaptionTransfer<dim>::run(const Round          &round,
                             const Memory<Number> &matrices,
                             Vector<Number>       &after,
                             const Vector<Number> &before) const
  {
    const int           n_modes = after.n_modes(), n_components = after.n_components();
    const std::size_t   of_element = static_cast<std::size_t>(n_modes) * n_components;
    const ElementPlaces places(after.layout().coefficients());
    Memory<Number>      received;
    if (!round.sent_to.empty())
      {
        Memory<Number> packed(device, round.sent.size() * of_element);
        launch(device,
               packed.size(),
               PackElements<Number>{
                 n_modes, n_components, places, round.sent.data(), before.data(), packed.data()});
        received = Memory<Number>(device,
                                  all_to_all(communicator,
                                             packed.to_host(),
                                             round.sent_to,
                                             round.received_from,
                                             of_element));
      }
    launch(device,
           round.n_elements * n_modes,
           AdaptElements<Number>{n_modes,
                                 n_components,
                                 static_cast<int>(CellOrigin<dim>::n_children),
                                 places,
                                 round.kinds.data(),
                                 round.sources.data(),
                                 matrices.data(),
                                 static_cast<int>(round.n_before),
                                 before.data(),
                                 received.data(),
                                 after.data()});
  }

#define SALTUS_RUN(dim, Number) \
  template void AdaptionTransfer<dim>::run<Number>(Vector<Number> &, const Vector<Number> &) const;
#define SALTUS_ADAPTION_TRANSFER(dim)   \
  template class AdaptionTransfer<dim>; \
  SALTUS_RUN(dim, double)               \
  SALTUS_RUN(dim, float)
  SALTUS_ADAPTION_TRANSFER(2)
  SALTUS_ADAPTION_TRANSFER(3)
#undef SALTUS_ADAPTION_TRANSFER
#undef SALTUS_RUN
} // namespace Saltus
