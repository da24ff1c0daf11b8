// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/completion_counter.hpp"

#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"

namespace typewarp::test {
namespace {

/// Whether the one kernel of a graph that packs so many bytes counts at its end.
bool counts(std::int64_t bytes) {
  const Plan plan = commit(vector(bytes / 8, 1, 2, Named::double_));
  const auto user = allocate(Source::device, plan.extent());
  const auto packed = allocate(Source::device, plan.size());
  const gpu::CompletionCounter counter(0);
  bool counted = false;
  counter.record(
      [&](const gpu::LaunchContext& context) {
        gpu::copy({nullptr, bytes, packed->data()}, {&plan, 1, user->data()}, {0, bytes}, context);
      },
      counted);
  return counted;
}

TEST(CompletionCounter, IsCountedUpByTheKernelWhoseBlocksAllRunAtOnce) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_TRUE(counts(1024));
  EXPECT_TRUE(counts(std::int64_t{256} << 10));
  EXPECT_FALSE(counts(std::int64_t{256} << 20));
}

}  // namespace
}  // namespace typewarp::test
