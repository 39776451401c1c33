// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/available_memory.h>
#include <saltus/base/cuda_runtime.h>
#include <saltus/base/peer_memory.h>
#include <saltus/base/point_kernel.h>
#include <saltus/base/sparse_kernel.h>
#include <saltus/base/vector_kernels.h>

#include <stdexcept>

/// The CUDA services of a build without CUDA: no device is usable, and nothing else is called.
namespace Saltus::CudaRuntime
{
  namespace
  {
    [[noreturn]] void
    unavailable()
    {
      throw std::runtime_error("CUDA: this build of Saltus has no CUDA back end");
    }
  } // namespace

  int
  n_devices()
  {
    return 0;
  }

  bool
  usable(const int, std::string &reason)
  {
    reason = "this build of Saltus has no CUDA back end";
    return false;
  }

  void
  select(const int)
  {
    unavailable();
  }

  std::string
  description(const int)
  {
    unavailable();
  }

  std::string
  device_name()
  {
    unavailable();
  }

  void *
  allocate(const std::size_t)
  {
    unavailable();
  }

  std::size_t
  available_memory()
  {
    unavailable();
  }

  void
  release(void *) noexcept
  {}

  void
  copy_to_device(void *, const void *, const std::size_t)
  {
    unavailable();
  }

  void
  copy_to_host(void *, const void *, const std::size_t)
  {
    unavailable();
  }

  std::size_t
  transferred_bytes()
  {
    return 0;
  }

  void
  pin(void *, const std::size_t)
  {
    unavailable();
  }

  void
  unpin(void *) noexcept
  {}

  void
  fork()
  {
    unavailable();
  }

  void
  beside(const std::function<void()> &)
  {
    unavailable();
  }

  void
  join()
  {
    unavailable();
  }

  void
  copy_on_device(void *, const void *, const std::size_t)
  {
    unavailable();
  }

  void
  fill_zero(void *, const std::size_t)
  {
    unavailable();
  }

  PeerMemory::PeerMemory(const std::size_t)
  {
    unavailable();
  }

  PeerMemory::~PeerMemory() = default;

  PeerMemory::Name
  PeerMemory::name() const
  {
    unavailable();
  }

  char *
  open_peer_memory(const PeerMemory::Name &)
  {
    unavailable();
  }

  void
  send_to_peers(const PeerMessages &)
  {
    unavailable();
  }

  void
  receive_from_peers(const PeerMessages &)
  {
    unavailable();
  }

  void
  maximum_of_peers(long long *, PeerNumber *const *, const int, const int, unsigned *)
  {
    unavailable();
  }

  void
  synchronize()
  {
    unavailable();
  }

  bool
  is_recording()
  {
    return false;
  }

  Graph::~Graph() = default;

  void
  Graph::record(const std::function<void()> &)
  {
    unavailable();
  }

  void
  Graph::clear() noexcept
  {}

  void
  Graph::launch() const
  {
    unavailable();
  }

  double
  time(const std::function<void()> &)
  {
    unavailable();
  }
} // namespace Saltus::CudaRuntime

namespace Saltus
{
  template <typename Number>
  const VectorKernels<Number> &
  cuda_vector_kernels()
  {
    CudaRuntime::unavailable();
  }

  template const VectorKernels<double> &
  cuda_vector_kernels();
  template const VectorKernels<float> &
  cuda_vector_kernels();

  template <typename Number>
  std::unique_ptr<const SparseKernel<Number>>
  make_cuda_sparse_kernel(const SparseArrays<Number> &)
  {
    CudaRuntime::unavailable();
  }

  template std::unique_ptr<const SparseKernel<double>>
  make_cuda_sparse_kernel(const SparseArrays<double> &);
  template std::unique_ptr<const SparseKernel<float>>
  make_cuda_sparse_kernel(const SparseArrays<float> &);

  std::vector<char>
  compile_point_kernel(const std::string &, const int, std::string &reason)
  {
    reason = "this build of Saltus has no CUDA back end";
    return {};
  }

  std::shared_ptr<const PointKernel>
  make_point_kernel(const std::string &, std::string &)
  {
    CudaRuntime::unavailable();
  }
} // namespace Saltus
