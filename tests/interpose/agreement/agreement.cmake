# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# How ranks agree in shared memory: all orders of their steps, and threads in place of ranks.
set(agreement ${PROJECT_SOURCE_DIR}/src/interpose/core/agreement)
set(tests ${CMAKE_CURRENT_LIST_DIR})
typewarp_test(interpose_agreement SOURCES ${tests}/board_test.cpp ${tests}/boards_test.cpp ${tests}/capability_test.cpp ${tests}/path_log_test.cpp
                                          ${agreement}/board.cpp ${agreement}/capability.cpp ${agreement}/path_log.cpp)
typewarp_expose(test_interpose_agreement interpose)

if(TARGET typewarp_emulated AND NOT typewarp_sees_threads)
  typewarp_test(interpose_device_users SOURCES ${CMAKE_CURRENT_LIST_DIR}/../job/device_users_test.cpp ${PROJECT_SOURCE_DIR}/src/interpose/core/job/device_users.cpp
                DEPENDS typewarp_engine_emulated typewarp_engine typewarp_test_conformance typewarp_test_memory_kinds_emulated)
  typewarp_expose(test_interpose_device_users interpose)
endif()
