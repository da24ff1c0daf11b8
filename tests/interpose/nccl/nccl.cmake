# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# NCCL in the preload library, for one MPI: included once for each. Without a GPU it is a fake one, in a core that is linked with the
# fake device of tests/transport. That has the MPIs of programs, and no core for the standard ABI of its own.
if(NOT typewarp_with_cuda)
  return()
endif()
if(NOT TARGET interpose_fake_gpu)
  add_library(interpose_fake_gpu SHARED nccl/fake_gpu.c)
  add_library(interpose_fake_nccl MODULE nccl/fake_nccl.cpp)
  target_link_libraries(interpose_fake_nccl PRIVATE typewarp_flags ${CMAKE_DL_LIBS} rt)
  typewarp_expose(interpose_fake_nccl interpose)
  # What is declared of NCCL against its header, where there is one: it is compiled, and that is all.
  add_library(interpose_nccl_api OBJECT nccl/nccl_api_test.cpp)
  target_link_libraries(interpose_nccl_api PRIVATE typewarp_flags)
  target_include_directories(interpose_nccl_api SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  typewarp_expose(interpose_nccl_api interpose)
endif()

# On GPUs, each rank with one of its own: by the NCCL that there is, which must be found.
interpose_user_program(nccl ${mpi} nccl/program.c)
target_link_libraries(interpose_nccl_${mpi} PRIVATE ${CMAKE_DL_LIBS})
interpose_launcher(launcher_on_gpu ${mpi} gpu)
set(test interpose.nccl.gpu.${mpi})
add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_LIST_DIR}/on_two_gpus.sh ${launcher_on_gpu} -n 2 env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose>
                              TYPEWARP_GPU_AWARE=0 TYPEWARP_NCCL_BYTES=200 TYPEWARP_VERBOSE=1 $<TARGET_FILE:interpose_nccl_${mpi}> device used)
set_tests_properties(${test} PROPERTIES LABELS "mpi;gpu" TIMEOUT 600 PROCESSORS 2 SKIP_REGULAR_EXPRESSION "skipped: ;no NCCL: libnccl"
                                        PASS_REGULAR_EXPRESSION "NCCL [0-9]+ between 2 ranks[^!]*all as expected")

if(abi STREQUAL "abi")
  return()
endif()
set(core interpose_fake_core_${abi})
set(fakes ${PROJECT_SOURCE_DIR}/tests/transport/fake_device)
add_library(${core} SHARED $<TARGET_OBJECTS:typewarp_interpose_${abi}> nccl/fake_core.cpp ${fakes}/fake_device.cpp ${fakes}/fake_engine.cpp
                           ${fakes}/fake_direct.cpp ${fakes}/fake_flags.cpp ${fakes}/fake_reduce.cpp ${fakes}/fake_replay.cpp)
target_include_directories(${core} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(${core} PRIVATE typewarp_schedule_streams_over_mpi_${mpi}_profiled typewarp_transport_${mpi}_profiled typewarp_flags $<COMPILE_ONLY:typewarp_transport_${mpi}>)
typewarp_preloaded(${core} typewarp_mpi_${abi} ${PROJECT_SOURCE_DIR}/src/interpose/core/exports.map)
set(folder ${CMAKE_BINARY_DIR}/fake_gpu)
set_target_properties(${core} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${folder})
add_custom_command(TARGET ${core} POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:typewarp_interpose> ${folder})
add_dependencies(${core} typewarp_interpose)
add_executable(interpose_nccl_fake_${mpi} nccl/program.c nccl/memory_fake.c)
target_link_libraries(interpose_nccl_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_nccl_fake_${mpi} PRIVATE -Wall -Wextra)

# All collective calls with all datatypes, of whatever length.
add_executable(interpose_calls_fake_${mpi} ${calls} common/report.c nccl/memory_fake.c)
target_link_libraries(interpose_calls_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu Threads::Threads m)
add_test(NAME interpose.nccl.calls.${mpi}
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/compare_calls.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>
                 $<TARGET_FILE:interpose_fake_nccl> 3 collective reduction -- ${launcher} -- $<TARGET_FILE:interpose_calls_fake_${mpi}>)
set_tests_properties(interpose.nccl.calls.${mpi} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS 3)
# What moves, and what the ranks combine on their devices, without NCCL.
add_test(NAME interpose.collectives.fake_device.${mpi}
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/compare_calls.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>
                 none 3 collective reduction overlapped one_buffer -- ${launcher} -- $<TARGET_FILE:interpose_calls_fake_${mpi}>)
set_tests_properties(interpose.collectives.fake_device.${mpi} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS 3)
# Windows, of the device's memory too, which the ranks map.
add_test(NAME interpose.windows.fake_device.${mpi}
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/compare_calls.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>
                 none 2 window epochs created -- ${launcher} -- $<TARGET_FILE:interpose_calls_fake_${mpi}>)
set_tests_properties(interpose.windows.fake_device.${mpi} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS 2)
add_test(NAME interpose.windows.attached.fake_device.${mpi}
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/compare_calls.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>
                 none 2 attached -- ${launcher} -- $<TARGET_FILE:interpose_calls_fake_${mpi}>)
set_tests_properties(interpose.windows.attached.fake_device.${mpi} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS 2)
add_executable(interpose_attached_fake_${mpi} windows/attached.c nccl/memory_fake.c)
target_link_libraries(interpose_attached_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_attached_fake_${mpi} PRIVATE -Wall -Wextra)
foreach(ranks 1 3)
  add_test(NAME interpose.attached.${ranks}.fake_device.${mpi}
           COMMAND ${launcher} -n ${ranks} env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
                   TYPEWARP_NCCL=0 FAKE_GPU_MAPPED=1 $<TARGET_FILE:interpose_attached_fake_${mpi}> device)
  set_tests_properties(interpose.attached.${ranks}.fake_device.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 120 PROCESSORS ${ranks} PASS_REGULAR_EXPRESSION "all pieces are right")
endforeach()
# Partitions. Open MPI 5.0.11 moves them only where no thread of the library's calls it too.
set(without_thread)
if(abi STREQUAL "openmpi")
  set(without_thread env TYPEWARP_TRANSPORT=0)
endif()
add_test(NAME interpose.partitioned.fake_device.${mpi}
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/compare_calls.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>
                 none 2 partitioned -- ${launcher} -- ${without_thread} $<TARGET_FILE:interpose_calls_fake_${mpi}>)
set_tests_properties(interpose.partitioned.fake_device.${mpi} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS 2)
# Files: in one piece, and in many of few bytes, of which ranks have unlike numbers.
foreach(bytes 16777216 64)
  add_test(NAME interpose.files.fake_device.${bytes}.${mpi}
           COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/compare_calls.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>
                   none 2 file -- ${launcher} -- env TYPEWARP_FILE_BYTES=${bytes} $<TARGET_FILE:interpose_calls_fake_${mpi}>)
  set_tests_properties(interpose.files.fake_device.${bytes}.${mpi} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS 2)
endforeach()
add_executable(interpose_file_pieces_fake_${mpi} files/pieces.c nccl/memory_fake.c)
target_link_libraries(interpose_file_pieces_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_file_pieces_fake_${mpi} PRIVATE -Wall -Wextra)
foreach(bytes 16777216 1000)
  add_test(NAME interpose.file_pieces.fake_device.${bytes}.${mpi}
           COMMAND ${launcher} -n 3 env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
                   TYPEWARP_NCCL=0 TYPEWARP_FILE_BYTES=${bytes} $<TARGET_FILE:interpose_file_pieces_fake_${mpi}> device)
  set_tests_properties(interpose.file_pieces.fake_device.${bytes}.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 120 PROCESSORS 3 PASS_REGULAR_EXPRESSION "all pieces are right")
endforeach()

# Several nonblocking collective calls of a file, of both memories by turns.
add_executable(interpose_files_under_way_fake_${mpi} files/under_way.c nccl/memory_fake.c)
target_link_libraries(interpose_files_under_way_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_files_under_way_fake_${mpi} PRIVATE -Wall -Wextra)
add_test(NAME interpose.files_under_way.fake_device.${mpi}
         COMMAND ${launcher} -n 3 env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
                 TYPEWARP_NCCL=0 $<TARGET_FILE:interpose_files_under_way_fake_${mpi}> device tested)
set_tests_properties(interpose.files_under_way.fake_device.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 120 PROCESSORS 3 PASS_REGULAR_EXPRESSION "all under way are right")

# Types that lie in both memories.
add_executable(interpose_two_memories_fake_${mpi} buffers/two_memories.c nccl/memory_fake.c)
target_link_libraries(interpose_two_memories_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_two_memories_fake_${mpi} PRIVATE -Wall -Wextra)
add_test(NAME interpose.two_memories.fake_device.${mpi}
         COMMAND ${launcher} -n 2 env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
                 TYPEWARP_NCCL=0 FAKE_GPU_MAPPED=1 TYPEWARP_FILE_BYTES=1000 $<TARGET_FILE:interpose_two_memories_fake_${mpi}> device)
set_tests_properties(interpose.two_memories.fake_device.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 120 PROCESSORS 2 PASS_REGULAR_EXPRESSION "all memories are right")

# Datatypes that cannot be read, and predefined ones.
add_executable(interpose_unreadable_fake_${mpi} buffers/unreadable.c nccl/memory_fake.c)
target_link_libraries(interpose_unreadable_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_unreadable_fake_${mpi} PRIVATE -Wall -Wextra)
add_test(NAME interpose.unreadable.fake_device.${mpi}
         COMMAND ${launcher} -n 1 env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
                 TYPEWARP_NCCL=0 FAKE_GPU_MAPPED=1 $<TARGET_FILE:interpose_unreadable_fake_${mpi}> device)
set_tests_properties(interpose.unreadable.fake_device.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 60 PASS_REGULAR_EXPRESSION "all [0-9]+ calls are right")

add_executable(interpose_unreadable_beside_fake_${mpi} buffers/unreadable_beside.c nccl/memory_fake.c)
target_link_libraries(interpose_unreadable_beside_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_unreadable_beside_fake_${mpi} PRIVATE -Wall -Wextra)
add_test(NAME interpose.unreadable_beside.fake_device.${mpi}
         COMMAND ${launcher} -n 2 env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
                 TYPEWARP_NCCL=0 FAKE_GPU_MAPPED=1 $<TARGET_FILE:interpose_unreadable_beside_fake_${mpi}> device)
set_tests_properties(interpose.unreadable_beside.fake_device.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION "all is right[^!]*all is right")

# Ranks that MPICH takes for such of several hosts: a window, and collective calls.
if(abi STREQUAL "mpich")
  set(preloaded LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0 TYPEWARP_NCCL=0)
  set(said_of_create "MPI_Win_create: base buffer = memory of a GPU")
  set(said_of_attach "MPI_Win_attach was given memory of a GPU, which this MPI does not take, and other ranks cannot map")
  foreach(call create attach)
    set(test interpose.windows.several_hosts.${call}.${mpi})
    add_test(NAME ${test}
             COMMAND ${launcher} -n 2 env MPIR_CVAR_NOLOCAL=1 ${preloaded} TYPEWARP_VERBOSE=1 FAKE_GPU_MAPPED=1 REPORT_NOW=1
                     $<TARGET_FILE:interpose_calls_fake_${mpi}> device ${call})
    set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION "${said_of_${call}}" FAIL_REGULAR_EXPRESSION ": success")
  endforeach()
  set(apart MPIR_CVAR_NOLOCAL=1 TYPEWARP_EVERYWHERE=1)
  # Of all datatypes. Long blocks are messages: hundreds.
  add_test(NAME interpose.collectives.several_hosts.${mpi}
           COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/compare_calls.py ${folder}/$<TARGET_FILE_NAME:typewarp_interpose>
                   none 3 collective -- ${launcher} -- env ${apart} TYPEWARP_STATS=1 $<TARGET_FILE:interpose_calls_fake_${mpi}>)
  set_tests_properties(interpose.collectives.several_hosts.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 600 PROCESSORS 3 PASS_REGULAR_EXPRESSION "rank 2: sent by pipelined: messages [1-9][0-9][0-9],")
  # Blocks are messages, but for those of a broadcast among nine, in which rank 2 gives the MPI its own memory once.
  add_executable(interpose_unlike_ranks_fake_${mpi} collectives/unlike_ranks.c nccl/memory_fake.c)
  target_link_libraries(interpose_unlike_ranks_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu)
  target_compile_options(interpose_unlike_ranks_fake_${mpi} PRIVATE -Wall -Wextra)
  set(broadcasts_of_3 "ours 4,")
  set(broadcasts_of_9 "ours 3,")
  foreach(ranks 3 9)
    add_test(NAME interpose.unlike_ranks.${ranks}.fake_device.${mpi}
             COMMAND ${launcher} -n ${ranks} env ${apart} ${preloaded} TYPEWARP_STATS=1 $<TARGET_FILE:interpose_unlike_ranks_fake_${mpi}> device)
    set_tests_properties(interpose.unlike_ranks.${ranks}.fake_device.${mpi} PROPERTIES
      LABELS mpi TIMEOUT 60 PROCESSORS 3 PASS_REGULAR_EXPRESSION "rank 2: MPI_Bcast: calls 4, [^\n]*${broadcasts_of_${ranks}}" FAIL_REGULAR_EXPRESSION "wrong")
  endforeach()
  interpose_user_program(unlike_ranks ${mpi} collectives/unlike_ranks.c)
  # By this library alone: MPICH cuts what it gathers by extents, which differ here.
  set(test interpose.unlike_ranks.device.${mpi})
  add_test(NAME ${test} COMMAND ${launcher_on_gpu} -n 3 env ${apart} LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_GPU_AWARE=0 TYPEWARP_NCCL=0
                                $<TARGET_FILE:interpose_unlike_ranks_${mpi}> device)
  set_tests_properties(${test} PROPERTIES LABELS "mpi;gpu" TIMEOUT 120 PROCESSORS 3 SKIP_REGULAR_EXPRESSION "skipped: "
                                          PASS_REGULAR_EXPRESSION "all is right" FAIL_REGULAR_EXPRESSION "wrong")
endif()

# What is under way at the end, of the device's memory.
add_executable(interpose_left_open_fake_${mpi} requests/left_open.c nccl/memory_fake.c)
target_link_libraries(interpose_left_open_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu)
foreach(left reductions persistent lonely window attached)
  set(test interpose.left_open.${left}.fake_device.${mpi})
  add_test(NAME ${test} COMMAND ${launcher} -n 2 env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
                                TYPEWARP_NCCL=0 FAKE_GPU_MAPPED=1 $<TARGET_FILE:interpose_left_open_fake_${mpi}> device ${left})
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION "at its end[^!]*at its end")
endforeach()

# Which way calls go that give a request, with the device's memory in some ranks and the host's in others: by turns as the first rank has it.
add_executable(interpose_first_comer_fake_${mpi} collectives/first_comer.c nccl/memory_fake.c)
target_link_libraries(interpose_first_comer_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu)
set(program env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0 TYPEWARP_NCCL=0 TYPEWARP_STATS=1
            $<TARGET_FILE:interpose_first_comer_fake_${mpi}> turns)
set(test interpose.first_comer.fake_device.${mpi})
add_test(NAME ${test} COMMAND ${launcher} -n 1 ${program} host : -n 2 ${program} device)
set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS 3 FAIL_REGULAR_EXPRESSION " is wrong"
                                        PASS_REGULAR_EXPRESSION "rank 0: MPI_Ibcast: calls 10, [^\n]*, ours 5,")

# What ranks add to calls to agree on their path, and what becomes of a rank that comes too late.
add_executable(interpose_agreed_fake_${mpi} agreement/agreed.c nccl/memory_fake.c)
target_link_libraries(interpose_agreed_fake_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_agreed_fake_${mpi} PRIVATE -Wall -Wextra)
set(agreed LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0 TYPEWARP_NCCL_BYTES=1000)
add_test(NAME interpose.agreed.calls.${mpi} COMMAND ${launcher} -n 3 env ${agreed} TYPEWARP_NCCL=1 $<TARGET_FILE:interpose_agreed_fake_${mpi}> calls)
add_test(NAME interpose.agreed.late.${mpi} COMMAND ${launcher} -n 3 env ${agreed} TYPEWARP_NCCL=0 TYPEWARP_TIME_LIMIT_MS=700
                                                   $<TARGET_FILE:interpose_agreed_fake_${mpi}> late)
set_tests_properties(interpose.agreed.calls.${mpi} interpose.agreed.late.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 120 PROCESSORS 3 PASS_REGULAR_EXPRESSION "all have agreed" FAIL_REGULAR_EXPRESSION "is wrong")
if(abi STREQUAL "mpich")
  add_test(NAME interpose.agreed.once.${mpi}
           COMMAND ${launcher} -n 3 env ${apart} ${agreed} TYPEWARP_NCCL=1 $<TARGET_FILE:interpose_agreed_fake_${mpi}> once)
  set_tests_properties(interpose.agreed.once.${mpi} PROPERTIES
    LABELS mpi TIMEOUT 120 PROCESSORS 3 PASS_REGULAR_EXPRESSION "all have agreed" FAIL_REGULAR_EXPRESSION "is wrong")
endif()

# What the hints of communicators, windows and files become, alone and with those of the environment.
add_executable(interpose_hinted_moves_${mpi} nccl/hinted_moves.c nccl/memory_fake.c)
target_link_libraries(interpose_hinted_moves_${mpi} PRIVATE typewarp_mpi_import_${mpi} interpose_fake_gpu ${CMAKE_DL_LIBS})
target_compile_options(interpose_hinted_moves_${mpi} PRIVATE -Wall -Wextra)
set(hinted env LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0 TYPEWARP_NCCL=0 FAKE_GPU_MAPPED=1)
add_test(NAME interpose.hinted_moves.${mpi} COMMAND ${launcher} -n 1 ${hinted} $<TARGET_FILE:interpose_hinted_moves_${mpi}> none)
add_test(NAME interpose.hinted_moves.environment.${mpi}
         COMMAND ${launcher} -n 1 ${hinted} TYPEWARP_PRIORITY=low $<TARGET_FILE:interpose_hinted_moves_${mpi}> priority=low)
set_tests_properties(interpose.hinted_moves.${mpi} interpose.hinted_moves.environment.${mpi} PROPERTIES
  LABELS mpi TIMEOUT 120 PASS_REGULAR_EXPRESSION "all as expected\n")

# interpose_nccl(<name> <ranks> <expectation> [FIRST <name=value>] [SAYS <regex>] [ALONE] [<name=value>...]): settings of all ranks,
# and one of rank 0 beside. ALONE: rank 0 has no library, and host memory.
function(interpose_nccl name ranks expectation)
  cmake_parse_arguments(PARSE_ARGV 3 arg "ALONE" "FIRST;SAYS" "")
  set(test interpose.nccl.${name}.${mpi})
  set(settings LD_PRELOAD=${folder}/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0
               TYPEWARP_NCCL=$<TARGET_FILE:interpose_fake_nccl> TYPEWARP_NCCL_BYTES=200 TYPEWARP_DEVICE_POOL_BYTES=100000 TYPEWARP_VERBOSE=1
               ${arg_UNPARSED_ARGUMENTS})
  set(program $<TARGET_FILE:interpose_nccl_fake_${mpi}>)
  math(EXPR others "${ranks} - 1")
  set(first env ${settings} ${arg_FIRST} ${program} device)
  if(arg_ALONE)
    set(first env TYPEWARP_NCCL=0 ${program} host)
  endif()
  add_test(NAME ${test} COMMAND ${launcher} -n 1 ${first} ${expectation} : -n ${others} env ${settings} ${program} device ${expectation})
  set(says "all as expected")
  if(arg_SAYS)  # in whatever order
    set(says "(${arg_SAYS}).*all as expected|all as expected.*(${arg_SAYS})")
  endif()
  set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS ${ranks} PASS_REGULAR_EXPRESSION "${says}"
                                          FAIL_REGULAR_EXPRESSION "NCCL are left")
endfunction()
# How ranks agree to use NCCL is asked of an MPI in one way.
if(NOT mpi STREQUAL typewarp_main_mpi AND NOT TYPEWARP_NIGHTLY)
  return()
endif()
interpose_nccl(used.2 2 used SAYS "NCCL 22809 between 2 ranks")
interpose_nccl(used.3 3 used SAYS "NCCL 22809 between 3 ranks")
interpose_nccl(off 2 unused TYPEWARP_NCCL=0)
interpose_nccl(off_in_one 2 unused FIRST TYPEWARP_NCCL=0)
interpose_nccl(too_short 2 unused FIRST TYPEWARP_NCCL_BYTES=100000000)
interpose_nccl(malformed 2 unused FIRST TYPEWARP_NCCL_BYTES=many SAYS "no NCCL: [^\n]*TYPEWARP_NCCL_BYTES = many: must be")
interpose_nccl(nowhere_in_one 2 unused FIRST TYPEWARP_NCCL=/nowhere/libnccl.so.2 SAYS "no NCCL: /nowhere/libnccl.so.2: cannot open")
interpose_nccl(old 2 unused FAKE_NCCL_VERSION=21700 SAYS "no NCCL: version 21700")
interpose_nccl(two_versions 2 unused FIRST FAKE_NCCL_VERSION=22000 SAYS "no NCCL: rank 1 has another version than rank 0")
interpose_nccl(shared_device 2 unused FAKE_GPU_SHARED=1 SAYS "no NCCL: rank 1 shares its GPU with another rank")
interpose_nccl(fails_to_start 3 unused FAKE_NCCL_FAIL=init:1 SAYS "no NCCL: it failed in another rank")
interpose_nccl(fails_to_start_in_root 2 unused FAKE_NCCL_FAIL=init:0 SAYS "no NCCL: ncclCommInitRank: the fake was told to fail")
interpose_nccl(call_fails 3 failing FAKE_NCCL_FAIL=call:1 SAYS "ncclAllReduce: the fake was told to fail")
interpose_nccl(fails_later 2 failing FAKE_NCCL_FAIL=later:0)
interpose_nccl(library_in_all_but_one 3 unused ALONE)

# As Python packages are installed. Where a library is looked for does not depend on the MPI.
if(mpi STREQUAL typewarp_main_mpi)
  add_test(NAME interpose.nccl.beside.${mpi} COMMAND ${CMAKE_CURRENT_LIST_DIR}/beside.sh ${folder} $<TARGET_FILE:interpose_fake_nccl>
                                                     $<TARGET_FILE:interpose_nccl_fake_${mpi}> -- ${launcher})
  set_tests_properties(interpose.nccl.beside.${mpi} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS 2)
endif()
