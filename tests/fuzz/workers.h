// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_fuzz_workers_h
#define saltus_tests_fuzz_workers_h

#include <cstddef>
#include <functional>
#include <string>

namespace Saltus::Fuzz
{
  /// Try the inputs 0, ..., n - 1 in several processes, so that an input that ends its process is
  /// one failure among others.
  ///
  /// @param attempt called as `attempt(input, file)`: makes the input, writes it to the file and
  /// tries it; returns what is wrong, or nothing
  /// @param seconds of processor time that an input may take
  /// @param directory where the files are written; that of an input that failed stays there
  /// @param n_per_core processes for each core: several if attempts wait
  /// @return the number of failures, each printed
  std::size_t
  try_inputs(const std::size_t                                                         n,
             const std::function<std::string(const std::size_t, const std::string &)> &attempt,
             const unsigned int                                                        seconds,
             const std::string                                                        &directory,
             const unsigned int n_per_core = 1);
} // namespace Saltus::Fuzz

#endif
