# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
# What is installed, each file in one of the components libraries, development, programs, documentation, which
# are packages of Debian's (SaltusPackages.cmake); and the package `Saltus`, for find_package(Saltus) with the
# build tree or with an install prefix.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Saltus)
set(data_dir ${CMAKE_INSTALL_DATADIR}/saltus)

# The libraries
install(TARGETS saltus saltus_core saltus_elliptic saltus_flow saltus_polytopic EXPORT SaltusTargets
  LIBRARY COMPONENT libraries NAMELINK_COMPONENT development)
install(DIRECTORY include/saltus TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.h")

# The programs and their data
if(SALTUS_BUILD_APPLICATIONS)
  get_property(targets DIRECTORY applications PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE") # not the kernels of a program
      list(APPEND applications ${target})
    endif()
  endforeach()
  if(applications)
    file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(${applications} PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
    install(TARGETS ${applications} RUNTIME COMPONENT programs)
  endif()
  foreach(script compare plot strouhal)
    install(PROGRAMS applications/${script} TYPE BIN COMPONENT programs RENAME saltus_${script} OPTIONAL)
  endforeach()
  install(FILES applications/paraview_picture.py DESTINATION ${data_dir} COMPONENT programs)
  # Where the scripts look for it, from their own place.
  install(DIRECTORY applications/saltus_results DESTINATION ${data_dir}/python COMPONENT programs
    FILES_MATCHING PATTERN "*.py" PATTERN "requirements.txt" PATTERN "__pycache__" EXCLUDE)
endif()
install(DIRECTORY parameter_files DESTINATION ${data_dir} COMPONENT programs)

# The guides as they lie here, so that their links are right, and the site if it was built.
install(FILES CHANGELOG.md CITATION.cff LICENSE.md README.md TYPE DOC COMPONENT documentation)
install(DIRECTORY LICENSES TYPE DOC COMPONENT documentation)
install(DIRECTORY doc TYPE DOC COMPONENT documentation FILES_MATCHING PATTERN "*.md" PATTERN "images/*"
  PATTERN "gallery" EXCLUDE PATTERN "paper" EXCLUDE PATTERN "site" EXCLUDE)
install(DIRECTORY build/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT documentation OPTIONAL)

# The package files: once into the build tree, once for the install prefix.
set(modules cmake/SaltusDealii.cmake cmake/SaltusEquation.cmake)

set(config_include_dir ${PROJECT_SOURCE_DIR}/include)
configure_package_config_file(cmake/SaltusConfig.cmake.in SaltusConfig.cmake
  INSTALL_PREFIX ${PROJECT_BINARY_DIR} INSTALL_DESTINATION .
  PATH_VARS config_include_dir)
write_basic_package_version_file(SaltusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
export(EXPORT SaltusTargets NAMESPACE Saltus:: FILE ${PROJECT_BINARY_DIR}/SaltusTargets.cmake)
foreach(module IN LISTS modules)
  configure_file(${module} ${PROJECT_BINARY_DIR} COPYONLY)
endforeach()

set(config_include_dir ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(cmake/SaltusConfig.cmake.in install/SaltusConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS config_include_dir)
install(EXPORT SaltusTargets NAMESPACE Saltus:: DESTINATION ${package_dir} COMPONENT development)
install(FILES ${modules} ${PROJECT_BINARY_DIR}/SaltusConfigVersion.cmake
  ${PROJECT_BINARY_DIR}/install/SaltusConfig.cmake DESTINATION ${package_dir} COMPONENT development)
