// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/session.hpp"

namespace typewarp::transport {

/// Gives a new Session what its protocols have in it: first what this rank makes alone, and then, collective,
/// what it makes with the others, where nothing fails in one of them only. Throw MpiError, the first also
/// std::bad_alloc.
void prepare(SessionState& session);
void connect(SessionState& session);

/// The link that all ranks of `comm`, a private communicator, can have; null if there is none. For
/// Protocol::automatic it is one only where direct is not enough: `one_host` says that all ranks are on one.
/// Collective. Throws MpiError.
std::unique_ptr<GpuChannel> make_gpu_channel(Protocol wanted, bool one_host, MPI_Comm comm);

}  // namespace typewarp::transport
