// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
#include <saltus/operators/spaces/ghost_arrays.h>

#include <cuda/base/device/launch.cuh>
#include <cuda/base/ranks/peer_message.cuh>

namespace Saltus
{
  namespace
  {
    /// pack() straight to where the ranks receive it: blocks `(i, j)` for message j.
    template <typename Number>
    __global__ void
    send_kernel(GhostArrays<Number> arg)
    {
      CudaRuntime::PeerMessage &message = arg.peers.to.messages[blockIdx.y];
      // The message's numbers stand somewhere in the array that pack() writes to.
      const auto first = reinterpret_cast<const Number *>(message.from) - arg.sent;
      arg.sent         = reinterpret_cast<Number *>(message.to + place_of_turn(message)) - first;
      const int first_ghost = first / (arg.n_numbers * arg.layout.n_components);
      const int n           = message.size / (arg.layout.n_components * sizeof(Number));
      for (int i = blockIdx.x * n_threads + threadIdx.x; i < n; i += gridDim.x * n_threads)
        pack(arg, first_ghost + i / arg.n_numbers, i % arg.n_numbers);
      end_sending(message);
    }

    template <typename Number>
    __global__ void
    receive_kernel(GhostArrays<Number> arg)
    {
      CudaRuntime::PeerMessage &message = arg.peers.from.messages[blockIdx.y];
      begin_receiving(message);
      const auto first = reinterpret_cast<const Number *>(message.to) - arg.received;
      arg.received =
        reinterpret_cast<const Number *>(message.from + place_of_turn(message)) - first;
      const int size        = arg.n_numbers * arg.layout.n_components; // of a ghost
      const int first_ghost = first / size;
      const int n           = message.size / (size * sizeof(Number)) * arg.layout.n_modes;
      for (int i = blockIdx.x * n_threads + threadIdx.x; i < n; i += gridDim.x * n_threads)
        unpack(arg, first_ghost + i / arg.layout.n_modes, i % arg.layout.n_modes);
      end_receiving(message);
    }

    /// If ranks send to each other's memory, with @p n_a_ghost threads for each ghost.
    template <typename Number>
    bool
    run_for_peers(void (*kernel)(GhostArrays<Number>),
                  const CudaRuntime::PeerMessages &messages,
                  const int                        n_a_ghost,
                  const GhostArrays<Number>       &arg)
    {
      if (messages.n == 0)
        return false;
      const int n_ghosts =
        messages.largest / (arg.n_numbers * arg.layout.n_components * sizeof(Number));
      const dim3 grid(n_thread_blocks(n_ghosts * n_a_ghost), messages.n);
      kernel<<<grid, n_threads, 0, CudaRuntime::stream()>>>(arg);
      CudaRuntime::check_launch("messages to or from other GPUs");
      return true;
    }

    template <typename Number>
    bool
    enrol()
    {
      WorkRegistry<PackGhosts<Number>>::cuda = [](const auto, const PackGhosts<Number> &work) {
        const GhostArrays<Number> &arg = work.arg;
        return run_for_peers(send_kernel<Number>, arg.peers.to, arg.n_numbers, arg);
      };
      WorkRegistry<UnpackGhosts<Number>>::cuda = [](const auto, const UnpackGhosts<Number> &work) {
        const GhostArrays<Number> &arg = work.arg;
        return run_for_peers(receive_kernel<Number>, arg.peers.from, arg.layout.n_modes, arg);
      };
      return true;
    }

    [[maybe_unused]] const bool enrolled = enrol<double>() && enrol<float>();
  } // namespace
} // namespace Saltus
