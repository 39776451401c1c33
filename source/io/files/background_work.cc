// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/background_work.h>

#include <utility>

namespace Saltus
{
  BackgroundWork::BackgroundWork(const MPI_Comm communicator)
    : communicator(communicator)
    , is_alone(n_ranks(communicator) == 1)
  {}


  BackgroundWork::~BackgroundWork()
  {
    if (in_background.valid())
      in_background.wait();
  }


  void
  BackgroundWork::start(const std::function<void()> &prepare, const std::function<void()> &write)
  {
    finish();
    this->write   = is_alone ? std::function<void()>() : write;
    in_background = std::async(std::launch::async, [this, prepare, write]() {
      try
        {
          prepare();
          if (is_alone)
            write();
        }
      catch (...)
        {
          failed = true;
          throw;
        }
    });
  }


  void
  BackgroundWork::finish()
  {
    if (!in_background.valid())
      return;
    const auto last = std::exchange(write, nullptr);
    on_all_ranks(communicator, [&]() {
      in_background.wait();
      failed = false;
      in_background.get();
    });
    if (last)
      last();
  }
} // namespace Saltus
