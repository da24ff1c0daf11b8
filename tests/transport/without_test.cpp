// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// For a program without the rows of rings and UCX.

#include "support/user_buffer.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/protocol_fixture.hpp"

#include <algorithm>
#include <string_view>

namespace typewarp {
namespace {

const transport::ProtocolRow* row(std::string_view name) {
  const auto found = std::ranges::find(transport::protocols(), name, &transport::ProtocolRow::name);
  return found == transport::protocols().end() ? nullptr : *found;
}

class Without : public test::ProtocolTest {};

TEST_F(Without, LongMessagesOfOneHostTakeWhatIsLeft) {
  EXPECT_EQ(row("ring"), nullptr);
  EXPECT_EQ(row("ucx"), nullptr);
  start({.eager_bytes = 600}, true);
  transport::Traffic::counted = true;
  const transport::Traffic& pipelined = *row("pipelined")->sent;
  const std::int64_t before = pipelined.messages;
  const Datatype type = vector(10'000, 1, 2, Named::byte);
  test::UserBuffer mine(type, 1, static_cast<std::uint64_t>(rank_));
  test::UserBuffer theirs(type, 1, static_cast<std::uint64_t>(partner()));
  test::UserBuffer target(type, 1, 99);
  test::UserBuffer expected(type, 1, 99);
  const Plan plan = commit(type);
  sendrecv(mine.origin(), 1, plan, partner(), 7, target.origin(), 1, plan, partner(), 7, comm_, nullptr);
  scatter(gathered(theirs, type, 1), expected, type, 1);
  EXPECT_EQ(target.bytes(), expected.bytes());
  EXPECT_EQ(pipelined.messages, before + 1);
  transport::Traffic::counted = false;
}

}  // namespace
}  // namespace typewarp
