# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Collective calls of all kinds from two threads of each rank, which check every byte; with Open MPI from one, since
# its own nonblocking neighbour calls fail now and then where two threads make them. Long runs are made by hand
# (docs/internals/testing.md).
file(GLOB sources CONFIGURE_DEPENDS collectives/random_calls/*.c)
interpose_user_program(random_calls ${mpi} ${sources})
set(threads 2)
if(mpi STREQUAL openmpi)
  set(threads 1)
endif()
interpose_compare(collectives.random_calls ${mpi} 3 CHECKS_ITSELF KINDS host any
                  COMMAND $<TARGET_FILE:interpose_random_calls_${mpi}> {kind} seconds=1 most=200000 threads=${threads})
