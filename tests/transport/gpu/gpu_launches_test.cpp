// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// How many kernels it takes to exchange many messages of device memory at once.

#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "support/user_buffer.hpp"
#include "transport/gpu/gpu_everywhere.hpp"
#include "transport/protocol_fixture.hpp"

#include <typewarp/collective.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace typewarp::test {
namespace {

constexpr std::int64_t width = 2;
constexpr int fields = 8;
constexpr std::int64_t direct = 509;    ///< bytes of the shortest message that is not packed to be sent
constexpr std::uint64_t unpacking = 2;  ///< launches: what must be unpacked, and what is read where it lies

enum class Start { one_by_one, together };

/// What the neighbour in that direction is sent of a field of so many numbers a side, or sends.
Datatype region(std::int64_t interior, const std::vector<std::int64_t>& direction, bool sent) {
  const std::int64_t edge = interior + 2 * width;
  std::vector<std::int64_t> sizes, starts;
  for (const std::int64_t step : direction) {
    sizes.push_back(step == 0 ? interior : width);
    const std::int64_t last = sent ? interior : interior + width;
    starts.push_back(step == 0 ? width : step > 0 ? last : sent ? width : 0);
  }
  return subarray({edge, edge, edge}, sizes, starts, Order::c, Named::double_);
}

std::vector<std::vector<std::int64_t>> directions() {
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t x = -1; x <= 1; ++x) {
    for (std::int64_t y = -1; y <= 1; ++y) {
      for (std::int64_t z = -1; z <= 1; ++z) {
        if (x != 0 || y != 0 || z != 0) all.push_back({x, y, z});
      }
    }
  }
  return all;
}

/// Messages of 26 neighbours, each of which is the partner, for some fields of so many numbers a side at
/// once.
class GpuLaunches : public ProtocolTest, public testing::WithParamInterface<std::int64_t> {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    warm_up();
    start(SessionOptions());
    for (const auto& direction : directions()) {
      sent_.push_back(commit(region(GetParam(), direction, true)));
      received_.push_back(commit(region(GetParam(), direction, false)));
    }
    bytes_ = sent_.front().extent();
  }
  void TearDown() override {
    if (graph_ != MPI_COMM_NULL) MPI_Comm_free(&graph_);
    ProtocolTest::TearDown();
  }

  /// Of messages of at least so many bytes, always the same number in a test. Returns the launches that this
  /// rank needed.
  std::uint64_t exchange(Start start, std::int64_t least, std::uint64_t seed) {
    const auto source = allocate(Source::device, fields * bytes_);
    const auto target = allocate(Source::device, fields * bytes_);
    const Bytes mine = pattern(fields * bytes_, seed + static_cast<std::uint64_t>(rank_));
    const Bytes there = pattern(fields * bytes_, seed + static_cast<std::uint64_t>(partner()));
    Bytes here = pattern(fields * bytes_, seed + 77);
    source->write(mine);
    target->write(here);
    MPI_Barrier(comm_);

    const OwnStream stream;
    const std::uint64_t before = gpu::launches();
    std::vector<Request> requests = start == Start::together
                                        ? together(source->data(), target->data(), least, stream.get())
                                        : one_by_one(source->data(), target->data(), least, stream.get());
    MPI_Barrier(comm_);  // all have been posted on both sides
    wait_all(requests);
    const std::uint64_t launched = gpu::launches() - before;

    for_each(least, [&](std::size_t i, std::int64_t at, int) {
      Bytes packed(static_cast<std::size_t>(sent_[i].size()));
      pack(there.data() + at, 1, sent_[i], packed.data(), nullptr);
      unpack(packed.data(), here.data() + at, 1, received_[i], nullptr);
    });
    EXPECT_EQ(contents(*target, fields * bytes_), here);
    MPI_Barrier(comm_);
    return launched;
  }
  /// On a host with much else to do a rank may be held up between two of its messages, so that the other
  /// unpacks what it has: the fewest launches of some exchanges of all messages, the first of which maps
  /// memory, and loads what CUDA loads lazily.
  std::uint64_t fewest(Start start, std::uint64_t enough) {
    exchange(start, 1, 1);
    std::uint64_t launched = exchange(start, 1, 2);
    for (std::uint64_t seed = 3; seed < 8 && on_some_rank(launched > enough); ++seed) {
      launched = std::min(launched, exchange(start, 1, seed));
    }
    return launched;
  }
  std::uint64_t eager_messages() const {
    const auto eager = [](const Plan& plan) { return plan.size() < direct; };
    return fields * static_cast<std::uint64_t>(std::ranges::count_if(sent_, eager));
  }

 private:
  std::vector<Request> one_by_one(const std::byte* source, std::byte* target, std::int64_t least,
                                  Stream stream) {
    std::vector<Request> requests;
    for_each(least, [&](std::size_t i, std::int64_t at, int number) {
      requests.push_back(irecv(target + at, 1, received_[i], partner(), number, comm_, stream));
    });
    for_each(least, [&](std::size_t i, std::int64_t at, int number) {
      requests.push_back(isend(source + at, 1, sent_[i], partner(), number, comm_, stream));
    });
    return requests;
  }
  std::vector<Request> together(const std::byte* source, std::byte* target, std::int64_t least,
                                Stream stream) {
    std::vector<SendPart> sends;
    std::vector<RecvPart> receives;
    for_each(least, [&](std::size_t i, std::int64_t at, int) {
      sends.push_back({source + at, 1, sent_[i]});
      receives.push_back({target + at, 1, received_[i]});
    });
    if (graph_ == MPI_COMM_NULL) {
      const std::vector<int> partners(sends.size(), partner());
      const int edges = static_cast<int>(partners.size());
      MPI_Dist_graph_create_adjacent(comm_, edges, partners.data(), MPI_UNWEIGHTED, edges, partners.data(),
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    }
    std::vector<Request> requests;
    requests.push_back(ineighbor_alltoallw(sends, receives, graph_, stream));
    return requests;
  }
  bool on_some_rank(bool here) const {
    int there = here ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_LOR, comm_);
    return there != 0;
  }
  template <typename Visit>
  void for_each(std::int64_t least, Visit visit) {
    for (int field = 0; field < fields; ++field) {
      for (std::size_t i = 0; i < sent_.size(); ++i) {
        const int number = field * static_cast<int>(sent_.size()) + static_cast<int>(i);
        if (sent_[i].size() >= least) visit(i, field * bytes_, number);
      }
    }
  }
  std::vector<Plan> sent_, received_;
  std::int64_t bytes_ = 0;  ///< of a field
  MPI_Comm graph_ = MPI_COMM_NULL;
};

// The first exchange maps memory, and loads what CUDA loads lazily.
TEST_P(GpuLaunches, DirectMessagesOfAHaloAreTwo) {
  exchange(Start::one_by_one, direct, 1);
  const std::uint64_t launched = exchange(Start::one_by_one, direct, 2);
  if (!has_thread_) {
    EXPECT_GE(launched, 1U);
    EXPECT_LE(launched, 2U);
  }
}

// Corners go eager: they are packed together.
TEST_P(GpuLaunches, MessagesOfAnExchangeAreTwoToPackAndTwoToUnpack) {
  constexpr std::uint64_t packing = 2;
  const std::uint64_t launched = fewest(Start::together, packing + unpacking);
  if (!has_thread_) {
    EXPECT_LE(launched, packing + unpacking);
  }
}

// Each corner is packed in its call.
TEST_P(GpuLaunches, MessagesOneByOneAreOneEachToPackAtMost) {
  const std::uint64_t packing = eager_messages();
  const std::uint64_t launched = fewest(Start::one_by_one, packing + unpacking);
  if (!has_thread_) {
    EXPECT_LE(launched, packing + unpacking);
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, GpuLaunches, testing::Values(32));
INSTANTIATE_TEST_SUITE_P(LargeFields, GpuLaunches, testing::Values(128));

}  // namespace
}  // namespace typewarp::test
