# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs what does not depend on an MPI: find_package(typewarp) then gives typewarp::typewarp. The transport is built
# for one MPI of one machine, so programs that want it add this project with add_subdirectory.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(typewarp_installed typewarp typewarp_headers typewarp_datatype typewarp_layout typewarp_plan typewarp_engine_host
                       typewarp_engine_gpu typewarp_engine typewarp_halo_field)
install(TARGETS ${typewarp_installed} EXPORT typewarp FILE_SET HEADERS)
set(typewarp_package ${CMAKE_INSTALL_LIBDIR}/cmake/typewarp)
install(EXPORT typewarp NAMESPACE typewarp:: DESTINATION ${typewarp_package} FILE typewarpTargets.cmake)
configure_package_config_file(cmake/typewarpConfig.cmake.in ${CMAKE_BINARY_DIR}/typewarpConfig.cmake
                              INSTALL_DESTINATION ${typewarp_package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/typewarpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/typewarpConfig.cmake ${CMAKE_BINARY_DIR}/typewarpConfigVersion.cmake
        DESTINATION ${typewarp_package})
