# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# In the loop over MPIs: one-sided calls, and windows of the kind's memory, of a device's above all, which ranks map.
interpose_compare(calls.windows ${mpi} 2 COMMAND $<TARGET_FILE:interpose_calls_${mpi}> {kind} window epochs)
interpose_compare(calls.created ${mpi} 2 KINDS host device COMMAND $<TARGET_FILE:interpose_calls_${mpi}> {kind} created)
interpose_compare(calls.attached ${mpi} 2 KINDS device COMMAND $<TARGET_FILE:interpose_calls_${mpi}> {kind} attached)
interpose_user_program(attached ${mpi} windows/attached.c)
interpose_compare(attached ${mpi} 2 CHECKS_ITSELF KINDS device COMMAND $<TARGET_FILE:interpose_attached_${mpi}> {kind})
