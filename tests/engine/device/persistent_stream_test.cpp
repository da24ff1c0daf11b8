// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/persistent_case.hpp"
#include "engine/device/gpu.hpp"
#include "support/environment.hpp"
#include "support/expect_invalid.hpp"

#include <chrono>
#include <optional>
#include <thread>

/// When persistent operations on a device are done, what they wait for, and how they end.
namespace typewarp::test {
namespace {

/// The bytes are compared while nothing but done() has told that they are there.
TEST(CudaPersistent, IsDoneWhenTheHostSeesTheBytesAThousandTimes) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const std::int64_t blocks : {128, 100000}) {
    PersistentCase it(vector(blocks, 1, 8, Named::double_));
    const auto fresh = allocate(Source::pinned, it.plan.extent());
    Persistent operation = it.packing();
    const int rounds = blocks < 1000 ? 1000 : 20;
    for (int round = 0; round < rounds; ++round) {
      const auto data = noise(it.plan.extent(), static_cast<std::uint32_t>(round));
      std::copy(data.begin(), data.end(), fresh->data());
      clear(*it.packed, it.plan.size());
      ASSERT_CUDA(
          cudaMemcpyAsync(it.user->data(), fresh->data(), data.size(), cudaMemcpyDefault, stream.get()));
      operation.start(stream.get());
      wait_by_polling(operation);
      ASSERT_EQ(seen(*it.packed, it.plan.size()), packed_on_host(data.data(), 1, it.plan)) << round;
    }
  }
}

TEST(CudaPersistent, IsNotDoneBeforeItsStreamGetsThere) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream stream;
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto expected = it.fill(1);
  Persistent operation = it.packing();
  Gate gate(stream.get());
  operation.start(stream.get());
  for (int i = 0; i < 5000; ++i) ASSERT_FALSE(operation.done());  // asks CUDA for failures meanwhile
  EXPECT_TRUE(gate.closed()) << "start() waited for the stream";
  gate.open();
  operation.wait();
  EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
  EXPECT_CUDA(cudaPeekAtLastError());
}

TEST(CudaPersistent, StartsFollowEachOtherOnWhateverStreams) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream held;
  const OwnStream idle;
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto expected = it.fill(8);
  Persistent operation = it.packing();
  operation.start(idle.get());
  operation.wait();
  clear(*it.packed, it.plan.size());
  Gate gate(held.get());
  operation.start(held.get());
  operation.start(idle.get());
  EXPECT_FALSE(operation.done());
  EXPECT_EQ(cudaStreamQuery(idle.get()), cudaErrorNotReady);
  static_cast<void>(cudaGetLastError());
  EXPECT_TRUE(gate.closed());
  gate.open();
  operation.wait();
  EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
}

TEST(CudaPersistent, RefusesAStreamThatIsCaptured) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  PersistentCase it(vector(128, 1, 8, Named::double_));
  Persistent operation = it.packing();
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(invalid_argument([&] { operation.start(stream.get()); }), "stream");
  EXPECT_TRUE(operation.done());
  EXPECT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

/// Also where another device is current.
TEST(CudaPersistent, TakesStreamsOfAnotherDevice) {
  TYPEWARP_NEEDS_TWO_GPUS();
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto expected = it.fill(15);
  Persistent operation = it.packing();
  ASSERT_CUDA(cudaSetDevice(1));
  {
    const OwnStream stream;
    for (const Stream each : {stream.get(), Stream{nullptr}}) {
      clear(*it.packed, it.plan.size());
      operation.start(each);
      operation.wait();
      EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
    }
  }
  EXPECT_CUDA(cudaSetDevice(0));
}

TEST(CudaPersistent, TakesTheDefaultStreams) {
  TYPEWARP_NEEDS_GPU();
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto expected = it.fill(9);
  Persistent operation = it.packing();
  for (const Stream stream : {Stream{nullptr}, Stream{cudaStreamLegacy}, Stream{cudaStreamPerThread}}) {
    clear(*it.packed, it.plan.size());
    operation.start(stream);
    operation.wait();
    EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
  }
}

TEST(CudaPersistent, MayEndWhileItIsInFlight) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream stream;
  const OwnStream other_stream;
  PersistentCase other(vector(128, 1, 8, Named::double_));
  const auto of_other = other.fill(11);
  for (const Datatype& type : layouts()) {
    SCOPED_TRACE(testing::Message() << type);
    std::optional<PersistentCase> it(type);
    const auto expected = it->fill(10);
    clear(*it->packed, it->plan.size());
    std::optional<Persistent> operation = it->packing();
    it->plan = commit(Named::int_);
    Gate gate(stream.get());
    operation->start(stream.get());
    operation.reset();
    EXPECT_TRUE(gate.closed()) << "the end waited for the stream";
    // Others, which must not take over what is still needed.
    for (int i = 0; i < 3; ++i) {
      Persistent later = other.packing();
      clear(*other.packed, other.plan.size());
      later.start(other_stream.get());
      wait_by_polling(later);
      ASSERT_EQ(seen(*other.packed, other.plan.size()), of_other);
    }
    EXPECT_TRUE(gate.closed());
    gate.open();
    stream.wait();
    ASSERT_EQ(seen(*it->packed, static_cast<std::int64_t>(expected.size())), expected);
  }
}

TEST(CudaPersistent, LeavesNothingOfItsOwnToOthersWhenItEnds) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  constexpr std::int64_t bytes = 1 << 20;  // by DMA, which an event tells of
  const Plan plan = commit(contiguous(bytes, Named::byte));
  const auto user = allocate(Source::device, bytes);
  const auto packed = allocate(Source::pinned, bytes);
  const OwnStream stream;
  const OwnStream other_stream;
  Gate gate(stream.get());
  std::optional<Persistent> operation = Persistent::pack_init(user->data(), 1, plan, packed->data());
  operation->start(stream.get());
  operation.reset();
  Gate other_gate(other_stream.get());
  const gpu::Event later(0, other_stream.get());
  gate.open();
  stream.wait();
  EXPECT_FALSE(later.done());
  other_gate.open();
  other_stream.wait();
  EXPECT_TRUE(later.done());
}

TEST(CudaPersistent, ServesThreadsThatHaveOneEach) {
  TYPEWARP_NEEDS_GPU();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  const Plan plan = commit(indexed({1, 5, 2}, {0, 3, 100}, Named::double_));
  const auto data = noise(plan.extent(), 12);
  const auto user = allocate(Source::device, plan.extent());
  user->write(data);
  const auto expected = packed_on_host(data.data(), 1, plan);
  // Allocated here: freeing it in a thread would synchronise the device, which others' captures forbid.
  std::vector<std::unique_ptr<Memory>> destinations;
  for (int t = 0; t < 8; ++t) destinations.push_back(allocate(Source::pinned, plan.size()));
  for (const auto& destination : destinations) {
    threads.emplace_back([&, packed = destination.get()] {
      const OwnStream stream;
      for (int i = 0; i < repetitions(20); ++i) {
        Persistent operation = Persistent::pack_init(user->data(), 1, plan, packed->data());
        for (int j = 0; j < 20; ++j) {
          clear(*packed, plan.size());
          operation.start(stream.get());
          operation.wait();
          wrong += seen(*packed, plan.size()) == expected ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Making one captures no stream, which CUDA would hold against the other thread.
TEST(CudaPersistent, CanBeMadeWhileOthersSynchroniseTheDevice) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  PersistentCase it(indexed({1, 5, 2}, {0, 3, 100}, Named::double_));
  const auto expected = it.fill(16);
  std::atomic<bool> stop = false;
  std::atomic<int> failures = 0;
  std::thread other([&] {
    while (!stop) {
      failures += cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
      // Tools that watch CUDA hold a lock meanwhile, which one thread could keep taking from the other.
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
  });
  for (int i = 0; i < 500; ++i) {
    clear(*it.packed, it.plan.size());
    EXPECT_NO_THROW({
      Persistent operation = it.packing();
      operation.start(stream.get());
      operation.wait();
    });
    EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
  }
  stop = true;
  other.join();
  EXPECT_EQ(failures, 0);
}

TEST(CudaPersistent, CanBeMadeAndStartedWhileAStreamIsCaptured) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream captured;
  const OwnStream stream;
  PersistentCase it(indexed({1, 5, 2}, {0, 3, 100}, Named::double_));
  const auto expected = it.fill(13);
  clear(*it.packed, it.plan.size());
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal));
  {
    Persistent operation = it.packing();
    operation.start(stream.get());
    operation.wait();
  }
  EXPECT_CUDA(cudaStreamEndCapture(captured.get(), &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
}

/// What fails while it is recorded leaves nothing behind: launches launch again.
TEST(CudaReplay, SurvivesARecordingThatFails) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  struct Failure {};
  EXPECT_THROW(gpu::Replay(0, [](const gpu::LaunchContext&) { throw Failure(); }), Failure);
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto expected = it.fill(17);
  clear(*it.packed, it.plan.size());
  it.pack(stream.get());
  stream.wait();
  EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
}

TEST(CudaReplay, RunsNothingWhileItRecords) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  PersistentCase it(vector(128, 1, 8, Named::double_));
  const auto expected = it.fill(18);
  clear(*it.packed, it.plan.size());
  const std::int64_t bytes = it.plan.size();
  gpu::Replay replay(0, [&](const gpu::LaunchContext& context) {
    gpu::copy({nullptr, bytes, it.packed->data()}, {&it.plan, 1, it.user->data()}, {0, bytes}, context);
  });
  stream.wait();
  EXPECT_NE(seen(*it.packed, it.plan.size()), expected);
  replay.launch(stream.get());
  replay.wait();
  EXPECT_EQ(seen(*it.packed, it.plan.size()), expected);
}

}  // namespace
}  // namespace typewarp::test
