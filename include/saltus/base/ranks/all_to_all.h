// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_all_to_all_h
#define saltus_base_ranks_all_to_all_h

#include <deal.II/base/mpi.h>

#include <cstddef>
#include <type_traits>
#include <vector>

/// What ranks have for each other, byte by byte as in gather.h.
namespace Saltus
{
  namespace internal
  {
    /// What each rank has for each.
    void
    all_to_all(const MPI_Comm                  communicator,
               const void                     *sent,
               const std::vector<std::size_t> &starts_sent,
               void                           *received,
               const std::vector<std::size_t> &starts_received,
               const std::size_t               size_of_value);
  } // namespace internal

  /// `[rank]`: the first of the values that each rank has for this one, and the end. Collective.
  /// @param starts the same of what this one has for others
  std::vector<std::size_t>
  starts_from_ranks(const MPI_Comm communicator, const std::vector<std::size_t> &starts);

  /// What each rank has for this one. Collective.
  /// @param values `[i][n]`, those from i = `starts_sent[rank]` on for a rank
  /// @param starts_received see starts_from_ranks()
  template <typename T>
  std::vector<T>
  all_to_all(const MPI_Comm                  communicator,
             const std::vector<T>           &values,
             const std::vector<std::size_t> &starts_sent,
             const std::vector<std::size_t> &starts_received,
             const std::size_t               n = 1)
  {
    static_assert(std::is_trivially_copyable_v<T>, "Values are sent as their bytes.");
    std::vector<T> received(starts_received.back() * n);
    internal::all_to_all(
      communicator, values.data(), starts_sent, received.data(), starts_received, n * sizeof(T));
    return received;
  }
} // namespace Saltus

#endif
