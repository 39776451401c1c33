// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_vector_layout_h
#define saltus_base_algebra_vector_layout_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/device.h>
#include <saltus/base/ranks/element_partition.h>

#include <memory>
#include <string>

namespace Saltus
{
  /// What vectors have in common that can be combined: where they are, how their entries are
  /// arranged, and which ranks hold the others. Without modes: that of a vector which was not
  /// initialised.
  ///
  /// A rank's array holds the blocks of the elements that it owns, then blocks of ghosts: copies of
  /// what other ranks own, as far as operators need it, see GhostExchange. Ghosts have no part in
  /// what vectors do with each other.
  struct VectorLayout
  {
    Device       device       = Device::cpu();
    unsigned int n_elements   = 0; ///< that this rank owns
    unsigned int n_modes      = 0;
    unsigned int n_components = 0;

    /// None if all elements are on one rank.
    std::shared_ptr<const ElementPartition> partition = nullptr;

    bool
    operator==(const VectorLayout &other) const
    {
      return n_elements == other.n_elements && n_modes == other.n_modes &&
             n_components == other.n_components && device == other.device &&
             partition == other.partition;
    }

    /// Where the coefficients of an element are.
    CoefficientLayout
    coefficients() const
    {
      return {static_cast<int>(n_modes), static_cast<int>(n_components)};
    }

    unsigned int
    entries_per_element() const
    {
      return n_modes * n_components;
    }

    /// Entries of this rank.
    std::size_t
    n_owned_entries() const
    {
      return static_cast<std::size_t>(n_elements) * entries_per_element();
    }

    /// Entries of all ranks.
    std::size_t
    n_entries() const
    {
      return partition ? partition->n_global_elements * entries_per_element() : n_owned_entries();
    }

    /// Number of this rank's first entry among those of all ranks.
    std::size_t
    first_entry() const
    {
      return partition ? partition->first_element * entries_per_element() : 0;
    }

    /// Entries of the array that are owned, padding included.
    std::size_t
    owned_array_size() const
    {
      return array_size_of(n_elements);
    }

    /// Entries of the array, padding and ghosts included.
    std::size_t
    array_size() const
    {
      return owned_array_size() + (partition ? array_size_of(partition->n_ghosts) : 0);
    }

    /// For messages.
    std::string
    description() const;

  private:
    std::size_t
    array_size_of(const unsigned int n) const
    {
      return static_cast<std::size_t>(n_blocks(n)) * block_size * entries_per_element();
    }
  };

  /// @throws dealii::ExcMessage
  [[noreturn]] void
  throw_wrong_layout(const VectorLayout &layout, const VectorLayout &expected, const char *where);

  /// Let pass what has the layout that is needed. Costs a comparison; also in a release build,
  /// since kernels would read beyond the ends of arrays, or those of another device.
  /// @param where what complains, for the message
  /// @throws dealii::ExcMessage that says both layouts, also if neither has been initialised
  inline void
  check_layout(const VectorLayout &layout, const VectorLayout &expected, const char *where)
  {
    if (expected.n_modes == 0 || !(layout == expected))
      throw_wrong_layout(layout, expected, where);
  }
} // namespace Saltus

#endif
