# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What is counted of calls over ${mpi} that combine numbers: what each rank gets of them.
interpose_user_program(counted ${mpi} observe/counted.c)
set(test interpose.counted.${mpi})
add_test(NAME ${test} COMMAND ${launcher} -n 3 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_STATS=merged $<TARGET_FILE:interpose_counted_${mpi}>)
set(counts "MPI_Reduce: [^\n]*, bytes 80 \\(0 to 40\\)" "MPI_Allreduce: [^\n]*, bytes 120 \\(40 to 40\\)"
           "MPI_Reduce_scatter_block: [^\n]*, bytes 120 \\(40 to 40\\)" "MPI_Reduce_scatter: [^\n]*, bytes 120 \\(0 to 80\\)"
           "MPI_Ireduce_scatter: [^\n]*, bytes 120 \\(0 to 80\\)" "MPI_Reduce_local: [^\n]*, bytes 120 \\(40 to 40\\)")
string(JOIN ".*" counts ${counts})
set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 3 PASS_REGULAR_EXPRESSION "${counts}")

# Where only some ranks ask for one summary, each of these tells its own.
set(test interpose.merged_by_one.${mpi})
set(counted TYPEWARP_TRANSPORT=1 $<TARGET_FILE:interpose_counted_${mpi}>)
add_test(NAME ${test} COMMAND ${launcher} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> ${counted}
                      : -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_STATS=merged ${counted})
set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 30 PROCESSORS 3 PASS_REGULAR_EXPRESSION "typewarp: rank 2: MPI_Reduce: "
                     FAIL_REGULAR_EXPRESSION "ranks: |rank [01]: ")
