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
set(compared ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/../compare.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>)

function(emulated_executable name)
  set(program interpose_${name}_emulated_${mpi})
  if(NOT TARGET ${program})
    file(GLOB sources CONFIGURE_DEPENDS collectives/${name}.c collectives/${name}/*.c)
    add_executable(${program} ${sources} common/report.c common/memory_cuda.c)
    target_link_libraries(${program} PRIVATE typewarp_mpi_import_${mpi} typewarp_emulated Threads::Threads m)
    target_compile_options(${program} PRIVATE -Wall -Wextra)
    add_dependencies(${program} ${core})
  endif()
endfunction()

# emulated_program(<name> <ranks> [KIND <kind>] [DEVICES <number>] <arguments>...): as it is on GPUs, of which each rank has one unless
# told otherwise; <name> is a source or a folder of such.
function(emulated_program name ranks)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "KIND;DEVICES" "")
  if(NOT arg_KIND)
    set(arg_KIND device)
  endif()
  if(NOT arg_DEVICES)
    set(arg_DEVICES ${ranks})
  endif()
  emulated_executable(${name})
  set(program interpose_${name}_emulated_${mpi})
  set(test interpose.collectives.${name}.emulated.${ranks}.${mpi})
  add_test(NAME ${test} COMMAND ${compared} ${arg_KIND} ${ranks} taken -- ${launcher} --
           env TYPEWARP_TRANSPORT=1 TYPEWARP_NCCL=0 TYPEWARP_GPU_AWARE=0 $<TARGET_FILE:${program}> {kind} ${arg_UNPARSED_ARGUMENTS})
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS 2 ENVIRONMENT EMULATED_DEVICES=${arg_DEVICES})
endfunction()
emulated_program(repeated 2 4)
emulated_program(captured 3)
emulated_program(started 3 12 in_order)
emulated_program(started 2 8 in_order 5)
emulated_program(broadcast 3 4 60000000)
emulated_program(broadcast 5 4 30000000)
emulated_program(gathers 3 8 20000000)
emulated_program(gathers 2 8 10000000)
emulated_program(random_calls 3 KIND any seconds=6 most=100000)
# Ranks that share one, and find that out in their first calls.
emulated_program(random_calls 4 DEVICES 1 KIND any seconds=4 most=200000)

# A call of the device's that fails is the program's own: the library finds that before the real one.
emulated_executable(given_up)
set_target_properties(interpose_given_up_emulated_${mpi} PROPERTIES ENABLE_EXPORTS ON)
target_link_libraries(interpose_given_up_emulated_${mpi} PRIVATE ${CMAKE_DL_LIBS})
set(preloaded env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_NCCL=0 TYPEWARP_GPU_AWARE=0)
foreach(fault launch device late alone held)
  set(program $<TARGET_FILE:interpose_given_up_emulated_${mpi}> device ${fault})
  set(limited)
  if(fault MATCHES "late|alone|held")
    set(limited TYPEWARP_TIME_LIMIT_MS=10000)
  endif()
  set(test interpose.collectives.given_up.${fault}.emulated.${mpi})
  add_test(NAME ${test} COMMAND ${launcher} -n 1 ${preloaded} ${program} : -n 1 ${preloaded} ${limited} ${program} : -n 1 ${preloaded} ${program})
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS 2 ENVIRONMENT EMULATED_DEVICES=3
                                          PASS_REGULAR_EXPRESSION "rank 2: all is right" SKIP_REGULAR_EXPRESSION "skipped: ")
endforeach()
