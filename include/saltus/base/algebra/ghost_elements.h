// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_ghost_elements_h
#define saltus_base_algebra_ghost_elements_h

#include <saltus/base/device/memory.h>
#include <saltus/base/ranks/rank_messages.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Elements of other ranks that a rank knows, its ghosts, and who knows its own. On one rank
  /// there is none of this.
  struct GhostElements
  {
    struct Known
    {
      unsigned int rank;    ///< that knows
      unsigned int element; ///< of this rank
    };

    std::shared_ptr<const ElementPartition> partition;

    std::vector<unsigned int>
                       ranks; ///< `[ghost]`: whose it is, ascending; of one rank in its order
    std::vector<Known> known; ///< by ascending ranks and elements

    unsigned int
    size() const
    {
      return ranks.size();
    }
  };


  /// Sends what ranks have of their elements to those who know them: arrays in which every element
  /// has a number of entries of its own. An exchange is used again and again, by all ranks
  /// together.
  template <typename Number>
  class ElementExchange
  {
  public:
    /// Collective.
    /// @param starts `[own and then ghost element]`: its first entry, and the number of entries;
    /// entries follow each other
    ElementExchange(const GhostElements            &ghosts,
                    const Device                    device,
                    const std::vector<std::size_t> &starts);

    /// Collective.
    /// @param own entries of the rank's own elements, on the device
    /// @return these and those of its ghosts, on the device until the next call
    const Number *
    run(const Number *own);

    std::size_t
    memory_consumption() const
    {
      return (all.size() + sent.size()) * sizeof(Number) + places.size() * sizeof(std::size_t);
    }

  private:
    const Device                          device;
    const std::size_t                     n_own;
    Memory<Number>                        all, sent;
    Memory<std::size_t>                   places; ///< of what is sent
    std::unique_ptr<RankMessages<Number>> messages;
  };


  /// What ghosts have behind what the rank's own elements have. Collective; @p ghosts may be none.
  /// @param own `[element][n]`, in host memory
  std::vector<double>
  with_ghosts(const std::shared_ptr<const GhostElements> &ghosts,
              const std::vector<double>                  &own,
              const unsigned int                          n = 1);
} // namespace Saltus

#endif
