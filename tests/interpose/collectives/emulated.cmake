# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What GPUs of one host make at once, on the emulated ones: a core that is linked with them, in a folder of its own.
if(NOT TARGET typewarp_emulated OR NOT mpi STREQUAL typewarp_main_mpi OR abi STREQUAL "abi")
  return()
endif()
set(core interpose_emulated_core_${abi})
set(folder ${CMAKE_BINARY_DIR}/emulated)
add_library(${core} SHARED $<TARGET_OBJECTS:typewarp_interpose_${abi}>)
target_link_libraries(${core} PRIVATE typewarp_engine_emulated typewarp_schedule_streams_over_mpi_${mpi}_profiled typewarp_transport_${mpi}_profiled
                                      typewarp_flags $<COMPILE_ONLY:typewarp_transport_${mpi}>)
typewarp_preloaded(${core} typewarp_mpi_${abi} ${PROJECT_SOURCE_DIR}/src/interpose/core/exports.map)
set_target_properties(${core} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${folder})
add_custom_command(TARGET ${core} POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:typewarp_interpose> ${folder})
add_dependencies(${core} typewarp_interpose)
add_executable(interpose_repeated_emulated_${mpi} collectives/repeated.c common/report.c common/memory_cuda.c)
target_link_libraries(interpose_repeated_emulated_${mpi} PRIVATE typewarp_mpi_import_${mpi} typewarp_emulated Threads::Threads m)
target_compile_options(interpose_repeated_emulated_${mpi} PRIVATE -Wall -Wextra)
add_test(NAME interpose.collectives.repeated.emulated.${mpi}
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/../compare.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose> device 2 taken
                 -- ${launcher} -- $<TARGET_FILE:interpose_repeated_emulated_${mpi}> {kind} 4)
set_tests_properties(interpose.collectives.repeated.emulated.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 600 PROCESSORS 2 ENVIRONMENT "EMULATED_DEVICES=2;TYPEWARP_NCCL=0;TYPEWARP_GPU_AWARE=0")
