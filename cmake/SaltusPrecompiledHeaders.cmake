# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# deal.II's headers are most of what the compiler reads: half a million lines a file. With them
# precompiled, a file of the library takes a third of the time. Turn the option off to see whether
# every file includes what it uses.
option(SALTUS_PRECOMPILE_HEADERS "Precompile deal.II's headers" ON)

# ccache must not look at the time stamps of the precompiled header, and read its 800 MB once only.
set(SALTUS_CCACHE_ENVIRONMENT CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1)

set(SALTUS_PRECOMPILED_HEADERS
  <algorithm> <array> <cmath> <fstream> <functional> <map> <memory> <optional> <sstream> <string>
  <variant> <vector>
  <deal.II/base/exceptions.h>
  <deal.II/base/function_parser.h>
  <deal.II/base/parameter_handler.h>
  <deal.II/base/quadrature_lib.h>
  <deal.II/base/utilities.h>
  <deal.II/dofs/dof_handler.h>
  <deal.II/fe/fe_simplex_p.h>
  <deal.II/fe/fe_system.h>
  <deal.II/fe/fe_values.h>
  <deal.II/fe/mapping_fe.h>
  <deal.II/grid/grid_tools.h>
  <deal.II/grid/tria.h>
  <deal.II/lac/vector.h>)

# saltus_precompile(TARGET): with the one precompiled header that library, programs and tests share.
# It is position-independent code, as the library is, and so must they be.
function(saltus_precompile target)
  if(SALTUS_PRECOMPILE_HEADERS)
    if(NOT TARGET saltus_headers)
      file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers.cc CONTENT "")
      add_library(saltus_headers OBJECT ${PROJECT_BINARY_DIR}/headers.cc)
      target_link_libraries(saltus_headers PRIVATE Saltus::dealii)
      target_compile_options(saltus_headers PRIVATE -fPIC)
      target_precompile_headers(saltus_headers PRIVATE ${SALTUS_PRECOMPILED_HEADERS})
    endif()
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC>)
    target_precompile_headers(${target} REUSE_FROM saltus_headers)
  endif()
endfunction()

# Options for programs, whose compilation takes longer than their own code ever runs. g++ 13 and later read the
# precompiled header only with the optimization level of the header.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(SALTUS_CHEAP -O1)
endif()
