# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Included for each ${mpi}: programs find a call if it is made, and no other. The program and its plugin need no mpi.h, so other MPIs that
# are installed, which lack other calls, serve as well.
list(GET launcher 0 library)
cmake_path(GET library PARENT_PATH library)
if(abi STREQUAL "abi")
  file(GLOB libraries ${library}/../lib/libmpi_abi.so.?)
else()
  file(GLOB libraries ${library}/../lib/libmpi.so.??)
endif()
if(NOT TARGET interpose_visible)
  enable_language(ASM)
  add_executable(interpose_visible visible/program.cpp)
  add_library(interpose_visible_plugin MODULE visible/plugin.c visible/references.S)
  foreach(target interpose_visible interpose_visible_plugin)
    typewarp_built_from_table(${target})
  endforeach()
  target_link_libraries(interpose_visible PRIVATE typewarp_flags ${CMAKE_DL_LIBS})
  file(GLOB others /usr/lib/*-linux-gnu/libmpi.so.?? /usr/lib/*-linux-gnu/libmpich.so.??)
  list(APPEND libraries ${others})
endif()
set(visible $<TARGET_FILE:interpose_visible>)
set(plugin $<TARGET_FILE:interpose_visible_plugin>)
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "[^a-z0-9]+" "_" name ${library})
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
