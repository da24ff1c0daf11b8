// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/long_runs.hpp"
#include "engine/device/layout/shape.hpp"
#include "plan/state.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <vector>

/// Which words of long runs a kernel takes, on the host: no address is ever followed.
namespace typewarp::gpu {
namespace {

/// The windows hold each byte of the range once, in order, at its place; whole ones are aligned.
void check(const Datatype& type, std::byte* base, ByteRange range) {
  const plan::State& state = plan::state_of(commit(type));
  const Shape shape = shape_of(state.encoding);
  ASSERT_EQ(shape.lookup, Lookup::none);
  const View to = levels_view(shape, {}, base, range.begin, 0);
  const RunsMove move = runs_move(to, to, shape.strided.levels[0].count, range);
  std::uint32_t next = 0;
  for (std::uint32_t unit = 0; unit < move.units; ++unit) {
    const Window window = window_of(move, unit);
    if (window.bytes == 0) continue;
    ASSERT_EQ(window.begin, next);
    next += window.bytes;
    const auto begin = reinterpret_cast<std::uintptr_t>(window.address);
    ASSERT_EQ(begin / wide, (begin + window.bytes - 1) / wide);
    for (std::uint32_t i = 0; i < window.bytes; ++i) {
      const std::int64_t place =
          plan::locate(state.encoding.view(), state.extent, range.begin + window.begin + i).offset;
      ASSERT_EQ(window.address + i - base, place) << "byte " << window.begin + i;
    }
  }
  ASSERT_EQ(next, range.end - range.begin);
}

TEST(Runs, HoldEveryByteOnce) {
  test::Random random(1);
  for (int k = 0; k < 300; ++k) {
    const std::int64_t run = random.range(1, 400);
    const std::int64_t pitch = random.range(run, run + 40) * (random.one_in(4) ? -1 : 1);
    const std::int64_t rows = random.range(2, 12);
    const Datatype rows_of_bytes = hvector(rows, run, pitch, Named::byte);
    const Datatype type = hvector(3, 1, 20000 + random.range(0, 40), rows_of_bytes);
    auto* const base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40) + random.range(0, 15);
    const std::int64_t begin = random.range(0, type.size() - 1);
    SCOPED_TRACE(type.to_string());
    check(type, base, {0, type.size()});
    check(type, base, {begin, random.range(begin + 1, type.size())});
  }
}

}  // namespace
}  // namespace typewarp::gpu
