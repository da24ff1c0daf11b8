// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/internal.hpp"
#include "transport/pending.hpp"

namespace typewarp {

/// One message, as a probe took it.
struct Matched::State {
  explicit State(transport::PendingMessages::Place taken) noexcept : found(std::move(taken)) {}

  transport::PendingMessages::Place found;
};

}  // namespace typewarp
