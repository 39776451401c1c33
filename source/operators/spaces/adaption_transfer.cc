// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

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
    matrices_to_children(const unsigned int degree)
    {
      const FE_HypercubeDG<dim> fe(degree);
      const unsigned int        n_modes = fe.n_dofs_per_cell();
      std::vector<Number>       result;
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
    unsigned int
    degree_of(const unsigned int n_modes)
    {
      return std::lround(std::pow(n_modes, 1. / dim)) - 1;
    }

    template <typename Number>
    Memory<Number>
    converted(const Device device, const std::vector<double> &values)
    {
      return Memory<Number>(device, std::vector<Number>(values.begin(), values.end()));
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
    , determinants_before(cells.before)
    , determinants_after(mesh)
  {
    mesh.check_up_to_date();
    unsigned int n = determinants_before.n_elements();
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
        if (&origins == &cells.rounds.back())
          {
            is_exact = find_whether_exact();
            if (!is_exact)
              make_groups(origins, of_round);
          }
      }
  }

  template <int dim>
  template <typename Number>
  AdaptionTransfer<dim>::Tables<Number>::Tables(const AdaptionTransfer &transfer,
                                                const unsigned int      degree)
    : matrices(transfer.device, matrices_to_children<dim, Number>(degree))
  {
    if (transfer.is_exact)
      return;
    const QGauss<dim>   points(degree + 1); // those of the basis
    std::vector<double> roots;
    for (const double weight : points.get_weights())
      roots.push_back(std::sqrt(weight));
    weights = converted<Number>(transfer.device, roots);
    before  = converted<Number>(transfer.device,
                               transfer.determinants_before.at_points(points.get_points()));
    after   = converted<Number>(transfer.device,
                              transfer.determinants_after.at_points(points.get_points()));
  }

  template <int dim>
  template <typename Number>
  const typename AdaptionTransfer<dim>::template Tables<Number> &
  AdaptionTransfer<dim>::tables(const unsigned int degree) const
  {
    AllTables<Number> &all   = std::get<AllTables<Number>>(all_tables);
    const auto         known = all.find(degree);
    return known != all.end() ? known->second
                              : all.emplace(degree, Tables<Number>(*this, degree)).first->second;
  }

  template <int dim>
  bool
  AdaptionTransfer<dim>::find_whether_exact() const
  {
    if (determinants_before.has_curved_elements || determinants_after.has_curved_elements)
      return false;
    const std::vector<double> &own = determinants_after.means;
    Vector<double>             before(device, determinants_before.n_elements(), 1, 1);
    Vector<double>             after(device, own.size(), 1, 1);
    before.set_entries(determinants_before.means);
    const Memory<double> matrices(device, matrices_to_children<dim, double>(0));
    carry_densities(after, before, matrices);
    const std::vector<double> carried    = after.entries();
    int                       is_inexact = 0;
    for (std::size_t e = 0; e < own.size(); ++e)
      if (std::abs(carried[e] - own[e]) > 1e-13 * own[e])
        is_inexact = 1;
    return Utilities::MPI::max(is_inexact, communicator) == 0;
  }

  template <int dim>
  void
  AdaptionTransfer<dim>::make_groups(const CellOrigins<dim>          &origins,
                                     const std::vector<unsigned int> &cells)
  {
    std::map<std::pair<unsigned int, unsigned int>, std::vector<int>> families;
    std::vector<int>                                                  starts(1, 0), elements;
    for (unsigned int e = 0; e < cells.size(); ++e)
      if (const CellOrigin<dim> &origin = origins[cells[e]];
          origin.kind == CellOrigin<dim>::Kind::child)
        families[{origin.rank, origin.cells[0]}].push_back(e);
      else
        {
          elements.push_back(e);
          starts.push_back(elements.size());
        }
    for (const auto &[parent, children] : families)
      {
        elements.insert(elements.end(), children.begin(), children.end());
        starts.push_back(elements.size());
      }
    group_starts   = Memory<int>(device, starts);
    group_elements = Memory<int>(device, elements);
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
                  before.device() == device &&
                  before.n_elements() == determinants_before.n_elements() &&
                  after.n_elements() == rounds.back().n_elements,
                ExcMessage("A vector with " + before.layout().description() +
                           " cannot be taken over to an adapted mesh as one with " +
                           after.layout().description() + '.'));
    const Tables<Number> &of_degree = tables<Number>(degree_of<dim>(after.n_modes()));
    carry(after, before, of_degree.matrices, Number(1), Number(1));
    if (!is_exact)
      keep_integrals(after, before, of_degree);
  }

  template <int dim>
  template <typename Number>
  void
  AdaptionTransfer<dim>::keep_integrals(Vector<Number>       &after,
                                        const Vector<Number> &before,
                                        const Tables<Number> &tables) const
  {
    const int           n_modes = after.n_modes(), n_components = after.n_components();
    const ElementPlaces places(after.layout().coefficients());
    Vector<Number>      densities(before),
      carried(device, after.n_elements(), after.n_modes(), after.n_components());
    launch(device,
           static_cast<std::size_t>(densities.n_elements()) * n_modes,
           MultiplyByDeterminants<Number>{
             n_modes, n_components, places, tables.before.data(), densities.data()});
    carry_densities(carried, densities, tables.matrices);
    launch(device,
           (group_starts.size() - 1) * n_components,
           KeepIntegrals<Number>{n_modes,
                                 n_components,
                                 places,
                                 group_starts.data(),
                                 group_elements.data(),
                                 tables.weights.data(),
                                 tables.after.data(),
                                 carried.data(),
                                 after.data()});
  }

  template <int dim>
  template <typename Number>
  void
  AdaptionTransfer<dim>::carry_densities(Vector<Number>       &after,
                                         const Vector<Number> &before,
                                         const Memory<Number> &matrices) const
  {
    const Number n_children = CellOrigin<dim>::n_children;
    carry(after, before, matrices, 1 / n_children, n_children);
  }

  template <int dim>
  template <typename Number>
  void
  AdaptionTransfer<dim>::carry(Vector<Number>       &after,
                               const Vector<Number> &before,
                               const Memory<Number> &matrices,
                               const Number          of_child,
                               const Number          of_parent) const
  {
    Vector<Number>        between; // of the last round that is done
    const Vector<Number> *from = &before;
    for (const Round &round : rounds)
      if (&round == &rounds.back())
        carry(round, after, *from, matrices, of_child, of_parent);
      else
        {
          Vector<Number> next(device, round.n_elements, after.n_modes(), after.n_components());
          carry(round, next, *from, matrices, of_child, of_parent);
          between.swap(next);
          from = &between;
        }
  }

  template <int dim>
  template <typename Number>
  void
  AdaptionTransfer<dim>::carry(const Round          &round,
                               Vector<Number>       &after,
                               const Vector<Number> &before,
                               const Memory<Number> &matrices,
                               const Number          of_child,
                               const Number          of_parent) const
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
           static_cast<std::size_t>(round.n_elements) * n_modes,
           AdaptElements<Number>{n_modes,
                                 n_components,
                                 static_cast<int>(CellOrigin<dim>::n_children),
                                 places,
                                 round.kinds.data(),
                                 round.sources.data(),
                                 matrices.data(),
                                 of_child,
                                 of_parent,
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
