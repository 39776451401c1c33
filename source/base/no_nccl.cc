// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/nccl.h>

#include <stdexcept>

/// In a build without CUDA or NCCL's header: it is not found, and nothing else is called.
namespace Saltus::CudaRuntime
{
  namespace
  {
    [[noreturn]] void
    unavailable()
    {
      throw std::runtime_error("NCCL: this build of Saltus is without it");
    }
  } // namespace

  struct Nccl::Group
  {};

  bool
  Nccl::found()
  {
    return false;
  }

  std::string
  Nccl::new_group()
  {
    unavailable();
  }

  std::string
  Nccl::device_name()
  {
    unavailable();
  }

  Nccl::Nccl(const std::string &, const int, const int)
  {
    unavailable();
  }

  Nccl::~Nccl() = default;

  void
  Nccl::start(const void *, const std::vector<Message> &, void *, const std::vector<Message> &)
  {
    unavailable();
  }

  void
  Nccl::finish()
  {
    unavailable();
  }

  void
  Nccl::maximum(long long *)
  {
    unavailable();
  }
} // namespace Saltus::CudaRuntime
