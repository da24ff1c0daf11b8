// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "support/environment.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::test {
namespace {

TEST(Event, IsDoneWhenItsStreamGotThere) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  Gate gate(stream.get());
  const gpu::Event event(0, stream.get());
  EXPECT_FALSE(event.done());
  EXPECT_TRUE(gate.closed());
  gate.open();
  event.wait();
  EXPECT_TRUE(event.done());
  EXPECT_CUDA(cudaPeekAtLastError());
}

TEST(Event, WaitsForNothingThatComesLater) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const gpu::Event event(0, stream.get());
  Gate gate(stream.get());
  event.wait();
  EXPECT_TRUE(gate.closed());
  gate.open();
  stream.wait();
}

TEST(Event, MovesWithWhatItFollows) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  Gate gate(stream.get());
  gpu::Event first(0, stream.get());
  const gpu::Event second(std::move(first));
  EXPECT_FALSE(second.done());
  EXPECT_TRUE(gate.closed());
  gate.open();
  second.wait();
}

TEST(Event, IsReusedSafelyWhileRecorded) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream held;
  const OwnStream idle;
  Gate gate(held.get());
  { const gpu::Event dropped(0, held.get()); }
  const gpu::Event reused(0, idle.get());
  reused.wait();
  EXPECT_TRUE(gate.closed());
  gate.open();
  held.wait();
}

/// A copy of 8-byte blocks within device memory.
class Blocks {
 public:
  explicit Blocks(std::int64_t bytes)
      : plan_(commit(vector(bytes / 8, 1, 2, Named::double_))),
        from_(allocate(Source::device, plan_.extent())),
        to_(allocate(Source::device, plan_.extent())) {
    from_->write(noise(plan_.extent(), 1));
    to_->write(noise(plan_.extent(), 2));
  }

  /// Into other bytes again.
  void reset() const { to_->write(noise(plan_.extent(), 2)); }
  void copy(const gpu::LaunchContext& context) const {
    gpu::copy({&plan_, 1, to_->data()}, {&plan_, 1, from_->data()}, {0, plan_.size()}, context);
  }
  void copy(Stream stream) const { copy(gpu::LaunchContext{0, stream}); }
  bool copied() const {
    return packed_on_host(contents(*to_, plan_.extent()).data(), 1, plan_) ==
           packed_on_host(noise(plan_.extent(), 1).data(), 1, plan_);
  }

 private:
  Plan plan_;
  std::unique_ptr<Memory> from_;
  std::unique_ptr<Memory> to_;
};

/// Displacements of blocks of 16 bytes, at distances that do not repeat.
std::vector<std::int64_t> uneven(std::int64_t blocks) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < blocks; ++i) places.push_back(32 * i + i * i % 3 * 8);
  return places;
}

MemoryKind kind_of(Source source) {
  return source == Source::pinned ? MemoryKind::pinned : MemoryKind::device;
}

constexpr std::int64_t of_one_thread_block = 1024;
constexpr std::int64_t of_many = std::int64_t{1} << 20;
/// More than a device runs at a time.
constexpr std::int64_t of_too_many = std::int64_t{64} << 20;

TEST(Event, FollowsWhateverIsEnqueued) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const std::vector<std::int64_t>& sizes : {std::vector{of_one_thread_block},
                                                 {of_many},
                                                 {of_too_many},
                                                 {of_many, of_too_many, of_many},
                                                 {of_one_thread_block, of_many},
                                                 {of_many, of_one_thread_block},
                                                 {of_one_thread_block, of_one_thread_block},
                                                 {}}) {
    std::vector<Blocks> copies;
    for (const std::int64_t size : sizes)
      copies.emplace_back(size).copy(stream.get());  // first uses may wait
    stream.wait();
    for (const Blocks& one : copies) one.reset();
    Gate gate(stream.get());
    gpu::Event event(0);
    event.follow(stream.get(), [&](const gpu::LaunchContext& context) {
      for (const Blocks& one : copies) one.copy(context);
    });
    EXPECT_FALSE(event.done());
    EXPECT_TRUE(gate.closed());
    gate.open();
    event.wait();
    EXPECT_TRUE(event.done());
    for (const Blocks& one : copies) EXPECT_TRUE(one.copied());
  }
}

TEST(Event, FollowsAgainAndAgain) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Blocks small(of_one_thread_block);
  const Blocks large(of_many);
  gpu::Event event(0);
  for (int i = 0; i < repetitions(1000); ++i) {
    event.follow(stream.get(),
                 [&](const gpu::LaunchContext& context) { (i % 2 == 0 ? small : large).copy(context); });
    if (i % 3 == 0) event.wait();  // else the one before may still be under way
  }
  event.wait();
  EXPECT_TRUE(small.copied());
  EXPECT_TRUE(large.copied());
  stream.wait();
}

struct Told {
  const char* name;
  Datatype type;
  Source packed;
};

/// Whoever has seen a kernel's own word for its end sees what all of its thread blocks stored.
class Telling : public testing::TestWithParam<Told> {
 protected:
  void SetUp() override {
    TYPEWARP_NEEDS_GPU();
    stream_.emplace();
  }

  /// Moves noise, again and again, and compares it as soon as the event says so.
  template <typename Seen>
  void expect_all_to_be_seen(Memory& from, std::int64_t bytes, const gpu::Enqueue& move, const Seen& seen) {
    gpu::Event event(0);
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      const std::vector<std::byte> sent = noise(bytes, seed);
      from.write(sent);
      event.follow(stream_->get(), move);
      while (!event.done()) continue;
      seen(sent, seed);
    }
  }

  std::optional<OwnStream> stream_;
  const Plan plan_ = commit(GetParam().type);
};

TEST_P(Telling, ComesAfterAllThatPackingStores) {
  const auto user = allocate(Source::device, plan_.extent());
  const auto packed = allocate(GetParam().packed, plan_.size());
  const gpu::Side to{nullptr, plan_.size(), packed->data(), kind_of(GetParam().packed)};
  const gpu::Side from{&plan_, 1, user->data()};
  expect_all_to_be_seen(
      *user, plan_.extent(),
      [&](const gpu::LaunchContext& context) { gpu::copy(to, from, {0, plan_.size()}, context); },
      [&](const std::vector<std::byte>& sent, std::uint32_t seed) {
        EXPECT_EQ(contents(*packed, plan_.size()), packed_on_host(sent.data(), 1, plan_)) << seed;
      });
}

TEST_P(Telling, ComesAfterAllThatUnpackingStores) {
  const auto user = allocate(Source::device, plan_.extent());
  const auto packed = allocate(GetParam().packed, plan_.size());
  const gpu::Side to{&plan_, 1, user->data()};
  const gpu::Side from{nullptr, plan_.size(), packed->data(), kind_of(GetParam().packed)};
  expect_all_to_be_seen(
      *packed, plan_.size(),
      [&](const gpu::LaunchContext& context) { gpu::copy(to, from, {0, plan_.size()}, context); },
      [&](const std::vector<std::byte>& sent, std::uint32_t seed) {
        EXPECT_EQ(packed_on_host(contents(*user, plan_.extent()).data(), 1, plan_), sent) << seed;
      });
}

TEST_P(Telling, ComesAfterAllThatACopyOfSeveralStores) {
  const auto user = allocate(Source::device, plan_.extent());
  const auto packed = allocate(GetParam().packed, plan_.size());
  const std::int64_t bytes = std::min(plan_.size(), gpu::CopyBatch::longest);
  gpu::CopyBatch copies(0);
  ASSERT_TRUE(copies.add({nullptr, bytes, packed->data(), kind_of(GetParam().packed)},
                         {&plan_, 1, user->data()}, bytes));
  expect_all_to_be_seen(
      *user, plan_.extent(), [&](const gpu::LaunchContext& context) { copies.launch(context); },
      [&](const std::vector<std::byte>& sent, std::uint32_t seed) {
        std::vector<std::byte> expected = packed_on_host(sent.data(), 1, plan_);
        expected.resize(static_cast<std::size_t>(bytes));
        EXPECT_EQ(contents(*packed, bytes), expected) << seed;
      });
}

const Datatype particle =
    resized(structure({1, 1, 1}, {0, 8, 12}, {Named::double_, Named::int_, Named::char_}), 0, 24);

INSTANTIATE_TEST_SUITE_P(
    Kernels, Telling,
    testing::Values(
        Told{"Words", vector(1 << 16, 1, 2, Named::double_), Source::device},
        Told{"WordsOverALink", vector(1 << 16, 1, 2, Named::double_), Source::pinned},
        Told{"DeepWords", hindexed(std::vector<std::int64_t>(1 << 14, 16), uneven(1 << 14), Named::byte),
             Source::device},
        Told{"Staged", vector(1 << 18, 1, 30, Named::byte), Source::pinned},
        Told{"Pieces", vector(1 << 16, 13, 29, Named::byte), Source::device},
        Told{"Transposed", hvector(512, 1, 8, vector(512, 1, 512, Named::double_)), Source::device},
        Told{"Pattern", contiguous(1 << 15, particle), Source::device}),
    [](const auto& kernel) { return std::string(kernel.param.name); });

TEST(Event, FollowsWhatWasEnqueuedBeforeAFailure) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Blocks small(of_one_thread_block);
  small.copy(stream.get());  // first uses may wait
  stream.wait();
  small.reset();
  Gate gate(stream.get());
  gpu::Event event(0);
  EXPECT_THROW(event.follow(stream.get(),
                            [&](const gpu::LaunchContext& context) {
                              small.copy(context);
                              throw Error("a failure that the test asked for");
                            }),
               Error);
  EXPECT_FALSE(event.done());
  EXPECT_TRUE(gate.closed());
  gate.open();
  event.wait();
  EXPECT_TRUE(small.copied());
}

// The kernel of the one that was dropped has not told of its end when another event takes its place.
TEST(Event, IsReusedSafelyWhileAKernelIsToTell) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream held;
  const OwnStream idle;
  const Blocks small(of_one_thread_block);
  for (const OwnStream* const stream : {&held, &idle}) {
    small.copy(stream->get());  // first uses may wait
    stream->wait();
  }
  Gate gate(held.get());
  {
    gpu::Event dropped(0);
    dropped.follow(held.get(), [&](const gpu::LaunchContext& context) { small.copy(context); });
  }
  gpu::Event reused(0);
  reused.follow(idle.get(), [&](const gpu::LaunchContext& context) { small.copy(context); });
  reused.wait();
  EXPECT_TRUE(gate.closed());
  gate.open();
  held.wait();
}

TEST(Event, NamesADeviceThatIsNotThere) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_THROW(gpu::Event(1000, nullptr), InvalidArgument);
}

}  // namespace
}  // namespace typewarp::test
