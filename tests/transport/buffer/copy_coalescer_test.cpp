// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies that are gathered, on a device that is faked.

#include "transport/buffer/copy_coalescer.hpp"

#include "support/user_buffer.hpp"
#include "transport/fake_device/fake_device.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace typewarp::transport {
namespace {

using test::DeviceFailure;
using test::FailingDevice;
using test::UserBuffer;

constexpr int device = 0;

/// Bytes that are copied to every other byte of a buffer; whole numbers to every other number.
class Message {
 public:
  explicit Message(std::int64_t bytes, std::uint64_t seed = 1)
      : unit_(bytes % 8 == 0 ? Named::double_ : Named::byte),
        count_(bytes % 8 == 0 ? bytes / 8 : bytes),
        type_(vector(count_, 1, 2, unit_)),
        plan_(commit(type_)),
        sent_(contiguous(count_, unit_), 1, seed),
        received_(type_, 1, seed + 1),
        before_(received_),
        expected_(received_) {
    scatter(gathered(sent_, contiguous(count_, unit_), 1), expected_, type_, 1);
  }

  CopyCoalescer::Copy copied_by(CopyCoalescer::Candidate& candidate) {
    const std::int64_t bytes = type_.size();
    return candidate.copy({&plan_, 1, received_.origin()}, {nullptr, bytes, sent_.origin()}, bytes);
  }
  bool arrived() { return received_.bytes() == expected_.bytes(); }
  bool untouched() { return received_.bytes() == before_.bytes(); }

 private:
  Named unit_;
  std::int64_t count_;
  Datatype type_;
  Plan plan_;
  UserBuffer sent_, received_, before_, expected_;
};

/// Some messages of one device, candidates at first.
class Messages {
 public:
  Messages(CopyCoalescer& gather, std::size_t count, std::int64_t bytes = 100) : gather_(gather) {
    for (std::size_t i = 0; i < count; ++i) {
      messages_.emplace_back(bytes, 2 * i);
      candidates_.emplace_back(gather, device);
    }
    copies_.resize(count);
  }

  Message& operator[](std::size_t i) { return messages_[i]; }
  CopyCoalescer::Copy& copy(std::size_t i) { return copies_[i]; }
  void come(std::size_t i) { copies_[i] = messages_[i].copied_by(candidates_[i]); }
  void leave(std::size_t i) { candidates_[i].leave(); }
  /// Turn by turn until the copy is over.
  void finish(std::size_t i) {
    while (!copies_[i].reached()) gather_.turn();
  }

 private:
  CopyCoalescer& gather_;
  std::deque<Message> messages_;
  std::deque<CopyCoalescer::Candidate> candidates_;
  std::vector<CopyCoalescer::Copy> copies_;
};

class GatherTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(gather_.waiting(), 0U);
    EXPECT_EQ(test::moves_under_way(), 0U);
  }
  /// Since this was last asked.
  std::uint64_t launches() { return gpu::launches() - std::exchange(seen_, gpu::launches()); }

  CopyCoalescer gather_;
  std::uint64_t seen_ = gpu::launches();
};

TEST_F(GatherTest, OnlyMessageIsLaunchedAtOnce) {
  Messages messages(gather_, 1);
  messages.come(0);
  EXPECT_EQ(launches(), 1U);
  EXPECT_TRUE(messages[0].untouched());
  messages.finish(0);
  EXPECT_TRUE(messages[0].arrived());
}

TEST_F(GatherTest, LastMessageLaunchesThoseThatWait) {
  Messages messages(gather_, 3);
  messages.come(0);
  messages.come(2);
  EXPECT_EQ(launches(), 0U);
  EXPECT_EQ(gather_.waiting(), 2U);
  messages.come(1);
  EXPECT_EQ(launches(), 1U);
  EXPECT_EQ(gather_.waiting(), 0U);
  for (std::size_t i = 0; i < 3; ++i) {
    messages.finish(i);
    EXPECT_TRUE(messages[i].arrived()) << i;
  }
}

TEST_F(GatherTest, TurnWithoutNewsLaunches) {
  Messages messages(gather_, 4);
  messages.come(0);
  gather_.turn();
  messages.come(1);
  gather_.turn();
  EXPECT_EQ(launches(), 0U);
  gather_.turn();
  EXPECT_EQ(launches(), 1U);
  messages.come(2);
  EXPECT_EQ(gather_.waiting(), 1U);
  messages.leave(3);
  gather_.turn();
  gather_.turn();
  EXPECT_EQ(launches(), 1U);
  for (std::size_t i = 0; i < 3; ++i) {
    messages.finish(i);
    EXPECT_TRUE(messages[i].arrived()) << i;
  }
}

TEST_F(GatherTest, FullLaunchDoesNotWait) {
  const test::ShortBatches short_batches(2);
  Messages messages(gather_, 6);
  for (std::size_t i = 0; i < 5; ++i) messages.come(i);
  EXPECT_EQ(launches(), 2U);
  EXPECT_EQ(gather_.waiting(), 1U);
  for (std::size_t i = 0; i < 5; ++i) {
    messages.finish(i);
    EXPECT_TRUE(messages[i].arrived()) << i;
  }
}

TEST_F(GatherTest, ManyBytesDoNotWait) {
  constexpr std::int64_t bytes = gpu::CopyBatch::longest;
  constexpr auto enough = static_cast<std::size_t>(gather_policy.most_bytes / bytes);
  Messages messages(gather_, enough + 1, bytes);
  for (std::size_t i = 0; i + 1 < enough; ++i) messages.come(i);
  EXPECT_EQ(launches(), 0U);
  messages.come(enough - 1);
  EXPECT_EQ(launches(), 1U);
  for (std::size_t i = 0; i < enough; ++i) messages.finish(i);
  EXPECT_TRUE(messages[enough - 1].arrived());
}

// As faces of 8 fields of 128^3 numbers, two cells wide.
TEST_F(GatherTest, FacesOfManyFieldsAreOneLaunch) {
  constexpr std::size_t faces = std::size_t{6} * 8;
  Messages messages(gather_, faces + 1, std::int64_t{2} * 128 * 128 * 8);
  for (std::size_t i = 0; i < faces; ++i) messages.come(i);
  EXPECT_EQ(launches(), 0U);
  messages.leave(faces);
  gather_.turn();
  gather_.turn();
  EXPECT_EQ(launches(), 1U);
  for (std::size_t i = 0; i < faces; ++i) messages.finish(i);
}

TEST_F(GatherTest, FirstUseOfAPlanKeepsNoOtherThread) {
  for (const std::int64_t bytes : {std::int64_t{100}, gpu::CopyBatch::longest + 1}) {
    Messages late(gather_, 1, bytes);
    Messages others(gather_, 3);
    test::HeldPreparation preparation;
    std::thread thread([&] { late.come(0); });
    preparation.await();
    others.come(0);
    others.come(1);
    others.finish(0);
    EXPECT_TRUE(others[1].arrived());
    EXPECT_TRUE(preparation.holds());
    preparation.release();
    thread.join();
    late.finish(0);
    EXPECT_TRUE(late[0].arrived());
    others.leave(2);
    EXPECT_TRUE(others.copy(1).reached());
  }
}

TEST_F(GatherTest, LongMessageGoesAlone) {
  Messages others(gather_, 2);
  Messages longer(gather_, 1, gpu::CopyBatch::longest + 1);
  others.come(0);
  longer.come(0);
  EXPECT_EQ(launches(), 1U);
  EXPECT_EQ(gather_.waiting(), 1U);
  longer.finish(0);
  EXPECT_TRUE(longer[0].arrived());
  others.finish(0);
  EXPECT_TRUE(others[0].arrived());
}

TEST_F(GatherTest, FailureEndsThoseOfItsLaunchOnly) {
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution, DeviceFailure::event}) {
    Messages failing(gather_, 3);
    Messages other(gather_, 2);
    const FailingDevice failure(what, 1);
    for (std::size_t i = 0; i < 3; ++i) failing.come(i);
    gather_.turn();
    gather_.turn();
    EXPECT_TRUE(failure.happened());
    other.come(0);
    other.come(1);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_THROW(failing.finish(i), GpuError) << i;
      EXPECT_TRUE(failing[i].untouched());
      EXPECT_TRUE(failing.copy(i).reached()) << "told once";
    }
    for (std::size_t i = 0; i < 2; ++i) {
      other.finish(i);
      EXPECT_TRUE(other[i].arrived());
    }
  }
}

TEST_F(GatherTest, WhatCannotJoinConcernsNobodyElse) {
  Messages messages(gather_, 3);
  {
    const FailingDevice failure(DeviceFailure::preparation, 2);
    messages.come(0);
    EXPECT_THROW(messages.come(1), GpuError);
    EXPECT_TRUE(messages.copy(1).reached());
    messages.come(2);
  }
  EXPECT_EQ(launches(), 1U);
  messages.finish(0);
  messages.finish(2);
  EXPECT_TRUE(messages[0].arrived());
  EXPECT_TRUE(messages[1].untouched());
  EXPECT_TRUE(messages[2].arrived());
}

TEST_F(GatherTest, WithdrawnIsNotMade) {
  Messages messages(gather_, 4);
  for (std::size_t i = 0; i < 3; ++i) messages.come(i);
  messages.copy(1).withdraw();
  EXPECT_EQ(gather_.waiting(), 2U);
  EXPECT_TRUE(messages.copy(1).reached());
  for (const std::size_t i : {0U, 2U}) {
    messages.finish(i);
    EXPECT_TRUE(messages[i].arrived());
  }
  EXPECT_TRUE(messages[1].untouched());
}

TEST_F(GatherTest, NothingIsLaunchedWhereAllWereWithdrawn) {
  Messages messages(gather_, 3);
  messages.come(0);
  messages.come(1);
  messages.copy(0).withdraw();
  messages.copy(1) = CopyCoalescer::Copy();
  gather_.turn();
  gather_.turn();
  EXPECT_EQ(launches(), 0U);
  messages.come(2);
  messages.finish(2);
  EXPECT_TRUE(messages[2].arrived());
}

TEST_F(GatherTest, UnderWayIsNotWithdrawn) {
  Messages messages(gather_, 1);
  messages.come(0);
  messages.copy(0).withdraw();
  EXPECT_EQ(test::moves_under_way(), 1U);
  messages.finish(0);
  EXPECT_TRUE(messages[0].arrived());
}

TEST_F(GatherTest, ThreadsGatherAtOnce) {
  constexpr int rounds = 200;
  constexpr std::size_t together = 4;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < rounds; ++round) {
        Messages messages(gather_, together, 64);
        for (std::size_t i = 0; i < together; ++i) messages.come(i);
        const auto withdrawn = static_cast<std::size_t>((round + thread) % 8);
        if (withdrawn < together) messages.copy(withdrawn).withdraw();
        for (std::size_t i = 0; i < together; ++i) {
          messages.finish(i);
          if (i != withdrawn && !messages[i].arrived()) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace typewarp::transport
