# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Configure Saltus with a deal.II under a prefix of its own, and read where installed libraries and
# programs will look for it. (To build all of them once more would take too long.)
#   source         of Saltus
#   directory      to work in, emptied first
#   path           where deal.II is
#   libraries, configuration
#                  folders there, relative to it
#   generator, compiler, build_type
file(REMOVE_RECURSE ${directory})
# Not below the source: what is there, CMake takes for a part of the project.
execute_process(COMMAND mktemp -d OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${prefix}/${libraries})
file(COPY ${path}/${configuration}/ DESTINATION ${prefix}/${configuration})
file(GLOB files ${path}/${libraries}/libdeal[._]*)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${prefix}/${libraries}/${name} SYMBOLIC)
endforeach()
foreach(folder include share/deal.ii share/deal.II)
  if(EXISTS ${path}/${folder} AND NOT EXISTS ${prefix}/${folder})
    file(CREATE_LINK ${path}/${folder} ${prefix}/${folder} SYMBOLIC)
  endif()
endforeach()

execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${source} -B ${directory}/build -G ${generator}
    -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=${build_type}
    -D deal.II_DIR=${prefix}/${configuration} -D SALTUS_BUILD_TESTS=OFF
  RESULT_VARIABLE status)
file(REMOVE_RECURSE ${prefix})
if(NOT status EQUAL 0)
  message(FATAL_ERROR "Saltus cannot be configured with a deal.II elsewhere.")
endif()

file(READ ${directory}/build/cmake_install.cmake install)
string(REGEX MATCHALL "NEW_RPATH \"[^\"]*\"" paths "${install}")
list(LENGTH paths n)
if(n LESS 4) # libraries and programs
  message(FATAL_ERROR "Only ${n} installed files have a path for libraries: ${paths}")
endif()
foreach(entry IN LISTS paths)
  string(FIND "${entry}" "${prefix}/${libraries}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "What is installed does not look in ${prefix}/${libraries}: ${entry}")
  endif()
endforeach()
