# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Peers that do not come, lack of memory, and what a peer may have written, over ${mpi}.
add_test(NAME interpose.time_limit.${mpi}
         COMMAND ${launcher} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=all TYPEWARP_TIME_LIMIT_MS=80
                 $<TARGET_FILE:interpose_time_limit_${mpi}>)
set_tests_properties(interpose.time_limit.${mpi} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2
                     PASS_REGULAR_EXPRESSION "all waits have a limit" FAIL_REGULAR_EXPRESSION "wrong: ")

add_executable(interpose_out_of_memory_${mpi} job/out_of_memory.cpp)
target_link_libraries(interpose_out_of_memory_${mpi} PRIVATE typewarp_mpi_import_${mpi} typewarp_flags)
set_target_properties(interpose_out_of_memory_${mpi} PROPERTIES ENABLE_EXPORTS ON)  # of the allocation functions
add_test(NAME interpose.out_of_memory.${mpi}
         COMMAND ${launcher} -n 1 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=all TYPEWARP_TIME_LIMIT_MS=2000
                 $<TARGET_FILE:interpose_out_of_memory_${mpi}> $<TARGET_FILE_NAME:typewarp_interpose_${abi}>)
set_tests_properties(interpose.out_of_memory.${mpi} PROPERTIES LABELS mpi TIMEOUT 120 PASS_REGULAR_EXPRESSION "nothing was lost"
                     SKIP_REGULAR_EXPRESSION "skipped: ")

if(mpi STREQUAL typewarp_main_mpi AND NOT TARGET test_interpose_attached_memory_${mpi})
  set(windows ${PROJECT_SOURCE_DIR}/src/interpose/core/windows)
  typewarp_mpi_test(interpose_attached_memory RANKS 1 MPI_DEPENDS typewarp_transport
                    SOURCES windows/attached_memory_test.cpp ${windows}/attached_memory.cpp ${windows}/window_file.cpp)
  typewarp_expose(test_interpose_attached_memory_${typewarp_main_mpi} interpose)
  typewarp_mpi_test(interpose_continuation RANKS 1 SOURCES requests/continuation_test.cpp $<TARGET_OBJECTS:typewarp_interpose_${abi}>
                    DEPENDS typewarp_schedule_streams_over_mpi_${mpi}_profiled typewarp_transport_${mpi}_profiled
                            $<COMPILE_ONLY:typewarp_transport_${mpi}> ${CMAKE_DL_LIBS})
  typewarp_expose(test_interpose_continuation_${typewarp_main_mpi} interpose)
endif()
