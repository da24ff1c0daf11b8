# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# All kinds of calls at once from two threads of each rank, over ${mpi}.
interpose_user_program(storm ${mpi} apps/storm.c)
interpose_compare(storm ${mpi} 4 CHECKS_ITSELF KINDS host device COMMAND $<TARGET_FILE:interpose_storm_${mpi}> {kind} 3)
