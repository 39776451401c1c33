# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Included by a project of documents as CMAKE_PROJECT_INCLUDE: its programs share a precompiled header of deal.II, which is
# most of what the compiler reads.
function(precompile_programs)
  get_property(programs DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER programs EXCLUDE REGEX "_cpu_")
  list(POP_FRONT programs first)
  target_precompile_headers(${first} PRIVATE <deal.II/dofs/dof_handler.h> <deal.II/fe/fe_system.h>
    <deal.II/fe/fe_values.h> <deal.II/fe/mapping_fe.h> <deal.II/grid/grid_tools.h> <deal.II/numerics/vector_tools.h>)
  foreach(program IN LISTS programs)
    target_precompile_headers(${program} REUSE_FROM ${first})
  endforeach()
endfunction()
cmake_language(DEFER CALL precompile_programs)
