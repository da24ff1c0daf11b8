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
    LABELS mpi TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION "all have met[\r\n]" SKIP_REGULAR_EXPRESSION "skipped: ")
  # One that has no library is waited for, and the user is told. One that has it and does without says so at once.
  set(with env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=all)
  set(levels $<TARGET_FILE:interpose_levels_${mpi}>)
  add_test(NAME interpose.levels.waited.${mpi} COMMAND ${launcher} -n 1 ${with} ${levels} : -n 1 ${levels})
  add_test(NAME interpose.levels.unwilling.${mpi}
           COMMAND ${launcher} -n 2 ${with} ${levels} : -n 1 ${with} TYPEWARP_TRANSPORT=0 ${levels})
  set_tests_properties(interpose.levels.waited.${mpi} interpose.levels.unwilling.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2)
  set_tests_properties(interpose.levels.waited.${mpi} PROPERTIES PASS_REGULAR_EXPRESSION "not all ranks of this host have met.*all have met[\r\n]")
  set_tests_properties(interpose.levels.unwilling.${mpi} PROPERTIES
    PASS_REGULAR_EXPRESSION "all have met[\r\n]" FAIL_REGULAR_EXPRESSION "have met, and")
endif()

# Another user has their names: they go on to others, or do without.
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
                         PASS_REGULAR_EXPRESSION "all is right.*sent by ${way}: messages [0-9]+ " FAIL_REGULAR_EXPRESSION "wrong: |error: "
                         SKIP_REGULAR_EXPRESSION "skipped: ")
  endif()
endforeach()

# One takes it that all ranks have the library, and another does not.
set(every_kind TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=all $<TARGET_FILE:interpose_every_kind_${mpi}> host)
add_test(NAME interpose.everywhere_in_one.${mpi}
         COMMAND ${launcher} -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_EVERYWHERE=1 ${every_kind}
                 : -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> ${every_kind})
set_tests_properties(interpose.everywhere_in_one.${mpi} PROPERTIES LABELS mpi TIMEOUT 30 PROCESSORS 2
                     PASS_REGULAR_EXPRESSION "TYPEWARP_EVERYWHERE=1 is ignored.*all is right")

# Nothing stays behind of ranks that are killed in MPI_Init.
add_test(NAME interpose.nothing_stays.${mpi}
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/nothing_stays.sh ${launcher} -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1
                 $<TARGET_FILE:interpose_every_kind_${mpi}> host : -n 1 sh -c "sleep 0.5; kill -9 $$")
set_tests_properties(interpose.nothing_stays.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2)
