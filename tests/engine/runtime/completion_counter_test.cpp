// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/completion_counter.hpp"

#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"

namespace typewarp::test {
namespace {

/// Who counts at the end of a graph that packs so many bytes: nobody, its one kernel, or one behind that.
enum class Teller { nobody, kernel, another };

Teller teller(std::int64_t bytes) {
  const Plan plan = commit(vector(bytes / 8, 1, 2, Named::double_));
  const auto user = allocate(Source::device, plan.extent());
  const auto packed = allocate(Source::device, plan.size());
  const gpu::CompletionCounter counter(0);
  bool counted = false;
  const auto graph = counter.record(
      [&](const gpu::LaunchContext& context) {
        gpu::copy({nullptr, bytes, packed->data()}, {&plan, 1, user->data()}, {0, bytes}, context);
      },
      counted);
  if (!counted) return Teller::nobody;
  return graph->is_one_kernel() ? Teller::kernel : Teller::another;
}

TEST(CompletionCounter, IsCountedUpByTheKernelWhoseBlocksAllRunAtOnce) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_EQ(teller(1024), Teller::kernel);
  EXPECT_EQ(teller(std::int64_t{256} << 10), Teller::kernel);
  EXPECT_EQ(teller(std::int64_t{256} << 20), Teller::another);
}

}  // namespace
}  // namespace typewarp::test
