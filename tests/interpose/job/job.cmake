# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# In the loop over MPIs: how ranks of a host find each other, and what becomes of it where that cannot be.

# A rank that has the library and cannot meet the others must keep the thread level of one that has it not.
if(NOT TARGET interpose_squatter)
  add_executable(interpose_squatter job/squatter.c)
  target_compile_options(interpose_squatter PRIVATE -Wall -Wextra)
endif()
if(NOT mpi STREQUAL "openmpi")
  interpose_user_program(levels ${mpi} apps/levels.c)
  add_test(NAME interpose.levels.${mpi}
           COMMAND ${launcher} -n 1 $<TARGET_FILE:interpose_squatter> all env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose>
                   TYPEWARP_TAKE=all $<TARGET_FILE:interpose_levels_${mpi}> : -n 1 $<TARGET_FILE:interpose_levels_${mpi}>)
  set_tests_properties(interpose.levels.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION "all have met[\r\n]")
endif()

# Somebody, another user where the test runs as root, has their names: they go on to others, or do without.
interpose_user_program(every_kind ${mpi} failing/every_kind.c failing/steps.c failing/file_steps.c)
foreach(how first all mute full visits lies)
  set(way ring)
  if(how MATCHES "all|lies")
    set(way eager)
  endif()
  if(how STREQUAL "first" OR mpi STREQUAL typewarp_main_mpi)
    add_test(NAME interpose.squatted.${how}.${mpi}
             COMMAND ${launcher} -n 2 $<TARGET_FILE:interpose_squatter> ${how} env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1
                     TYPEWARP_TAKE=all TYPEWARP_STATS=merged $<TARGET_FILE:interpose_every_kind_${mpi}> host)
    set_tests_properties(interpose.squatted.${how}.${mpi} PROPERTIES LABELS mpi TIMEOUT 30 PROCESSORS 2
                         PASS_REGULAR_EXPRESSION "all is right.*sent by ${way}: messages [0-9]+ " FAIL_REGULAR_EXPRESSION "wrong: |error: ")
  endif()
endforeach()

# Nothing stays behind of ranks that are killed in MPI_Init.
add_test(NAME interpose.nothing_stays.${mpi}
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/nothing_stays.sh ${launcher} -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1
                 $<TARGET_FILE:interpose_every_kind_${mpi}> host : -n 1 sh -c "sleep 0.5; kill -9 $$")
set_tests_properties(interpose.nothing_stays.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2)
