// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/reductions/direct_reductions.hpp"
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"
#include "interpose/core/reductions/turn_channel.hpp"

#include <typewarp/request.hpp>

#include <memory>
#include <optional>

namespace typewarp::interpose {

/// Begins a reduction that does not block, a call in turn. By messages it takes part whatever memory it has:
/// what the engine cannot combine where it lies is brought to memory of the host. Others wait for a rank that
/// can send nothing any more.
Request start_reduction(const ReductionCall& call, const std::optional<DirectNumbers>& at_once,
                        const Participants& ranks, const std::shared_ptr<TurnChannel>& channel,
                        Stream stream);

}  // namespace typewarp::interpose
