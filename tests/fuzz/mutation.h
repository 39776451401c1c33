// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_fuzz_mutation_h
#define saltus_tests_fuzz_mutation_h

#include <random>
#include <string>
#include <vector>

namespace Saltus::Fuzz
{
  using Random = std::mt19937_64;

  /// One of the numbers 0, ..., n - 1. The same on every platform, unlike the distributions of the
  /// standard library.
  inline std::size_t
  pick(Random &random, const std::size_t n)
  {
    return random() % n;
  }

  /// One of @p texts with a few random mistakes: words and lines that are swapped, lost, repeated
  /// or taken from another of them, values that are huge or no numbers, flipped bits, missing ends.
  std::string
  mutate(const std::vector<std::string> &texts, Random &random);
} // namespace Saltus::Fuzz

#endif
