// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/program.hpp"
#include "engine/host/step.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace typewarp::host {
namespace {

/// A sequence whose members are a varying list, a nested repeat and a run, so that every cut crosses every
/// kind.
Datatype everything() {
  const Datatype list = hindexed({3, 1, 40, 2}, {0, 100, 200, 320}, Named::byte);
  const Datatype nest = hvector(3, 1, 64, vector(4, 1, 2, Named::int_));
  return structure({1, 1, 1}, {0, 400, 700}, {list, nest, contiguous(5, Named::double_)});
}

TEST(HostWalk, EveryRangeEqualsThatRangeOfTheWhole) {
  const Plan plan = commit(everything());
  const Program& program = Program::of(plan);
  std::vector<std::byte> user(2048);
  for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(i % 251);
  const Step step = program.items(2);
  std::vector<std::byte> whole(static_cast<std::size_t>(step.size));
  move(Way::pack, step, user.data() + program.offset(), whole.data(), 0, step.size);
  for (std::int64_t begin = 0; begin <= step.size; ++begin) {
    for (std::int64_t end = begin; end <= step.size; ++end) {
      std::vector<std::byte> part(static_cast<std::size_t>(end - begin));
      move(Way::pack, step, user.data() + program.offset(), part.data(), begin, end);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + begin)) << begin << " to " << end;
    }
  }
}

TEST(HostWalk, CutsPutTogetherUnpackTheWhole) {
  const Plan plan = commit(everything());
  const Program& program = Program::of(plan);
  const Step step = program.items(2);
  std::vector<std::byte> stream(static_cast<std::size_t>(step.size));
  for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = static_cast<std::byte>(i * 7 % 249);
  std::vector<std::byte> expected(2048);
  move(Way::unpack, step, expected.data() + program.offset(), stream.data(), 0, step.size);
  for (std::int64_t cut = 0; cut <= step.size; ++cut) {
    std::vector<std::byte> user(2048);
    move(Way::unpack, step, user.data() + program.offset(), stream.data(), 0, cut);
    move(Way::unpack, step, user.data() + program.offset(), stream.data() + cut, cut, step.size);
    ASSERT_EQ(user, expected) << cut;
  }
}

}  // namespace
}  // namespace typewarp::host
