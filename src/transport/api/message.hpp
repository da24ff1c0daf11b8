// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/handle/internal.hpp"
#include "transport/mpi/unexpected_queue.hpp"

namespace typewarp {

/// One message, as a probe took it.
struct Message::State {
  explicit State(transport::UnexpectedQueue::Place taken) noexcept : found(std::move(taken)) {}

  transport::UnexpectedQueue::Place found;
};

}  // namespace typewarp
