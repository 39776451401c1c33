// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/ranks/all_to_all.h>
#include <saltus/base/ranks/gather.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

namespace Saltus
{
  namespace
  {
    /// What MPI wants to know of parts that follow each other.
    struct Counts
    {
      explicit Counts(const std::vector<std::size_t> &starts)
      {
        AssertThrow(starts.back() <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
                    dealii::ExcMessage("Ranks are to send each other " +
                                       std::to_string(starts.back()) +
                                       " values, more than MPI can count."));
        for (std::size_t rank = 0; rank + 1 < starts.size(); ++rank)
          {
            places.push_back(starts[rank]);
            sizes.push_back(starts[rank + 1] - starts[rank]);
          }
      }

      std::vector<int> sizes, places;
    };
  } // namespace

  namespace internal
  {
    std::vector<std::size_t>
    starts_of_ranks(const MPI_Comm communicator, const std::size_t n)
    {
      const unsigned int         n_all = n_ranks(communicator);
      std::vector<std::uint64_t> sizes(n_all, n);
      if (n_all > 1)
        {
          const std::uint64_t own = n;
          const int           status =
            (MPI_Allgather)(&own, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, communicator);
          AssertThrowMPI(status);
        }
      std::vector<std::size_t> starts(n_all + 1, 0);
      std::partial_sum(sizes.begin(), sizes.end(), starts.begin() + 1);
      return starts;
    }

    void
    gather(const MPI_Comm                  communicator,
           const void                     *own,
           void                           *all,
           const std::vector<std::size_t> &starts,
           const std::size_t               size_of_value,
           const bool                      on_all)
    {
      if (starts.size() == 2)
        {
          if (starts.back() > 0)
            std::memcpy(all, own, starts.back() * size_of_value);
          return;
        }
      const Counts counts(starts);
      const auto   type     = dealii::Utilities::MPI::create_mpi_data_type_n_bytes(size_of_value);
      const int    own_size = counts.sizes[this_rank(communicator)];
      // In parentheses, since headers of PETSc, which deal.II includes, make macros of the names.
      const int status = on_all ? (MPI_Allgatherv)(own,
                                                   own_size,
                                                   *type,
                                                   all,
                                                   counts.sizes.data(),
                                                   counts.places.data(),
                                                   *type,
                                                   communicator)
                                : (MPI_Gatherv)(own,
                                                own_size,
                                                *type,
                                                all,
                                                counts.sizes.data(),
                                                counts.places.data(),
                                                *type,
                                                0,
                                                communicator);
      AssertThrowMPI(status);
    }

    void
    all_to_all(const MPI_Comm                  communicator,
               const void                     *sent,
               const std::vector<std::size_t> &starts_sent,
               void                           *received,
               const std::vector<std::size_t> &starts_received,
               const std::size_t               size_of_value)
    {
      const Counts to(starts_sent), from(starts_received);
      const auto   type   = dealii::Utilities::MPI::create_mpi_data_type_n_bytes(size_of_value);
      const int    status = (MPI_Alltoallv)(sent,
                                         to.sizes.data(),
                                         to.places.data(),
                                         *type,
                                         received,
                                         from.sizes.data(),
                                         from.places.data(),
                                         *type,
                                         communicator);
      AssertThrowMPI(status);
    }

    std::size_t
    scatter_sizes(const MPI_Comm communicator, const std::vector<std::size_t> &starts)
    {
      if (n_ranks(communicator) == 1)
        return starts.back();
      std::vector<std::uint64_t> sizes;
      for (std::size_t rank = 0; rank + 1 < starts.size(); ++rank)
        sizes.push_back(starts[rank + 1] - starts[rank]);
      std::uint64_t own = 0;
      const int     status =
        (MPI_Scatter)(sizes.data(), 1, MPI_UINT64_T, &own, 1, MPI_UINT64_T, 0, communicator);
      AssertThrowMPI(status);
      return own;
    }

    void
    scatter(const MPI_Comm                  communicator,
            const void                     *all,
            const std::vector<std::size_t> &starts,
            void                           *own,
            const std::size_t               n_own,
            const std::size_t               size_of_value)
    {
      if (n_ranks(communicator) == 1)
        {
          if (n_own > 0)
            std::memcpy(own, all, n_own * size_of_value);
          return;
        }
      const Counts counts(this_rank(communicator) == 0 ? starts : std::vector<std::size_t>{0});
      const auto   type   = dealii::Utilities::MPI::create_mpi_data_type_n_bytes(size_of_value);
      const int    status = (MPI_Scatterv)(all,
                                        counts.sizes.data(),
                                        counts.places.data(),
                                        *type,
                                        own,
                                        n_own,
                                        *type,
                                        0,
                                        communicator);
      AssertThrowMPI(status);
    }
  } // namespace internal

  std::vector<std::size_t>
  starts_from_ranks(const MPI_Comm communicator, const std::vector<std::size_t> &starts)
  {
    const unsigned int         n_all = starts.size() - 1;
    std::vector<std::uint64_t> sizes, received(n_all);
    for (unsigned int rank = 0; rank < n_all; ++rank)
      sizes.push_back(starts[rank + 1] - starts[rank]);
    const int status =
      (MPI_Alltoall)(sizes.data(), 1, MPI_UINT64_T, received.data(), 1, MPI_UINT64_T, communicator);
    AssertThrowMPI(status);
    std::vector<std::size_t> result(n_all + 1, 0);
    std::partial_sum(received.begin(), received.end(), result.begin() + 1);
    return result;
  }

  std::vector<std::string>
  all_gather(const MPI_Comm communicator, const std::string &own)
  {
    const auto all = all_gather(communicator, std::vector<char>(own.begin(), own.end()));
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank + 1 < all.starts.size(); ++rank)
      texts.emplace_back(all.values.begin() + all.starts[rank],
                         all.values.begin() + all.starts[rank + 1]);
    return texts;
  }
} // namespace Saltus
