// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_vertex_exchange_h
#define saltus_operators_spaces_vertex_exchange_h

#include <saltus/base/device/memory.h>
#include <saltus/base/ranks/rank_messages.h>
#include <saltus/mesh/vertex_numbers.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Sets numbers at vertices that several ranks have to the largest that one of them has there.
  template <typename Number>
  class VertexExchange
  {
  public:
    /// Collective.
    /// @param vertices those of this rank that others may have, too
    template <int dim>
    VertexExchange(const std::shared_ptr<const ElementPartition> &partition,
                   const VertexNumbers<dim>                      &numbers,
                   const std::vector<unsigned int>               &vertices,
                   const Device                                   device);

    /// @param at_vertices `[vertex]`, on the device
    void
    run(Number *at_vertices) const;

  private:
    const Device           device;
    Memory<int>            to_pack;                  ///< vertices, in the order of messages
    Memory<int>            vertices, starts, places; ///< see LargestOfRanks
    mutable Memory<Number> sent, received;

    std::unique_ptr<RankMessages<Number>> messages;
  };
} // namespace Saltus

#endif
