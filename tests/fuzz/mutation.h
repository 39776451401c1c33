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

  /// A word that programs tend to stumble on.
  std::string
  strange_word(Random &random);

  /// One of @p texts with a few random mistakes: words and lines that are swapped, lost, repeated
  /// or taken from another text, huge values and NaNs, flipped bits, lost sections, missing ends.
  std::string
  mutate(const std::vector<std::string> &texts, Random &random);
} // namespace Saltus::Fuzz

#endif
