// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_ghost_programs_cuh
#define saltus_cuda_operators_spaces_ghost_programs_cuh

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/spaces/ghost_arrays.h>

#include <cuda/base/ranks/peer_message.cuh>

namespace Saltus::CudaKernels
{
  /// pack() straight to where the ranks receive it: blocks `(i, j)` for message j.
  template <typename Number>
  struct SendGhostsProgram
  {
    static constexpr LaunchShape shape{128, 128};

    static __device__ __forceinline__ void
    run(GhostArrays<Number> arg)
    {
      CudaRuntime::PeerMessage &message = arg.peers.to.messages[blockIdx.y];
      // The message's numbers stand somewhere in the array that pack() writes to.
      const auto first = reinterpret_cast<const Number *>(message.from) - arg.sent;
      arg.sent         = reinterpret_cast<Number *>(message.to + place_of_turn(message)) - first;
      const int first_ghost = first / (arg.n_numbers * arg.layout.n_components);
      const int n           = message.size / (arg.layout.n_components * sizeof(Number));
      const int stride      = gridDim.x * shape.n_threads;
      for (int i = blockIdx.x * shape.n_threads + threadIdx.x; i < n; i += stride)
        pack(arg, first_ghost + i / arg.n_numbers, i % arg.n_numbers);
      end_sending(message);
    }
  };

  /// unpack() from where the ranks have sent it.
  template <typename Number>
  struct ReceiveGhostsProgram
  {
    static constexpr LaunchShape shape{128, 128};

    static __device__ __forceinline__ void
    run(GhostArrays<Number> arg)
    {
      CudaRuntime::PeerMessage &message = arg.peers.from.messages[blockIdx.y];
      begin_receiving(message);
      const auto first = reinterpret_cast<const Number *>(message.to) - arg.received;
      arg.received =
        reinterpret_cast<const Number *>(message.from + place_of_turn(message)) - first;
      const int size        = arg.n_numbers * arg.layout.n_components; // of a ghost
      const int first_ghost = first / size;
      const int n           = message.size / (size * sizeof(Number)) * arg.layout.n_modes;
      const int stride      = gridDim.x * shape.n_threads;
      for (int i = blockIdx.x * shape.n_threads + threadIdx.x; i < n; i += stride)
        unpack(arg, first_ghost + i / arg.layout.n_modes, i % arg.layout.n_modes);
      end_receiving(message);
    }
  };
} // namespace Saltus::CudaKernels

#endif
