// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/record/record.hpp"

#include <mpi.h>

#include <cstdint>
#include <span>

/// The requests that a program has, and the sites of their messages, so that calls that wait can be told by
/// what they wait for. Thread safe. A request that this finds no memory for is not known.
namespace typewarp::interpose {

struct UnderWay {
  record::Site* site;
  std::int64_t touched;  ///< bytes of data, and a cache line a piece: by this, waits for several are divided
  std::int64_t bytes;    ///< of data
  std::int64_t nanoseconds;  ///< so far, in the call that began it and in those that wait
  bool persistent;
  bool active;
};

void note_request(MPI_Request request, const UnderWay& made) noexcept;
/// Whether it is a persistent one that is known: then a call of its site has begun it.
bool note_start(MPI_Request request, std::int64_t nanoseconds) noexcept;
void forget_request(MPI_Request request) noexcept;

/// Divides the time of a call that waits, or tests, among the messages that it has completed, or if there are
/// none among all. `before` are the requests as they were, `after` as they are now. False if none is known.
bool note_wait(std::span<const MPI_Request> before, const MPI_Request* after,
               std::int64_t nanoseconds) noexcept;

}  // namespace typewarp::interpose
