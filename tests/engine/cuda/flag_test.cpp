// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/flag.hpp"

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/memory_kinds.hpp"

namespace typewarp::test {
namespace {

/// Who tells of the end of a graph that packs so many bytes: nobody, its one kernel, or one behind that.
enum class Teller { nobody, kernel, another };

Teller teller(std::int64_t bytes) {
  const Plan plan = commit(vector(bytes / 8, 1, 2, Named::double_));
  const auto user = allocate(Source::device, plan.extent());
  const auto packed = allocate(Source::device, plan.size());
  const OwnStream stream;
  const cuda::Flag flag(0);
  bool counted = false;
  const auto graph = flag.record(
      [&] {
        cuda::copy({nullptr, bytes, packed->data()}, {&plan, 1, user->data()}, {0, bytes}, 0, stream.get());
      },
      counted);
  if (!counted) return Teller::nobody;
  return graph->counts_last() ? Teller::kernel : Teller::another;
}

TEST(Flag, IsRaisedByTheKernelWhoseBlocksAllRunAtOnce) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_EQ(teller(1024), Teller::kernel);
  EXPECT_EQ(teller(std::int64_t{256} << 10), Teller::kernel);
  EXPECT_EQ(teller(std::int64_t{256} << 20), Teller::another);
}

}  // namespace
}  // namespace typewarp::test
