# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks that have the library exchange messages with ranks that have it not, over ${mpi}.
set(mixed_groups both order complete odd comms alltoall neighbors collective reduction overlapped)
if(NOT abi STREQUAL "openmpi")
  list(APPEND mixed_groups partitioned)
endif()
interpose_compare(mixed ${mpi} 3 WHO first others KINDS host device COMMAND $<TARGET_FILE:interpose_calls_${mpi}> {kind} ${mixed_groups})
