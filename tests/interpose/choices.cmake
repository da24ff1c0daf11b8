# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What ranks choose in shared memory, by threads in place of ranks.
set(job ${PROJECT_SOURCE_DIR}/src/interpose/core/job)
typewarp_test(interpose_choices SOURCES choice_log_test.cpp choice_logs_test.cpp ${job}/choice_log.cpp ${job}/choice_logs.cpp)
typewarp_expose(test_interpose_choices interpose)
