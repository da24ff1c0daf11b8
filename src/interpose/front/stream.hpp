// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

extern "C" {
/// For programs, which find it by dlsym: from now on MPI calls of this thread are ordered with work of that
/// stream, such as a cudaStream_t, where their communicator names none. Null, as at first, is the legacy
/// default stream. The stream must live until the requests that were made meanwhile are complete, or freed.
/// May be called at any time.
[[gnu::visibility("default")]] void typewarp_set_stream(void* stream) noexcept;
}

namespace typewarp::interpose {

/// The calling thread's.
void* given_stream() noexcept;

}  // namespace typewarp::interpose
