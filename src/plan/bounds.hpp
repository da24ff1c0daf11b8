// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <optional>

namespace typewarp::plan {

/// Where the bytes of (buffer, count, plan) lie: from the lowest one to behind the highest one, as distances
/// from the buffer.
struct Bounds {
  std::int64_t lowest;
  std::int64_t end;

  std::int64_t span() const noexcept { return end - lowest; }
};

/// Nothing if they have no bytes, or lie further apart than 64 bits count.
std::optional<Bounds> bounds(const Plan& plan, std::int64_t count);

/// Bytes of (count, plan) that lie together on average, where it has any.
std::int64_t average_run(const Plan& plan, std::int64_t count);
/// The same, or what `sector` bytes of memory hold of small items that follow each other, if that is more:
/// whatever moves memory by sectors moves runs that share one, and are moved at one time, together.
std::int64_t average_run(const Plan& plan, std::int64_t count, std::int64_t sector);

/// The widest word, a power of two of at most 16 bytes, at whose multiples all runs of (count, plan) begin
/// and end if the first byte lies at address `first`.
std::int64_t word(const Plan& plan, std::int64_t count, std::int64_t first = 0);

}  // namespace typewarp::plan
