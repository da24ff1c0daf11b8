// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

#include <optional>

/// Collective calls that move data, with messages of ours for their blocks, from where each lies to where it
/// belongs: where all ranks of one group have this library, and blocks are long enough. One rank has
/// memory in the call that is ours, of calls that give a request the rank that comes first
/// (agreement.hpp).
namespace typewarp::interpose::moved {

/// The call's code; nothing where it is to be made otherwise, which all ranks find alike if they give as many
/// bytes, as MPI demands. Else some may wait for ever.
std::optional<int> make(Call& call) noexcept;

}  // namespace typewarp::interpose::moved
