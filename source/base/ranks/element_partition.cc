// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/element_partition.h>
#include <saltus/base/ranks/gather.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Elements of the ranks before this one.
    std::size_t
    elements_before(const MPI_Comm communicator, const unsigned int n_elements)
    {
      const auto counts = all_gather(communicator, n_elements);
      const auto own    = counts.begin() + this_rank(communicator);
      return std::accumulate(counts.begin(), own, std::size_t(0));
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
