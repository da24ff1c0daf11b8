// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "engine/host/engine.hpp"

#include <typewarp/operation.hpp>

#include <chrono>
#include <string_view>

/// What every public call of the engine asks of its arguments. `call` and the names of the arguments go into
/// the text of InvalidArgument.
namespace typewarp::engine {

/// Bytes of `count` items; those beyond 64 bits saturate, since no range can reach there.
std::int64_t stream_size(std::string_view call, std::string_view count_name, std::int64_t count,
                         const Plan& plan);

/// All bytes of `count` items, for the calls that move them all.
std::int64_t whole_size(std::string_view call, std::string_view count_name, std::int64_t count,
                        const Plan& plan);

/// All bytes of both sides of a copy, which must be equally many.
std::int64_t equal_size(std::string_view call, std::int64_t source_count, const Plan& source_plan,
                        std::int64_t destination_count, const Plan& destination_plan);

using host::check_range;

/// Bytes of `count` numbers that the operation must have, from the first to the last one.
std::int64_t bytes_of_numbers(std::string_view call, std::string_view count_name, std::int64_t count,
                              Named type, Operation operation);

/// That the address of packed bytes, in the argument of that name, is not null.
void check_packed(std::string_view call, const void* packed, std::string_view name = "packed");

/// That `options.time_limit` is not negative, and that the clock of waits can tell when it is over.
void check_time_limit(std::string_view call, std::chrono::milliseconds limit);

/// The engines read a source through the same handle as they write a destination, and never write to it.
gpu::Side user_side(const void* buffer, std::int64_t count, const Plan& plan);
gpu::Side packed_side(const void* packed, ByteRange range);

}  // namespace typewarp::engine
