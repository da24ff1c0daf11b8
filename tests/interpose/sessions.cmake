# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs that open sessions only, over ${mpi}: that GPU memory, or what is taken for it, is ours is seen by what is counted.
interpose_user_program(sessions ${mpi} sessions.c)
foreach(kind host device)
  if(kind STREQUAL "host" OR typewarp_with_cuda)
    set(labels mpi)
    set(settings TYPEWARP_STATS=1)
    if(kind STREQUAL "device")
      list(APPEND labels gpu)
    else()
      list(APPEND settings TYPEWARP_TAKE=all)
    endif()
    typewarp_launcher(launcher_of_kind ${mpi} ${labels})
    add_test(NAME interpose.sessions.${kind}.${mpi} COMMAND ${launcher_of_kind} -n 3 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> ${settings}
                                                            $<TARGET_FILE:interpose_sessions_${mpi}> ${kind})
    set_tests_properties(interpose.sessions.${kind}.${mpi} PROPERTIES
      LABELS "${labels}" TIMEOUT 120 PROCESSORS 3 PASS_REGULAR_EXPRESSION "rank 2: MPI_Isend: calls 1, [^\n]*ours 1"
      FAIL_REGULAR_EXPRESSION "wrong: " SKIP_REGULAR_EXPRESSION "skipped: ")
  endif()
endforeach()
