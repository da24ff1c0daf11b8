# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# For the main MPI, in the loop over MPIs.

# Long blocks and shares are messages: nothing else is. A call that goes otherwise makes it fewer.
interpose_launcher(launcher_of_mpi ${mpi} mpi)
foreach(sent collective:3:952 reduction:3:14009)
  string(REPLACE ":" ";" sent ${sent})
  list(GET sent 0 group)
  list(GET sent 1 ranks)
  list(GET sent 2 messages)
  math(EXPR last "${ranks} - 1")
  add_test(NAME interpose.calls.${group}s_by_messages.${mpi}
           COMMAND ${launcher_of_mpi} -n ${ranks} env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=all TYPEWARP_STATS=1 REPORT_NOW=1
                   TYPEWARP_DEVICE_POOL_BYTES=131072 $<TARGET_FILE:interpose_calls_${mpi}> host ${group})
  set_tests_properties(interpose.calls.${group}s_by_messages.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 240 PROCESSORS 2 PASS_REGULAR_EXPRESSION "rank ${last}: sent by ring: messages ${messages},")
endforeach()
