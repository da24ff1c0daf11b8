// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

#include <optional>

namespace typewarp::interpose::direct {

/// A blocking call that moves data between GPUs of ranks of one host, each with a GPU of its own: one launch
/// in each rank stores everything where it belongs, without a message. The call's code if it is made; nothing
/// in all ranks where it goes another way, as at the first time that its arguments come.
std::optional<int> make(Call& call) noexcept;

}  // namespace typewarp::interpose::direct
