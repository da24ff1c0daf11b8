# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Calls over ${mpi} that cannot take memory of a device, or what is taken for it. With that the ranks cannot gather what they report: each
# tells it at once.
foreach(refused "create;MPI_Win_create" "attach;MPI_Win_attach" "external;MPI_Pack_external" "external;MPI_Buffer_attach"
                "partitioned_refused;MPI_Psend_init" "partitioned_refused;MPI_Precv_init")
  list(POP_FRONT refused group call)
  set(transport)
  if(group STREQUAL "partitioned_refused")
    if(NOT abi STREQUAL "openmpi")
      continue()
    endif()
    set(transport TYPEWARP_TRANSPORT=1)  # a thread of the library's
  endif()
  foreach(kind device host)
    if(call MATCHES "MPI_Win_" AND kind STREQUAL "device")
      continue()  # which makes windows of a device's memory, as calls.created and calls.attached show
    endif()
    set(test interpose.calls.refused.${call}.${kind}.${mpi})
    set(labels mpi)
    set(preload $<TARGET_FILE:typewarp_interpose>)
    if(kind STREQUAL "device")
      list(APPEND labels gpu)
    else()
      string(APPEND preload ":$<TARGET_FILE:interpose_fake_driver>")
      if(NOT transport)
        set(transport TYPEWARP_TRANSPORT=0)  # on a host with a GPU, too
      endif()
    endif()
    typewarp_launcher(launcher_of_kind ${mpi} ${labels})
    add_test(NAME ${test} COMMAND ${launcher_of_kind} -n 3 env LD_PRELOAD=${preload} TYPEWARP_GPU_AWARE=0 ${transport} REPORT_NOW=1
                                  $<TARGET_FILE:interpose_calls_${mpi}> ${kind} ${group})
    set_tests_properties(${test} PROPERTIES
      LABELS "${labels}" TIMEOUT 120 PROCESSORS 3 PASS_REGULAR_EXPRESSION "${call}: buffer, [^\n]*${call} was given memory of a GPU"
      FAIL_REGULAR_EXPRESSION ": success" SKIP_REGULAR_EXPRESSION "skipped: ")
  endforeach()
endforeach()
