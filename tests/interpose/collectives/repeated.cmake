# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Calls that come again with the same arguments: what GPUs of one host make at once is prepared by the first of them.
interpose_user_program(repeated ${mpi} collectives/repeated.c)
interpose_compare(collectives.repeated ${mpi} 2 KINDS host device COMMAND $<TARGET_FILE:interpose_repeated_${mpi}> {kind} 14)
interpose_user_program(started ${mpi} collectives/started.c)
interpose_compare(collectives.started ${mpi} 3 KINDS host COMMAND $<TARGET_FILE:interpose_started_${mpi}> {kind} 8)
if(typewarp_with_cuda)
  # All kinds of calls, four times; of more ranks than GPUs, the way that does without.
  interpose_compare(collectives.repeated_by_four ${mpi} 4 KINDS device COMMAND $<TARGET_FILE:interpose_repeated_${mpi}> {kind} 56 7)
  interpose_user_program(captured ${mpi} collectives/captured.c)
  interpose_compare(collectives.captured ${mpi} 2 KINDS device COMMAND $<TARGET_FILE:interpose_captured_${mpi}> {kind})
  # MPI_COMM_WORLD's go in steps where ranks share GPUs.
  interpose_compare(collectives.started_by_gpus ${mpi} 2 KINDS device COMMAND $<TARGET_FILE:interpose_started_${mpi}> {kind} 30)
  interpose_compare(collectives.started_by_gpus_of_four ${mpi} 4 KINDS device COMMAND $<TARGET_FILE:interpose_started_${mpi}> {kind} 30)
  interpose_user_program(broadcast ${mpi} collectives/broadcast.c)
  interpose_compare(collectives.broadcast ${mpi} 4 KINDS device COMMAND $<TARGET_FILE:interpose_broadcast_${mpi}> {kind} 16 100000000)
  interpose_user_program(gathers ${mpi} collectives/gathers.c)
  interpose_compare(collectives.gathers ${mpi} 4 KINDS device COMMAND $<TARGET_FILE:interpose_gathers_${mpi}> {kind} 16 100000000)
endif()
