// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/memory_kinds.hpp"

#include <utility>

namespace typewarp::test {
namespace {

TEST(Event, IsDoneWhenItsStreamGotThere) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  Gate gate(stream.get());
  const cuda::Event event(0, stream.get());
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
  const cuda::Event event(0, stream.get());
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
  cuda::Event first(0, stream.get());
  const cuda::Event second(std::move(first));
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
  { const cuda::Event dropped(0, held.get()); }
  const cuda::Event reused(0, idle.get());
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
  void copy(Stream stream) const {
    cuda::copy({&plan_, 1, to_->data()}, {&plan_, 1, from_->data()}, {0, plan_.size()}, 0, stream);
  }
  bool copied() const {
    return packed_on_host(contents(*to_, plan_.extent()).data(), 1, plan_) ==
           packed_on_host(noise(plan_.extent(), 1).data(), 1, plan_);
  }

 private:
  Plan plan_;
  std::unique_ptr<Memory> from_;
  std::unique_ptr<Memory> to_;
};

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
    cuda::Event event(0);
    event.follow(stream.get(), [&] {
      for (const Blocks& one : copies) one.copy(stream.get());
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
  cuda::Event event(0);
  for (int i = 0; i < 1000; ++i) {
    event.follow(stream.get(), [&] { (i % 2 == 0 ? small : large).copy(stream.get()); });
    if (i % 3 == 0) event.wait();  // else the one before may still be under way
  }
  event.wait();
  EXPECT_TRUE(small.copied());
  EXPECT_TRUE(large.copied());
  stream.wait();
}

/// Whoever has seen a kernel's own word for its end sees what all of its thread blocks stored.
class Telling : public testing::TestWithParam<std::pair<const char*, Datatype>> {};

TEST_P(Telling, ComesAfterAllThatAKernelStores) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Plan plan = commit(GetParam().second);
  const auto user = allocate(Source::device, plan.extent());
  const auto packed = allocate(Source::pinned, plan.size());
  cuda::Event event(0);
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    user->write(noise(plan.extent(), seed));
    event.follow(stream.get(), [&] {
      cuda::copy({nullptr, plan.size(), packed->data(), MemoryKind::pinned}, {&plan, 1, user->data()},
                 {0, plan.size()}, 0, stream.get());
    });
    while (!event.done()) continue;
    const std::vector<std::byte> seen(packed->data(), packed->data() + plan.size());
    EXPECT_EQ(seen, packed_on_host(noise(plan.extent(), seed).data(), 1, plan)) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Telling,
    testing::Values(std::pair{"Words", vector(1 << 16, 1, 2, Named::double_)},
                    std::pair{"Staged", vector(1 << 18, 1, 30, Named::byte)},
                    std::pair{"Pieces", vector(1 << 16, 13, 29, Named::byte)},
                    std::pair{"Transposed", hvector(512, 1, 8, vector(512, 1, 512, Named::double_))},
                    std::pair{"Pattern", contiguous(1 << 15, resized(structure({1, 1, 1}, {0, 8, 12},
                                                                               {Named::double_, Named::int_,
                                                                                Named::char_}),
                                                                     0, 24))}),
    [](const auto& kernel) { return std::string(kernel.param.first); });

TEST(Event, FollowsWhatWasEnqueuedBeforeAFailure) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Blocks small(of_one_thread_block);
  small.copy(stream.get());  // first uses may wait
  stream.wait();
  small.reset();
  Gate gate(stream.get());
  cuda::Event event(0);
  EXPECT_THROW(event.follow(stream.get(),
                            [&] {
                              small.copy(stream.get());
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
    cuda::Event dropped(0);
    dropped.follow(held.get(), [&] { small.copy(held.get()); });
  }
  cuda::Event reused(0);
  reused.follow(idle.get(), [&] { small.copy(idle.get()); });
  reused.wait();
  EXPECT_TRUE(gate.closed());
  gate.open();
  held.wait();
}

TEST(Event, NamesADeviceThatIsNotThere) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_THROW(cuda::Event(1000, nullptr), InvalidArgument);
}

}  // namespace
}  // namespace typewarp::test
