# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs that open sessions, over ${mpi}: that GPU memory, or what is taken for it, is ours as long as the program has the MPI is seen by
# what is counted at each end.
interpose_user_program(sessions ${mpi} job/sessions.c)
set(ends_of_only "calls 1, [^\n]*ours 1.*rank 2: MPI_Isend: calls 2, [^\n]*ours 2")
set(ends_of_session_first "calls 3, [^\n]*ours 3")
set(ends_of_init_first "calls 2, [^\n]*ours 2.*rank 2: MPI_Isend: calls 3, [^\n]*ours 3")
set(orders only session_first init_first)
if(abi STREQUAL "openmpi")
  set(ends_of_only "calls 1, [^\n]*ours 1")
endif()
# CTest takes no notice of an exit status where an expression is to match.
set(with_status sh -c "\"$@\" || test $? = 77 || echo 'wrong: the exit status'" sh)
foreach(kind host device)
  if(NOT kind STREQUAL "host" AND NOT typewarp_with_cuda)
    continue()
  endif()
  set(labels mpi)
  set(settings TYPEWARP_STATS=1)
  if(kind STREQUAL "device")
    list(APPEND labels gpu)
  else()
    list(APPEND settings TYPEWARP_TAKE=all)
  endif()
  interpose_launcher(launcher_of_kind ${mpi} ${labels})
  foreach(order IN LISTS orders)
    set(test interpose.sessions.${order}.${kind}.${mpi})
    add_test(NAME ${test} COMMAND ${with_status} ${launcher_of_kind} -n 3 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> ${settings}
                                  $<TARGET_FILE:interpose_sessions_${mpi}> ${kind} ${order})
    set_tests_properties(${test} PROPERTIES
      LABELS "${labels}" TIMEOUT 120 PROCESSORS 3 PASS_REGULAR_EXPRESSION "rank 2: MPI_Isend: ${ends_of_${order}}"
      FAIL_REGULAR_EXPRESSION "wrong: " SKIP_REGULAR_EXPRESSION "skipped: ")
  endforeach()
endforeach()
