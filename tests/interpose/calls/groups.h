// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Each tries some of the calls on world.comm, and reports. All ranks call it.
void group_point(void);
void group_both(void);
void group_order(void);
void group_complete(void);
void group_looks(void);
void group_odd(void);
void group_errors(void);
void group_pack(void);
void group_comms(void);
void group_alltoall(void);
void group_neighbors(void);
void group_collective(void);
void group_reduction(void);
void group_overlapped(void);
void group_one_buffer(void);
void group_file(void);
void group_window(void);
void group_create(void);
void group_attach(void);
void group_epochs(void);
void group_created(void);
void group_attached(void);
void group_external(void);
void group_partitioned(void);
void group_partitioned_refused(void);
void group_freed(void);
void group_spared(void);
void group_alone(void);
