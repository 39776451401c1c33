// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_block_vector_h
#define saltus_base_algebra_block_vector_h

#include <saltus/base/algebra/vector.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Coefficients of a function on a mesh that mixes shapes: a block a shape, see MixedMesh. It has
  /// what deal.II's conjugate gradients ask of a vector; what is said of Vector holds here.
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

    /// All entries are @p value.
    BlockVector &
    operator=(const Number value)
    {
      for (Vector<Number> &block : blocks)
        block = value;
      return *this;
    }

    /// The layout of @p other; zeros unless @p omit_zeroing.
    template <typename OtherNumber>
    void
    reinit(const BlockVector<OtherNumber> &other, const bool omit_zeroing = false)
    {
      blocks.resize(other.n_blocks());
      for (unsigned int i = 0; i < n_blocks(); ++i)
        block(i).reinit(other.block(i), omit_zeroing);
    }

    /// Make @p copy one in host memory.
    void
    copy_to_host(BlockVector &copy) const
    {
      copy.blocks.resize(n_blocks());
      for (unsigned int i = 0; i < n_blocks(); ++i)
        block(i).copy_to_host(copy.block(i));
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

    /// Of all arrays, padding included.
    std::size_t
    data_size() const
    {
      std::size_t sum = 0;
      for (const Vector<Number> &block : blocks)
        sum += block.data_size();
      return sum;
    }

    /// The arrays, one after the other, padding included.
    void
    copy_from_host(const Number *values)
    {
      for (Vector<Number> &block : blocks)
        {
          block.copy_from_host(values);
          values += block.data_size();
        }
    }

    /// Of this rank.
    std::size_t
    n_elements() const
    {
      std::size_t sum = 0;
      for (const Vector<Number> &block : blocks)
        sum += block.n_elements();
      return sum;
    }

    Device
    device() const
    {
      return blocks.at(0).device();
    }

    void
    swap(BlockVector &other) noexcept
    {
      blocks.swap(other.blocks);
    }

    /// Scalar product.
    Number
    operator*(const BlockVector &other) const
    {
      Number sum = 0;
      for (unsigned int i = 0; i < n_blocks(); ++i)
        sum += block(i) * other.block(i);
      return sum;
    }

    Number
    norm_sqr() const
    {
      return *this * *this;
    }

    Number
    l2_norm() const
    {
      Number norm = 0;
      for (const Vector<Number> &block : blocks)
        norm = std::hypot(norm, block.l2_norm());
      return norm;
    }

    /// Not a number if an entry is not.
    Number
    linfty_norm() const
    {
      return largest_of_blocks([&](const unsigned int i) { return block(i).linfty_norm(); });
    }

    bool
    all_zero() const
    {
      return linfty_norm() == Number(0);
    }

    /// `max |this - other|`; not a number if an entry is not.
    Number
    max_difference(const BlockVector &other) const
    {
      return largest_of_blocks(
        [&](const unsigned int i) { return block(i).max_difference(other.block(i)); });
    }

    /// `this += a v`
    void
    add(const Number a, const BlockVector &v)
    {
      for (unsigned int i = 0; i < n_blocks(); ++i)
        block(i).add(a, v.block(i));
    }

    /// `this = s this + v`
    void
    sadd(const Number s, const BlockVector &v)
    {
      sadd(s, 1, v);
    }

    /// `this = s this + a v`
    void
    sadd(const Number s, const Number a, const BlockVector &v)
    {
      for (unsigned int i = 0; i < n_blocks(); ++i)
        block(i).sadd(s, a, v.block(i));
    }

    /// `this = a v`
    void
    equ(const Number a, const BlockVector &v)
    {
      for (unsigned int i = 0; i < n_blocks(); ++i)
        block(i).equ(a, v.block(i));
    }

    /// `this += a v`, then the product of this with @p w.
    Number
    add_and_dot(const Number a, const BlockVector &v, const BlockVector &w)
    {
      Number sum = 0;
      for (unsigned int i = 0; i < n_blocks(); ++i)
        sum += block(i).add_and_dot(a, v.block(i), w.block(i));
      return sum;
    }

    BlockVector &
    operator*=(const Number factor)
    {
      for (Vector<Number> &block : blocks)
        block *= factor;
      return *this;
    }

    BlockVector &
    operator/=(const Number factor)
    {
      for (Vector<Number> &block : blocks)
        block /= factor;
      return *this;
    }

    /// Every entry converted from another precision, on the same device.
    template <typename OtherNumber>
    void
    convert_from(const BlockVector<OtherNumber> &other)
    {
      for (unsigned int i = 0; i < n_blocks(); ++i)
        block(i).convert_from(other.block(i));
    }

  private:
    /// Not a number if one is not.
    template <typename OfBlock>
    Number
    largest_of_blocks(const OfBlock &of_block) const
    {
      Number result = 0;
      for (unsigned int i = 0; i < n_blocks(); ++i)
        {
          const Number here = of_block(i);
          if (!(here <= result)) // also what is not a number
            result = here;
          if (result != result)
            break;
        }
      return result;
    }

    std::vector<Vector<Number>> blocks;
  };

  /// See check_layout().
  /// @param like has the layout that is needed
  template <typename Number, typename OtherNumber>
  void
  check_same_layout(const Vector<Number>      &vector,
                    const Vector<OtherNumber> &like,
                    const char                *where)
  {
    check_layout(vector.layout(), like.layout(), where);
  }

  template <typename Number, typename OtherNumber>
  void
  check_same_layout(const BlockVector<Number>      &vector,
                    const BlockVector<OtherNumber> &like,
                    const char                     *where)
  {
    AssertThrow(vector.n_blocks() == like.n_blocks(),
                dealii::ExcMessage(std::string(where) + ": a vector has " +
                                   std::to_string(vector.n_blocks()) + " blocks, but needed are " +
                                   std::to_string(like.n_blocks()) + "."));
    for (unsigned int i = 0; i < like.n_blocks(); ++i)
      check_same_layout(vector.block(i), like.block(i), where);
  }

  /// What is written once for both kinds of vectors sees a Vector as the only block of itself.
  template <typename Number>
  unsigned int
  n_blocks_of(const Vector<Number> & /*vector*/)
  {
    return 1;
  }

  template <typename Number>
  unsigned int
  n_blocks_of(const BlockVector<Number> &vector)
  {
    return vector.n_blocks();
  }

  template <typename Number>
  Vector<Number> &
  block_of(Vector<Number> &vector, const unsigned int /*i*/)
  {
    return vector;
  }

  template <typename Number>
  const Vector<Number> &
  block_of(const Vector<Number> &vector, const unsigned int /*i*/)
  {
    return vector;
  }

  template <typename Number>
  Vector<Number> &
  block_of(BlockVector<Number> &vector, const unsigned int i)
  {
    return vector.block(i);
  }

  template <typename Number>
  const Vector<Number> &
  block_of(const BlockVector<Number> &vector, const unsigned int i)
  {
    return vector.block(i);
  }

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
