// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What GPUs of several ranks combine, against the host engine.

#include "engine/runtime/memory_kinds.hpp"
#include "schedule/streams/device_groups.hpp"
#include "support/expect_invalid.hpp"

#include <typewarp/device_group.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

namespace typewarp {
namespace {

using namespace std::chrono_literals;
using test::DeviceGroups;
using test::GroupCall;
using test::invalid_argument;
using test::MadeGroupCall;
using test::OwnStream;
using Kind = test::GroupCallKind;

constexpr Named of_sum = Named::double_;

// Every type and operation, at any address, with nobody waiting in between.
TEST_F(DeviceGroups, CombineAsTheHostDoes) {
  constexpr std::size_t at_once = 24;
  DeviceGroup made = group();
  const OwnStream stream;
  test::Random random(7), addresses(static_cast<std::uint64_t>(rank_));
  std::vector<MadeGroupCall> calls;
  const auto finish = [&] {
    MPI_Barrier(comm_);  // filling memory waits for the device
    for (const MadeGroupCall& call : calls) call.start(made, stream.get());
    stream.wait();
    for (MadeGroupCall& call : calls) call.expect_result();
    calls.clear();
  };
  for (int value = 0; value <= static_cast<int>(Named::two_integer); ++value) {
    for (int which = 0; which <= static_cast<int>(Operation::maxloc); ++which) {
      const auto type = static_cast<Named>(value);
      const auto operation = static_cast<Operation>(which);
      if (!reducible(type, operation)) continue;
      const auto kind = static_cast<Kind>(random.range(0, test::group_call_kinds - 1));
      const GroupCall call =
          GroupCall::drawn(random, kind, type, operation, random.one_in(4) ? 5000 : 70, ranks_);
      calls.emplace_back(call, rank_, ranks_, addresses.one_in(2) ? 8 : addresses.range(0, 15));
      if (calls.size() == at_once) finish();
    }
  }
  finish();
  EXPECT_TRUE(made.done());
}

// Longer than what goes in one step, and than all tiles at once.
TEST_F(DeviceGroups, CombineMany) {
  DeviceGroup made = group();
  const OwnStream stream;
  test::Random random(3);
  for (int kind = 0; kind < test::group_call_kinds; ++kind) {
    MadeGroupCall one(
        GroupCall::many(random, static_cast<Kind>(kind), Named::float_, Operation::sum, ranks_, 450'001),
        rank_, ranks_, 8);
    MPI_Barrier(comm_);
    one.start(made, stream.get());
    stream.wait();
    one.expect_result();
  }
}

// So many that the tiles of a share which each block has come to the same places again.
TEST_F(DeviceGroups, CombineManyInTiles) {
  DeviceGroup made = group();
  const OwnStream stream;
  test::Random random(4);
  constexpr std::int64_t all_places = 96 * 4096 * 16 / sizeof(double);  // of all blocks
  for (const Kind kind : {Kind::allreduce, Kind::reduce, Kind::reduce_scatter}) {
    const std::int64_t count = ranks_ * (2 * all_places + 1);
    MadeGroupCall one(GroupCall::many(random, kind, of_sum, Operation::max, ranks_, count), rank_, ranks_, 8);
    MPI_Barrier(comm_);
    one.start(made, stream.get());
    stream.wait();
    one.expect_result();
  }
}

// What calls leave in the memory of the group is read before others overwrite it.
TEST_F(DeviceGroups, LongOnesFollowEachOtherWithoutTheHost) {
  constexpr int rounds = 3;
  DeviceGroup made = group();
  const OwnStream stream;
  test::Random random(5);
  std::vector<MadeGroupCall> calls;
  for (int round = 0; round < rounds; ++round) {
    for (const Kind kind : {Kind::allreduce, Kind::allgather, Kind::broadcast, Kind::reduce_scatter,
                            Kind::alltoall, Kind::scan}) {
      const std::int64_t count = random.range(150'000, 350'000);
      calls.emplace_back(GroupCall::many(random, kind, Named::float_, Operation::sum, ranks_, count), rank_,
                         ranks_, 8);
    }
  }
  MPI_Barrier(comm_);
  for (const MadeGroupCall& call : calls) call.start(made, stream.get());
  stream.wait();
  for (MadeGroupCall& call : calls) call.expect_result();
}

// Each call reads what the one before it has stored, on another stream.
TEST_F(DeviceGroups, FollowEachOtherOnTwoStreams) {
  constexpr int rounds = 6, count = 1001;
  DeviceGroup made = group();
  const OwnStream first, second;
  const auto numbers = test::allocate(test::Source::device, count * std::int64_t{sizeof(int)});
  const std::vector<int> ones(count, 1);
  numbers->write(std::as_bytes(std::span(ones)));
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  MPI_Barrier(comm_);
  for (int round = 0; round < rounds; ++round) {
    const OwnStream& now = round % 2 == 0 ? first : second;
    ASSERT_CUDA(cudaStreamWaitEvent(now.get(), event, 0));
    made.allreduce(numbers->data(), numbers->data(), count, Named::int_, Operation::sum, now.get());
    ASSERT_CUDA(cudaEventRecord(event, now.get()));
  }
  made.wait();
  int wanted = 1;
  for (int round = 0; round < rounds; ++round) wanted *= ranks_;
  std::vector<int> found(count);
  numbers->read(std::as_writable_bytes(std::span(found)));
  EXPECT_EQ(std::ranges::count(found, wanted), count) << found.front();
  EXPECT_CUDA(cudaEventDestroy(event));
}

// Short and long calls, so that replays go on from calls before and between them.
TEST_F(DeviceGroups, AreReplayedInGraphs) {
  constexpr int replays = 30;
  constexpr std::int64_t count = 200'001;  // longer than one step
  DeviceGroup made = group();
  const OwnStream stream;
  const auto sum = test::allocate(test::Source::device, count * std::int64_t{sizeof(std::uint64_t)});
  std::vector<std::uint64_t> numbers(count, 1);
  sum->write(std::as_bytes(std::span(numbers)));
  const auto add = [&](std::int64_t some) {
    made.allreduce(sum->data(), sum->data(), some, Named::uint64, Operation::sum, stream.get());
  };
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  add(count);
  add(3);
  made.broadcast(sum->data(), count * 8, ranks_ - 1, stream.get());
  ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  MPI_Barrier(comm_);
  for (int replay = 0; replay < replays; ++replay) {
    ASSERT_CUDA(cudaGraphLaunch(executable, stream.get()));
    if (replay % 10 == 0) add(5);
  }
  stream.wait();
  EXPECT_TRUE(made.done());
  sum->read(std::as_writable_bytes(std::span(numbers)));
  const auto power = [&](int exponent) {
    std::uint64_t made_of = 1;
    for (int i = 0; i < exponent; ++i) made_of *= static_cast<std::uint64_t>(ranks_);
    return made_of;
  };
  const std::uint64_t first = power(2 * replays + 3), fourth = power(replays + 3), last = power(replays);
  EXPECT_EQ(std::count(numbers.begin(), numbers.begin() + 3, first), 3);
  EXPECT_EQ(std::count(numbers.begin() + 3, numbers.begin() + 5, fourth), 2);
  EXPECT_EQ(std::count(numbers.begin() + 5, numbers.end(), last), count - 5);
  MPI_Barrier(comm_);
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(DeviceGroups, NameWhatIsWrongAndStartNothing) {
  DeviceGroup made = group();
  const OwnStream stream;
  const auto memory = test::allocate(test::Source::device, 1024);
  std::byte* const in = memory->data();
  std::byte* const out = in + 512;
  int of_host = 0;
  const auto refused = [&](const void* from, void* to, std::int64_t count, Named type, Operation operation) {
    return invalid_argument([&] { made.allreduce(from, to, count, type, operation, stream.get()); });
  };
  EXPECT_EQ(refused(in, out, -1, of_sum, Operation::sum), "count");
  EXPECT_EQ(refused(in, out, std::int64_t{1} << 61, of_sum, Operation::sum), "count");
  EXPECT_EQ(refused(in, out, 1, of_sum, Operation::band), "type");
  EXPECT_EQ(refused(in, out, 1, Named::char_, Operation::sum), "type");
  EXPECT_EQ(refused(nullptr, out, 1, of_sum, Operation::sum), "in");
  EXPECT_EQ(refused(in, nullptr, 1, of_sum, Operation::sum), "out");
  EXPECT_EQ(refused(&of_host, out, 1, of_sum, Operation::sum), "in");
  EXPECT_EQ(refused(in, &of_host, 1, of_sum, Operation::sum), "out");
  EXPECT_EQ(refused(in, in + 8, 2, of_sum, Operation::sum), "out");
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks_) + 1, 1);
  const auto scattered = [&](std::vector<std::int64_t> given, void* to) {
    return invalid_argument(
        [&] { made.reduce_scatter(in, to, given, Named::int_, Operation::max, stream.get()); });
  };
  EXPECT_EQ(scattered(counts, out), "counts.size()");
  std::vector<std::int64_t> wrong(static_cast<std::size_t>(ranks_), 2);
  EXPECT_EQ(scattered(wrong, in + (rank_ * 2 + 1) * std::int64_t{sizeof(int)}), "out");
  wrong.back() = -1;
  EXPECT_EQ(scattered(wrong, out), "counts[" + std::to_string(ranks_ - 1) + "]");
  for (const int root : {-1, ranks_}) {
    EXPECT_EQ(invalid_argument([&] { made.reduce(in, out, 1, of_sum, Operation::sum, root, stream.get()); }),
              "root");
    EXPECT_EQ(invalid_argument([&] { made.broadcast(in, 1, root, stream.get()); }), "root");
  }
  EXPECT_EQ(invalid_argument([&] { made.broadcast(in, -1, 0, stream.get()); }), "bytes");
  EXPECT_EQ(invalid_argument([&] { made.broadcast(nullptr, 1, 0, stream.get()); }), "buffer");
  const auto gathered = [&](const void* from, void* to, std::int64_t bytes) {
    return invalid_argument([&] { made.allgather(from, to, bytes, stream.get()); });
  };
  EXPECT_EQ(gathered(in, out, -1), "bytes");
  EXPECT_EQ(gathered(in, out, std::int64_t{1} << 62), ranks_ > 1 ? "bytes" : "out");
  EXPECT_EQ(gathered(nullptr, out, 8), "in");
  EXPECT_EQ(gathered(in, nullptr, 8), "out");
  EXPECT_EQ(gathered(in + 8 * rank_ + 1, in, 8), "out");
  const auto exchanged = [&](const void* from, void* to, std::int64_t bytes) {
    return invalid_argument([&] { made.alltoall(from, to, bytes, stream.get()); });
  };
  EXPECT_EQ(exchanged(in, out, -1), "bytes");
  EXPECT_EQ(exchanged(in, in + 1, 8), "out");
  EXPECT_EQ(invalid_argument([&] { made.allgatherv(in, out, wrong, stream.get()); }),
            "bytes[" + std::to_string(ranks_ - 1) + "]");
  made.allreduce(nullptr, nullptr, 0, of_sum, Operation::sum, stream.get());  // of nothing
  made.alltoall(nullptr, nullptr, 0, stream.get());
  EXPECT_TRUE(made.done());
  test::Random random(1);
  MadeGroupCall last(GroupCall::drawn(random, Kind::allreduce, of_sum, Operation::sum, 100, ranks_), rank_,
                     ranks_, 0);
  MPI_Barrier(comm_);
  last.start(made, stream.get());
  made.wait();
  last.expect_result();
}

TEST_F(DeviceGroups, AreNotMadeOfOneDeviceTwice) {
  TYPEWARP_NEEDS_RANKS(2);
  try {
    const DeviceGroup made(test::ranks_of(comm_), {.device = 0});
    ADD_FAILURE() << "was made";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("rank 1 has the same GPU as rank 0"), std::string::npos)
        << error.what();
  }
}

TEST_F(DeviceGroups, OfWrongOptionsAreMadeByNobody) {
  const auto failure = [&](const DeviceGroupOptions& wrong) {
    return invalid_argument(
        [&] { const DeviceGroup made(test::ranks_of(comm_), rank_ == 0 ? wrong : DeviceGroupOptions{}); });
  };
  const auto of_others = [&] { EXPECT_THROW(DeviceGroup(test::ranks_of(comm_)), Error); };
  if (rank_ != 0) {
    of_others();
    of_others();
    return;
  }
  EXPECT_EQ(failure({.time_limit = -1ms}), "options.time_limit");
  EXPECT_EQ(failure({.device = 1000}), "options.device");
}

TEST_F(DeviceGroups, EndAtTheTimeLimit) {
  TYPEWARP_NEEDS_RANKS(2);
  const OwnStream stream;
  const auto memory = test::allocate(test::Source::device, 64);
  std::optional<DeviceGroup> made = group(500ms);
  if (rank_ == 0) {
    {
      test::Gate gate(stream.get());
      made->allreduce(memory->data(), memory->data(), 8, of_sum, Operation::sum, stream.get());
      std::this_thread::sleep_for(1s);
      EXPECT_FALSE(made->done());  // the stream has not come to it
      gate.open();
      stream.wait();  // ends
    }
    EXPECT_THROW(made->wait(), TimeLimitExceeded);
    EXPECT_THROW(made->allreduce(memory->data(), memory->data(), 8, of_sum, Operation::sum, stream.get()),
                 TimeLimitExceeded);
    EXPECT_THROW(made->allreduce(nullptr, nullptr, 0, of_sum, Operation::sum, stream.get()),
                 TimeLimitExceeded);
    EXPECT_THROW(made->broadcast(nullptr, 0, 0, stream.get()), TimeLimitExceeded);
  }
  made.reset();
  ASSERT_CUDA(cudaDeviceSynchronize());
}

TEST_F(DeviceGroups, EndAtTheTimeLimitInGraphs) {
  TYPEWARP_NEEDS_RANKS(2);
  const OwnStream stream;
  const auto memory = test::allocate(test::Source::device, 64);
  std::optional<DeviceGroup> made = group(500ms);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  made->allreduce(memory->data(), memory->data(), 8, of_sum, Operation::sum, stream.get());
  ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  MPI_Barrier(comm_);
  if (rank_ == 0) {
    ASSERT_CUDA(cudaGraphLaunch(executable, stream.get()));
    stream.wait();  // ends
    EXPECT_THROW(made->done(), TimeLimitExceeded);
  }
  made.reset();
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

// The stream comes to it when the memory of the others is not mapped any more.
TEST_F(DeviceGroups, AreDestroyedBeforeTheirCallsBegin) {
  TYPEWARP_NEEDS_RANKS(2);
  const OwnStream stream;
  const auto memory = test::allocate(test::Source::device, 64);
  std::optional<DeviceGroup> made = group(200ms);
  test::Gate gate(stream.get());
  made->allreduce(memory->data(), memory->data(), 8, of_sum, Operation::sum, stream.get());
  made.reset();
  EXPECT_TRUE(gate.closed());
  gate.open();
  stream.wait();
}

// As a thread does that captures in the global mode.
TEST_F(DeviceGroups, AreAskedWhileSomebodyCaptures) {
  DeviceGroup made = group();
  const OwnStream stream, captured;
  const auto memory = test::allocate(test::Source::device, 64);
  cudaGraph_t graph = nullptr;
  MPI_Barrier(comm_);
  test::Gate gate(stream.get());
  made.allreduce(memory->data(), memory->data(), 8, of_sum, Operation::sum, stream.get());
  ASSERT_CUDA(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(made.done());
    std::this_thread::sleep_for(5ms);  // so that it asks the device about itself
  }
  gate.open();
  made.wait();
  EXPECT_CUDA(cudaStreamEndCapture(captured.get(), &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

// A capture that was spoiled takes no call; the next stream does.
TEST_F(DeviceGroups, GoOnAfterACallThatEnqueuedNothing) {
  DeviceGroup made = group();
  const OwnStream spoiled, stream;
  const auto memory = test::allocate(test::Source::device, 64);
  cudaGraph_t graph = nullptr;
  void* more = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(spoiled.get(), cudaStreamCaptureModeGlobal));
  EXPECT_NE(cudaMalloc(&more, 64), cudaSuccess);
  EXPECT_THROW(made.allreduce(memory->data(), memory->data(), 8, of_sum, Operation::sum, spoiled.get()),
               GpuError);
  EXPECT_NE(cudaStreamEndCapture(spoiled.get(), &graph), cudaSuccess);
  static_cast<void>(cudaGetLastError());
  MPI_Barrier(comm_);
  made.allreduce(memory->data(), memory->data(), 8, of_sum, Operation::sum, stream.get());
  made.wait();
}

TEST_F(DeviceGroups, AreMoved) {
  DeviceGroup first = group(), second = group();
  const OwnStream stream;
  test::Random random(5);
  MadeGroupCall call(GroupCall::drawn(random, Kind::allreduce, of_sum, Operation::sum, 100, ranks_), rank_,
                     ranks_, 0);
  MPI_Barrier(comm_);
  first = std::move(second);  // ends the first one in all ranks
  call.start(first, stream.get());
  first.wait();
  call.expect_result();
}

}  // namespace
}  // namespace typewarp
