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

TEST(Event, FollowsWhateverIsEnqueued) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const std::vector<std::int64_t>& sizes : {std::vector{of_one_thread_block},
                                                 {of_many},
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
  cuda::Event event(0);
  for (int i = 0; i < 1000; ++i) {
    event.follow(stream.get(), [&] { small.copy(stream.get()); });
    if (i % 3 == 0) event.wait();  // else the one before may still be under way
  }
  event.wait();
  EXPECT_TRUE(small.copied());
  stream.wait();
}

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
