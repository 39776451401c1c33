# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# Debian packages by `cpack`, one a component: ./bootstrap package.
#
# The library's package has the name of what programs are linked with, as Debian wants it, so that those
# compiled with different versions can live beside each other: libsaltus_core.so.0.1 is in libsaltus0.1.
# The libraries have one soname and come together, so they share a package. NVIDIA's driver and its libraries are
# looked for when a program runs, so that no package depends on them.

set(SALTUS_PACKAGER "The Saltus developers <saltus@example.org>" CACHE STRING
  "Maintainer of the packages, NAME <ADDRESS>")

cmake_host_system_information(RESULT distribution QUERY DISTRIB_INFO)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${SALTUS_PACKAGER})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL libraries development programs documentation)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has one of its own
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Packages of the next release of the distribution replace those of this one.
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${distribution_ID}${distribution_VERSION_ID})
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/SaltusPackageDocuments.cmake)
set(CPACK_SALTUS_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_SALTUS_LIBRARIES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})

# saltus_package(COMPONENT NAME SECTION TEXT [DEPENDS component...])
macro(saltus_package component name section text)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${COMPONENT}_DEPENDS ${arg_DEPENDS})
  set(CPACK_COMPONENT_${COMPONENT}_DESCRIPTION "${text}
Saltus evaluates discontinuous Galerkin operators for deal.II programs on
NVIDIA GPUs and on CPUs: conservation laws, elliptic problems, incompressible
flows and polytopic elements. GPU kernels run on compute capability 9.0 only
(H100, H200).")
endmacro()

saltus_package(libraries libsaltus${SALTUS_SOVERSION} libs
  "discontinuous Galerkin operators for deal.II, shared libraries")
saltus_package(development libsaltus-dev libdevel
  "discontinuous Galerkin operators for deal.II, headers" DEPENDS libraries)
saltus_package(programs saltus-bin science
  "discontinuous Galerkin solvers that run from parameter files" DEPENDS libraries)
saltus_package(documentation saltus-doc doc
  "discontinuous Galerkin operators for deal.II, guides")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SHLIBDEPS ON)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)

# The version with which the library was compiled, and Debian's revisions of it.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libdeal.ii-dev (>= ${DEAL_II_VERSION}), libdeal.ii-dev (<< ${DEAL_II_VERSION}.1)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, g++")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS saltus-doc)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS python3)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "mpi-default-bin, python3-matplotlib, python3-numpy")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "gmsh, python3-venv, saltus-doc")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SUGGESTS "cuda-nvrtc-13-0, libnccl2") # of NVIDIA's repository

include(CPack)
