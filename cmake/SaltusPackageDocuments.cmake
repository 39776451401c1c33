# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Run by cpack when the files of all packages have been put together: Debian wants the licence and the changes
# of each package in a folder of its name, and a manual page of each program.
file(READ ${CPACK_SALTUS_SOURCE_DIR}/LICENSES/LLVM-exception.txt exception)
string(REGEX REPLACE "\n+$" "" exception "${exception}")
string(REGEX REPLACE "\n\n" "\n.\n" exception "${exception}")
string(REPLACE "\n" "\n " exception "${exception}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} COMPONENT)
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME})
  file(WRITE ${folder}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Saltus
Upstream-Contact: ${CPACK_PACKAGE_CONTACT}

Files: *
Copyright: 2026 The Saltus developers
License: Apache-2.0-with-LLVM-exception or LGPL-2.1+

License: Apache-2.0-with-LLVM-exception
 The Apache License, version 2.0, which is in /usr/share/common-licenses/Apache-2.0, with this exception:
 .
 ${exception}

License: LGPL-2.1+
 The GNU Lesser General Public License, version 2.1 or, at your choice, any later one. That version is in
 /usr/share/common-licenses/LGPL-2.1.
")
  file(WRITE ${folder}/changelog.Debian
"saltus (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=low

  * Version ${CPACK_PACKAGE_VERSION}; what changed is in changelog.gz.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(COPY_FILE ${CPACK_SALTUS_SOURCE_DIR}/CHANGELOG.md ${folder}/changelog)
  execute_process(COMMAND gzip -9nf ${folder}/changelog ${folder}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# What --help of a program prints, as a manual page: as it is, under a line with the first sentence.
function(saltus_write_manual_page program folder)
  get_filename_component(name ${program} NAME)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${CPACK_SALTUS_LIBRARIES} COLUMNS=78
    PYTHONDONTWRITEBYTECODE=1 ${program} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  # Python's begin with the usage, a paragraph.
  set(begin 0)
  if(help MATCHES "^usage:")
    string(FIND "${help}" "\n\n" begin)
    math(EXPR begin "${begin} + 2")
  endif()
  string(SUBSTRING "${help}" ${begin} -1 sentence)
  string(REGEX REPLACE "\n\n.*" "" sentence "${sentence}")
  string(REPLACE "\n" " " sentence "${sentence}")
  string(REGEX REPLACE "([.:] |\\.$).*" "" sentence "${sentence}")
  foreach(text help sentence)
    string(REPLACE "\\" "\\e" ${text} "${${text}}")
    string(REPLACE "-" "\\-" ${text} "${${text}}")
    string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" ${text} "${${text}}")
  endforeach()
  file(WRITE ${folder}/${name}.1
".TH ${name} 1 \"\" \"Saltus ${CPACK_PACKAGE_VERSION}\"
.SH NAME
${name} \\- ${sentence}
.SH DESCRIPTION
.nf
${help}.fi
")
  execute_process(COMMAND gzip -9nf ${folder}/${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB programs ${CPACK_TEMPORARY_DIRECTORY}/programs/usr/bin/*)
foreach(program IN LISTS programs)
  saltus_write_manual_page(${program} ${CPACK_TEMPORARY_DIRECTORY}/programs/usr/share/man/man1)
endforeach()
