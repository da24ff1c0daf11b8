# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Partitioned communication over ${mpi}. Open MPI 5.0.11 loses partitions where a thread of the library's calls it too.
set(partitioned $<TARGET_FILE:interpose_calls_${mpi}> {kind} partitioned)
if(abi STREQUAL "openmpi")
  interpose_compare(calls.partitioned ${mpi} 2 COMMAND env TYPEWARP_TRANSPORT=0 ${partitioned})
else()
  interpose_compare(calls.partitioned ${mpi} 2 COMMAND ${partitioned})
  interpose_compare(shapes.partitions_by_threads ${mpi} 2 KINDS host device COMMAND $<TARGET_FILE:interpose_shapes_${mpi}> {kind} partitions_by_threads)
endif()
