// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/element_partition.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Elements of the ranks before this one.
    std::size_t
    elements_before(const MPI_Comm communicator, const unsigned int n_elements)
    {
      const auto counts = Utilities::MPI::all_gather(communicator, n_elements);
      const auto own    = counts.begin() + this_rank(communicator);
      return std::accumulate(counts.begin(), own, std::size_t(0));
    }

    /// Numbers of a communicator's ranks among all that the program was started on.
    std::vector<int>
    world_ranks(const MPI_Comm communicator)
    {
      std::vector<int> ranks(n_ranks(communicator));
      std::iota(ranks.begin(), ranks.end(), 0);
      std::vector<int> result(ranks.size());
      MPI_Group        here, world;
      MPI_Comm_group(communicator, &here);
      MPI_Comm_group(MPI_COMM_WORLD, &world);
      MPI_Group_translate_ranks(here, ranks.size(), ranks.data(), world, result.data());
      MPI_Group_free(&here);
      MPI_Group_free(&world);
      return result;
    }

    /// To join a group takes long and holds memory: the same ranks with the same GPUs have one for
    /// all of their meshes, as long as the program lives.
    std::shared_ptr<CudaRuntime::Nccl>
    group_of(const MPI_Comm communicator, const std::vector<std::string> &names)
    {
      using Key           = std::pair<std::vector<int>, std::vector<std::string>>;
      static auto &groups = *new std::map<Key, std::shared_ptr<CudaRuntime::Nccl>>;

      std::shared_ptr<CudaRuntime::Nccl> &group = groups[{world_ranks(communicator), names}];
      if (group)
        return group;
      const unsigned int rank = this_rank(communicator);
      const std::string  name =
        Utilities::MPI::broadcast(communicator,
                                  rank == 0 ? CudaRuntime::Nccl::new_group() : std::string());
      group = std::make_shared<CudaRuntime::Nccl>(name, names.size(), rank);
      return group;
    }
  } // namespace

  ElementPartition::ElementPartition(const MPI_Comm     communicator,
                                     const unsigned int n_elements,
                                     const unsigned int n_ghosts)
    : communicator(Utilities::MPI::duplicate_communicator(communicator))
    , n_ghosts(n_ghosts)
    , first_element(elements_before(communicator, n_elements))
    , n_global_elements(Utilities::MPI::sum(static_cast<std::size_t>(n_elements), communicator))
  {}

  ElementPartition::~ElementPartition()
  {
    // The pools from which deal.II's solvers take their vectors live until the program ends.
    int is_too_late;
    MPI_Finalized(&is_too_late);
    MPI_Comm own = communicator;
    if (!is_too_late)
      Utilities::MPI::free_communicator(own);
  }

  std::shared_ptr<CudaRuntime::Nccl>
  ElementPartition::gpus(const Device device) const
  {
    if (group)
      return *group;
    const char *const wanted = std::getenv("SALTUS_NCCL");
    device.make_current();
    const bool has = device.is_cuda() && CudaRuntime::Nccl::found() &&
                     (wanted == nullptr || std::string(wanted) != "0");
    const auto names =
      Utilities::MPI::all_gather(communicator,
                                 has ? CudaRuntime::Nccl::device_name() : std::string());
    const std::set<std::string> different(names.begin(), names.end());
    const bool has_all = different.size() == names.size() && different.count("") == 0;
    group              = has_all ? group_of(communicator, names) : nullptr;
    return *group;
  }

  template <typename T>
  T
  max_over_ranks(const std::shared_ptr<const ElementPartition> &partition, const T value)
  {
    if (!partition)
      return value;
    // Whether a maximum of MPI notices a NaN is not defined.
    const std::array<T, 2> local{
      {std::isnan(value) ? T(1) : T(0), std::isnan(value) ? T(0) : value}};
    std::array<T, 2> largest;
    Utilities::MPI::max<T>(make_array_view(local.begin(), local.end()),
                           partition->communicator,
                           make_array_view(largest.begin(), largest.end()));
    return largest[0] > T(0) ? std::numeric_limits<T>::quiet_NaN() : largest[1];
  }

  template double
  max_over_ranks(const std::shared_ptr<const ElementPartition> &, const double);
  template float
  max_over_ranks(const std::shared_ptr<const ElementPartition> &, const float);
} // namespace Saltus
