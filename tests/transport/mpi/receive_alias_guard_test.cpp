// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/receive_alias_guard.hpp"
#include "transport/protocol_fixture.hpp"

#include <array>
#include <vector>

namespace typewarp::transport {
namespace {

TEST(ReceiveAliasGuard, OfMemoryThatIsTakenIsAShareInIt) {
  std::array<std::byte, 30> memory;
  const auto at = [&](int first, int bytes) { return ReceiveAliasGuard::at(memory.data() + first, bytes); };
  ReceiveAliasGuard first = at(10, 10);
  ReceiveAliasGuard second;
  {
    const ReceiveAliasGuard below = at(0, 10), behind = at(20, 10);
    EXPECT_TRUE(first.is_own() && below.is_own() && behind.is_own());
    second = at(19, 1);
    EXPECT_TRUE(second.is_shared());
  }
  first.count_look();
  EXPECT_EQ(second.looks(), 1U);
  EXPECT_FALSE(second.over());
  first.end();
  EXPECT_TRUE(second.over());
  first = ReceiveAliasGuard();
  EXPECT_TRUE(at(5, 10).is_shared());  // the second may still be writing
  second = ReceiveAliasGuard();
  EXPECT_TRUE(at(5, 10).is_own());
  const ReceiveAliasGuard again = at(10, 10);
  EXPECT_TRUE(again.is_own());
  const ReceiveAliasGuard late = at(10, 10);
  EXPECT_FALSE(late.over());
  EXPECT_EQ(late.looks(), 0U);
}

class OneBuffer : public test::ProtocolTest {};

// All announcements are there before any is read.
TEST_F(OneBuffer, OfSeveralReceivesGetsTheMessageOfOne) {
  start(limited_fragments);
  constexpr int bytes = 5000;
  constexpr int messages = 8;
  const Plan plan = commit(Named::byte);
  std::vector<std::vector<char>> sent;
  for (int number = 0; number < messages; ++number) sent.emplace_back(bytes, static_cast<char>('a' + number));
  for (const bool in_order : {true, false}) {
    std::vector<char> received(bytes);
    std::vector<Request> requests;
    for (int number = 0; number < messages; ++number) {
      requests.push_back(irecv(received.data(), bytes, plan, rank_, number, comm_, nullptr));
    }
    for (int k = 0; k < messages; ++k) {
      const int number = in_order ? k : messages - 1 - k;
      const void* const data = sent[static_cast<std::size_t>(number)].data();
      requests.push_back(isend(data, bytes, plan, rank_, number, comm_, nullptr));
    }
    for (const Status& status : wait_all(requests)) EXPECT_EQ(status.bytes, bytes);
    EXPECT_NE(received[0], 0);
    EXPECT_EQ(received, std::vector<char>(bytes, received[0]));
  }
}

}  // namespace
}  // namespace typewarp::transport
