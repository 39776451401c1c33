# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Set SALTUS_ISA_LEVELS, the x86-64 levels that CPU kernels are compiled for, in ascending order, from
# SALTUS_INSTRUCTION_SETS: "native", or some of 2, 3, 4.

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(SALTUS_ISA_LEVELS 1) # what the compiler targets
elseif(SALTUS_INSTRUCTION_SETS STREQUAL "native")
  # The level of this machine, as the compiler sees it.
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state()
  set(CMAKE_REQUIRED_FLAGS -march=native)
  set(needs_of_3 "__AVX2__ && __BMI__ && __BMI2__ && __F16C__ && __FMA__ && __LZCNT__ && __MOVBE__")
  set(needs_of_4 "__AVX512F__ && __AVX512BW__ && __AVX512CD__ && __AVX512DQ__ && __AVX512VL__")
  set(SALTUS_ISA_LEVELS 2)
  foreach(level IN ITEMS 3 4)
    check_cxx_source_compiles("#if !(${needs_of_${level}})\n#error\n#endif\nint main() {}"
      SALTUS_MACHINE_HAS_X86_64_V${level})
    if(SALTUS_MACHINE_HAS_X86_64_V${level})
      set(SALTUS_ISA_LEVELS ${level})
    endif()
  endforeach()
  cmake_pop_check_state()
else()
  set(SALTUS_ISA_LEVELS ${SALTUS_INSTRUCTION_SETS})
  list(SORT SALTUS_ISA_LEVELS)
  list(REMOVE_DUPLICATES SALTUS_ISA_LEVELS)
  if(NOT SALTUS_ISA_LEVELS MATCHES "^[234](;[234])*$")
    message(FATAL_ERROR "SALTUS_INSTRUCTION_SETS is '${SALTUS_INSTRUCTION_SETS}'. "
      "It can be 'native', or a list of some of 2, 3 and 4, such as '2;3;4'.")
  endif()
endif()
message(STATUS "CPU kernels for x86-64 levels: ${SALTUS_ISA_LEVELS}")
