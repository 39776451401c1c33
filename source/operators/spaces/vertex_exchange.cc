// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/all_to_all.h>
#include <saltus/operators/spaces/vertex_exchange.h>
#include <saltus/operators/spaces/vertex_work.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace Saltus
{
  namespace
  {
    /// A vertex that this rank shares with another.
    struct Shared
    {
      std::size_t name;
      int         rank; ///< the other
    };

    /// The rank that a name belongs to knows who has the vertex, and tells all of them.
    /// @param names in ascending order
    /// @param first_names see VertexNumbers
    std::vector<Shared>
    find_shared(const MPI_Comm                  communicator,
                const std::vector<std::size_t> &names,
                const std::vector<std::size_t> &first_names)
    {
      std::vector<std::size_t> starts;
      for (const std::size_t first : first_names)
        starts.push_back(std::lower_bound(names.begin(), names.end(), first) - names.begin());
      const auto starts_received = starts_from_ranks(communicator, starts);
      const auto received        = all_to_all(communicator, names, starts, starts_received);

      std::unordered_map<std::size_t, std::vector<int>> ranks_of;
      const int                                         n = first_names.size() - 1;
      for (int rank = 0; rank < n; ++rank)
        for (std::size_t i = starts_received[rank]; i < starts_received[rank + 1]; ++i)
          ranks_of[received[i]].push_back(rank);
      std::vector<Shared>      answers;
      std::vector<std::size_t> starts_of_answers(1, 0);
      for (int rank = 0; rank < n; ++rank)
        {
          for (std::size_t i = starts_received[rank]; i < starts_received[rank + 1]; ++i)
            for (const int other : ranks_of[received[i]])
              if (other != rank)
                answers.push_back({received[i], other});
          starts_of_answers.push_back(answers.size());
        }
      return all_to_all(communicator,
                        answers,
                        starts_of_answers,
                        starts_from_ranks(communicator, starts_of_answers));
    }
  } // namespace

  template <typename Number>
  template <int dim>
  VertexExchange<Number>::VertexExchange(const std::shared_ptr<const ElementPartition> &partition,
                                         const VertexNumbers<dim>                      &numbers,
                                         const std::vector<unsigned int>               &wanted,
                                         const Device                                   device)
    : device(device)
  {
    std::map<std::size_t, int> number; // in the order of names
    for (const unsigned int vertex : wanted)
      number.emplace(numbers.names[vertex], vertex);
    std::vector<std::size_t> names;
    for (const auto &[name, vertex] : number)
      names.push_back(name);
    std::vector<Shared> shared = find_shared(partition->communicator, names, numbers.first_names);
    // Both ranks of a pair have the same names, and so the same order.
    std::sort(shared.begin(), shared.end(), [](const Shared &a, const Shared &b) {
      return std::make_pair(a.rank, a.name) < std::make_pair(b.rank, b.name);
    });

    std::vector<unsigned int>       ranks;
    std::vector<int>                to_pack;
    std::map<int, std::vector<int>> places_of;
    for (const Shared &with_other : shared)
      {
        const int vertex = number.at(with_other.name);
        places_of[vertex].push_back(to_pack.size());
        to_pack.push_back(vertex);
        ranks.push_back(with_other.rank);
      }
    std::vector<int> vertices, starts(1, 0), places;
    for (const auto &[vertex, its_places] : places_of)
      {
        vertices.push_back(vertex);
        places.insert(places.end(), its_places.begin(), its_places.end());
        starts.push_back(places.size());
      }
    this->to_pack    = Memory<int>(device, to_pack);
    this->vertices   = Memory<int>(device, vertices);
    this->starts     = Memory<int>(device, starts);
    this->places     = Memory<int>(device, places);
    sent             = Memory<Number>(device, to_pack.size());
    received         = Memory<Number>(device, to_pack.size());
    const auto parts = rank_parts(ranks, 1);
    messages         = std::make_unique<RankMessages<Number>>(
      partition, device, sent.data(), parts, received.data(), parts);
  }

  template <typename Number>
  void
  VertexExchange<Number>::run(Number *at_vertices) const
  {
    device.make_current();
    launch(device, to_pack.size(), PackVertices<Number>{to_pack.data(), at_vertices, sent.data()});
    messages->start();
    messages->finish();
    launch(device,
           vertices.size(),
           LargestOfRanks<Number>{
             vertices.data(), starts.data(), places.data(), received.data(), at_vertices});
  }

#define SALTUS_VERTEX_EXCHANGE(Number)                                                             \
  template class VertexExchange<Number>;                                                           \
  template VertexExchange<Number>::VertexExchange(const std::shared_ptr<const ElementPartition> &, \
                                                  const VertexNumbers<2> &,                        \
                                                  const std::vector<unsigned int> &,               \
                                                  const Device);                                   \
  template VertexExchange<Number>::VertexExchange(const std::shared_ptr<const ElementPartition> &, \
                                                  const VertexNumbers<3> &,                        \
                                                  const std::vector<unsigned int> &,               \
                                                  const Device);
  SALTUS_VERTEX_EXCHANGE(double)
  SALTUS_VERTEX_EXCHANGE(float)
#undef SALTUS_VERTEX_EXCHANGE
} // namespace Saltus
