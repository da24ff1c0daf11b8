// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "plan/state.hpp"

#include <optional>

namespace typewarp::test {
namespace {

Datatype irregular(std::int64_t blocks, std::int64_t seed) {
  std::vector<std::int64_t> displacements;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < blocks; ++i) {
    displacements.push_back(at);
    at += 2 + (i * i + seed) % 5;
  }
  return indexed_block(1, displacements, Named::int_);
}

TEST(PlanLifetime, MayEndWhileWorkIsInFlight) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream stream;
  std::optional<Plan> plan = commit(irregular(5000, 1));
  ASSERT_FALSE(plan::state_of(*plan).encoding.lookaside.empty());
  const auto data = noise(plan->extent(), 1);
  const auto expected = packed_on_host(data.data(), 1, *plan);
  const auto bytes = plan->size();
  const auto user = allocate(Source::device, plan->extent());
  const auto packed = allocate(Source::device, bytes);
  user->write(data);
  Gate gate(stream.get());
  pack(user->data(), 1, *plan, packed->data(), stream.get());
  plan.reset();
  EXPECT_TRUE(gate.closed()) << "dropping a plan waited for the stream";
  // Others that would take the memory over, were it free.
  const OwnStream other_stream;
  const auto other_packed = allocate(Source::device, bytes);
  for (std::int64_t seed = 2; seed < 12; ++seed) {
    const Plan other = commit(irregular(5000, seed));
    pack(user->data(), 1, other, other_packed->data(), {0, 64}, other_stream.get());
  }
  EXPECT_TRUE(gate.closed()) << "another plan's first use waited for the stream";
  gate.open();
  EXPECT_EQ(contents(*packed, bytes), expected);
}

TEST(PlanLifetime, DroppedPlansKeepBoundedMemory) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  constexpr std::int64_t blocks = 4 << 20;
  const auto user = allocate(Source::device, blocks * 24);
  const auto packed = allocate(Source::device, 64);
  const Datatype type = irregular(blocks, 1);
  gpu::Device& home = gpu::device(0);
  std::int64_t dropped = 0;
  for (int i = 0; i < 12; ++i) {
    const Plan plan = commit(type);
    const auto lookaside = static_cast<std::int64_t>(plan::state_of(plan).encoding.lookaside.size());
    pack(user->data(), 1, plan, packed->data(), {0, 64}, stream.get());
    EXPECT_LE(home.retired_bytes(), gpu::Device::retired_limit + lookaside);
    dropped += lookaside;
  }
  EXPECT_GT(dropped, 2 * gpu::Device::retired_limit);
  EXPECT_GT(home.retired_bytes(), 0);
  stream.wait();
}

/// A plan of static storage outlives CUDA's runtime: its end must not call into it (the process would not
/// exit with 0).
std::optional<Plan>& immortal() {
  static std::optional<Plan> plan;
  return plan;
}

TEST(PlanLifetime, MayOutliveTheRuntime) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  immortal() = commit(irregular(1000, 3));
  const auto user = allocate(Source::device, immortal()->extent());
  const auto packed = allocate(Source::device, immortal()->size());
  user->write(noise(immortal()->extent(), 1));
  pack(user->data(), 1, *immortal(), packed->data(), stream.get());
  stream.wait();
}

}  // namespace
}  // namespace typewarp::test
