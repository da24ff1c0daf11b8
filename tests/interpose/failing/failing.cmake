# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# In the loop over MPIs: each call by which the library asks the system for something fails in turn, alone or with all after it. A
# sample of them here, a larger one nightly; all by hand (docs/internals/testing.md). A job that goes on after errors shows whether a
# rank that lacks memory leaves the other one waiting.
if(NOT TARGET interpose_failing)
  add_library(interpose_failing SHARED failing/injector.c)
  target_link_libraries(interpose_failing PRIVATE ${CMAKE_DL_LIBS})
  target_compile_options(interpose_failing PRIVATE -Wall -Wextra)
endif()
if(NOT abi STREQUAL "abi")
  set(sample 12)
  if(TYPEWARP_NIGHTLY)
    set(sample 120)
  endif()
  set(failing ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/failing.py --sample ${sample} --distinct --without-gpu --jobs 2)
  set(job $<TARGET_FILE:typewarp_interpose> $<TARGET_FILE:interpose_failing> -- ${launcher} -- $<TARGET_FILE:interpose_every_kind_${mpi}> host)
  set(limit --setting TYPEWARP_TIME_LIMIT_MS=2000)
  if(abi STREQUAL "openmpi")
    list(APPEND failing --mpi-crashes)
  else()
    # A rank of MPICH 5.0.2 whose peer ends in a nonblocking collective call may be told that it has all data.
    list(APPEND failing --setting MPIR_CVAR_CH4_CMA_ENABLE=0)
  endif()
  add_test(NAME interpose.failing.${mpi} COMMAND ${failing} --after none short all ${limit} ${job})
  add_test(NAME interpose.failing.goes_on.${mpi} COMMAND ${failing} --kinds memory ${limit} ${job} on)
  set_tests_properties(interpose.failing.${mpi} interpose.failing.goes_on.${mpi} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2)
  # The last calls are those of the statistics that ranks send each other.
  foreach(rank 0 1)
    set(test interpose.failing.statistics.${rank}.${mpi})
    add_test(NAME ${test} COMMAND ${failing} --sample 40 --kinds memory --from=-80 --rank ${rank} --limit 20 --setting TYPEWARP_STATS=merged ${job})
    set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2)
  endforeach()
endif()
