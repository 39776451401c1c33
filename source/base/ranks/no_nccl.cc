// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/nccl.h>

#include <stdexcept>

/// In a build without CUDA or NCCL's header: it is not found, and nothing else is called.
namespace Saltus::Nccl
{
  namespace
  {
    [[noreturn]] void
    unavailable()
    {
      throw std::runtime_error("NCCL: this build of Saltus is without it");
    }
  } // namespace

  bool
  found()
  {
    return false;
  }

  std::string
  new_group()
  {
    unavailable();
  }

  std::shared_ptr<GpuGroup>
  join(const std::string &, const int, const int)
  {
    unavailable();
  }
} // namespace Saltus::Nccl
