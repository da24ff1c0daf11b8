# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause

# Public headers, each of which must compile alone: the target all_verify_interface_header_sets shows it. Those that need
# an MPI are verified with every MPI (see TypewarpMpi).
file(GLOB typewarp_public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h
     ${PROJECT_SOURCE_DIR}/include/typewarp/*.hpp ${PROJECT_SOURCE_DIR}/include/typewarp/*.h)
set(typewarp_mpi_headers ${typewarp_public_headers})
set(typewarp_of_mpi "mpi|session|request|p2p|probe|completion|collective|mpi_ranks|halo|halo_grid|halo_domain|halo_on_streams|typewarp_mpi")
list(FILTER typewarp_public_headers EXCLUDE REGEX "/(${typewarp_of_mpi})\\.(h|hpp)$")
list(FILTER typewarp_mpi_headers INCLUDE REGEX "/(${typewarp_of_mpi})\\.(h|hpp)$")
add_library(typewarp_headers INTERFACE)
target_sources(typewarp_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                          FILES ${typewarp_public_headers})
set_target_properties(typewarp_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

# typewarp_expose(<target> <folder>): makes the headers of src/<folder> visible as <folder>/x.hpp to whoever links
# <target>, and to nobody else. This is what makes the include rule hold: a folder sees only what it links.
function(typewarp_expose target folder)
  set(root ${CMAKE_BINARY_DIR}/internal/${target})
  cmake_path(GET folder PARENT_PATH parent)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}>)
endfunction()

# typewarp_library(<folder> SOURCES <file>... [DEPENDS <target>...] [SHARED])
# The one target of src/<folder>, named typewarp_<folder> with slashes as underscores. SHARED: not an archive, but a library for
# programs of this very version.
function(typewarp_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED" "" "SOURCES;DEPENDS")
  string(REPLACE "/" "_" name typewarp_${folder})
  if(arg_SHARED)
    add_library(${name} SHARED ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}
                                             LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
    # What it needs of other folders it has inside, as those that link it have.
    target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  else()
    add_library(${name} STATIC ${arg_SOURCES})
  endif()
  target_link_libraries(${name} PUBLIC typewarp_headers ${arg_DEPENDS} PRIVATE $<BUILD_INTERFACE:typewarp_flags>)
  typewarp_precompiled(${name})
  typewarp_expose(${name} ${folder})
endfunction()

# typewarp_append_linked(<variable> <target>): appends the project's targets that this one links, and then this one.
function(typewarp_append_linked variable target)
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  if(linked)
    list(FILTER linked EXCLUDE REGEX BUILD_INTERFACE)
    string(REGEX MATCHALL "typewarp_[A-Za-z0-9_]+" linked "${linked}")
    foreach(one IN LISTS linked)
      if(NOT one IN_LIST ${variable})
        typewarp_append_linked(${variable} ${one})
      endif()
    endforeach()
  endif()
  list(APPEND ${variable} ${target})
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
