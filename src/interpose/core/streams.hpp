// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

/// Which work on devices an MPI call is ordered with, as MPI calls name no stream.
namespace typewarp::interpose {

/// The legacy default stream of the current device: behind it is what all its blocking streams hold, among
/// them the default streams of threads. What a program enqueues on streams that were made with
/// cudaStreamNonBlocking it must wait for, as with any MPI.
inline Stream stream() noexcept { return nullptr; }

/// Waits for what was enqueued there by this thread; returns at once where CUDA is not in use.
void wait_for_stream();

}  // namespace typewarp::interpose
