# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Install the build tree `build` to `prefix`, and nothing else: what lay there is removed first. Then the
# components that become packages, one by one: together they must hold each file once.
file(REMOVE_RECURSE ${prefix})

# install(VARIABLE MANIFEST [OPTION...]): the files that `cmake --install` with these options installs and lists
# in MANIFEST
function(install variable manifest)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${prefix} ${ARGN}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${build}/${manifest} files)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

install(remaining install_manifest.txt)
include(${build}/CPackConfig.cmake)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  install(files install_manifest_${component}.txt --component ${component})
  foreach(file IN LISTS files)
    list(FIND remaining ${file} position)
    if(position EQUAL -1)
      message(FATAL_ERROR "${file} of the component ${component} is in another one, too.")
    endif()
    list(REMOVE_AT remaining ${position})
  endforeach()
endforeach()
if(remaining)
  message(FATAL_ERROR "In no component, and so in no package: ${remaining}")
endif()
