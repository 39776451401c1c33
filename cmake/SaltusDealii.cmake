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
    add_library(Saltus::dealii INTERFACE IMPORTED)
    target_include_directories(Saltus::dealii SYSTEM INTERFACE ${DEAL_II_INCLUDE_DIRS})
    target_compile_definitions(Saltus::dealii INTERFACE
      ${DEAL_II_USER_DEFINITIONS} ${DEAL_II_USER_DEFINITIONS_${flavor}})
    target_link_options(Saltus::dealii INTERFACE ${saltus_linker_flags})
    target_link_libraries(Saltus::dealii INTERFACE ${DEAL_II_TARGET_${flavor}})
  endif()
endmacro()
