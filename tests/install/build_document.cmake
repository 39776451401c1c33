# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Build the project that the named code blocks of Markdown documents make up.
#   documents     the Markdown files, a list
#   directory     to work in, emptied first: `source` has the blocks, `source/build` what is built
#   options       for CMake when it configures the project, a list
#   python
set(source ${directory}/source)
set(build ${source}/build)
file(REMOVE_RECURSE ${directory})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${python} ${CMAKE_CURRENT_LIST_DIR}/extract.py ${documents} ${source})
run(${CMAKE_COMMAND} -S ${source} -B ${build} ${options})
run(${CMAKE_COMMAND} --build ${build})
