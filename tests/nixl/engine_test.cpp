// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/agent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

/// Agents of one process, as NIXL would call their back ends. Processes are tested by NIXL itself.
namespace typewarp::nixl {
namespace {

/// Descriptors of both sides that overlap nowhere: cuts of both pieces of memory, of one list of lengths,
/// each side in an order of its own.
struct Lists {
  std::vector<KnownMemory> local, remote;

  Lists(const Agent& here, const Agent& there, std::mt19937& random, std::size_t kinds) {
    std::vector<std::size_t> lengths;
    for (std::size_t all = 0; all < bytes;) {
      lengths.push_back(std::min(bytes - all, 64 * (1 + random() % kinds)));
      all += lengths.back();
    }
    const auto lay_out = [&](const Agent& agent, const std::vector<NixlMetadata*>& metadata) {
      std::vector<KnownMemory> side(lengths.size());
      std::vector<std::size_t> order(lengths.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), random);
      std::array<std::size_t, 2> ends{};
      for (const std::size_t i : order) {
        std::size_t piece = random() % 2;
        if (ends[piece] + lengths[i] > bytes) piece = 1 - piece;
        side[i] = {{agent.begin(static_cast<int>(piece)) + ends[piece], lengths[i], 0}, metadata[piece]};
        ends[piece] += lengths[i];
      }
      return side;
    };
    local = lay_out(here, here.registered);
    remote = lay_out(there, here.targets);
  }
};

/// What the copies do, on the host.
void apply(std::array<Bytes, 2>& to, const Agent& of_to, const std::array<Bytes, 2>& from,
           const Agent& of_from, const std::vector<KnownMemory>& from_side,
           const std::vector<KnownMemory>& to_side) {
  const auto place = [](const Agent& agent, std::uintptr_t address) {
    const std::size_t piece = address >= agent.begin(0) && address < agent.begin(0) + bytes ? 0 : 1;
    return std::pair(piece, address - agent.begin(static_cast<int>(piece)));
  };
  for (std::size_t i = 0; i < from_side.size(); ++i) {
    const auto [read, read_at] = place(of_from, from_side[i].address);
    const auto [written, written_at] = place(of_to, to_side[i].address);
    std::copy_n(from[read].begin() + static_cast<std::ptrdiff_t>(read_at), from_side[i].bytes,
                to[written].begin() + static_cast<std::ptrdiff_t>(written_at));
  }
}

class NixlEngine : public testing::Test {
 protected:
  void SetUp() override { TYPEWARP_NEEDS_GPU(); }
};

void move_everything(Agent& here, Agent& there, NixlOperation operation, std::size_t kinds, unsigned seed) {
  std::mt19937 random(seed);
  std::array<Bytes, 2> mine{random_bytes(seed), random_bytes(seed + 1)};
  std::array<Bytes, 2> theirs{random_bytes(seed + 2), random_bytes(seed + 3)};
  for (int i = 0; i < 2; ++i) {
    here.fill(i, mine[static_cast<std::size_t>(i)]);
    there.fill(i, theirs[static_cast<std::size_t>(i)]);
  }
  const Lists lists(here, there, random, kinds);
  const BackEnd::List local(NixlMemory::device, lists.local), remote(NixlMemory::device, lists.remote);
  NixlRequest* request = nullptr;
  ASSERT_EQ(here.engine->prepare(operation, local, remote, there.name(), request, nullptr),
            NixlStatus::success);
  EXPECT_EQ(here.engine->check(request), NixlStatus::not_posted);
  const NixlOptions options{.message = "done " + std::to_string(seed), .has_message = true, .other = {}};
  for (int time = 0; time < 2; ++time) {  // it may be posted again
    ASSERT_EQ(here.engine->post(operation, local, remote, there.name(), request, &options),
              NixlStatus::in_progress);
    wait_for(here, request);
    NixlMessages messages;
    ASSERT_EQ(there.engine->take_messages(messages), NixlStatus::success);
    EXPECT_EQ(messages, (NixlMessages{{here.name(), options.message}}));
  }
  EXPECT_EQ(here.engine->release(request), NixlStatus::success);
  if (operation == NixlOperation::write) {
    apply(theirs, there, mine, here, lists.local, lists.remote);
  } else {
    apply(mine, here, theirs, there, lists.remote, lists.local);
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(here.content(i), mine[static_cast<std::size_t>(i)]) << i;
    EXPECT_EQ(there.content(i), theirs[static_cast<std::size_t>(i)]) << i;
  }
}

TEST_F(NixlEngine, MovesDescriptorsOfAnyLengthBothWays) {
  Agent one("one"), other("other");
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  unsigned seed = 0;
  for (const std::size_t kinds : {1U, 3U, 20U}) {
    for (const NixlOperation operation : {NixlOperation::write, NixlOperation::read})
      move_everything(one, other, operation, kinds, seed += 10);
  }
}

TEST_F(NixlEngine, MovesBetweenTwoGpus) {
  TYPEWARP_NEEDS_TWO_GPUS();
  Agent one("one", 0), other("other", 1);
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  move_everything(one, other, NixlOperation::write, 3, 1);
  move_everything(one, other, NixlOperation::read, 3, 2);
}

TEST_F(NixlEngine, MovesLongAndShortRunsWithinAnAgent) {
  constexpr std::size_t all = (3 << 20) + 12345;
  Agent agent("one", 0, all);
  ASSERT_EQ(agent.meet(agent), NixlStatus::success);
  const Bytes content = random_bytes(5, all);
  agent.fill(0, content);
  std::vector<KnownMemory> here, there;
  for (const auto& [from, to] : {std::pair{1, 2 << 20}, {(2 << 20) + 3, 3 << 20}, {3 << 20, int{all}}}) {
    const auto begin = static_cast<std::size_t>(from), length = static_cast<std::size_t>(to - from);
    here.push_back({{agent.begin(0) + begin, length, 0}, agent.registered[0]});
    there.push_back({{agent.begin(1) + all - begin - length, length, 0}, agent.targets[1]});
  }
  const BackEnd::List local(NixlMemory::device, here), remote(NixlMemory::device, there);
  NixlRequest* request = nullptr;
  ASSERT_EQ(agent.engine->prepare(NixlOperation::write, local, remote, "one", request, nullptr),
            NixlStatus::success);
  ASSERT_EQ(agent.engine->post(NixlOperation::write, local, remote, "one", request, nullptr),
            NixlStatus::in_progress);
  wait_for(agent, request);
  EXPECT_EQ(agent.engine->release(request), NixlStatus::success);
  const Bytes found = agent.content(1);
  for (std::size_t i = 0; i < here.size(); ++i) {
    const auto from = static_cast<std::ptrdiff_t>(here[i].address - agent.begin(0));
    const auto to = static_cast<std::ptrdiff_t>(there[i].address - agent.begin(1));
    EXPECT_TRUE(std::equal(content.begin() + from,
                           content.begin() + from + static_cast<std::ptrdiff_t>(here[i].bytes),
                           found.begin() + to))
        << i;
  }
}

TEST_F(NixlEngine, SendsMessagesWithoutATransfer) {
  Agent one("one"), other("other");
  EXPECT_EQ(one.engine->send_message("other", "early"), NixlStatus::disconnected);
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  EXPECT_EQ(one.engine->send_message("other", "hello"), NixlStatus::success);
  EXPECT_EQ(one.engine->send_message("one", "me"), NixlStatus::success);
  NixlMessages messages;
  EXPECT_EQ(other.engine->take_messages(messages), NixlStatus::success);
  EXPECT_EQ(messages, (NixlMessages{{"one", "hello"}}));
  messages.clear();
  EXPECT_EQ(one.engine->take_messages(messages), NixlStatus::success);
  EXPECT_EQ(messages, (NixlMessages{{"one", "me"}}));
}

TEST_F(NixlEngine, SendsWhatAPeerHadNoRoomFor) {
  constexpr int count = 5000;
  Agent other("other");
  {
    Agent one("one");
    ASSERT_EQ(one.meet(other), NixlStatus::success);
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(one.engine->send_message("other", std::to_string(i)), NixlStatus::success);
    NixlMessages messages;
    for (std::size_t seen = 0; seen + 100 < count;) {
      ASSERT_EQ(other.engine->take_messages(messages), NixlStatus::success);
      ASSERT_EQ(one.engine->connect("other"), NixlStatus::success);  // any call sends what is kept
      seen = messages.size();
    }
    for (std::size_t i = 0; i < messages.size(); ++i) ASSERT_EQ(messages[i].second, std::to_string(i));
  }
}

TEST_F(NixlEngine, RefusesANotificationThatIsTooLongBeforeItMovesAnything) {
  Agent one("one"), other("other");
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  const BackEnd::List local(NixlMemory::device, {{{one.begin(0), 64, 0}, one.registered[0]}});
  const BackEnd::List remote(NixlMemory::device, {{{other.begin(0), 64, 0}, one.targets[0]}});
  const NixlOptions options{
      .message = std::string(Mailbox::most_bytes + 1, 'x'), .has_message = true, .other = {}};
  NixlRequest* request = nullptr;
  EXPECT_EQ(one.engine->prepare(NixlOperation::write, local, remote, "other", request, &options),
            NixlStatus::invalid_argument);
  ASSERT_EQ(one.engine->prepare(NixlOperation::write, local, remote, "other", request, nullptr),
            NixlStatus::success);
  EXPECT_EQ(one.engine->post(NixlOperation::write, local, remote, "other", request, &options),
            NixlStatus::invalid_argument);
  EXPECT_EQ(one.engine->check(request), NixlStatus::not_posted);
  // Nor is it kept for what was posted before.
  ASSERT_EQ(one.engine->post(NixlOperation::write, local, remote, "other", request, nullptr),
            NixlStatus::in_progress);
  wait_for(one, request);
  EXPECT_EQ(one.engine->post(NixlOperation::write, local, remote, "other", request, &options),
            NixlStatus::invalid_argument);
  EXPECT_EQ(one.engine->check(request), NixlStatus::success);
  EXPECT_EQ(one.engine->release(request), NixlStatus::success);
}

TEST_F(NixlEngine, ServesThreadsAtOnce) {
  Agent one("one"), other("other");
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  const Bytes content = random_bytes(11);
  one.fill(0, content);
  constexpr std::size_t threads = 4, share = bytes / threads;
  std::vector<std::thread> all;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, begin = thread * share] {
      const BackEnd::List local(NixlMemory::device, {{{one.begin(0) + begin, share, 0}, one.registered[0]}});
      const BackEnd::List remote(NixlMemory::device, {{{other.begin(1) + begin, share, 0}, one.targets[1]}});
      for (int time = 0; time < 40; ++time) {  // more than turns
        NixlRequest* request = nullptr;
        ASSERT_EQ(one.engine->prepare(NixlOperation::write, local, remote, "other", request, nullptr),
                  NixlStatus::success);
        ASSERT_EQ(one.engine->post(NixlOperation::write, local, remote, "other", request, nullptr),
                  NixlStatus::in_progress);
        wait_for(one, request);
        ASSERT_EQ(one.engine->release(request), NixlStatus::success);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(other.content(1), content);
}

TEST_F(NixlEngine, RefusesWhatDoesNotFit) {
  Agent one("one"), other("other");
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  const auto prepared = [&](std::vector<KnownMemory> local, std::vector<KnownMemory> remote) {
    NixlRequest* request = nullptr;
    const NixlStatus status =
        one.engine->prepare(NixlOperation::write, BackEnd::List(NixlMemory::device, std::move(local)),
                            BackEnd::List(NixlMemory::device, std::move(remote)), "other", request, nullptr);
    EXPECT_EQ(request, nullptr);
    return status;
  };
  const KnownMemory mine{{one.begin(0), 64, 0}, one.registered[0]};
  const KnownMemory theirs{{other.begin(0), 64, 0}, one.targets[0]};
  KnownMemory wrong = theirs;
  wrong.bytes = 65;
  EXPECT_EQ(prepared({mine}, {wrong}), NixlStatus::invalid_argument);
  wrong = theirs;
  wrong.address = other.begin(0) + bytes - 63;
  EXPECT_EQ(prepared({mine}, {wrong}), NixlStatus::invalid_argument);
  wrong.address = other.begin(0) - 1;
  EXPECT_EQ(prepared({mine}, {wrong}), NixlStatus::invalid_argument);
  wrong = theirs;
  KnownMemory mine_too = mine;
  wrong.bytes = mine_too.bytes = ~std::size_t{0};
  EXPECT_EQ(prepared({mine_too}, {wrong}), NixlStatus::invalid_argument);
  EXPECT_EQ(prepared({mine, mine}, {theirs}), NixlStatus::invalid_argument);
  NixlMetadata* made = nullptr;
  EXPECT_EQ(one.engine->register_memory(one.described(0, ""), NixlMemory::host, made),
            NixlStatus::not_supported);
  int on_host = 0;
  EXPECT_EQ(one.engine->register_memory({{reinterpret_cast<std::uintptr_t>(&on_host), 4, 0}, ""},
                                        NixlMemory::device, made),
            NixlStatus::invalid_argument);
}

TEST_F(NixlEngine, RefusesConnectionsToOtherHosts) {
  Agent one("one");
  EXPECT_EQ(one.engine->load_connection("far", "typewarp-nixl-00000000000000000000000000000000"),
            NixlStatus::not_supported);
  EXPECT_EQ(one.engine->connect("far"), NixlStatus::not_found);
  // NIXL loads its memory all the same.
  NixlMetadata* made = nullptr;
  ASSERT_EQ(one.engine->load_remote({{4096, bytes, 0}, "another host's"}, NixlMemory::device, "far", made),
            NixlStatus::success);
  NixlRequest* request = nullptr;
  const BackEnd::List local(NixlMemory::device, {{{one.begin(0), 64, 0}, one.registered[0]}});
  const BackEnd::List remote(NixlMemory::device, {{{4096, 64, 0}, made}});
  EXPECT_EQ(one.engine->prepare(NixlOperation::write, local, remote, "far", request, nullptr),
            NixlStatus::disconnected);
  EXPECT_EQ(one.engine->unload(made), NixlStatus::success);
}

TEST_F(NixlEngine, SaysThatMemoryHasBeenDeregistered) {
  Agent one("one"), other("other");
  ASSERT_EQ(one.meet(other), NixlStatus::success);
  const BackEnd::List local(NixlMemory::device, {{{one.begin(0), 64, 0}, one.registered[0]}});
  const BackEnd::List remote(NixlMemory::device, {{{other.begin(1), 64, 0}, one.targets[1]}});
  NixlRequest* request = nullptr;
  ASSERT_EQ(one.engine->prepare(NixlOperation::read, local, remote, "other", request, nullptr),
            NixlStatus::success);
  ASSERT_EQ(other.engine->deregister_memory(other.registered[1]), NixlStatus::success);
  other.registered.pop_back();
  EXPECT_EQ(one.engine->post(NixlOperation::read, local, remote, "other", request, nullptr),
            NixlStatus::disconnected);
  EXPECT_EQ(one.engine->check(request), NixlStatus::not_posted);
  EXPECT_EQ(one.engine->release(request), NixlStatus::success);
}

}  // namespace
}  // namespace typewarp::nixl
