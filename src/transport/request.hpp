// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/cuda.hpp"
#include "transport/staging.hpp"

#include <typewarp/transport.hpp>

namespace typewarp {

/// A message in flight and what has to happen after it. States, in order:
///   moving      the MPI has the message; `handle` is its request
///   ordering    a staged receive into memory that earlier work in the stream still uses: waits for `turn`
///   unpacking   bytes on their way into device memory: waits for `unpacked`
///   complete
struct Request::Operation {
  enum class Direction { send, receive };

  Operation(Direction way, const Plan& datatype) : direction(way), plan(datatype) {}

  /// Moves on as far as it can without waiting, or, if `block`, to the end; true once complete. What it
  /// throws ends the operation.
  bool advance(bool block);
  /// What the destructor of an active request does: cancels what can be cancelled, completes what cannot.
  void abandon() noexcept;

  Direction direction;
  Plan plan;
  void* buffer = nullptr;
  std::int64_t count = 0;
  Stream stream = nullptr;
  transport::Route route;
  int device = -1;  ///< on which `stream` runs; -1 for the current one
  transport::Staging staging;
  Status status;

  MPI_Request handle = MPI_REQUEST_NULL;
  std::optional<cuda::Event> turn;
  std::optional<cuda::Event> unpacked;

 private:
  enum class State { moving, ordering, unpacking, complete };

  bool finish_message(bool block);
  void start_unpack();

  State state_ = State::moving;
  bool cancelling_ = false;
};

}  // namespace typewarp
