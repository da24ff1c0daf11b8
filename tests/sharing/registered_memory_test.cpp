// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/registered_memory.hpp>

#include "engine/runtime/memory_kinds.hpp"
#include "engine/calls.hpp"

#include <typewarp/engine.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

/// Both sides in one process.
namespace typewarp::test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t bytes = 4096;

class Registering : public testing::Test {
 protected:
  void SetUp() override {
    TYPEWARP_NEEDS_GPU();
    memory_ = allocate(Source::device, bytes);
  }
  MemoryRange range(std::int64_t offset = 0) const { return {memory_->data() + offset, bytes - offset}; }
  RegisteredMemory registered(int signals = 2, std::chrono::milliseconds limit = 30s) const {
    return RegisteredMemory(std::array{range(), range(100)}, {.signals = signals, .time_limit = limit});
  }
  std::string refusal(const MemoryRange& range, const RegistrationOptions& options = {}) const {
    return message_of<Error>([&] { RegisteredMemory(std::array{range}, options); });
  }

 private:
  std::unique_ptr<Memory> memory_;
};

TEST_F(Registering, HasTheRangesAsTheyWereGiven) {
  const RegisteredMemory mine = registered(3);
  const RemoteMemory remote(mine.handle());
  ASSERT_EQ(remote.ranges().size(), 2U);
  EXPECT_EQ(remote.ranges()[0].address, range().address);  // in the same process
  EXPECT_EQ(remote.ranges()[1].address, range(100).address);
  EXPECT_EQ(remote.ranges()[1].bytes, bytes - 100);
  EXPECT_EQ(remote.signals(), 3);
  EXPECT_EQ(remote.device(), 0);
}

TEST_F(Registering, BothSeeWhatASignalIs) {
  RegisteredMemory mine = registered();
  const RemoteMemory remote(mine.handle());
  EXPECT_EQ(remote.signal(1), 0);
  mine.raise(1, 5);
  EXPECT_EQ(remote.signal(1), 5);
  EXPECT_EQ(mine.signal(1), 5);
  EXPECT_EQ(message_of<InvalidArgument>([&] { mine.raise(1, -1); }),
            "typewarp::RegisteredMemory::raise: value = -1: must not be negative");
  EXPECT_THROW(mine.raise(2, 1), InvalidArgument);
  EXPECT_THROW(static_cast<void>(remote.signal(2)), InvalidArgument);
  mine.end();
  EXPECT_THROW(mine.raise(1, 6), Error);
}

TEST_F(Registering, WaitsForWhatPeersHaveBegunAndNotForMore) {
  RegisteredMemory mine = registered(2, 200ms);
  mine.wait_for_peers();
  RemoteMemory remote(mine.handle()), other(mine.handle());
  remote.begin(nullptr);
  EXPECT_THROW(mine.wait_for_peers(), TimeLimitExceeded);
  std::jthread working([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) other.use(nullptr, [] {});
  });
  remote.finish(nullptr);
  EXPECT_CUDA(cudaDeviceSynchronize());
  for (int time = 0; time < 100; ++time) mine.wait_for_peers();
  working.request_stop();
  working.join();
  other.use(nullptr, [] {});  // it has not been ended
}

TEST_F(Registering, StreamsWaitForSignals) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "the thread sanitizer does not know that two addresses are one signal, which is mapped twice";
#endif
  RegisteredMemory mine = registered();
  RemoteMemory remote(mine.handle());
  const OwnStream waiting, telling;
  const auto found = allocate(Source::pinned, bytes), told = allocate(Source::pinned, bytes);
  for (int step = 1; step <= 70; ++step) {  // more than there are turns
    std::memset(told->data(), step, bytes);
    mine.wait(1, step, waiting.get());
    EXPECT_CUDA(cudaMemcpyAsync(found->data(), range().address, bytes, cudaMemcpyDefault, waiting.get()));
    remote.use(telling.get(),
               [&] {
                 EXPECT_CUDA(cudaMemcpyAsync(remote.ranges()[0].address, told->data(), bytes,
                                             cudaMemcpyDefault, telling.get()));
               },
               {.signal = 1, .value = step});
    waiting.wait();
    ASSERT_EQ(std::memcmp(found->data(), told->data(), bytes), 0) << step;
    ASSERT_EQ(mine.signal(1), step);
  }
  EXPECT_EQ(mine.signal(0), 0);
  mine.wait(1, 70);
}

TEST_F(Registering, TheHostWaitsNoLongerThanTheLimit) {
  RegisteredMemory mine = registered(1, 50ms);
  EXPECT_THROW(mine.wait(0, 1), TimeLimitExceeded);
  RemoteMemory remote(mine.handle());
  remote.use(nullptr, [] {}, {.signal = 0, .value = 5});
  EXPECT_CUDA(cudaDeviceSynchronize());
  mine.wait(0, 5);
  EXPECT_EQ(mine.signal(0), 5);
}

TEST_F(Registering, TheCallWaitsNoLongerThanTheLimitForStreamsThatWait) {
  RegisteredMemory mine = registered(1, 50ms);
  const OwnStream stream;
  for (int i = 0; i < 32; ++i) mine.wait(0, 1, stream.get());
  EXPECT_THROW(mine.wait(0, 1, stream.get()), TimeLimitExceeded);
  RemoteMemory remote(mine.handle());
  const OwnStream other;
  remote.use(other.get(), [] {}, {.signal = 0, .value = 1});
  stream.wait();
  mine.wait(0, 1, stream.get());
}

TEST_F(Registering, WhatIsNotFinishedIsFinishedAtTheEnd) {
  RegisteredMemory mine = registered(1, 100ms);
  {
    RemoteMemory remote(mine.handle());
    remote.begin(nullptr);
    EXPECT_THROW(mine.end(), TimeLimitExceeded);
  }
  mine.end();
}

TEST_F(Registering, AChildEndsNothing) {
  RegisteredMemory mine = registered();
  RemoteMemory remote(mine.handle());
  remote.begin(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool refused =
        message_of<Error>([&] { mine.wait(0, 0); }).find("forked") != std::string::npos &&
        message_of<Error>([&] { remote.finish(nullptr); }).find("forked") != std::string::npos;
    std::destroy_at(&remote);
    std::destroy_at(&mine);
    _exit(refused ? 0 : 1);
  }
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  remote.finish(nullptr, {.signal = 0, .value = 3});
  mine.wait(0, 3);
  EXPECT_EQ(mine.signal(1), 0);
}

TEST_F(Registering, EndRefusesPeersAndReleasesStreams) {
  RegisteredMemory mine = registered();
  RemoteMemory remote(mine.handle());
  const OwnStream stream;
  mine.wait(0, 1, stream.get());
  mine.end();
  stream.wait();
  mine.end();  // once more
  const auto ended = [](auto call) { return message_of<Error>(call).find("ended") != std::string::npos; };
  EXPECT_TRUE(ended([&] { remote.check(); }));
  EXPECT_TRUE(ended([&] { remote.begin(stream.get()); }));
  EXPECT_TRUE(ended([&] { mine.wait(0, 1, stream.get()); }));
  EXPECT_TRUE(ended([&] { mine.wait(0, 1); }));
  EXPECT_TRUE(ended([&] { RemoteMemory late(mine.handle()); }));
}

TEST_F(Registering, EndWaitsForWorkOfPeers) {
  RegisteredMemory mine = registered(1, 100ms);
  RemoteMemory remote(mine.handle());
  const OwnStream stream;
  remote.begin(stream.get());
  EXPECT_THROW(mine.end(), TimeLimitExceeded);
  remote.finish(stream.get());
  stream.wait();
  mine.end();
}

TEST_F(Registering, WhatThrowsInUseRaisesNoSignal) {
  RegisteredMemory mine = registered();
  RemoteMemory remote(mine.handle());
  const OwnStream stream;
  EXPECT_THROW(
      remote.use(stream.get(), [] { throw std::runtime_error("in between"); }, {.signal = 0, .value = 1}),
      std::runtime_error);
  stream.wait();
  EXPECT_EQ(mine.signal(0), 0);
  remote.use(stream.get(), [] {}, {.signal = 0, .value = 2});
  stream.wait();
  EXPECT_EQ(mine.signal(0), 2);
}

TEST_F(Registering, BeginAndFinishFollowEachOther) {
  RegisteredMemory mine = registered();
  RemoteMemory remote(mine.handle());
  EXPECT_NE(message_of<Error>([&] { remote.finish(nullptr); }).find("begin() has not been called"),
            std::string::npos);
  remote.begin(nullptr);
  EXPECT_NE(message_of<Error>([&] { remote.begin(nullptr); }).find("finish() has not been called"),
            std::string::npos);
  EXPECT_EQ(message_of<Error>([&] { remote.finish(nullptr, {.signal = 2, .value = 1}); }),
            "typewarp::RemoteMemory::finish: notice.signal = 2: must be at least 0 and less than 2, the "
            "signals there are");
  remote.begin(nullptr);  // it has finished all the same
  EXPECT_EQ(message_of<Error>([&] { remote.finish(nullptr, {.signal = 1, .value = -1}); }),
            "typewarp::RemoteMemory::finish: notice.value = -1: must not be negative");
  EXPECT_CUDA(cudaDeviceSynchronize());
  mine.end();
}

TEST_F(Registering, SixtyFourPeersHaveItAndThenOneMoreIfOneGoes) {
  const RegisteredMemory mine = registered();
  std::vector<std::unique_ptr<RemoteMemory>> peers;
  for (int i = 0; i < RegisteredMemory::most_peers; ++i)
    peers.push_back(std::make_unique<RemoteMemory>(mine.handle()));
  EXPECT_NE(message_of<Error>([&] { RemoteMemory more(mine.handle()); }).find("64 peers"), std::string::npos);
  peers.pop_back();
  const RemoteMemory one(mine.handle());
}

TEST_F(Registering, NamesTheArgumentThatIsWrong) {
  EXPECT_EQ(refusal({range().address, -1}),
            "typewarp::RegisteredMemory: ranges[0].bytes = -1: must not be negative");
  std::array<std::byte, 16> pageable{};
  EXPECT_NE(refusal({pageable.data(), 16}).find("cannot be shared: it is not memory of a device"),
            std::string::npos);
  EXPECT_NE(refusal({range().address, bytes + (1 << 30)}).find("ranges[0].address"), std::string::npos);
  EXPECT_NE(refusal(range(), {.signals = -1}).find("options.signals = -1"), std::string::npos);
  EXPECT_NE(refusal(range(), {.time_limit = -1ms}).find("options.time_limit = -1"), std::string::npos);
  RegisteredMemory mine = registered();
  EXPECT_NE(message_of<Error>([&] { mine.wait(2, 0); }).find("signal = 2"), std::string::npos);
  EXPECT_NE(message_of<Error>([&] { mine.wait(0, -1, nullptr); }).find("value = -1"), std::string::npos);
  EXPECT_NE(message_of<Error>([&] { RemoteMemory(mine.handle(), 99); }).find("device = 99"),
            std::string::npos);
}

TEST_F(Registering, RefusesBytesThatAreNoHandle) {
  const RegisteredMemory mine = registered();
  const std::vector<std::byte> handle(mine.handle().begin(), mine.handle().end());
  const auto refused = [](const std::vector<std::byte>& given) {
    try {
      RemoteMemory remote(given);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused(std::vector(handle.begin(), handle.end() - 1)));
  EXPECT_TRUE(refused(std::vector<std::byte>(handle.size())));
  // Whatever the bytes are: an error, or what is in order all the same.
  for (std::size_t at = 0; at < handle.size(); ++at) {
    std::vector<std::byte> bent = handle;
    bent[at] ^= std::byte{0x41};
    static_cast<void>(refused(bent));
  }
}

TEST_F(Registering, CannotBeCaptured) {
  RegisteredMemory mine = registered();
  RemoteMemory remote(mine.handle());
  const OwnStream stream;
  EXPECT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  EXPECT_NE(message_of<Error>([&] { mine.wait(0, 1, stream.get()); }).find("cannot be captured"),
            std::string::npos);
  EXPECT_NE(message_of<Error>([&] { remote.begin(stream.get()); }).find("cannot be captured"),
            std::string::npos);
  cudaGraph_t graph = nullptr;
  EXPECT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace typewarp::test
