// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies between flags, prepared once, against the type map.

#include "engine/runtime/memory_kinds.hpp"
#include "engine/device/signalled_copies.hpp"
#include "support/environment.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"

#include <chrono>
#include <deque>
#include <thread>
#include <vector>

namespace typewarp::gpu {
namespace {

using test::Bytes;
using test::UserBuffer;

/// A side of a copy in device memory, and what it should hold.
struct End {
  End(const Datatype& of, std::uint64_t seed)
      : type(of),
        plan(commit(of)),
        image(of, 1, seed),
        memory(test::allocate(test::Source::device, length())) {
    memory->write(image.bytes());
  }

  std::int64_t length() { return std::ssize(image.bytes()); }
  Side side() {
    std::byte* const begin =
        memory->data() + (static_cast<std::byte*>(image.origin()) - image.bytes().data());
    return {&plan, 1, begin};
  }

  Datatype type;
  Plan plan;
  UserBuffer image;
  std::unique_ptr<test::Memory> memory;
};

class SignalledCopiesTest : public testing::TestWithParam<FlagWait> {
 protected:
  void SetUp() override { TYPEWARP_NEEDS_GPU(); }

  void fill(std::size_t copies, std::uint64_t seed) {
    for (std::uint64_t k = 0; sources_.size() < copies; ++k) {
      const Datatype type = test::random_type(1000003 * seed + k);
      if (type.size() == 0) continue;
      sources_.emplace_back(type, k);
      targets_.emplace_back(test::scattered_like(type, 1, k), k + 1);
      members_.push_back({targets_.back().side(), sources_.back().side(), type.size()});
    }
  }
  void expect(bool moved) {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      End& target = targets_[i];
      if (moved) {
        scatter(gathered(sources_[i].image, sources_[i].type, 1), target.image, target.type, 1);
      }
      ASSERT_EQ(test::contents(*target.memory, target.length()), target.image.bytes()) << "copy " << i;
    }
  }

  std::deque<End> sources_, targets_;
  std::vector<CopyMember> members_;
};

// More than one kernel takes.
TEST_P(SignalledCopiesTest, MoveWhatTheTypeMapSaysAsOftenAsLaunched) {
  fill(test::at_most_types(600), 1);
  const test::OwnStream stream;
  const DeviceFlags gate(0, 1);
  const SignalledCopies copies(0, {.copies = members_, .gate = gate.at(0)}, GetParam());
  copies.enqueue(stream.get());
  stream.wait();
  expect(true);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    sources_[i].image = UserBuffer(sources_[i].type, 1, 7777 + i);
    sources_[i].memory->write(sources_[i].image.bytes());
  }
  copies.enqueue(stream.get());
  stream.wait();
  expect(true);
}

// Several that are so long go in pieces, which begin and end within runs.
TEST_P(SignalledCopiesTest, MoveLongCopiesByTurns) {
  for (std::uint64_t k = 0; k < 3; ++k) {
    const auto words = static_cast<std::int64_t>(700'001 + 400'000 * k);
    sources_.emplace_back(vector(words, 1, 2, Named::double_), k);
    targets_.emplace_back(contiguous(words, Named::double_), k + 1);
    members_.push_back({targets_.back().side(), sources_.back().side(), 8 * words});
    const Datatype type = hvector(static_cast<std::int64_t>(250'001 + 100'000 * k), 17, 24, Named::byte);
    sources_.emplace_back(type, k + 2);
    targets_.emplace_back(type, k + 3);
    members_.push_back({targets_.back().side(), sources_.back().side(), type.size()});
  }
  fill(20, 3);
  const test::OwnStream stream;
  const DeviceFlags gate(0, 1);
  const SignalledCopies copies(0, {.copies = members_, .gate = gate.at(0)}, GetParam());
  copies.enqueue(stream.get());
  stream.wait();
  expect(true);
}

// One launch, whose blocks take tiles of several copies in turn.
TEST_P(SignalledCopiesTest, MoveManyTilesBetweenFlags) {
  constexpr std::size_t structs = 12;  // of some 9 tiles each
  for (std::uint64_t k = 0; k < structs; ++k) {
    const Datatype type = hvector(3000, 17, 24, Named::byte);
    sources_.emplace_back(type, k);
    targets_.emplace_back(type, k + 1);
    members_.push_back({targets_.back().side(), sources_.back().side(), type.size()});
  }
  fill(structs + 12, 5);
  const DeviceFlags flags(0, 3);
  const SignalledCopies copies(0,
                               {.before = {.awaited = {flags.at(1)}},
                                .copies = members_,
                                .after = {.raised = {flags.at(2)}},
                                .gate = flags.at(0)},
                               GetParam());
  const SignalledCopies credit(0, {.after = {.raised = {flags.at(1)}}}, FlagWait::kernel);
  const test::OwnStream stream, other;
  copies.enqueue(stream.get());
  credit.enqueue(other.get());
  stream.wait();
  expect(true);
  Flag seen = lowered;
  ASSERT_CUDA(cudaMemcpy(&seen, flags.at(2), sizeof seen, cudaMemcpyDefault));
  EXPECT_EQ(seen, raised);
}

// Runs with holes whose sides are moved, so that sectors begin elsewhere in the target.
TEST_P(SignalledCopiesTest, MoveAcrossHolesWhereSidesAreMoved) {
  constexpr std::int64_t runs = 2000, run = 17, stride = 24, room = runs * stride + 128;
  const Plan plan = commit(hvector(runs, run, stride, Named::byte));
  const auto from = test::allocate(test::Source::device, room),
             to = test::allocate(test::Source::device, room);
  std::vector<std::byte> source(static_cast<std::size_t>(room));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + i / 251);
  const std::vector<std::byte> before(source.size(), std::byte{0x5a});
  from->write(source);
  constexpr std::int64_t begin = 64;
  const SignalledCopies copies(
      0,
      {.copies =
           {{{&plan, 1, to->data() + begin}, {&plan, 1, from->data() + begin}, plan.size(), true, true}}},
      GetParam());
  for (const AddressOffsets& moves : {AddressOffsets{0, 0}, {1, -3}, {33, 5}, {-64, 31}, {16, 48}}) {
    SCOPED_TRACE(testing::Message() << moves.sources << " " << moves.destinations);
    to->write(before);
    const test::OwnStream stream;
    copies.enqueue(stream.get(), SignalledCopies::uncounted, moves);
    stream.wait();
    std::vector<std::byte> expected = before;
    for (std::int64_t i = 0; i < runs * stride; ++i) {
      if (i % stride >= run) continue;
      expected[static_cast<std::size_t>(begin + moves.destinations + i)] =
          source[static_cast<std::size_t>(begin + moves.sources + i)];
    }
    EXPECT_EQ(test::contents(*to, room), expected);
  }
}

TEST_P(SignalledCopiesTest, MoveNothingBehindAClosedGate) {
  fill(20, 2);
  const test::OwnStream stream;
  const DeviceFlags gate(0, 1);
  const SignalledCopies copies(0, {.copies = members_, .gate = gate.at(0)}, GetParam());
  gate.close();
  copies.enqueue(stream.get());
  stream.wait();
  expect(false);
}

// A credit never comes: neither here nor at a peer may anything be seen of such a start. By one thread block,
// by some that wait together, which take tiles in turn, and by more.
TEST_P(SignalledCopiesTest, MoveAndRaiseNothingIfClosedWhileTheyWait) {
  for (const std::int64_t bytes : {1'000, 300'000, 1'000'000, 40'000'000}) {
    SCOPED_TRACE(bytes);
    const std::vector<std::byte> before(static_cast<std::size_t>(bytes), std::byte{4});
    const auto to = test::allocate(test::Source::device, bytes);
    const auto from = test::allocate(test::Source::device, bytes);
    to->write(before);
    from->write(std::vector<std::byte>(before.size(), std::byte{3}));
    const Side target{nullptr, bytes, to->data()}, source{nullptr, bytes, from->data()};
    const DeviceFlags flags(0, 3), of_peer(0, 1);
    const SignalledCopies copies(0,
                                 {.before = {.awaited = {flags.at(1)}},
                                  .copies = {{target, source, bytes}},
                                  .after = {.raised = {of_peer.at(0)}, .awaited = {flags.at(2)}},
                                  .gate = flags.at(0)},
                                 GetParam());
    const test::OwnStream stream;
    copies.enqueue(stream.get());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    flags.close();
    stream.wait();
    EXPECT_EQ(test::contents(*to, bytes), before);
    Flag seen = raised;
    ASSERT_CUDA(cudaMemcpy(&seen, of_peer.at(0), sizeof seen, cudaMemcpyDefault));
    EXPECT_EQ(seen, lowered);
  }
}

// Of a lone thread block, of as many as wait together, which take tiles in turn, and of more: each stream
// moves what the other one has just moved to it, as in a round trip between two devices. Each round turns the
// order of the elements round.
TEST_P(SignalledCopiesTest, TakeTurnsOnTwoStreams) {
  for (const std::int64_t bytes : {1'000, 300'000, 1'000'000, 40'000'000}) {
    const Plan plan = commit(vector(bytes / 8, 1, 2, Named::double_));
    const auto strided = test::allocate(test::Source::device, 2 * bytes);
    const auto packed = test::allocate(test::Source::device, bytes);
    std::vector<std::byte> begin(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < begin.size(); ++i) begin[i] = static_cast<std::byte>(i * 7 + i / 251);
    packed->write(begin);
    const Plan from_the_end = commit(hvector(bytes / 8, 1, -16, Named::double_));
    const Side line{nullptr, bytes, packed->data()}, rows{&plan, 1, strided->data()};
    const Side reversed{&from_the_end, 1, strided->data() + 2 * (bytes - 8)};
    const DeviceFlags flags(0, 3);
    const SignalledCopies there(
        0, {.copies = {{rows, line, bytes}}, .after = {.raised = {flags.at(1)}, .awaited = {flags.at(2)}}},
        GetParam());
    const SignalledCopies back(0,
                               {.before = {.awaited = {flags.at(1)}},
                                .copies = {{line, reversed, bytes}},
                                .after = {.raised = {flags.at(2)}}},
                               GetParam());
    const test::OwnStream one, other;
    for (int round = 0; round < 21; ++round) {
      there.enqueue(one.get());
      back.enqueue(other.get());
    }
    one.wait();
    other.wait();
    std::vector<std::byte> end;
    for (auto i = std::ssize(begin) - 8; i >= 0; i -= 8)
      end.insert(end.end(), begin.begin() + i, begin.begin() + i + 8);
    EXPECT_EQ(test::contents(*packed, bytes), end) << bytes;
  }
}

// Words are counted by 32 bits: a kernel moves a gibibyte at most.
TEST_P(SignalledCopiesTest, MoveMoreThanAKernelCounts) {
  constexpr std::int64_t bytes = (std::int64_t{1} << 30) + (std::int64_t{1} << 29) + 24;
  const auto from = test::allocate(test::Source::device, bytes);
  const auto to = test::allocate(test::Source::device, bytes);
  ASSERT_CUDA(cudaMemset(from->data(), 3, bytes));
  ASSERT_CUDA(cudaMemset(to->data(), 4, bytes));
  ASSERT_CUDA(cudaDeviceSynchronize());  // the stream does not wait for the default one
  const Plan plan = commit(contiguous(bytes, Named::byte));
  const test::OwnStream stream;
  const DeviceFlags gate(0, 1);
  const SignalledCopies copies(
      0, {.copies = {{{&plan, 1, to->data()}, {nullptr, bytes, from->data()}, bytes}}, .gate = gate.at(0)},
      GetParam());
  copies.enqueue(stream.get());
  stream.wait();
  for (const std::int64_t place : {std::int64_t{0}, std::int64_t{1} << 30, bytes - 1}) {
    std::byte found{};
    ASSERT_CUDA(cudaMemcpy(&found, to->data() + place, 1, cudaMemcpyDefault));
    EXPECT_EQ(static_cast<int>(found), 3) << place;
  }
}

INSTANTIATE_TEST_SUITE_P(Waits, SignalledCopiesTest,
                         testing::Values(FlagWait::kernel, FlagWait::memory_operation),
                         [](const auto& about) {
                           return about.param == FlagWait::kernel ? "kernel" : "memory_operation";
                         });

}  // namespace
}  // namespace typewarp::gpu
