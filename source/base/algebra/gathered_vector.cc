// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/gathered_vector.h>
#include <saltus/base/ranks/gather.h>

#include <cstring>
#include <numeric>

namespace Saltus
{
  template <typename Number>
  GatheredVector<Number>::GatheredVector(const std::shared_ptr<const ElementPartition> &partition,
                                         const Device                                   device,
                                         const std::size_t                              n)
    : part(device, n, 1, 1)
    , is_first(this_rank(partition->communicator) == 0)
  {
    const std::vector<std::size_t> sizes = all_gather(partition->communicator, n);
    std::vector<RankPart>          others;
    const auto                     add = [&](const int rank, const std::size_t size) {
      if (size > 0)
        others.push_back({rank, size});
    };
    Number *array = part.data();
    if (is_first)
      {
        whole =
          Vector<Number>(device, std::accumulate(sizes.begin(), sizes.end(), std::size_t(0)), 1, 1);
        array = whole.data() + n; // its own part is first, and needs no message
        for (std::size_t rank = 1; rank < sizes.size(); ++rank)
          add(rank, sizes[rank]);
      }
    else
      add(0, n);
    const std::vector<RankPart> none;
    const auto                  messages = [&](const auto &to, const auto &from) {
      return std::make_unique<RankMessages<Number>>(partition, device, array, to, array, from);
    };
    to_first   = is_first ? messages(none, others) : messages(others, none);
    from_first = is_first ? messages(others, none) : messages(none, others);
  }

  template <typename Number>
  void
  GatheredVector<Number>::copy_own_part(Vector<Number> &to, const Vector<Number> &from) const
  {
    const std::size_t size = part.locally_owned_size() * sizeof(Number);
    if (!is_first || size == 0)
      return;
    part.device().make_current();
    if (part.device().is_cuda())
      CudaRuntime::copy_on_device(to.data(), from.data(), size);
    else
      std::memcpy(to.data(), from.data(), size);
  }

  template <typename Number>
  void
  GatheredVector<Number>::gather()
  {
    to_first->start();
    copy_own_part(whole, part);
    to_first->finish();
  }

  template <typename Number>
  void
  GatheredVector<Number>::scatter()
  {
    from_first->start();
    copy_own_part(part, whole);
    from_first->finish();
  }

  template class GatheredVector<double>;
  template class GatheredVector<float>;
} // namespace Saltus
