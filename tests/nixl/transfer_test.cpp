// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/agent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// What transfers keep, and when they are over.
namespace typewarp::nixl {
namespace {

class NixlTransfer : public testing::Test {
 protected:
  void SetUp() override { TYPEWARP_NEEDS_GPU(); }
};

/// What `here` writes to `there`, page by page, is under way when `act` is called, and over afterwards.
template <typename Act>
void expect_wait(Agent& here, Agent& there, const Act& act) {
  constexpr std::size_t page = 64;
  ASSERT_EQ(here.meet(there), NixlStatus::success);
  const Bytes content = random_bytes(12, here.size());
  here.fill(0, content);
  std::vector<KnownMemory> from, to;
  for (std::size_t begin = 0; begin < here.size(); begin += page) {
    from.push_back({{here.begin(0) + begin, page, 0}, here.registered[0]});
    to.push_back({{there.begin(0) + begin, page, 0}, here.targets[0]});
  }
  const BackEnd::List local(NixlMemory::device, from), remote(NixlMemory::device, to);
  NixlRequest* request = nullptr;
  ASSERT_EQ(here.engine->prepare(NixlOperation::write, local, remote, there.name(), request, nullptr),
            NixlStatus::success);
  ASSERT_EQ(here.engine->post(NixlOperation::write, local, remote, there.name(), request, nullptr),
            NixlStatus::in_progress);
  ASSERT_EQ(act(request), NixlStatus::success);
  EXPECT_EQ(there.content(0), content);
}

TEST_F(NixlTransfer, ReleasesATransferWhenItIsOver) {
  Agent one("one", 0, 1 << 20), other("other", 0, 1 << 20);
  expect_wait(one, other, [&](NixlRequest* request) { return one.engine->release(request); });
}

// Transfer i moves each 40th page, to a place of its own. Some are released before they are posted, and made
// again in another order, so that none finds its own lists where it had them.
TEST_F(NixlTransfer, KeepsTheListsOfManyTransfersApart) {
  constexpr std::size_t transfers = 40, page = 64, pages = bytes / page;
  Agent agent("one");
  ASSERT_EQ(agent.meet(agent), NixlStatus::success);
  const Bytes content = random_bytes(13);
  Bytes expected = random_bytes(14);
  agent.fill(0, content);
  agent.fill(1, expected);
  std::vector<NixlRequest*> made(transfers);
  const auto prepare = [&](std::size_t i) {
    std::vector<KnownMemory> from, to;
    for (std::size_t k = i; k < pages; k += transfers) {
      from.push_back({{agent.begin(0) + k * page, page, 0}, agent.registered[0]});
      to.push_back({{agent.begin(1) + (pages - 1 - k) * page, page, 0}, agent.targets[1]});
    }
    ASSERT_EQ(agent.engine->prepare(NixlOperation::write, BackEnd::List(NixlMemory::device, from),
                                    BackEnd::List(NixlMemory::device, to), "one", made[i], nullptr),
              NixlStatus::success);
  };
  for (std::size_t i = 0; i < transfers; ++i) prepare(i);
  for (std::size_t i = 0; i < transfers; i += 3)
    ASSERT_EQ(agent.engine->release(made[i]), NixlStatus::success);
  for (std::size_t i = (transfers - 1) / 3 * 3;; i -= 3) {
    prepare(i);
    if (i == 0) break;
  }
  const BackEnd::List gone(NixlMemory::device);
  for (const std::uint32_t seed : {15U, 13U}) {
    agent.fill(0, random_bytes(seed));
    for (std::size_t i = 1; i < transfers; ++i)
      ASSERT_EQ(agent.engine->post(NixlOperation::write, gone, gone, "one", made[i], nullptr),
                NixlStatus::in_progress);
    for (std::size_t i = 1; i < transfers; ++i) wait_for(agent, made[i]);
  }
  for (NixlRequest* const request : made) ASSERT_EQ(agent.engine->release(request), NixlStatus::success);
  for (std::size_t k = 0; k < pages; ++k) {
    if (k % transfers == 0) continue;
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(k * page), page,
                expected.begin() + static_cast<std::ptrdiff_t>((pages - 1 - k) * page));
  }
  EXPECT_EQ(agent.content(1), expected);
}

TEST_F(NixlTransfer, DeregistersMemoryWhenTransfersOfPeersAreOver) {
  Agent one("one", 0, 1 << 20), other("other", 0, 1 << 20);
  NixlRequest* released = nullptr;
  expect_wait(one, other, [&](NixlRequest* request) {
    released = request;
    return other.engine->deregister_memory(std::exchange(other.registered[0], other.registered[1]));
  });
  other.registered.pop_back();
  EXPECT_EQ(one.engine->release(released), NixlStatus::success);
}

TEST_F(NixlTransfer, MovesNothing) {
  Agent one("one"), other("other");
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  for (const std::size_t descriptors : {0U, 2U}) {
    const std::vector<KnownMemory> mine(descriptors, {{one.begin(0), 0, 0}, one.registered[0]});
    const std::vector<KnownMemory> theirs(descriptors, {{other.begin(0), 0, 0}, one.targets[0]});
    const BackEnd::List local(NixlMemory::device, mine), remote(NixlMemory::device, theirs);
    const NixlOptions options{.message = "empty", .has_message = true, .other = {}};
    NixlRequest* request = nullptr;
    ASSERT_EQ(one.engine->prepare(NixlOperation::read, local, remote, "other", request, &options),
              NixlStatus::success);
    ASSERT_EQ(one.engine->post(NixlOperation::read, local, remote, "other", request, &options),
              NixlStatus::in_progress);
    wait_for(one, request);
    EXPECT_EQ(one.engine->release(request), NixlStatus::success);
    NixlMessages messages;
    EXPECT_EQ(other.engine->take_messages(messages), NixlStatus::success);
    EXPECT_EQ(messages, (NixlMessages{{"one", "empty"}}));
  }
}

}  // namespace
}  // namespace typewarp::nixl
