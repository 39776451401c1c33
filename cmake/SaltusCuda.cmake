# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Decide whether the CUDA back end is built and set SALTUS_HAVE_CUDA and SALTUS_CUDA_ARCHITECTURES, the
# compute capabilities that it is compiled for: CMAKE_CUDA_ARCHITECTURES, else 90, which is H100's and PTX for
# newer ones. "portable" is machine code for each generation that the toolkit knows, and PTX for newer ones. Only
# compute capability 9.0 was run. With less shared memory slower kernels replace some.
set(SALTUS_OLDEST_CUDA 12.8) # the first whose runtime loads kernels that NVRTC has compiled

function(saltus_portable_architectures result)
  set(architectures 75-real 80-real 90-real 100)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    list(PREPEND architectures 70-real)
  endif()
  set(${result} ${architectures} PARENT_SCOPE)
endfunction()

set(SALTUS_HAVE_CUDA OFF)
if(NOT SALTUS_WITH_CUDA STREQUAL "OFF")
  # deal.II's configuration sets an empty variable, which hides the user's -D and which
  # enable_language(CUDA) rejects.
  unset(CMAKE_CUDA_ARCHITECTURES)
  set(SALTUS_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
  if(NOT SALTUS_CUDA_ARCHITECTURES OR SALTUS_CUDA_ARCHITECTURES STREQUAL "portable")
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  include(CheckLanguage)
  list(APPEND CMAKE_PROGRAM_PATH /usr/local/cuda/bin)
  check_language(CUDA)
  set(reason "no CUDA compiler was found")
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(reason "${CMAKE_CUDA_COMPILER} is of version ${CMAKE_CUDA_COMPILER_VERSION}")
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL SALTUS_OLDEST_CUDA)
      set(SALTUS_HAVE_CUDA ON)
    endif()
  endif()
  if(SALTUS_HAVE_CUDA)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    if(SALTUS_CUDA_ARCHITECTURES STREQUAL "portable")
      saltus_portable_architectures(CMAKE_CUDA_ARCHITECTURES)
    endif()
    set(SALTUS_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
  elseif(SALTUS_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SALTUS_WITH_CUDA is ON, but ${reason}. Put nvcc of CUDA ${SALTUS_OLDEST_CUDA} or later "
      "on the PATH, or configure with -DSALTUS_WITH_CUDA=OFF.")
  else()
    message(STATUS "Without CUDA: ${reason}; ${SALTUS_OLDEST_CUDA} or later would do.")
  endif()
endif()
message(STATUS "CUDA back end: ${SALTUS_HAVE_CUDA}")
