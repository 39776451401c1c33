// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_instruction_set_h
#define saltus_base_device_instruction_set_h

namespace Saltus
{
  /// Level of the vector instructions that the CPU kernels use: 2, 3, 4 for x86-64-v2 (SSE4), v3
  /// (AVX2) and v4 (AVX-512), 1 on other processors. It is the largest that kernels were compiled
  /// for and that this machine has; the environment variable SALTUS_ISA_LEVEL may lower it. Throws
  /// where this machine has none of them.
  int
  instruction_set_level();
} // namespace Saltus

#endif
