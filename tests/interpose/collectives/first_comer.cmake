# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Who chooses the way of calls that give a request, over ${mpi}. Memory that is taken is as if it were a device's.
interpose_user_program(first_comer ${mpi} collectives/first_comer.c)
set(program $<TARGET_FILE:interpose_first_comer_${mpi}>)
set(preload LD_PRELOAD=$<TARGET_FILE:typewarp_interpose>)
set(plain env ${preload} TYPEWARP_TRANSPORT=1 ${program})
set(told env ${preload} TYPEWARP_TRANSPORT=1 TYPEWARP_STATS=1 ${program})

# first_comer_test(<name> <ranks> <regex> COMMAND <launcher's words>...)
function(first_comer_test name ranks match)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "COMMAND")
  set(test interpose.first_comer.${name}.${mpi})
  add_test(NAME ${test} COMMAND ${launcher} ${arg_COMMAND})
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS ${ranks} PASS_REGULAR_EXPRESSION "${match}"
                                          FAIL_REGULAR_EXPRESSION " is wrong")
endfunction()

# A program that uses no GPU, on a host that has one; and one that has only host memory in these calls.
set(no_call_is_ours ", ours [1-9];sent by")
first_comer_test(host 3 "all is right" COMMAND -n 3 ${told} host)
set_property(TEST interpose.first_comer.host.${mpi} APPEND PROPERTY FAIL_REGULAR_EXPRESSION "${no_call_is_ours}")
if(typewarp_with_cuda)
  first_comer_test(host_beside_gpu 2 "all is right"
                   COMMAND -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose>:$<TARGET_FILE:interpose_fake_driver> FAKE_DRIVER_MEMORY=host
                           TYPEWARP_TRANSPORT=1 TYPEWARP_STATS=1 ${program} host)
  set_property(TEST interpose.first_comer.host_beside_gpu.${mpi} APPEND PROPERTY FAIL_REGULAR_EXPRESSION "${no_call_is_ours}")
endif()

# By turns the last rank's memory is a device's, and the first one's is not: half of each call goes by us, at any number of ranks.
set(half)
foreach(call bcast gather scatter gatherv scatterv allgather alltoall allgatherv reduce allreduce reduce_scatter_block)
  # Without groups: ctest takes ten at most in an expression, and says so in a line that nobody sees.
  string(APPEND half "rank 0: MPI_I${call}: calls 10, [^\n]*, ours 5[,\n][^:]*: ")
endforeach()
first_comer_test(turns 3 "${half}" COMMAND -n 1 ${told} turns : -n 1 ${plain} turns : -n 1 env ${preload} TYPEWARP_TAKE=all ${program} turns)
if(mpi STREQUAL typewarp_main_mpi)
  first_comer_test(turns_of_ten 10 "${half}"
                   COMMAND -n 1 ${told} turns : -n 8 ${plain} turns : -n 1 env ${preload} TYPEWARP_TAKE=all ${program} turns)
endif()

# Of 2000 broadcasts, 70 by each way: the first 15 changes are followed, and the way that calls then have stays.
first_comer_test(ahead 2 "rank 1: MPI_Ibcast: calls 2000, [^\n]*, ours 1440,"
                 COMMAND -n 1 env ${preload} TYPEWARP_TAKE=derived ${program} ahead : -n 1 ${told} ahead)

# The first calls on each communicator are the MPI's, of six at most two.
first_comer_test(communicators 2 "rank 1: MPI_Ibcast: calls 540, [^\n]*, ours (1[6-9][0-9]|2[0-9][0-9]),"
                 COMMAND -n 1 env ${preload} TYPEWARP_TAKE=all ${program} communicators : -n 1 ${told} communicators)
