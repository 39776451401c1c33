# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Build the project that the named code blocks of a Markdown document make up, run it, and compare
# what its program, called `program`, prints with the block named `output`.
#   document      the Markdown file
#   directory     to work in, emptied first
#   options       for CMake when it configures the project, a list
#   python, numdiff
set(source ${directory}/source)
set(build ${directory}/build)
file(REMOVE_RECURSE ${directory})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${python} ${CMAKE_CURRENT_LIST_DIR}/extract.py ${document} ${source})
run(${CMAKE_COMMAND} -S ${source} -B ${build} ${options})
run(${CMAKE_COMMAND} --build ${build})

run(${build}/program OUTPUT_FILE ${directory}/output)
# Another device or instruction set rounds differently, which may show in a last digit.
run(${numdiff} -r 0.005 ${source}/output ${directory}/output)
