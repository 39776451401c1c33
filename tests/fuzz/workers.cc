// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "workers.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace Saltus::Fuzz
{
  namespace
  {
    using Attempt = std::function<std::string(const std::size_t, const std::string &)>;

    /// What a worker shares with the process that watches it.
    struct Progress
    {
      std::size_t input; ///< that is tried now
      std::size_t n_failures;
    };


    class Worker
    {
    public:
      /// Tries the inputs first, first + stride, ... below n.
      Worker(const std::size_t  first,
             const std::size_t  stride,
             const std::size_t  n,
             const unsigned int seconds,
             const std::string &directory)
        : stride(stride)
        , n(n)
        , seconds(seconds)
        , directory(directory)
        , file(directory + "/input-" + std::to_string(first))
        , progress(static_cast<Progress *>(mmap(nullptr,
                                                sizeof(Progress),
                                                PROT_READ | PROT_WRITE,
                                                MAP_SHARED | MAP_ANONYMOUS,
                                                -1,
                                                0)))
      {
        progress->input = first;
      }


      bool
      done() const
      {
        return progress->input >= n;
      }


      std::size_t
      n_failures() const
      {
        return progress->n_failures;
      }


      void
      start(const Attempt &attempt)
      {
        process = fork();
        if (process == 0)
          {
            for (; !done(); progress->input += stride)
              {
                limit_time(seconds);
                const std::string problem = attempt(progress->input, file);
                limit_time(0);
                if (!problem.empty())
                  report(problem);
              }
            _exit(0);
          }
      }


      bool
      is(const pid_t other) const
      {
        return process == other;
      }


      /// The process has ended with @p status. If an input has ended it, the next process goes on
      /// behind that.
      void
      finish(const int status)
      {
        if (done())
          return;
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        if (signal == SIGPROF)
          report("took more than " + std::to_string(seconds) + " s");
        else if (signal != 0)
          report(std::string("ended by the signal '") + strsignal(signal) + "'");
        else
          report("ended the process with status " + std::to_string(WEXITSTATUS(status)));
        progress->input += stride;
      }

    private:
      /// The process ends by SIGPROF after @p seconds of its own time; 0: no limit.
      static void
      limit_time(const unsigned int seconds)
      {
        itimerval timer{};
        timer.it_value.tv_sec = seconds;
        setitimer(ITIMER_PROF, &timer, nullptr);
      }


      void
      report(const std::string &problem)
      {
        ++progress->n_failures;
        const std::string kept = directory + "/failed-" + std::to_string(progress->input);
        std::filesystem::copy_file(file, kept, std::filesystem::copy_options::overwrite_existing);
        std::cout << "FAILED: " + kept + ": " + problem + "\n" << std::flush;
      }


      const std::size_t  stride, n;
      const unsigned int seconds;
      const std::string  directory, file;
      Progress *const    progress;
      pid_t              process = 0;
    };
  } // namespace


  std::size_t
  try_inputs(const std::size_t  n,
             const Attempt     &attempt,
             const unsigned int seconds,
             const std::string &directory,
             const unsigned int n_per_core)
  {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);

    const std::size_t   n_workers = n_per_core * std::max(1U, std::thread::hardware_concurrency());
    std::vector<Worker> workers;
    for (std::size_t i = 0; i < n_workers; ++i)
      workers.emplace_back(i, n_workers, n, seconds, directory);

    for (Worker &worker : workers)
      worker.start(attempt);

    std::size_t n_running = n_workers;
    while (n_running > 0)
      {
        int         status  = 0;
        const pid_t process = wait(&status);
        const auto  worker  = std::find_if(workers.begin(), workers.end(), [&](const Worker &w) {
          return w.is(process);
        });
        worker->finish(status);
        if (worker->done())
          --n_running;
        else
          worker->start(attempt);
      }

    std::size_t n_failures = 0;
    for (const Worker &worker : workers)
      n_failures += worker.n_failures();
    return n_failures;
  }
} // namespace Saltus::Fuzz
