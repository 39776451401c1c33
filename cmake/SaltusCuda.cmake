# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Decide whether the CUDA back end is built and set SALTUS_HAVE_CUDA.

set(SALTUS_HAVE_CUDA OFF)
if(NOT SALTUS_WITH_CUDA STREQUAL "OFF")
  # deal.II's configuration sets an empty variable, which hides the user's -D and which
  # enable_language(CUDA) rejects.
  unset(CMAKE_CUDA_ARCHITECTURES)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  include(CheckLanguage)
  list(APPEND CMAKE_PROGRAM_PATH /usr/local/cuda/bin)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    set(SALTUS_HAVE_CUDA ON)
    set(SALTUS_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
  elseif(SALTUS_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SALTUS_WITH_CUDA is ON, but no CUDA compiler was found. "
      "Put nvcc on the PATH, or configure with -DSALTUS_WITH_CUDA=OFF.")
  endif()
endif()
message(STATUS "CUDA back end: ${SALTUS_HAVE_CUDA}")
