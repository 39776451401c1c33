// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/algebra/ghost_elements.h>
#include <saltus/base/device/cuda_runtime.h>

#include <algorithm>

namespace Saltus
{
  namespace
  {
    /// Add entries of a rank to what is sent there or comes from there.
    void
    add_to_parts(std::vector<RankPart> &parts, const int rank, const std::size_t n)
    {
      if (parts.empty() || parts.back().rank != rank)
        parts.push_back({rank, n});
      else
        parts.back().size += n;
    }
  } // namespace

  template <typename Number>
  ElementExchange<Number>::ElementExchange(const GhostElements            &ghosts,
                                           const Device                    device,
                                           const std::vector<std::size_t> &starts)
    : device(device)
    , n_own(starts[starts.size() - 1 - ghosts.size()])
    , all(device, starts.back())
  {
    const auto               size = [&](const std::size_t e) { return starts[e + 1] - starts[e]; };
    std::vector<RankPart>    to, from;
    std::vector<std::size_t> of_sent;
    for (const auto &[rank, element] : ghosts.known)
      {
        add_to_parts(to, rank, size(element));
        for (std::size_t i = starts[element]; i < starts[element + 1]; ++i)
          of_sent.push_back(i);
      }
    const std::size_t n_elements = starts.size() - 1 - ghosts.size();
    for (unsigned int g = 0; g < ghosts.size(); ++g)
      add_to_parts(from, ghosts.ranks[g], size(n_elements + g));
    places   = Memory<std::size_t>(device, of_sent);
    sent     = Memory<Number>(device, of_sent.size());
    messages = std::make_unique<RankMessages<Number>>(
      ghosts.partition, device, sent.data(), to, all.data() + n_own, from);
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
