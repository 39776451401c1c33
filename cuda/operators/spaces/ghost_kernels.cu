// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/operators/spaces/ghost_arrays.h>

#include <cuda/base/device/context.cuh>
#include <cuda/base/ranks/peer_message.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128;

    /// A thread for each number that is sent.
    template <typename Number>
    __global__ void
    pack_kernel(const GhostArrays<Number> arg)
    {
      const int i = blockIdx.x * n_threads + threadIdx.x;
      if (i < arg.n_ghosts * arg.n_numbers)
        pack(arg, i / arg.n_numbers, i % arg.n_numbers);
    }

    /// A thread for each mode of a ghost.
    template <typename Number>
    __global__ void
    unpack_kernel(const GhostArrays<Number> arg)
    {
      const int i = blockIdx.x * n_threads + threadIdx.x;
      if (i < arg.n_ghosts * arg.n_modes)
        unpack(arg, i / arg.n_modes, i % arg.n_modes);
    }

    /// The same, but straight to where the ranks receive it: blocks `(i, j)` for message j.
    template <typename Number>
    __global__ void
    send_kernel(GhostArrays<Number> arg)
    {
      CudaRuntime::PeerMessage &message = arg.peers.to.messages[blockIdx.y];
      // The message's numbers stand somewhere in the array that pack() writes to.
      const auto first = reinterpret_cast<const Number *>(message.from) - arg.sent;
      arg.sent         = reinterpret_cast<Number *>(message.to + place_of_turn(message)) - first;
      const int first_ghost = first / (arg.n_numbers * arg.n_components);
      const int n           = message.size / (arg.n_components * sizeof(Number));
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
      const int size        = arg.n_numbers * arg.n_components; // of a ghost
      const int first_ghost = first / size;
      const int n           = message.size / (size * sizeof(Number)) * arg.n_modes;
      for (int i = blockIdx.x * n_threads + threadIdx.x; i < n; i += gridDim.x * n_threads)
        unpack(arg, first_ghost + i / arg.n_modes, i % arg.n_modes);
      end_receiving(message);
    }

    /// With @p n_a_ghost threads for each ghost.
    template <typename Number>
    void
    launch(void (*kernel)(GhostArrays<Number>),
           void (*kernel_for_peers)(GhostArrays<Number>),
           const CudaRuntime::PeerMessages &messages,
           const int                        n_a_ghost,
           const GhostArrays<Number>       &arg)
    {
      const std::size_t bytes_a_ghost = arg.n_numbers * arg.n_components * sizeof(Number);
      const bool        has_peers     = messages.n > 0;
      const int         n_ghosts      = has_peers ? messages.largest / bytes_a_ghost : arg.n_ghosts;
      if (n_ghosts == 0)
        return;
      const dim3 grid((n_ghosts * n_a_ghost + n_threads - 1) / n_threads,
                      has_peers ? messages.n : 1);
      (has_peers ? kernel_for_peers : kernel)<<<grid, n_threads, 0, CudaRuntime::stream()>>>(arg);
      CudaRuntime::check_launch("copying ghosts");
    }

    template <typename Number>
    void
    enrol()
    {
      GhostKernels<Number>::pack = [](const GhostArrays<Number> &arg) {
        launch(pack_kernel<Number>, send_kernel<Number>, arg.peers.to, arg.n_numbers, arg);
      };
      GhostKernels<Number>::unpack = [](const GhostArrays<Number> &arg) {
        launch(unpack_kernel<Number>, receive_kernel<Number>, arg.peers.from, arg.n_modes, arg);
      };
    }

    [[maybe_unused]] const bool registered = [] {
      enrol<double>();
      enrol<float>();
      return true;
    }();
  } // namespace
} // namespace Saltus
