// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_fuzz_checkpoint_forgery_h
#define saltus_tests_fuzz_checkpoint_forgery_h

#include "mutation.h"
#include <string>

namespace Saltus::Fuzz
{
  /// The bytes of a checkpoint with one or two changed records, whose checksums are right. Changes
  /// are extreme values and NaNs, other lengths, types and names, lost and repeated records.
  std::string
  forge_checkpoint(const std::string &checkpoint, Random &random);
} // namespace Saltus::Fuzz

#endif
