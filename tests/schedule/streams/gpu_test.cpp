// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What streams and graphs have to do with exchanges.

#include "engine/runtime/memory_kinds.hpp"
#include "schedule/streams/gathering.hpp"
#include "schedule/streams/lanes.hpp"
#include "transport/fixture.hpp"
#include "transport/gpu/gpu_everywhere.hpp"

#include <typewarp/exchange.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace typewarp {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t word = sizeof(std::int32_t);

struct Case {
  DeviceWait wait;
  test::Source memory;  ///< of what is sent and received
  std::int64_t words = few;

  static constexpr std::int64_t few = 4096, many = 1 << 20;

  friend std::ostream& operator<<(std::ostream& out, const Case& tried) {
    const char* const wait = tried.wait == DeviceWait::automatic ? "automatic" : "operation";
    return out << wait << "_" << test::name(tried.memory) << "_" << tried.words;
  }
};

/// Each rank sends its partner every other word of a buffer, which the partner has as every third word of its
/// own.
class OnStreams : public test::Session, public testing::WithParamInterface<Case> {
 protected:
  void SetUp() override {
    test::Session::SetUp();
    if (IsSkipped()) return;
    if (!test::gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    words_ = GetParam().words;
    source_ = test::allocate(GetParam().memory, 2 * words_ * word);
    target_ = test::allocate(GetParam().memory, 3 * words_ * word);
    lane_.emplace();
  }

  Exchange exchange(std::chrono::milliseconds limit = 20s) {
    const OutgoingPart out{source_->data(), 1, commit(vector(words_, 1, 2, Named::int32)), partner()};
    const IncomingPart in{target_->data(), 1, commit(vector(words_, 1, 3, Named::int32)), partner()};
    return Exchange(test::ranks_of(comm_), std::span(&out, 1), std::span(&in, 1), {limit, GetParam().wait});
  }
  cudaStream_t stream() const { return lane_->get(); }

  /// Enqueues rounds that nobody waits for: each sends another byte, and keeps a word of what has come.
  void play(Exchange& exchange, int rounds, std::byte* kept, int first = 0) {
    for (int round = 0; round < rounds; ++round) {
      ASSERT_CUDA(cudaMemsetAsync(source_->data(), value(rank_, first + round), source_bytes(), stream()));
      exchange.start(lane_->get());
      keep(kept + round);
    }
  }
  void keep(std::byte* kept) {
    const std::byte* const last = target_->data() + 3 * (words_ - 1) * word;
    ASSERT_CUDA(cudaMemcpyAsync(kept, last, 1, cudaMemcpyDefault, stream()));
  }
  std::size_t source_bytes() const { return static_cast<std::size_t>(2 * words_ * word); }
  std::size_t target_bytes() const { return static_cast<std::size_t>(3 * words_ * word); }
  static int value(int rank, int round) { return (7 * rank + round + 1) & 0x7f; }
  void expect_kept(const std::byte* kept, int rounds, int first = 0) const {
    for (int round = 0; round < rounds; ++round) {
      ASSERT_EQ(static_cast<int>(kept[round]), value(partner(), first + round)) << "round " << round;
    }
  }

  std::int64_t words_ = 0;
  std::unique_ptr<test::Memory> source_, target_;
  std::optional<test::OwnStream> lane_;
};

TEST_P(OnStreams, SendWhatTheStreamHasWrittenAndReceiveBeforeItReads) {
  constexpr int rounds = 100;
  const auto kept = test::allocate(test::Source::pinned, rounds);
  Exchange made = exchange();
  play(made, rounds, kept->data());
  lane_->wait();
  expect_kept(kept->data(), rounds);
  EXPECT_TRUE(made.done());
}

TEST_P(OnStreams, LeaveWhatIsBetweenAlone) {
  ASSERT_CUDA(cudaMemset(source_->data(), 1, source_bytes()));
  ASSERT_CUDA(cudaMemset(target_->data(), 9, target_bytes()));
  ASSERT_CUDA(cudaDeviceSynchronize());  // the stream does not wait for the default one
  Exchange made = exchange();
  made.start(lane_->get());
  made.wait();
  const auto found = test::contents(*target_, 3 * words_ * word);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(static_cast<int>(found[i]), i / static_cast<std::size_t>(word) % 3 == 0 ? 1 : 9) << i;
  }
}

// The receiver's stream reads what came first late; the sender has sent other values long before.
TEST_P(OnStreams, DoNotOverwriteWhatIsStillRead) {
  const auto kept = test::allocate(test::Source::pinned, 3);
  Exchange made = exchange();
  play(made, 1, kept->data());
  {
    test::Gate gate(lane_->get());
    keep(kept->data() + 1);
    play(made, 1, kept->data() + 2, 1);
    std::this_thread::sleep_for(rank_ == 0 ? 200ms : 0ms);
    if (rank_ == 0) {
      EXPECT_TRUE(gate.closed());
    }
    gate.open();
    lane_->wait();  // the gate must live until it has let the stream pass
  }
  expect_kept(kept->data(), 1);
  expect_kept(kept->data() + 1, 1);
  expect_kept(kept->data() + 2, 1, 1);
}

TEST_P(OnStreams, AreReplayedInGraphs) {
  constexpr int rounds = 4;
  const auto kept = test::allocate(test::Source::pinned, rounds);
  Exchange made = exchange(), other = exchange();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  play(made, rounds, kept->data());
  other.start(lane_->get());
  ASSERT_CUDA(cudaStreamEndCapture(stream(), &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int replay = 0; replay < 25; ++replay) {
    ASSERT_CUDA(cudaGraphLaunch(executable, stream()));
    if (replay % 5 == 0) {
      lane_->wait();
      expect_kept(kept->data(), rounds);
    }
  }
  made.start(lane_->get());  // starts and replays may take turns
  made.wait();
  lane_->wait();
  expect_kept(kept->data(), rounds);
  MPI_Barrier(comm_);
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

// Every second word of the source is sent, or by a distance of one word those between.
TEST_P(OnStreams, ReplayTheDistanceThatWasCaptured) {
  std::vector<std::int32_t> words(static_cast<std::size_t>(2 * words_));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = rank_ + (i % 2 == 0 ? 100 : 200);
  source_->write(std::as_bytes(std::span(words)));
  Exchange made = exchange();
  const auto expect = [&](int base) {
    lane_->wait();
    const auto found = test::contents(*target_, 3 * words_ * word);
    for (std::size_t i = 0; i < found.size(); i += static_cast<std::size_t>(3 * word)) {
      std::int32_t value = 0;
      std::memcpy(&value, &found[i], sizeof value);
      ASSERT_EQ(value, base + partner()) << "byte " << i;
    }
    MPI_Barrier(comm_);
  };
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  made.start(lane_->get(), {.sends = word});
  ASSERT_CUDA(cudaStreamEndCapture(stream(), &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int replay = 0; replay < 3; ++replay) {
    ASSERT_CUDA(cudaGraphLaunch(executable, stream()));
    expect(200);
    made.start(lane_->get());
    expect(100);
  }
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

// What a rank sends itself may also come elsewhere each time.
TEST_P(OnStreams, StoreOwnReceivesElsewhere) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(2 * words_ * word));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 249 + 1);
  source_->write(bytes);
  const Plan plan = commit(vector(words_ / 4, 8, 12, Named::byte));
  const OutgoingPart out{source_->data(), 1, plan, rank_};
  const IncomingPart in{target_->data(), 1, plan, rank_};
  Exchange made(test::ranks_of(comm_), std::span(&out, 1), std::span(&in, 1), {20s, GetParam().wait});
  for (const auto& [sends, receives] :
       {std::pair{64, 128}, std::pair{0, 4}, std::pair{2, 0}, std::pair{16, 8 * 1024 + 1}}) {
    SCOPED_TRACE(testing::Message() << sends << " " << receives);
    ASSERT_CUDA(cudaMemset(target_->data(), 0, target_bytes()));
    ASSERT_CUDA(cudaDeviceSynchronize());
    made.start(lane_->get(), {.sends = sends, .own_receives = receives});
    lane_->wait();
    std::vector<std::byte> wanted(target_bytes());
    for (std::int64_t i = 0; i < words_ / 4 * 12 - 4; ++i) {
      if (i % 12 < 8)
        wanted[static_cast<std::size_t>(i + receives)] = bytes[static_cast<std::size_t>(i + sends)];
    }
    const auto found = test::contents(*target_, 3 * words_ * word);
    ASSERT_TRUE(std::ranges::equal(found, wanted));
  }
}

TEST_P(OnStreams, RefuseSendsThatWouldBeInOtherMemory) {
  Exchange made = exchange();
  int of_host = 0;
  const auto distance =
      reinterpret_cast<std::intptr_t>(&of_host) - reinterpret_cast<std::intptr_t>(source_->data());
  EXPECT_THROW(made.start(lane_->get(), {.sends = distance}), InvalidArgument);
  if (partner() == rank_) {
    EXPECT_THROW(made.start(lane_->get(), {.own_receives = distance}), InvalidArgument);
  }
  const auto kept = test::allocate(test::Source::pinned, 1);
  play(made, 1, kept->data());  // nothing was started
  lane_->wait();
  expect_kept(kept->data(), 1);
}

TEST_P(OnStreams, RefuseToMoveSendsOfTheHostBesideThem) {
  std::array<std::int32_t, 4> of_host{};
  const Plan plan = commit(Named::int32);
  const std::array<OutgoingPart, 2> out{
      {{source_->data(), 1, plan, rank_}, {of_host.data(), 1, plan, rank_}}};
  const std::array<IncomingPart, 2> in{{{target_->data(), 1, plan, rank_}, {&of_host[3], 1, plan, rank_}}};
  Exchange made(mpi::ranks(comm_), out, in);
  EXPECT_THROW(made.start(lane_->get(), {.sends = word}), InvalidArgument);
  EXPECT_THROW(made.start(lane_->get(), {.own_receives = word}), InvalidArgument);
  made.start(lane_->get());
  made.wait();
}

TEST_P(OnStreams, EndAtTheTimeLimitAlsoInGraphs) {
  TYPEWARP_NEEDS_RANKS(2);
  std::optional<Exchange> made = exchange(1s);
  if (rank_ == 0) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    made->start(lane_->get());
    ASSERT_CUDA(cudaStreamEndCapture(stream(), &graph));
    ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    ASSERT_CUDA(cudaGraphLaunch(executable, stream()));
    lane_->wait();  // ends
    EXPECT_THROW(static_cast<void>(made->done()), TimeLimitExceeded);
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    EXPECT_CUDA(cudaGraphDestroy(graph));
  }
  made.reset();
  ASSERT_CUDA(cudaDeviceSynchronize());
}

TEST_P(OnStreams, GoDirectlyBetweenPlainAllocations) {
  const Exchange made = exchange();
  const ExchangeWays ways = made.ways();
  const bool device = GetParam().memory == test::Source::device;
  EXPECT_EQ(ways.direct_sends, device || partner() == rank_ ? 1 : 0);
  EXPECT_EQ(ways.direct_receives, ways.direct_sends);
  EXPECT_EQ(ways.carried_sends, 1 - ways.direct_sends);
  const PartWay way = made.ways_of_sends().at(0);
  EXPECT_EQ(way.direct, ways.direct_sends == 1);
  EXPECT_EQ(way.reason, way.direct ? "" : "the receiver wants it in memory that is not a GPU's own");
  EXPECT_EQ(made.ways_of_receives().at(0).reason, way.reason);
}

// A device must be had by some part: page-locked memory alone is the host's.
INSTANTIATE_TEST_SUITE_P(Memory, OnStreams,
                         testing::Values(Case{DeviceWait::automatic, test::Source::device},
                                         Case{DeviceWait::automatic, test::Source::device, Case::many},
                                         Case{DeviceWait::memory_operation, test::Source::device},
                                         Case{DeviceWait::automatic, test::Source::managed},
                                         Case{DeviceWait::memory_operation, test::Source::managed}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace typewarp
