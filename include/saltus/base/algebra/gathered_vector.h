// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_gathered_vector_h
#define saltus_base_algebra_gathered_vector_h

#include <saltus/base/algebra/vector.h>
#include <saltus/base/ranks/rank_messages.h>

#include <memory>

namespace Saltus
{
  /// An algebraic vector of which every rank has a part, and the first rank all parts, one after
  /// the other, when it is asked to gather them.
  template <typename Number>
  class GatheredVector
  {
  public:
    /// Collective.
    /// @param n entries of this rank's part
    GatheredVector(const std::shared_ptr<const ElementPartition> &partition,
                   const Device                                   device,
                   const std::size_t                              n);

    // By turns: between two messages to a rank something must have come from there.

    /// Everybody's part to the first rank's `whole`. Collective.
    void
    gather();

    /// The other way. Collective.
    void
    scatter();

    std::size_t
    memory_consumption() const
    {
      return (part.data_size() + whole.data_size()) * sizeof(Number);
    }

    // Their arrays may not be swapped.
    Vector<Number> part;
    Vector<Number> whole; ///< on the first rank

  private:
    void
    copy_own_part(Vector<Number> &to, const Vector<Number> &from) const;

    const bool                            is_first;
    std::unique_ptr<RankMessages<Number>> to_first, from_first;
  };
} // namespace Saltus

#endif
