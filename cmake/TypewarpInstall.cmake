# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs all that was built. find_package(typewarp) gives typewarp::typewarp, which needs no MPI, typewarp::mpi_<name> for
# each MPI, and typewarp::mpi if there is one; pkg-config knows them as typewarp and typewarp-<name>. The shared libraries with the
# interface of C are typewarp::c and typewarp::c_<name>, typewarp-c and typewarp-c-<name>. An installation is for the MPIs of this
# machine, where they lie; with TYPEWARP_PORTABLE, for those of the programs that use it, by find_package alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# typewarp_pkgconfig(<name> <description> <targets> CFLAGS <flag>... LIBRARIES <library>... REQUIRES <package>...)
# <name>.pc, which finds the rest of the installation from where it lies itself.
function(typewarp_pkgconfig name description targets)
  if(TYPEWARP_PORTABLE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "CFLAGS;LIBRARIES;REQUIRES")
  set(archives "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      # Before what it links; by its file's name, as the preload library of an MPI has the same one but for the ending.
      list(PREPEND archives -l:lib${target}.a)
    endif()
  endforeach()
  string(JOIN " " cflags -I\${includedir} ${arg_CFLAGS})
  string(JOIN " " libraries -L\${libdir} ${archives} ${arg_LIBRARIES})
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.pc CONTENT "prefix=\${pcfiledir}/@up@
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @arg_REQUIRES@
Cflags: @cflags@
Libs: @libraries@
" @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(typewarp_installed "")
typewarp_append_linked(typewarp_installed typewarp)
set(system_libraries -lstdc++ -lpthread -l${CMAKE_DL_LIBS} -lm)
if(typewarp_with_cuda)
  get_target_property(cudart CUDA::cudart_static IMPORTED_LOCATION)
  list(PREPEND system_libraries ${cudart} -lrt)
elseif(typewarp_with_hip)
  list(PREPEND system_libraries ${TYPEWARP_HIP_LIBRARY})
endif()
typewarp_pkgconfig(typewarp "${PROJECT_DESCRIPTION}" "${typewarp_installed}" LIBRARIES ${system_libraries})

typewarp_pkgconfig(typewarp-c "${PROJECT_DESCRIPTION}, in C" "" LIBRARIES -ltypewarp)
set(typewarp_installed_c typewarp_c)

foreach(mpi IN LISTS typewarp_mpis_of_libraries)
  set(all ${typewarp_installed})
  typewarp_append_linked(all typewarp_with_${mpi})
  set(own ${all})
  list(REMOVE_ITEM own ${typewarp_installed})
  get_target_property(cflags typewarp_mpi_import_${mpi} TYPEWARP_PKGCONFIG_CFLAGS)
  get_target_property(libraries typewarp_mpi_import_${mpi} TYPEWARP_PKGCONFIG_LIBS)
  typewarp_pkgconfig(typewarp-${mpi} "Typewarp over the MPI ${mpi}" "${own}" REQUIRES typewarp CFLAGS ${cflags}
                     LIBRARIES ${libraries})
  typewarp_pkgconfig(typewarp-c-${mpi} "Typewarp over the MPI ${mpi}, in C" "" CFLAGS ${cflags} LIBRARIES -ltypewarp-${mpi} ${libraries})
  list(APPEND typewarp_installed_with_mpi ${own})
  list(APPEND typewarp_installed_c typewarp_c_${mpi})
endforeach()

set(links "")
if(TYPEWARP_PORTABLE)  # a wheel has none
  set(links LIBRARY NAMELINK_SKIP)
endif()
install(TARGETS ${typewarp_installed} ${typewarp_installed_with_mpi} ${typewarp_installed_c} EXPORT typewarp ${links} FILE_SET HEADERS)
set(typewarp_package ${CMAKE_INSTALL_LIBDIR}/cmake/typewarp)
install(EXPORT typewarp NAMESPACE typewarp:: DESTINATION ${typewarp_package} FILE typewarpTargets.cmake)
configure_package_config_file(cmake/typewarpConfig.cmake.in ${CMAKE_BINARY_DIR}/typewarpConfig.cmake
                              INSTALL_DESTINATION ${typewarp_package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/typewarpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/typewarpConfig.cmake ${CMAKE_BINARY_DIR}/typewarpConfigVersion.cmake
        DESTINATION ${typewarp_package})
