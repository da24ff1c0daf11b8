// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

#include <optional>

/// Blocking collective calls by NCCL.
namespace typewarp::interpose::nccl {

/// The call's code; nothing where it is to go on as if there were no NCCL, which all ranks find alike.
std::optional<int> make_call(Call& call) noexcept;

}  // namespace typewarp::interpose::nccl
