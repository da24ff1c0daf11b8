// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/call_backend.hpp"
#include "plan/state.hpp"
#include "plan/wire.hpp"

#include <typewarp/engine.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace typewarp::test {
namespace {

/// The plan as another process gets it. What has shared members has no wire: no other process gets that.
Plan sent(const Plan& plan) {
  if (plan::state_of(plan).encoding.shared) return plan;
  return plan::from_wire(plan::to_wire(plan, std::numeric_limits<std::int64_t>::max()).value());
}

Plan kept(const Plan& plan) { return plan; }

/// The public calls on pageable memory, with what `as` makes of plans. The host engine has a suite of its
/// own.
void check(Plan (*as)(const Plan&)) {
  CallBackend backend([&](const void* buffer, std::int64_t count, const Plan& plan, void* packed,
                          ByteRange range) { pack(buffer, count, as(plan), packed, range, nullptr); },
                      [&](const void* packed, void* buffer, std::int64_t count, const Plan& plan,
                          ByteRange range) { unpack(packed, buffer, count, as(plan), range, nullptr); },
                      [&](const void* source, std::int64_t count, const Plan& plan, void* destination,
                          std::int64_t to_count, const Plan& to, ByteRange range) {
                        copy(source, count, as(plan), destination, to_count, as(to), range, nullptr);
                      });
  check_pack(backend, {.types = 300});
  check_unpack(backend, {.types = 300});
  check_copy(backend, {.types = 300});
}

TEST(EngineConformance, OfCalls) { check(kept); }

TEST(EngineConformance, OfPlansThatWereSent) { check(sent); }

}  // namespace
}  // namespace typewarp::test
