# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Calls of files over ${mpi}.
interpose_compare(calls.files ${mpi} 2 COMMAND $<TARGET_FILE:interpose_calls_${mpi}> {kind} file)
interpose_compare(calls.files_in_pieces ${mpi} 2 COMMAND env TYPEWARP_FILE_BYTES=64 $<TARGET_FILE:interpose_calls_${mpi}> {kind} file)
interpose_user_program(file_pieces ${mpi} files/pieces.c)
interpose_compare(file_pieces ${mpi} 3 CHECKS_ITSELF COMMAND env TYPEWARP_FILE_BYTES=1000 $<TARGET_FILE:interpose_file_pieces_${mpi}> {kind})
# Several nonblocking collective calls of a file: tested in each way, where MPICH alone crashes.
interpose_user_program(files_under_way ${mpi} files/under_way.c)
interpose_compare(files_under_way ${mpi} 4 CHECKS_ITSELF COMMAND $<TARGET_FILE:interpose_files_under_way_${mpi}> {kind} waited)
foreach(take all gpu)  # a job without GPUs brings them to an end in order as well
  add_test(NAME interpose.files_under_way.tested.${take}.${mpi}
           COMMAND ${launcher} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=${take}
                   $<TARGET_FILE:interpose_files_under_way_${mpi}> host tested)
  set_tests_properties(interpose.files_under_way.tested.${take}.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 120 PROCESSORS 2 PASS_REGULAR_EXPRESSION "all under way are right")
endforeach()
# Two threads in the MPI while requests of a file are under way: the progress thread must not touch these.
interpose_user_program(files_beside_messages ${mpi} files/beside_messages.c)
foreach(take all gpu)
  add_test(NAME interpose.files_beside_messages.${take}.${mpi}
           COMMAND ${launcher} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=${take}
                   $<TARGET_FILE:interpose_files_beside_messages_${mpi}>)
  set_tests_properties(interpose.files_beside_messages.${take}.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 120 PROCESSORS 2 PASS_REGULAR_EXPRESSION "all beside messages are right")
endforeach()
interpose_user_program(two_memories ${mpi} buffers/two_memories.c)
interpose_compare(two_memories ${mpi} 2 CHECKS_ITSELF KINDS host device
                  COMMAND env TYPEWARP_FILE_BYTES=1000 $<TARGET_FILE:interpose_two_memories_${mpi}> {kind})
