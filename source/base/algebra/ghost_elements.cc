// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/algebra/ghost_elements.h>
#include <saltus/base/device/cuda_runtime.h>

#include <algorithm>

namespace Saltus
{
  template <typename Number>
  ElementExchange<Number>::ElementExchange(const GhostElements            &ghosts,
                                           const Device                    device,
                                           const std::vector<std::size_t> &starts)
    : device(device)
    , n_own(starts[starts.size() - 1 - ghosts.size()])
    , all(device, starts.back())
  {
    const std::size_t         n_elements = starts.size() - 1 - ghosts.size();
    std::vector<unsigned int> to, from; // ranks of the entries
    std::vector<std::size_t>  of_sent;
    for (const auto &[rank, element] : ghosts.known)
      for (std::size_t i = starts[element]; i < starts[element + 1]; ++i)
        {
          of_sent.push_back(i);
          to.push_back(rank);
        }
    for (unsigned int g = 0; g < ghosts.size(); ++g)
      from.insert(from.end(), starts[n_elements + g + 1] - starts[n_elements + g], ghosts.ranks[g]);
    places   = Memory<std::size_t>(device, of_sent);
    sent     = Memory<Number>(device, of_sent.size());
    messages = std::make_unique<RankMessages<Number>>(ghosts.partition,
                                                      device,
                                                      sent.data(),
                                                      rank_parts(to, 1),
                                                      all.data() + n_own,
                                                      rank_parts(from, 1));
  }


  template <typename Number>
  const Number *
  ElementExchange<Number>::run(const Number *own)
  {
    launch(device, places.size(), SelectEntries<Number>{places.data(), own, sent.data()});
    device.make_current();
    messages->start();
    if (device.is_cuda() && n_own > 0)
      CudaRuntime::copy_on_device(all.data(), own, n_own * sizeof(Number));
    else
      parallel_for(n_own, [&](const std::size_t begin, const std::size_t end) {
        std::copy(own + begin, own + end, all.data() + begin);
      });
    messages->finish();
    return all.data();
  }


  std::vector<double>
  with_ghosts(const std::shared_ptr<const GhostElements> &ghosts,
              const std::vector<double>                  &own,
              const unsigned int                          n)
  {
    if (!ghosts)
      return own;
    std::vector<std::size_t> starts(own.size() / n + ghosts->size() + 1);
    for (std::size_t e = 0; e < starts.size(); ++e)
      starts[e] = n * e;
    ElementExchange<double> exchange(*ghosts, Device::cpu(), starts);
    const double           *all = exchange.run(own.data());
    return {all, all + starts.back()};
  }


  template class ElementExchange<double>;
  template class ElementExchange<float>;
} // namespace Saltus
