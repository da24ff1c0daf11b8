// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

/// Open MPI's own file layer (OMPIO) moves its requests in a progress function that takes no lock: our
/// progress thread must not run it while a thread of the program makes, moves or frees such a request.
namespace typewarp::interpose {

/// Takes our progress thread out of that function, if OMPIO has opened `file` and a job is open.
void keep_ompio_from_progress_thread(MPI_File file) noexcept;
/// When our progress thread has ended.
void give_back_ompio_progress() noexcept;
/// Whether a request of OMPIO's may be under way beside our progress thread, if there is one.
bool ompio_requests_are_safe() noexcept;

}  // namespace typewarp::interpose
