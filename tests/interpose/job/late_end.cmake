# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# In the loop over MPIs.

# Programs that end MPI after main(), with messages in callbacks of MPI_Finalize.
add_library(interpose_late_library_${mpi} SHARED job/late_library.c)
interpose_user_program(late_end ${mpi} job/late_end.cpp)
target_link_libraries(interpose_late_end_${mpi} PRIVATE interpose_late_library_${mpi})
# It must end before the MPI does.
target_link_options(interpose_late_library_${mpi} PRIVATE -Wl,--no-as-needed)
target_link_libraries(interpose_late_library_${mpi} PRIVATE typewarp_mpi_import_${mpi})

# late_end(<name> <kind> <command>...)
function(late_end name kind)
  set(labels mpi)
  if(kind STREQUAL "device" AND NOT name MATCHES "fake")
    list(APPEND labels gpu)
  endif()
  interpose_launcher(launcher ${mpi} ${labels})
  set(test interpose.late_end.${name}.${mpi})
  add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/once_more.sh ${launcher} -n 2 env TYPEWARP_TRANSPORT=1 ${ARGN})
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 60 PROCESSORS 2 SKIP_REGULAR_EXPRESSION "skipped: "
    PASS_REGULAR_EXPRESSION "all is right[^!]*all is right" FAIL_REGULAR_EXPRESSION "wrong;[Aa]bort;signal;corrupt")
endfunction()
if(NOT abi STREQUAL "abi")
  set(with LD_PRELOAD=$<TARGET_FILE:typewarp_interpose>)
  foreach(how static handler library)
    late_end(${how} host ${with} TYPEWARP_TAKE=all $<TARGET_FILE:interpose_late_end_${mpi}> ${how} host)
  endforeach()
  if(typewarp_with_cuda)
    foreach(how static main)
      late_end(device.${how} device ${with} TYPEWARP_GPU_AWARE=0 $<TARGET_FILE:interpose_late_end_${mpi}> ${how} device)
    endforeach()
  endif()
endif()
if(TARGET interpose_fake_core_${abi})
  add_executable(interpose_late_end_fake_${mpi} job/late_end.cpp nccl/memory_fake.c)
  target_link_libraries(interpose_late_end_fake_${mpi} PRIVATE interpose_late_library_${mpi} typewarp_mpi_import_${mpi} interpose_fake_gpu)
  late_end(fake_device device LD_PRELOAD=${CMAKE_BINARY_DIR}/fake_gpu/$<TARGET_FILE_NAME:typewarp_interpose> TYPEWARP_GPU_AWARE=0 TYPEWARP_NCCL=0
           $<TARGET_FILE:interpose_late_end_fake_${mpi}> library device always)
endif()

# What is preloaded has no object with a destructor that runs as the process ends, nor as a thread does but what OfThread keeps:
# exit handlers call MPI. The compilers' stubs of kernels are CUDA's.
set(libraries "")
typewarp_append_linked(libraries typewarp_transport_${mpi})
set(preloaded $<TARGET_OBJECTS:typewarp_interpose_${abi}> $<TARGET_OBJECTS:typewarp_interpose> $<TARGET_OBJECTS:typewarp_interpose_front>)
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND preloaded $<TARGET_FILE:${library}>)
  endif()
endforeach()
add_test(NAME interpose.no_destructors_at_exit.${mpi}
         COMMAND ${CMAKE_COMMAND} -DSYMBOLS=${CMAKE_NM} "-DOPTIONS=-A;-u" "-DFILE=${preloaded}" "-DSOME= U _Znwm" "-DNONE=[^\n]*(__cxa_(thread_)?| U )atexit"
                 "-DEXCEPT=[^\n]*(:of_thread[^\n]*__cxa_thread_|[.]cu[.]o: +U )atexit" -P ${CMAKE_CURRENT_SOURCE_DIR}/symbols.cmake)
