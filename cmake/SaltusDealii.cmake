# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# saltus_import_dealii(DEBUG or RELEASE)
#
# Define the imported target Saltus::dealii: deal.II's library of that flavour with its include
# directories and definitions, as usage requirements that everything linked to Saltus::saltus
# inherits. deal.II 9.4 itself offers them only through the macro deal_ii_setup_target.
macro(saltus_import_dealii flavor)
  if(NOT TARGET Saltus::dealii)
    if(NOT DEAL_II_TARGET_CONFIG_INCLUDED)
      include(${DEAL_II_TARGET_CONFIG})
      set(DEAL_II_TARGET_CONFIG_INCLUDED TRUE)
    endif()
    separate_arguments(saltus_linker_flags UNIX_COMMAND "${DEAL_II_LINKER_FLAGS}")
    # deal.II asks for the linker that it was linked with. Without it any other does, slowly.
    if(DEAL_II_LINKER_FLAGS MATCHES "-fuse-ld=([a-z]+)")
      find_program(SALTUS_LINKER ld.${CMAKE_MATCH_1})
      if(NOT SALTUS_LINKER)
        list(FILTER saltus_linker_flags EXCLUDE REGEX "^-fuse-ld=")
      endif()
    endif()
    add_library(Saltus::dealii INTERFACE IMPORTED)
    target_include_directories(Saltus::dealii SYSTEM INTERFACE ${DEAL_II_INCLUDE_DIRS})
    target_compile_definitions(Saltus::dealii INTERFACE
      ${DEAL_II_USER_DEFINITIONS} ${DEAL_II_USER_DEFINITIONS_${flavor}})
    target_link_options(Saltus::dealii INTERFACE ${saltus_linker_flags})
    target_link_libraries(Saltus::dealii INTERFACE ${DEAL_II_TARGET_${flavor}})
  endif()
endmacro()
