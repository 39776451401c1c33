// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_gather_h
#define saltus_base_ranks_gather_h

#include <deal.II/base/mpi.h>

#include <saltus/base/ranks/ranks.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

/// What all ranks have, on one of them or on all. deal.II's functions of this kind serialise what
/// they send, which the compiler spends seconds on for every type; here it travels byte by byte.
namespace Saltus
{
  /// Values of all ranks, one rank after the other.
  template <typename T>
  struct OfRanks
  {
    std::vector<T>           values;
    std::vector<std::size_t> starts; ///< `[rank]`, and the end
  };

  namespace internal
  {
    /// Numbers of values before each rank's, and of all. Collective.
    std::vector<std::size_t>
    starts_of_ranks(const MPI_Comm communicator, const std::size_t n);

    /// Collective. @p on_all: else @p all is written on the first rank only
    void
    gather(const MPI_Comm                  communicator,
           const void                     *own,
           void                           *all,
           const std::vector<std::size_t> &starts,
           const std::size_t               size_of_value,
           const bool                      on_all);

    /// The other way. @p all, @p starts: read on the first rank only
    void
    scatter(const MPI_Comm                  communicator,
            const void                     *all,
            const std::vector<std::size_t> &starts,
            void                           *own,
            const std::size_t               n_own,
            const std::size_t               size_of_value);

    /// What the first rank has for this one. @p starts: as in scatter()
    std::size_t
    scatter_sizes(const MPI_Comm communicator, const std::vector<std::size_t> &starts);

    template <typename T>
    OfRanks<T>
    gather(const MPI_Comm                  communicator,
           const std::vector<T>           &own,
           const std::vector<std::size_t> &starts,
           const bool                      on_all)
    {
      static_assert(std::is_trivially_copyable_v<T>, "Values are sent as their bytes.");
      OfRanks<T> all;
      all.starts = starts;
      if (on_all || this_rank(communicator) == 0)
        all.values.resize(all.starts.back());
      gather(communicator, own.data(), all.values.data(), all.starts, sizeof(T), on_all);
      return all;
    }
  } // namespace internal

  /// The values of all ranks, of which each may have another number. Collective.
  template <typename T>
  OfRanks<T>
  all_gather(const MPI_Comm communicator, const std::vector<T> &own)
  {
    return internal::gather(communicator,
                            own,
                            internal::starts_of_ranks(communicator, own.size()),
                            true);
  }

  /// The same on the first rank; the others have `starts` only. Collective.
  template <typename T>
  OfRanks<T>
  gather_on_first(const MPI_Comm communicator, const std::vector<T> &own)
  {
    return internal::gather(communicator,
                            own,
                            internal::starts_of_ranks(communicator, own.size()),
                            false);
  }

  /// The values that the first rank has for each rank. Collective.
  /// @param all is read on the first rank only
  template <typename T>
  std::vector<T>
  scatter_from_first(const MPI_Comm communicator, const OfRanks<T> &all)
  {
    static_assert(std::is_trivially_copyable_v<T>, "Values are sent as their bytes.");
    std::vector<T> own(internal::scatter_sizes(communicator, all.starts));
    internal::scatter(
      communicator, all.values.data(), all.starts, own.data(), own.size(), sizeof(T));
    return own;
  }

  /// `[rank]`: the values of all. Collective.
  template <typename T>
  std::vector<T>
  all_gather(const MPI_Comm communicator, const T &own)
  {
    std::vector<std::size_t> starts(n_ranks(communicator) + 1);
    std::iota(starts.begin(), starts.end(), std::size_t(0));
    return internal::gather(communicator, std::vector<T>{own}, starts, true).values;
  }

  /// `[rank]`: the texts of all. Collective.
  std::vector<std::string>
  all_gather(const MPI_Comm communicator, const std::string &own);
} // namespace Saltus

#endif
