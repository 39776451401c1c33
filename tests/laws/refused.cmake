# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# cmake -D compiler=... -D "options=..." -D source=... -D message=... -P refused.cmake
# The compiler refuses the source with one error, which contains the message.
execute_process(COMMAND ${compiler} ${options} -fsyntax-only ${source}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX MATCHALL "[^\n]*error:[^\n]*" errors "${output}")
list(LENGTH errors n_errors)
string(FIND "${errors}" "${message}" position)
if(status EQUAL 0 OR NOT n_errors EQUAL 1 OR position EQUAL -1)
  message(FATAL_ERROR "Expected one error with '${message}'. The compiler says:\n${output}")
endif()
