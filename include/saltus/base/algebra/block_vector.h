// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_block_vector_h
#define saltus_base_algebra_block_vector_h

#include <saltus/base/algebra/vector.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Coefficients of a function on a mesh that mixes shapes: a block a shape, see MixedMesh.
  template <typename Number>
  class BlockVector
  {
  public:
    using value_type = Number;

    BlockVector() = default;

    explicit BlockVector(std::vector<Vector<Number>> &&blocks)
      : blocks(std::move(blocks))
    {}

    unsigned int
    n_blocks() const
    {
      return blocks.size();
    }

    Vector<Number> &
    block(const unsigned int i)
    {
      return blocks[i];
    }

    const Vector<Number> &
    block(const unsigned int i) const
    {
      return blocks[i];
    }

    /// Number of degrees of freedom, on all ranks.
    std::size_t
    size() const
    {
      std::size_t sum = 0;
      for (const Vector<Number> &block : blocks)
        sum += block.size();
      return sum;
    }

    void
    swap(BlockVector &other) noexcept
    {
      blocks.swap(other.blocks);
    }

    /// `max |this - other|`; not a number if an entry is not.
    Number
    max_difference(const BlockVector &other) const
    {
      Number result = 0;
      for (unsigned int i = 0; i < n_blocks(); ++i)
        {
          const Number of_block = block(i).max_difference(other.block(i));
          if (!(of_block <= result)) // also what is not a number
            result = of_block;
          if (result != result)
            break;
        }
      return result;
    }

    /// `this = s this + a v`
    void
    sadd(const Number s, const Number a, const BlockVector &v)
    {
      for (unsigned int i = 0; i < n_blocks(); ++i)
        block(i).sadd(s, a, v.block(i));
    }

  private:
    std::vector<Vector<Number>> blocks;
  };

  /// The arrays behind a vector.
  template <typename Number>
  std::vector<const Number *>
  arrays_of(const Vector<Number> &vector)
  {
    return {vector.data()};
  }

  template <typename Number>
  std::vector<const Number *>
  arrays_of(const BlockVector<Number> &vector)
  {
    std::vector<const Number *> result;
    for (unsigned int i = 0; i < vector.n_blocks(); ++i)
      result.push_back(vector.block(i).data());
    return result;
  }
} // namespace Saltus

#endif
