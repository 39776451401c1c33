# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Build the project of a document, see build_document.cmake, run it, and compare what its program, called
# `program`, prints with the block named `output`.
#   numdiff
include(${CMAKE_CURRENT_LIST_DIR}/build_document.cmake)

run(${build}/program OUTPUT_FILE ${directory}/output)
# Another device or instruction set rounds differently, which may show in a last digit.
run(${numdiff} -r 0.005 ${source}/output ${directory}/output)
