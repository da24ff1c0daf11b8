# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Included for each ${mpi}: programs find a call if it is made, and no other. The program and its plugin need no mpi.h, so other MPIs that
# are installed, which lack other calls, serve as well.
get_target_property(library typewarp_mpi_import_${mpi} TYPEWARP_MPIEXEC)
list(GET library 0 library)
cmake_path(GET library PARENT_PATH library)
if(abi STREQUAL "abi")
  file(GLOB libraries ${library}/../lib/libmpi_abi.so.?)
else()
  file(GLOB libraries ${library}/../lib/libmpi.so.??)
endif()
set(others)
if(NOT TARGET interpose_visible)
  enable_language(ASM)
  add_executable(interpose_visible visible/program.cpp)
  add_library(interpose_visible_plugin MODULE visible/plugin.c visible/references.S)
  foreach(target interpose_visible interpose_visible_plugin)
    add_dependencies(${target} typewarp_interpose_generated)
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:typewarp_interpose_front,INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  add_executable(interpose_bypass visible/bypass.c)
  target_link_libraries(interpose_bypass PRIVATE ${CMAKE_DL_LIBS})
  target_link_libraries(interpose_visible PRIVATE typewarp_flags ${CMAKE_DL_LIBS})
  file(GLOB others /usr/lib/*-linux-gnu/libmpi.so.?? /usr/lib/*-linux-gnu/libmpich.so.??)
  list(APPEND libraries ${others})
endif()
set(visible $<TARGET_FILE:interpose_visible>)
set(plugin $<TARGET_FILE:interpose_visible_plugin>)
foreach(library IN LISTS libraries)
  cmake_path(GET library FILENAME name)
  if(library IN_LIST others)
    set(name others_${name})
  endif()
  foreach(setting TYPEWARP_STATS=0 TYPEWARP_DISABLE=1)
    # The MPI of a program, and one that a program loads when it runs.
    add_test(NAME interpose.visible.at_start.${setting}.${name}.${mpi}
             COMMAND env ${setting} LD_PRELOAD=$<TARGET_FILE:typewarp_interpose>:${plugin}:${library} ${visible} ${library})
    add_test(NAME interpose.visible.later.${setting}.${name}.${mpi}
             COMMAND env ${setting} LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> ${visible} ${library} ${plugin})
    set_tests_properties(interpose.visible.at_start.${setting}.${name}.${mpi} interpose.visible.later.${setting}.${name}.${mpi} PROPERTIES
      LABELS mpi TIMEOUT 60 PASS_REGULAR_EXPRESSION "all of [0-9]+ calls are seen as they are\n" FAIL_REGULAR_EXPRESSION "is (not )?found")
  endforeach()
endforeach()

# Calls that do not come to the library are told at the end, where somebody asks.
list(GET libraries 0 library)
foreach(way all init)
  set(test interpose.bypass.${way}.${mpi})
  add_test(NAME ${test} COMMAND env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_VERBOSE=1 $<TARGET_FILE:interpose_bypass> ${library} ${way})
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60)
endforeach()
set_tests_properties(interpose.bypass.all.${mpi} PROPERTIES PASS_REGULAR_EXPRESSION "ended\n[^!]*MPI was called past this library")
set_tests_properties(interpose.bypass.init.${mpi} PROPERTIES PASS_REGULAR_EXPRESSION "MPI was initialised past this library[^!]*ended\n"
                                                             FAIL_REGULAR_EXPRESSION "called past")

# Open MPI up to 5 has no twins.
if(NOT abi STREQUAL openmpi)
  add_executable(interpose_twins_${mpi} front/twins.c)
  target_link_libraries(interpose_twins_${mpi} PRIVATE typewarp_mpi_import_${mpi})
  target_link_options(interpose_twins_${mpi} PRIVATE -Wl,-z,dynamic-undefined-weak)
  interpose_test(twins ${mpi} 3 COUNTS "MPI_Alltoallv_c: calls 2" "MPI_Ialltoallw_c: calls 1" "MPI_Neighbor_alltoallv_c: calls 2" "MPI_Send_c: calls 1"
                                       "MPI_Gather_c: bytes 4" "MPI_Bcast: bytes 4" "MPI_Wait: calls 3" -MPI_Send: -MPI_Alltoallv:
                 COMMAND $<TARGET_FILE:interpose_twins_${mpi}> --no-oracle)
endif()
