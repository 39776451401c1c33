// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/multithread_info.h>

#include <saltus/base/device/kernel_cache.h>
#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/nvrtc.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace Saltus::KernelCompiler
{
  namespace
  {
    using Clock = std::chrono::steady_clock;

    double
    seconds_since(const Clock::time_point begin)
    {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    /// All compilations of the process. The object lives as long as the process.
    class Queue
    {
    public:
      /// Begin no more compilations, and wait for the running ones.
      void
      close()
      {
        std::unique_lock<std::mutex> lock(mutex);
        is_closed = true;
        changed.notify_all();
        lock.unlock();
        for (const Binary &binary : all())
          binary.wait();
      }

      Binary
      add(const KernelSource &source, const GpuLimits &limits)
      {
        const std::string        text    = source.text();
        const std::string        target  = "sm_" + std::to_string(limits.architecture);
        std::vector<std::string> options = {Nvrtc::target_option(limits.architecture),
                                            "-default-device",
                                            "-std=c++20",
                                            "-DNDEBUG",
                                            "-diag-suppress=1097",
                                            "-DSALTUS_SHARED_MEMORY_OF_BLOCK=" +
                                              std::to_string(limits.shared_memory),
                                            "-DSALTUS_DOUBLE_TENSOR_CORES=" +
                                              std::to_string(int(limits.has_double_tensor_cores))};
        if (!source.contracts)
          options.push_back("--fmad=false");
        std::string request = text;
        for (const std::string &option : options)
          request += option + "\n";
        const std::lock_guard<std::mutex> lock(mutex);
        auto                             &result = results[request];
        if (!result.valid())
          result = std::async(std::launch::async, [=]() {
                     return get(source.program, text, target, request, options);
                   }).share();
        return result;
      }

      std::vector<Binary>
      all()
      {
        const std::lock_guard<std::mutex> lock(mutex);
        std::vector<Binary>               binaries;
        for (const auto &[request, binary] : results)
          binaries.push_back(binary);
        return binaries;
      }

      Report
      report()
      {
        const std::lock_guard<std::mutex> lock(mutex);
        Report                            now = work;
        if (n_running > 0)
          now.seconds += seconds_since(begin);
        return now;
      }

      void
      add_waiting(const double seconds)
      {
        const std::lock_guard<std::mutex> lock(mutex);
        work.waited += seconds;
      }

    private:
      std::vector<char>
      get(const std::string              &name,
          const std::string              &text,
          const std::string              &target,
          const std::string              &request,
          const std::vector<std::string> &options)
      {
        const std::vector<DeviceHeader> headers = included_headers(text);
        std::string                     key     = request + Nvrtc::version();
        for (const auto &[header, content] : headers)
          key += header + "\n" + content;
        key = hash_of(key);

        const KernelCache cache(target);
        if (auto binary = read(cache, key))
          return *binary;
        const Turn       turn(*this);
        const KernelLock only(key);
        if (auto binary = read(cache, key))
          return *binary;
        std::vector<std::string> all = options;
        all.push_back("-frandom-seed=" + key);
        Nvrtc::Result result = Nvrtc::compile(name, text, headers, all);
        if (result.binary.empty())
          throw std::runtime_error(result.error);
        const std::string failure = cache.write(key, result.binary);

        const std::lock_guard<std::mutex> lock(mutex);
        ++work.n_compiled;
        work.target = target;
        work.kept   = failure.empty() ? "kept in " + cache.folder() : "not kept: " + failure;
        return result.binary;
      }

      std::optional<std::vector<char>>
      read(const KernelCache &cache, const std::string &key)
      {
        auto binary = cache.read(key);
        if (binary)
          {
            const std::lock_guard<std::mutex> lock(mutex);
            ++work.n_read;
          }
        return binary;
      }

      /// At most as many compilations at a time as the process has threads. The time during which
      /// there is at least one counts.
      class Turn
      {
      public:
        explicit Turn(Queue &queue)
          : queue(queue)
        {
          std::unique_lock<std::mutex> lock(queue.mutex);
          const unsigned int           most = std::max(1u, dealii::MultithreadInfo::n_threads());
          queue.changed.wait(lock, [&]() { return queue.is_closed || queue.n_running < most; });
          if (queue.is_closed)
            throw std::runtime_error("The program ends.");
          if (queue.n_running++ == 0)
            queue.begin = Clock::now();
        }

        ~Turn()
        {
          const std::lock_guard<std::mutex> lock(queue.mutex);
          if (--queue.n_running == 0)
            queue.work.seconds += seconds_since(queue.begin);
          queue.changed.notify_all();
        }

      private:
        Queue &queue;
      };

      std::mutex                    mutex;
      std::condition_variable       changed;
      std::map<std::string, Binary> results;
      unsigned int                  n_running = 0;
      bool                          is_closed = false;
      Clock::time_point             begin;
      Report                        work;
    };

    Queue &
    queue()
    {
      static Queue &all = *new Queue;
      return all;
    }

    /// Closes the queue at the end of the process: before NVRTC destroys objects of its own, which
    /// it makes while it compiles. The thread-local objects of the first thread are the first to
    /// go.
    struct EndOfThread
    {
      ~EndOfThread()
      {
        if (gettid() == getpid())
          queue().close();
      }
    };

    bool
    watch_end()
    {
      thread_local const EndOfThread end;
      static_cast<void>(end);
      return true;
    }

    /// Called as the library is loaded.
    [[maybe_unused]] const bool is_watched = watch_end();
  } // namespace

  Binary
  compile(const KernelSource &source, const GpuLimits &limits)
  {
    return queue().add(source, limits);
  }

  const std::vector<char> &
  wait(const Binary &binary)
  {
    const Clock::time_point begin = Clock::now();
    binary.wait();
    queue().add_waiting(seconds_since(begin));
    return binary.get();
  }

  namespace
  {
    std::optional<GpuLimits> assumed_limits;
  }

  void
  assume(const std::optional<GpuLimits> &limits)
  {
    assumed_limits = limits;
  }

  const std::optional<GpuLimits> &
  assumed()
  {
    return assumed_limits;
  }

  void
  wait_for_all()
  {
    for (const Binary &binary : queue().all())
      wait(binary);
  }

  std::string
  Report::line_since(const Report &earlier) const
  {
    if (n_compiled == earlier.n_compiled)
      return "";
    std::ostringstream line;
    line.precision(2);
    line << "Compiled " << n_compiled - earlier.n_compiled << " kernels for " << target << " in "
         << seconds - earlier.seconds << " s, " << kept;
    return line.str();
  }

  Report
  report()
  {
    return queue().report();
  }
} // namespace Saltus::KernelCompiler
