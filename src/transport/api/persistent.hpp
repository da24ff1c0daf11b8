// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/handle/internal.hpp"
#include "transport/mpi/point_to_point.hpp"

namespace typewarp {

/// What a persistent request starts.
struct Request::Arguments {
  enum class Kind { send, synchronous_send, receive };

  Kind kind;
  transport::MessageBuffer side;
  transport::Peer peer;

  /// Of a send.
  transport::SendMode mode() const noexcept {
    return kind == Kind::synchronous_send ? transport::SendMode::synchronous : transport::SendMode::standard;
  }
  /// A request of its own, active. Throws MpiError, GpuError.
  Request start() const;
};

}  // namespace typewarp
