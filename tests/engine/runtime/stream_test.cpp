// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/gpu.hpp"
#include "engine/runtime/cuda/launcher.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <typewarp/batch.hpp>
#include <typewarp/persistent.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

/// What is enqueued, and that nothing waits.
namespace typewarp::test {
namespace {

struct Held {
  const char* what;
  Datatype type;
  Source packed;
};

std::vector<Held> held_cases() {
  const Datatype strided = vector(1000, 1, 4, Named::double_);
  const Datatype irregular = indexed({1, 5, 2}, {0, 3, 100}, Named::double_);
  const Datatype flat = contiguous(1000, Named::double_);
  return {{"strided to device", strided, Source::device},
          {"strided to pinned", strided, Source::pinned},
          {"irregular to device", irregular, Source::device},
          {"irregular to pinned", irregular, Source::pinned},
          {"flat to device", flat, Source::device},
          {"flat to pinned", flat, Source::pinned},
          {"strided to registered", strided, Source::registered}};
}

/// Each with a plan of its own, so that the first use of a plan is seen not to wait either.
TEST(CudaStreams, NoCallWaitsForTheStream) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream stream;
  for (const auto& [what, type, packed_source] : held_cases()) {
    OneItem it(type, packed_source);
    const auto back = allocate(Source::device, it.plan.extent());
    const auto expected = it.fill(1);
    back->write(noise(it.plan.extent(), 2));
    Gate gate(stream.get());
    it.pack(stream.get());
    EXPECT_TRUE(gate.closed()) << "pack " << what;
    unpack(it.packed->data(), back->data(), 1, it.plan, stream.get());
    EXPECT_TRUE(gate.closed()) << "unpack " << what;
    gate.open();
    stream.wait();
    EXPECT_EQ(it.packed_bytes(), expected) << what;
    EXPECT_EQ(packed_on_host(contents(*back, it.plan.extent()).data(), 1, it.plan), expected) << what;
  }
}

TEST(CudaStreams, OrdersWithEarlierWork) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  const OwnStream stream;
  OneItem it(vector(1000, 1, 4, Named::double_));
  const auto data = noise(it.plan.extent(), 3);
  const auto fresh = allocate(Source::pinned, it.plan.extent());
  fresh->write(data);
  it.fill(4);
  Gate gate(stream.get());
  ASSERT_CUDA(cudaMemcpyAsync(it.user->data(), fresh->data(), data.size(), cudaMemcpyDefault, stream.get()));
  it.pack(stream.get());
  gate.open();
  EXPECT_EQ(it.packed_bytes(), packed_on_host(data.data(), 1, it.plan));
}

TEST(CudaStreams, TakesTheDefaultStreams) {
  TYPEWARP_NEEDS_GPU();
  OneItem it(vector(1000, 1, 4, Named::double_));
  std::uint32_t seed = 5;
  for (const Stream stream : {Stream{nullptr}, Stream{cudaStreamLegacy}, Stream{cudaStreamPerThread}}) {
    const auto expected = it.fill(seed++);
    it.pack(stream);
    EXPECT_EQ(it.packed_bytes(), expected);
  }
}

TEST(CudaStreams, SharesAPlanAmongThreads) {
  TYPEWARP_NEEDS_GPU();
  const Plan plan = commit(contiguous(50, indexed({1, 5, 2}, {0, 3, 100}, Named::double_)));
  const auto data = noise(plan.extent(), 6);
  const auto user = allocate(Source::device, plan.extent());
  user->write(data);
  const auto expected = packed_on_host(data.data(), 1, plan);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      const OwnStream stream;
      const auto packed = allocate(Source::device, plan.size());
      const auto back = allocate(Source::pinned, plan.size());
      for (int i = 0; i < 50; ++i) {
        pack(user->data(), 1, plan, packed->data(), stream.get());
        EXPECT_CUDA(
            cudaMemcpyAsync(back->data(), packed->data(), expected.size(), cudaMemcpyDefault, stream.get()));
        stream.wait();
        wrong += std::equal(expected.begin(), expected.end(), back->data()) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Also the first use of a plan, which allocates and uploads.
TEST(CudaStreams, CanBeCapturedIntoAGraph) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  OneItem it(indexed({1, 5, 2}, {0, 3, 100}, Named::double_));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  it.pack(stream.get());
  ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (std::uint32_t run = 0; run < 3; ++run) {
    const auto expected = it.fill(run);
    ASSERT_CUDA(cudaGraphLaunch(executable, stream.get()));
    EXPECT_EQ(it.packed_bytes(), expected);
  }
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST(CudaStreams, SaysWhichLaunchFailed) {
  TYPEWARP_NEEDS_GPU();
  OneItem it(vector(1000, 1, 4, Named::double_));
  {
    const OwnStream spoiled;
    ASSERT_CUDA(cudaStreamBeginCapture(spoiled.get(), cudaStreamCaptureModeThreadLocal));
    ASSERT_NE(cudaStreamSynchronize(spoiled.get()), cudaSuccess);  // invalidates the capture
    try {
      it.pack(spoiled.get());
      ADD_FAILURE() << "no error";
    } catch (const GpuError& error) {
      EXPECT_EQ(error.code(), cudaErrorStreamCaptureInvalidated) << error.what();
      EXPECT_NE(std::string(error.what()).find("cudaLaunchKernel"), std::string::npos) << error.what();
    }
    cudaGraph_t graph = nullptr;
    EXPECT_NE(cudaStreamEndCapture(spoiled.get(), &graph), cudaSuccess);
    static_cast<void>(cudaGetLastError());
  }
  const OwnStream stream;
  EXPECT_NO_THROW(it.pack(stream.get()));
  EXPECT_CUDA(cudaPeekAtLastError());
  stream.wait();
}

/// More than the launcher has graphs for, and with priorities.
TEST(CudaStreams, TakeWorkManyAtATimeAndWithPriorities) {
  TYPEWARP_NEEDS_GPU();
  const Plan plan = commit(vector(500, 1, 3, Named::int_));
  const auto data = noise(plan.extent(), 21);
  const auto expected = packed_on_host(data.data(), 1, plan);
  const auto user = allocate(Source::device, plan.extent());
  user->write(data);
  int least = 0;
  int greatest = 0;
  ASSERT_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  std::vector<cudaStream_t> streams(gpu::Launcher::capacity * 5 / 4);
  std::vector<std::unique_ptr<Memory>> packed;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    ASSERT_CUDA(
        cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, i % 8 == 0 ? greatest : least));
    packed.push_back(allocate(Source::device, plan.size()));
  }
  ASSERT_CUDA(cudaDeviceSynchronize());
  const auto pack_on_all = [&] {
    for (std::size_t i = 0; i < streams.size(); ++i)
      pack(user->data(), 1, plan, packed[i]->data(), streams[i]);
  };
  for (int round = 0; round < 3; ++round) pack_on_all();
  // The slots of streams that rest so long are given away, some of their work not yet done.
  for (std::uint64_t i = 0; i < gpu::Launcher::idle_launches; ++i)
    pack(user->data(), 1, plan, packed[1]->data(), streams[1]);
  for (int round = 0; round < 3; ++round) pack_on_all();
  ASSERT_CUDA(cudaDeviceSynchronize());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    ASSERT_EQ(contents(*packed[i], plan.size()), expected) << i;
    EXPECT_CUDA(cudaStreamDestroy(streams[i]));
  }
}

TEST(CudaStreams, OfTheLibraryMoveAtTheHighestPriority) {
  TYPEWARP_NEEDS_GPU();
  int least = 0;
  int greatest = 0;
  ASSERT_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  for (const std::int64_t piece : {0, 1}) {
    for (const gpu::StreamRole lane : {gpu::packing_role(piece), gpu::unpacking_role(piece)}) {
      int priority = least;
      ASSERT_CUDA(cudaStreamGetPriority(gpu::private_stream(0, lane), &priority));
      EXPECT_EQ(priority, greatest) << static_cast<int>(lane);
    }
  }
}

/// A long move that takes all of the device, and what comes behind it on another stream.
class Overtaking {
 public:
  Overtaking() {
    for (cudaEvent_t& event : events_) EXPECT_CUDA(cudaEventCreate(&event));
  }
  Overtaking(const Overtaking&) = delete;
  Overtaking& operator=(const Overtaking&) = delete;
  ~Overtaking() {
    for (cudaEvent_t event : events_) EXPECT_CUDA(cudaEventDestroy(event));
  }

  /// The part of the long move that was still to come when `move`, on `stream`, was done: the smallest and
  /// the largest of some attempts, since other processes may have the device, or this one no processor, in
  /// any.
  std::pair<float, float> left_behind(Stream stream, const std::function<void()>& move) {
    std::pair<float, float> found{1, -1};
    for (int attempt = 0; attempt < 10; ++attempt) {
      EXPECT_CUDA(cudaEventRecord(events_[0], usual_.get()));
      pack(user_->data(), 1, plan_, packed_->data(), usual_.get());
      EXPECT_CUDA(cudaEventRecord(events_[1], usual_.get()));
      move();
      EXPECT_CUDA(cudaEventRecord(events_[2], stream));
      EXPECT_CUDA(cudaDeviceSynchronize());
      float whole = 0;
      float left = 0;
      EXPECT_CUDA(cudaEventElapsedTime(&whole, events_[0], events_[1]));
      EXPECT_CUDA(cudaEventElapsedTime(&left, events_[2], events_[1]));
      found = {std::min(found.first, left / whole), std::max(found.second, left / whole)};
    }
    return found;
  }
  const void* data() { return user_->data(); }

 private:
  const Plan plan_ = commit(vector(std::int64_t{1} << 26, 1, 2, Named::double_));
  const std::unique_ptr<Memory> user_ = allocate(Source::device, plan_.extent());
  const std::unique_ptr<Memory> packed_ = allocate(Source::device, plan_.size());
  const OwnStream usual_;
  std::array<cudaEvent_t, 3> events_{};
};

TEST(CudaStreams, OfHighPriorityOvertakeOthers) {
  TYPEWARP_NEEDS_GPU();
  Overtaking race;
  const Plan plan = commit(vector(1000, 1, 2, Named::double_));
  const auto packed = allocate(Source::device, plan.size());
  const std::vector<Piece> pieces{{const_cast<void*>(race.data()), 1, plan, 0}};
  Batch batch(pieces, packed->data());
  Persistent recorded = Persistent::pack_init(race.data(), 1, plan, packed->data());
  const OwnStream usual;
  const gpu::OwnStream urgent(0);
  Stream stream = nullptr;
  const std::vector<std::function<void()>> moves{[&] { pack(race.data(), 1, plan, packed->data(), stream); },
                                                 [&] { batch.pack(stream); },
                                                 [&] { recorded.start(stream); }};
  for (std::size_t i = 0; i < moves.size(); ++i) {
    stream = usual.get();
    EXPECT_LT(race.left_behind(stream, moves[i]).first, 0.5F) << "move " << i;
    stream = urgent.get();
    EXPECT_GT(race.left_behind(stream, moves[i]).second, 0.5F) << "move " << i;
  }
}

}  // namespace
}  // namespace typewarp::test
