# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# In the loop over MPIs: each call by which the library asks the system for something fails in turn. A sample of them here; all by
# hand (docs/internals/testing.md).
if(NOT TARGET interpose_failing)
  add_library(interpose_failing SHARED failing/injector.c)
  target_link_libraries(interpose_failing PRIVATE ${CMAKE_DL_LIBS})
  target_compile_options(interpose_failing PRIVATE -Wall -Wextra)
endif()
if(NOT abi STREQUAL "abi")
  add_test(NAME interpose.failing.${mpi}
           COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/failing.py --sample 12 --distinct $<TARGET_FILE:typewarp_interpose>
                   $<TARGET_FILE:interpose_failing> -- ${launcher} -- $<TARGET_FILE:interpose_every_kind_${mpi}> host)
  set_tests_properties(interpose.failing.${mpi} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2)
endif()
