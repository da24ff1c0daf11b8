// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Streams that wait for flags, and what lets them go on.

#include "engine/device/signalled_copies.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <atomic>
#include <chrono>
#include <ostream>
#include <thread>

namespace typewarp::gpu {

std::ostream& operator<<(std::ostream& out, FlagWait wait) {
  return out << (wait == FlagWait::kernel ? "kernel" : "memory_operation");
}

namespace {

using namespace std::chrono_literals;
using test::OwnStream;

constexpr int device = 0;

/// Words in page-locked memory.
class HostWords {
 public:
  HostWords() : memory_(test::allocate(test::Source::pinned, 64)) {
    memory_->write(std::vector<std::byte>(64));
  }

  Flag* flag(int i) { return reinterpret_cast<Flag*>(memory_->data()) + i; }
  std::uint64_t* count() { return reinterpret_cast<std::uint64_t*>(memory_->data()) + 4; }
  Flag value(int i) { return std::atomic_ref(*flag(i)).load(); }
  std::uint64_t counted() { return std::atomic_ref(*count()).load(); }

 private:
  std::unique_ptr<test::Memory> memory_;
};

Flag value(const Flag* on_device) {
  Flag found = 0;
  EXPECT_CUDA(cudaMemcpy(&found, on_device, sizeof found, cudaMemcpyDefault));
  return found;
}

class Flags : public testing::TestWithParam<FlagWait> {
 protected:
  void SetUp() override { TYPEWARP_NEEDS_GPU(); }
};

// Each of two streams waits for what the other raises: more flags than a kernel takes at a time, and than
// the driver takes of two operations each.
TEST_P(Flags, OrderStreamsWithoutTheHost) {
  constexpr int flags = 130;
  const OwnStream one, other;
  const DeviceFlags calls(device, flags), answers(device, flags);
  HostWords words;
  FlagSteps call, answer;
  for (int i = 0; i < flags; ++i) {
    call.raised.push_back(calls.at(i));
    call.awaited.push_back(answers.at(i));
    answer.awaited.push_back(calls.at(i));
    answer.raised.push_back(answers.at(i));
  }
  const SignalledCopies calling(device, {.after = call, .count = words.count()}, GetParam());
  const SignalledCopies waiting(device, {.before = {.awaited = answer.awaited}}, GetParam());
  const SignalledCopies answering(device, {.before = {.raised = answer.raised}}, GetParam());
  for (std::uint64_t round = 1; round <= 50; ++round) {
    calling.enqueue(one.get(), round);
    waiting.enqueue(other.get());
    answering.enqueue(other.get());
  }
  one.wait();
  other.wait();
  EXPECT_EQ(words.counted(), 50U);
  for (int i = 0; i < flags; ++i) {
    EXPECT_EQ(value(calls.at(i)), 0U) << i;
    EXPECT_EQ(value(answers.at(i)), 0U) << i;
  }
}

TEST_P(Flags, WaitForTheHost) {
  const OwnStream stream;
  HostWords words;
  const SignalledCopies work(
      device, {.before = {.awaited = {words.flag(1)}}, .waiting = words.flag(0), .count = words.count()},
      GetParam());
  work.enqueue(stream.get(), 7);
  const auto begun = std::chrono::steady_clock::now();
  while (words.value(0) == 0 && std::chrono::steady_clock::now() - begun < 10s) std::this_thread::yield();
  EXPECT_EQ(words.value(0), 1U);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(words.counted(), 0U);
  std::atomic_ref(*words.flag(1)).store(1);
  stream.wait();
  EXPECT_EQ(words.counted(), 7U);
  EXPECT_EQ(words.value(0), 0U);
  EXPECT_EQ(words.value(1), 0U);
}

TEST_P(Flags, AreClosedByTheHostWhileStreamsWait) {
  const OwnStream stream;
  const DeviceFlags flags(device, 3);
  HostWords words;
  const SignalledCopies work(
      device, {.before = {.awaited = {flags.at(1)}}, .after = {.awaited = {flags.at(2)}}}, GetParam());
  const SignalledCopies behind(device, {.after = {.raised = {words.flag(0)}}, .gate = flags.at(0)},
                               GetParam());
  behind.enqueue(stream.get());
  stream.wait();
  EXPECT_EQ(words.value(0), 1U);
  std::atomic_ref(*words.flag(0)).store(0);
  work.enqueue(stream.get());
  behind.enqueue(stream.get());
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(cudaStreamQuery(stream.get()), cudaErrorNotReady);
  flags.close();
  stream.wait();
  EXPECT_EQ(value(flags.at(0)), closed);
  EXPECT_EQ(words.value(0), 0U);  // the gate is closed
}

INSTANTIATE_TEST_SUITE_P(Waits, Flags, testing::Values(FlagWait::kernel, FlagWait::memory_operation),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace typewarp::gpu
