# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# saltus_add_equations(target CPU files... [LAWS headers...] [DIMENSIONS 2 3])
#
# Compile the kernels of conservation laws into a target. Each CPU file holds SALTUS_INSTANTIATE_CPU lines and is
# compiled once for each of SALTUS_ISA_LEVELS, vector instruction sets of which one is chosen at run time. LAWS are the
# headers with the classes of the laws, and the headers that these include by quotes. Their texts become a part of the
# target, from which a run compiles its GPU kernels. With DIMENSIONS each file is compiled once for each, too, which it
# knows as SALTUS_DIMENSION.

function(saltus_add_equations target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "CPU;LAWS;DIMENSIONS")
  if(arg_LAWS)
    saltus_embed_laws(${target} ${arg_LAWS})
  endif()
  if(NOT arg_DIMENSIONS)
    saltus_add_kernels(${target} ${target} "" "${arg_CPU}")
  endif()
  foreach(dimension IN LISTS arg_DIMENSIONS)
    saltus_add_kernels(${target} ${target}_${dimension}d SALTUS_DIMENSION=${dimension} "${arg_CPU}")
  endforeach()
endfunction()

# saltus_embed_laws(target headers...): a source file of the target that hands their texts to the library
function(saltus_embed_laws target)
  set(text "#include <saltus/base/device/kernel_source.h>\n\nnamespace\n{\n")
  foreach(header IN LISTS ARGN)
    get_filename_component(path ${header} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} content)
    string(MAKE_C_IDENTIFIER ${header} name)
    string(APPEND text "  [[maybe_unused]] const bool ${name} =\n    Saltus::add_device_header(\"${header}\", R\"header("
      "${content})header\");\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_laws.cc)
  string(APPEND text "} // namespace\n")
  set(old "")
  if(EXISTS ${source})
    file(READ ${source} old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE ${source} "${text}")
  endif()
  target_sources(${target} PRIVATE ${source})
endfunction()

# saltus_add_kernels(target prefix definitions cpu): objects whose names begin with the prefix
function(saltus_add_kernels target prefix definitions cpu)
  foreach(level IN LISTS SALTUS_ISA_LEVELS)
    set(objects ${prefix}_cpu_${level})
    add_library(${objects} OBJECT ${cpu})
    set_target_properties(${objects} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_STANDARD 17 UNITY_BUILD OFF)
    target_include_directories(${objects} PRIVATE ${SALTUS_KERNEL_INCLUDE_DIRS})
    # Always optimised: the kernels are of no use to anybody otherwise. -fno-math-errno lets square
    # roots become one vector instruction.
    target_compile_options(${objects} PRIVATE -Wall -Wextra $<IF:$<CONFIG:Debug>,-O1,-O3>
      -fno-math-errno -fno-trapping-math -Wno-psabi)
    target_compile_definitions(${objects} PRIVATE SALTUS_ISA_LEVEL=${level} ${definitions})
    if(level GREATER 1)
      target_compile_options(${objects} PRIVATE -march=x86-64-v${level})
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()
