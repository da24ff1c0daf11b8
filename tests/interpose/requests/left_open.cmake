# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# In the loop over MPIs.

# What is under way at the end, which an MPI alone may leave or refuse.
interpose_user_program(left_open ${mpi} requests/left_open.c)
foreach(left reductions persistent lonely window)
  add_test(NAME interpose.left_open.${left}.${mpi}
           COMMAND ${launcher} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=all $<TARGET_FILE:interpose_left_open_${mpi}> host ${left})
  set_tests_properties(interpose.left_open.${left}.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2
                                                                     PASS_REGULAR_EXPRESSION "at its end[^!]*at its end")
endforeach()

add_test(NAME interpose.left_open.differing.${mpi}
         COMMAND ${launcher} -n 3 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=all $<TARGET_FILE:interpose_left_open_${mpi}> host differing)
set_tests_properties(interpose.left_open.differing.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION "heard[^!]*heard[^!]*heard"
                                                                     FAIL_REGULAR_EXPRESSION "success")

# Calls that fail, and return what the error handler of the program leaves.
interpose_user_program(handlers ${mpi} requests/handlers.c)
interpose_compare(handlers ${mpi} 1 KINDS host COMMAND $<TARGET_FILE:interpose_handlers_${mpi}>)

# What the environment says wrongly is told once in a job.
if(mpi STREQUAL typewarp_main_mpi)
  add_test(NAME interpose.told_variables.${mpi}
           COMMAND ${launcher} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=everything TYPEWARP_TRANSPROT=1 TYPEWARP_PROFILE=/none TYPEWARP_METHOD=fast
                   $<TARGET_FILE:interpose_handlers_${mpi}>)
  set_tests_properties(interpose.told_variables.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2
    PASS_REGULAR_EXPRESSION "TYPEWARP_TAKE=everything: must be one of gpu, derived, all, stretches.*TRANSPROT is no variable[^\n]* TYPEWARP_TRANSPORT.*TYPEWARP_METHOD = fast: must be one of automatic.*no transport: [^\n]*TYPEWARP_PROFILE = /none: cannot be read"
    FAIL_REGULAR_EXPRESSION "TAKE=everything: .*TAKE=everything: ;is no variable.*is no variable;no transport.*no transport")
endif()

# Calls without a place for what they give are the MPI's to refuse, also where they are counted.
interpose_user_program(null_places ${mpi} requests/null_places.c)
foreach(stats 0 1)
  set(test interpose.null_places.${stats}.${mpi})
  add_test(NAME ${test} COMMAND ${launcher} -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=all TYPEWARP_STATS=${stats}
                                $<TARGET_FILE:interpose_null_places_${mpi}>)
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60 PASS_REGULAR_EXPRESSION "all is right")
endforeach()

# What the launcher says and returns then depends on which rank it sees end first.
add_test(NAME interpose.exits.${mpi}
         COMMAND bash -c "timeout 30 \"$@\"; test $? != 124" -- ${launcher} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1
                 $<TARGET_FILE:interpose_exits_${mpi}>)
set_tests_properties(interpose.exits.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2)
