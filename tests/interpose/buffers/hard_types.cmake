# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Datatypes that are hard to read, or that cannot be read, of host memory with ${mpi}.
foreach(name hard_types unplanned)
  add_executable(interpose_${name}_${mpi} buffers/${name}.c)
  target_link_libraries(interpose_${name}_${mpi} PRIVATE typewarp_mpi_import_${mpi} Threads::Threads)
  target_compile_options(interpose_${name}_${mpi} PRIVATE -Wall -Wextra)
endforeach()
set(taking_all env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TAKE=all)
add_test(NAME interpose.hard_types.${mpi} COMMAND ${launcher} -n 1 ${taking_all} TYPEWARP_STATS=1 $<TARGET_FILE:interpose_hard_types_${mpi}>)
set_tests_properties(interpose.hard_types.${mpi} PROPERTIES LABELS mpi TIMEOUT 120 PASS_REGULAR_EXPRESSION "all is right\n.*[^t] planned [0-9]+[^\n]* not planned 1[,\n]")

# Also where one rank takes host memory and the other one does not.
set(unplanned TYPEWARP_TRANSPORT=1 $<TARGET_FILE:interpose_unplanned_${mpi}>)
add_test(NAME interpose.unplanned.${mpi} COMMAND ${launcher} -n 2 ${taking_all} ${unplanned})
add_test(NAME interpose.unplanned.first.${mpi}
         COMMAND ${launcher} -n 1 ${taking_all} ${unplanned} mixed : -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> ${unplanned} mixed)
set_tests_properties(interpose.unplanned.${mpi} interpose.unplanned.first.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION "all [0-9]+ are right\n")
