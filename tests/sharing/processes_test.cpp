// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/memory_kinds.hpp"
#include "sharing/sharing_peer.hpp"
#include "engine/calls.hpp"

#include <typewarp/indexed_copy.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

namespace typewarp::test {
namespace {

using Bytes = std::vector<unsigned char>;

/// The program sharing_peer. Ends it when destroyed.
class OtherProcess {
 public:
  explicit OtherProcess(const char* role, int device = 0) {
    int in[2], out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    std::string path = SHARING_PEER, as = role, on = std::to_string(device);
    char* arguments[] = {path.data(), as.data(), on.data(), nullptr};
    EXPECT_EQ(posix_spawn(&process_, path.c_str(), &actions, nullptr, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  ~OtherProcess() {
    close(to_);
    int status = 0;
    if (process_ > 0) {
      EXPECT_EQ(waitpid(process_, &status, 0), process_);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    close(from_);
  }

  void tell(const void* what, std::size_t size) const {
    ASSERT_EQ(write(to_, what, size), static_cast<ssize_t>(size));
  }
  void read_all(void* to, std::size_t size) const {
    for (auto* at = static_cast<std::byte*>(to); size > 0;) {
      const ssize_t got = read(from_, at, size);
      ASSERT_GT(got, 0);
      at += got;
      size -= static_cast<std::size_t>(got);
    }
  }
  std::vector<std::byte> handle() const {
    std::uint64_t size = 0;
    read_all(&size, sizeof size);
    std::vector<std::byte> result(size);
    read_all(result.data(), size);
    return result;
  }
  void kill_it() {
    EXPECT_EQ(kill(process_, SIGKILL), 0);
    EXPECT_EQ(waitpid(process_, nullptr, 0), process_);
    process_ = -1;
  }

 private:
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

ItemArray items_of(const MemoryRange& range) {
  return {range.address, items, item_bytes, commit(contiguous(item_bytes, Named::byte))};
}

std::vector<std::int32_t> shuffled(unsigned seed) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(items));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

class Processes : public testing::Test {
 protected:
  void SetUp() override { TYPEWARP_NEEDS_GPU(); }
};

/// This process, on GPU 0, gets pages of another and puts some of them to other places there, three times.
void get_and_put(const OtherProcess& owner) {
  const std::vector<std::byte> handle = owner.handle();
  RemoteMemory remote(handle);
  ASSERT_EQ(remote.ranges().size(), 2U);
  const auto mine = allocate(Source::device, items * item_bytes);
  const MemoryRange here{mine->data(), items * item_bytes};
  IndexedCopy get(std::array{items_of(remote.ranges()[0])}, std::array{items_of(here)});
  IndexedCopy put(std::array{items_of(here)}, std::array{items_of(remote.ranges()[1])});
  const OwnStream stream;
  Bytes expected(static_cast<std::size_t>(items * item_bytes)), found(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = value_of(static_cast<std::int64_t>(i) / item_bytes, 1);
  for (int step = 1; step <= 3; ++step) {
    const auto from = shuffled(static_cast<unsigned>(step)), to = shuffled(static_cast<unsigned>(10 * step));
    constexpr std::int64_t count = items / 2;
    remote.use(stream.get(), [&] { get.copy(from.data(), {}, count, stream.get()); });
    remote.use(stream.get(), [&] { put.copy({}, to.data(), count, stream.get()); },
               {.signal = 0, .value = step});
    for (std::size_t k = 0; k < count; ++k) {
      std::fill_n(expected.begin() + to[k] * item_bytes, item_bytes, value_of(from[k], 0));
    }
    owner.tell("?", 1);
    owner.read_all(found.data(), found.size());
    ASSERT_EQ(found, expected) << step;
    remote.check();
  }
}

TEST_F(Processes, GetPagesAndPutThemToAnotherOrder) {
  const OtherProcess owner("owner");
  get_and_put(owner);
}

TEST_F(Processes, GetAndPutPagesOfAnotherGpu) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const OtherProcess owner("owner", 1);
  get_and_put(owner);
}

TEST_F(Processes, TellOfAnOwnerThatHasEnded) {
  OtherProcess owner("owner");
  const std::vector<std::byte> handle = owner.handle();
  RemoteMemory remote(handle);
  remote.use(nullptr, [] {});
  owner.kill_it();
  EXPECT_NE(message_of<Error>([&] { remote.check(); }).find("has ended"), std::string::npos);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_NE(message_of<Error>([&] { remote.begin(nullptr); }).find("has ended"), std::string::npos);
  EXPECT_NE(message_of<Error>([&] { RemoteMemory late(handle); }).find("has ended"), std::string::npos);
}

/// A registration, and a peer that has begun to use it.
class UsedMemory {
 public:
  explicit UsedMemory(std::chrono::milliseconds limit, const char* role = "user")
      : memory_(allocate(Source::device, items * item_bytes)),
        registered(std::array{MemoryRange{memory_->data(), items * item_bytes}},
                   {.signals = 1, .time_limit = limit}),
        peer(std::make_unique<OtherProcess>(role)) {
    const std::uint64_t size = registered.handle().size();
    peer->tell(&size, sizeof size);
    peer->tell(registered.handle().data(), size);
    char begun = 0;
    peer->read_all(&begun, 1);
  }

 private:
  std::unique_ptr<Memory> memory_;

 public:
  RegisteredMemory registered;
  std::unique_ptr<OtherProcess> peer;
};

TEST_F(Processes, EndDoesNotWaitForAPeerThatDied) {
  UsedMemory mine(std::chrono::milliseconds(300));
  EXPECT_THROW(mine.registered.end(), TimeLimitExceeded);
  mine.peer->kill_it();
  mine.registered.end();
}

TEST_F(Processes, EndWaitsForAPeerAndThenReturns) {
  UsedMemory mine(std::chrono::seconds(30));
  std::atomic<bool> ended = false;
  const std::jthread ending([&] {
    mine.registered.end();
    ended = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(ended);
  mine.peer.reset();
}

/// Kills the peer when all places are taken, and takes its one.
void take_the_place(const UsedMemory& mine) {
  std::vector<std::unique_ptr<RemoteMemory>> others;
  const auto come = [&] { others.push_back(std::make_unique<RemoteMemory>(mine.registered.handle())); };
  for (int i = 1; i < RegisteredMemory::most_peers; ++i) come();
  EXPECT_THROW(come(), Error);
  mine.peer->kill_it();
  come();
  others.back()->use(nullptr, [] {}, {.signal = 0, .value = 1});
}

TEST_F(Processes, ThePlaceOfAPeerThatDiedIsTakenByAnother) {
  UsedMemory mine(std::chrono::seconds(30), "idler");
  take_the_place(mine);
  mine.registered.wait(0, 1);
}

TEST_F(Processes, ThePlaceOfAPeerThatDiedAtWorkIsTakenByAnother) {
  UsedMemory mine(std::chrono::milliseconds(300));
  take_the_place(mine);
  mine.registered.wait(0, 1);
  mine.registered.wait_for_peers();
}

// Kernels of a process that died may still write then.
TEST_F(Processes, WhatAPeerThatDiedHadBegunIsOver100MsLater) {
  using Clock = std::chrono::steady_clock;
  UsedMemory mine(std::chrono::milliseconds(300));
  EXPECT_THROW(mine.registered.wait_for_peers(), TimeLimitExceeded);
  mine.peer->kill_it();
  const Clock::time_point begin = Clock::now();
  mine.registered.wait_for_peers();
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(100));
  const Clock::time_point again = Clock::now();
  mine.registered.wait_for_peers();
  EXPECT_LT(Clock::now() - again, std::chrono::milliseconds(100));
}

}  // namespace
}  // namespace typewarp::test
