# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# One build may serve several MPIs: TYPEWARP_MPI lists them as name=compiler-wrapper. Every target that includes
# <mpi.h> exists once a name: typewarp_mpi_<name>, typewarp_transport_<name>, ...
set(TYPEWARP_MPI "AUTO" CACHE STRING
    "MPIs to build for: a list of name=path-of-mpicc, AUTO (those of tools/setup.sh, else mpicc on the PATH), or OFF")

# The MPIs that the user names: programs and tests of this project are built for each.
set(typewarp_mpis "")
# Those that libraries are built for: with `abi`, the standard ABI, where one of the former comes with it.
set(typewarp_mpis_of_libraries "")
# The ABIs of the latter, openmpi, mpich or abi (the standard's), of each the first MPI, in typewarp_mpi_of_<abi>.
set(typewarp_abis "")

# Asks mpi.h, as the names of TYPEWARP_MPI are the user's. Sets typewarp_abis where it is called from.
function(typewarp_find_abi name includes definitions)
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/typewarp_abi_${name}.cpp)
  file(WRITE ${probe} "#include <mpi.h>
#if defined(OPEN_MPI)
typewarp_abi=openmpi
#elif defined(MPICH_NUMVERSION) || defined(I_MPI_VERSION)
typewarp_abi=mpich
#elif defined(MPI_ABI_VERSION)
typewarp_abi=abi
#endif
")
  list(TRANSFORM includes PREPEND -I)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -E ${definitions} ${includes} ${probe} OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "typewarp_abi=([a-z]+)" AND NOT CMAKE_MATCH_1 IN_LIST typewarp_abis)
    set(typewarp_abis ${typewarp_abis} ${CMAKE_MATCH_1} PARENT_SCOPE)
    set(typewarp_mpi_of_${CMAKE_MATCH_1} ${name} CACHE INTERNAL "")
  endif()
endfunction()

# Reads include folders and link line from `mpicc -show`, which all families of MPI know.
function(typewarp_import_mpi name wrapper)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE line ERROR_VARIABLE error RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status)
    message(FATAL_ERROR "TYPEWARP_MPI: '${wrapper} -show' failed: ${error}")
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  list(POP_FRONT words)  # the compiler
  set(includes ${words})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(definitions ${words})
  list(FILTER definitions INCLUDE REGEX "^-D")
  set(links ${words})
  list(FILTER links INCLUDE REGEX "^(-L|-l|-Wl,)")
  # A program finds its MPI at run time wherever the MPI is installed.
  set(folders ${links})
  list(FILTER folders INCLUDE REGEX "^-L")
  list(TRANSFORM folders REPLACE "^-L" "-Wl,-rpath,")

  cmake_path(GET wrapper PARENT_PATH bin)
  find_program(TYPEWARP_MPIEXEC_${name} NAMES mpiexec mpirun PATHS ${bin} NO_DEFAULT_PATH NO_CACHE REQUIRED)
  execute_process(COMMAND ${TYPEWARP_MPIEXEC_${name}} --version OUTPUT_VARIABLE version ERROR_QUIET)
  set(flags "")
  if(version MATCHES "Open MPI|open-mpi|OpenRTE|prte")
    set(flags --oversubscribe --allow-run-as-root)
  endif()
  add_library(typewarp_mpi_import_${name} INTERFACE)
  target_include_directories(typewarp_mpi_import_${name} SYSTEM INTERFACE "$<BUILD_INTERFACE:${includes}>")
  list(APPEND definitions -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
  if(TYPEWARP_PORTABLE)
    # An installation takes the MPI that the program has found: see typewarpConfig.cmake.in.
    set(here ${links})
    list(FILTER here INCLUDE REGEX "^-[Ll]")
    list(TRANSFORM here REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
    target_link_libraries(typewarp_mpi_import_${name} INTERFACE ${here} $<INSTALL_INTERFACE:typewarp::mpi_of_program>)
  else()
    target_link_libraries(typewarp_mpi_import_${name} INTERFACE ${links} ${folders})
    # Not as include folders, which CMake refuses to export where the MPI lies in this project's folder.
    list(TRANSFORM includes PREPEND "SHELL:-isystem " OUTPUT_VARIABLE options)
    target_compile_options(typewarp_mpi_import_${name} INTERFACE "$<INSTALL_INTERFACE:${options}>")
  endif()
  target_compile_definitions(typewarp_mpi_import_${name} INTERFACE ${definitions})
  list(TRANSFORM includes PREPEND "-isystem " OUTPUT_VARIABLE cflags)
  list(APPEND cflags ${definitions})
  target_sources(typewarp_mpi_import_${name} INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                             FILES ${typewarp_mpi_headers})
  set_target_properties(typewarp_mpi_import_${name} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON
    TYPEWARP_MPIEXEC "${TYPEWARP_MPIEXEC_${name}};${flags}"
    TYPEWARP_PKGCONFIG_CFLAGS "${cflags}"
    TYPEWARP_PKGCONFIG_LIBS "${links};${folders}")
  # The same for whoever starts a program of this build by hand.
  string(JOIN " " command ${TYPEWARP_MPIEXEC_${name}} ${flags})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/bin/mpiexec_${name} CONTENT "#!/bin/sh\nexec @command@ \"$@\"\n" @ONLY)
  file(CHMOD ${CMAKE_BINARY_DIR}/bin/mpiexec_${name}
       PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  typewarp_find_abi(${name} "${includes}" "${definitions}")
  message(STATUS "Typewarp: MPI ${name} from ${wrapper}")
  set(typewarp_abis ${typewarp_abis} PARENT_SCOPE)
endfunction()

if(TYPEWARP_MPI STREQUAL "AUTO")
  set(TYPEWARP_MPI "")
  foreach(name openmpi mpich)
    if(EXISTS ${PROJECT_SOURCE_DIR}/.tools/${name}/.complete)
      list(APPEND TYPEWARP_MPI ${name}=${PROJECT_SOURCE_DIR}/.tools/${name}/bin/mpicc)
    endif()
  endforeach()
  if(NOT TYPEWARP_MPI)
    find_program(TYPEWARP_MPICC mpicc)
    if(TYPEWARP_MPICC)
      set(TYPEWARP_MPI "default=${TYPEWARP_MPICC}")
    else()
      message(STATUS "Typewarp: no mpicc found, building without transport (set TYPEWARP_MPI)")
    endif()
  endif()
elseif(TYPEWARP_MPI STREQUAL "OFF")
  set(TYPEWARP_MPI "")
endif()
# Launchers of MPIs that an earlier configuration was for would start the wrong programs.
file(GLOB typewarp_old_launchers ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpiexec_*)
if(typewarp_old_launchers)
  file(REMOVE ${typewarp_old_launchers})
endif()
foreach(entry IN LISTS TYPEWARP_MPI)
  if(NOT entry MATCHES "^([A-Za-z0-9_]+)=(.+)$")
    message(FATAL_ERROR "TYPEWARP_MPI: '${entry}': must read name=path-of-mpicc")
  endif()
  set(entry_name ${CMAKE_MATCH_1})
  typewarp_import_mpi(${entry_name} ${CMAKE_MATCH_2})
  list(APPEND typewarp_mpis ${entry_name})
endforeach()
# The standard ABI comes with some MPIs. It is the same code with another header, which sanitizers have seen with the MPI itself.
set(typewarp_mpis_of_libraries ${typewarp_mpis})
foreach(entry IN LISTS TYPEWARP_MPI)
  string(REGEX REPLACE "^[^=]+=" "" wrapper ${entry})
  if(TYPEWARP_STANDARD_ABI AND EXISTS ${wrapper}_abi AND NOT abi IN_LIST typewarp_mpis_of_libraries AND NOT TYPEWARP_SANITIZE)
    typewarp_import_mpi(abi ${wrapper}_abi)
    list(APPEND typewarp_mpis_of_libraries abi)
  endif()
endforeach()

# typewarp_mpi_library(<folder> SOURCES <file>... [DEPENDS <target>...] [MPI_DEPENDS <stem>...])
# The targets of src/<folder>, one an MPI: typewarp_<folder>_<name>, linking <stem>_<name> for each MPI_DEPENDS.
function(typewarp_mpi_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;MPI_DEPENDS")
  string(REPLACE "/" "_" stem typewarp_${folder})
  foreach(mpi IN LISTS typewarp_mpis_of_libraries)
    set(name ${stem}_${mpi})
    list(TRANSFORM arg_MPI_DEPENDS APPEND _${mpi} OUTPUT_VARIABLE mpi_depends)
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC typewarp_headers ${arg_DEPENDS} ${mpi_depends} typewarp_mpi_import_${mpi}
                                  PRIVATE $<BUILD_INTERFACE:typewarp_flags>)
    typewarp_precompiled(${name})
    typewarp_united(${name})
    typewarp_expose(${name} ${folder})
  endforeach()
endfunction()
