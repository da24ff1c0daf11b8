# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# For the main MPI, in the loop over MPIs.

# Long blocks are messages, however many: some 203 MB of collective calls, and 145 of reductions, all of which the MPI has
# where they go otherwise. No call of 10 MB may go there.
interpose_launcher(launcher_of_mpi ${mpi} mpi)
string(REPEAT "[0-9]" 7 tens_of_megabytes)
set(least_collective "(19|[2-9][0-9]|[1-9][0-9][0-9])")
set(least_reduction "(1[4-9]|[2-9][0-9]|[1-9][0-9][0-9])")
foreach(group collective reduction)
  add_test(NAME interpose.calls.${group}s_by_messages.${mpi}
           COMMAND ${launcher_of_mpi} -n 3 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=all TYPEWARP_STATS=1 REPORT_NOW=1
                   TYPEWARP_DEVICE_POOL_BYTES=131072 $<TARGET_FILE:interpose_calls_${mpi}> host ${group})
  set_tests_properties(interpose.calls.${group}s_by_messages.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 240 PROCESSORS 2 PASS_REGULAR_EXPRESSION "rank 2: sent by ring: messages [0-9]+, bytes ${least_${group}}${tens_of_megabytes}")
endforeach()
