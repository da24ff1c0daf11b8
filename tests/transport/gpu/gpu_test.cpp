// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages from and to memory of every kind that CUDA knows.

#include "engine/runtime/memory_kinds.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"
#include "transport/fixture.hpp"
#include "transport/gpu/gpu_everywhere.hpp"
#include "transport/buffer/placed_buffer.hpp"

#include <typewarp/collective.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <tuple>

namespace typewarp {
namespace {

using test::Gate;
using test::Memory;
using test::OwnStream;
using test::PlacedBuffer;
using test::Session;
using test::Source;
using test::UserBuffer;

constexpr int tag = 11;
constexpr std::array sources{Source::pageable, Source::pinned, Source::registered, Source::managed,
                             Source::device};

class GpuTransport : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    if (!test::gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    test::warm_up();
  }

  /// Exchanges `count` items with the partner, and checks every byte of the receiving buffer, guards
  /// included.
  void exchange(Source from, Source to, const Datatype& type, const Datatype& other, std::int64_t count,
                std::uint64_t seed, Stream stream) {
    const auto of = [&](int rank) { return 1000 * seed + static_cast<std::uint64_t>(rank); };
    UserBuffer mine(type, count, of(rank_));
    UserBuffer theirs(type, count, of(partner()));
    UserBuffer expected(other, 1, seed);
    PlacedBuffer sent(from, mine);
    PlacedBuffer received(to, expected);
    const Status status = sendrecv(sent.origin(), count, commit(type), partner(), tag, received.origin(), 1,
                                   commit(other), partner(), tag, comm_, stream);
    EXPECT_EQ(status.bytes, type.size() * count);
    scatter(gathered(theirs, type, count), expected, other, 1);
    EXPECT_EQ(received.bytes(expected.bytes().size()), expected.bytes())
        << name(from) << " to " << name(to) << ", seed " << seed << "\n"
        << type << "to\n"
        << other;
  }
};

class GpuKinds : public GpuTransport, public testing::WithParamInterface<std::tuple<Source, Source>> {};

TEST_P(GpuKinds, MeetEachOther) {
  const auto [from, to] = GetParam();
  const OwnStream stream;
  const Datatype column = vector(500, 2, 7, Named::double_);
  const Datatype row = contiguous(1000, Named::double_);
  exchange(from, to, column, vector(1000, 1, 3, Named::double_), 1, 1, stream.get());
  exchange(from, to, row, column, 1, 2, stream.get());
  exchange(from, to, column, row, 1, 3, nullptr);
  exchange(from, to, row, row, 1, 4, stream.get());
  exchange(from, to, contiguous(0, Named::int_), contiguous(0, Named::int_), 3, 5, stream.get());
}

TEST_P(GpuKinds, CarryRandomTypes) {
  const auto [from, to] = GetParam();
  const OwnStream stream;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 1024});
    const std::int64_t count = 1 + static_cast<std::int64_t>(seed % 3);
    exchange(from, to, type, test::scattered_like(type, count, seed), count, seed, stream.get());
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuKinds,
                         testing::Combine(testing::ValuesIn(sources), testing::ValuesIn(sources)),
                         [](const auto& pair) {
                           return std::string(name(std::get<0>(pair.param))) + "_to_" +
                                  name(std::get<1>(pair.param));
                         });

TEST_F(GpuTransport, ShortMessageUnpacksExactlyItsBytes) {
  const Datatype room = vector(100, 1, 2, Named::int_);
  const Datatype part = contiguous(37, Named::int_);
  for (const Source to : sources) {
    UserBuffer mine(part, 1, 1);
    UserBuffer expected(room, 1, 2);
    PlacedBuffer received(to, expected);
    Request sending = isend(mine.origin(), 1, commit(part), partner(), tag, comm_, nullptr);
    const Status status = recv(received.origin(), 1, commit(room), partner(), tag, comm_, nullptr);
    EXPECT_EQ(status.bytes, part.size());
    EXPECT_EQ(status.elements(commit(room)), 37);
    scatter(gathered(mine, part, 1), expected, room, 1);
    EXPECT_EQ(received.bytes(expected.bytes().size()), expected.bytes()) << name(to);
    sending.wait();
  }
}

// The work that the stream holds when a send is called happens before it.
TEST_F(GpuTransport, SendFollowsItsStream) {
  constexpr std::size_t bytes = 4096;
  const Plan plan = commit(vector(bytes / 8, 4, 8, Named::byte));
  for (const Source from : {Source::pinned, Source::managed, Source::device}) {
    const OwnStream stream;
    const std::unique_ptr<Memory> memory = test::allocate(from, bytes);
    memory->write(test::Bytes(bytes, std::byte{1}));
    Gate gate(stream.get());
    ASSERT_CUDA(cudaMemsetAsync(memory->data(), 2, bytes, stream.get()));
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      gate.open();
    });
    Request sending = isend(memory->data(), 1, plan, partner(), tag, comm_, stream.get());
    opener.join();
    test::Bytes received(bytes / 2);
    recv(received.data(), bytes / 2, commit(Named::byte), partner(), tag, comm_, nullptr);
    EXPECT_EQ(received, test::Bytes(bytes / 2, std::byte{2})) << name(from);
    sending.wait();
    stream.wait();
  }
}

// A receive is posted without waiting for its stream, writes after what the stream holds, and is not complete
// before.
TEST_F(GpuTransport, ReceiveWritesInOrderWithItsStreamAndTestDoesNotWait) {
  constexpr std::size_t bytes = 4096;
  const Plan plain = commit(Named::byte);
  for (const Source to : {Source::pinned, Source::managed, Source::device}) {
    for (const bool contiguous_bytes : {true, false}) {
      const Plan plan = commit(contiguous_bytes ? contiguous(bytes, Named::byte)
                                                : vector(bytes / 8, 8, 8, dup(Named::byte)));
      const OwnStream stream;
      const std::unique_ptr<Memory> memory = test::allocate(to, bytes);
      memory->write(test::Bytes(bytes, std::byte{1}));
      Gate gate(stream.get());
      ASSERT_CUDA(cudaMemsetAsync(memory->data(), 2, bytes, stream.get()));
      Request receive = irecv(memory->data(), 1, plan, partner(), tag, comm_, stream.get());
      const test::Bytes sent(bytes, std::byte{3});
      Request sending = isend(sent.data(), bytes, plain, partner(), tag, comm_, nullptr);
      const auto start = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(50)) {
        EXPECT_FALSE(receive.test().has_value());
      }
      EXPECT_TRUE(gate.closed());
      gate.open();
      EXPECT_EQ(receive.wait().bytes, static_cast<std::int64_t>(bytes));
      EXPECT_EQ(test::contents(*memory, bytes), sent) << name(to);
      sending.wait();
      stream.wait();
    }
  }
}

// A message is ordered by what its stream held at the call: work that comes later holds nothing up, and the
// stream may go.
TEST_F(GpuTransport, LaterWorkOfTheStreamHoldsNothingUp) {
  constexpr std::size_t bytes = 4096;
  const Plan plan = commit(vector(bytes / 8, 4, 8, Named::byte));
  for (const Source kind : {Source::pinned, Source::managed, Source::device}) {
    const OwnStream stream;
    const std::unique_ptr<Memory> sent = test::allocate(kind, bytes);
    const std::unique_ptr<Memory> received = test::allocate(kind, bytes);
    const std::unique_ptr<Memory> packed = test::allocate(Source::device, bytes / 2);
    sent->write(test::Bytes(bytes, std::byte{1}));
    received->write(test::Bytes(bytes, std::byte{2}));
    // An MPI or UCX may wait for the device when it meets memory for the first time.
    sendrecv(sent->data(), 1, plan, partner(), tag, received->data(), 1, plan, partner(), tag, comm_,
             stream.get());
    ASSERT_CUDA(cudaMemsetAsync(received->data(), 3, bytes, stream.get()));
    ASSERT_CUDA(cudaMemsetAsync(sent->data(), 4, bytes, stream.get()));
    Request receive = irecv(received->data(), 1, plan, partner(), tag, comm_, stream.get());
    Request sending = isend(sent->data(), 1, plan, partner(), tag, comm_, stream.get());
    Gate gate(stream.get());
    EXPECT_EQ(receive.wait().bytes, plan.size()) << name(kind);
    sending.wait();
    EXPECT_TRUE(gate.closed()) << name(kind);
    const OwnStream other;
    pack(received->data(), 1, plan, packed->data(), other.get());
    other.wait();
    gate.open();
    stream.wait();
    EXPECT_EQ(test::contents(*packed, bytes / 2), test::Bytes(bytes / 2, std::byte{4})) << name(kind);
    EXPECT_EQ(test::contents(*received, bytes)[4], std::byte{3}) << name(kind);
  }
}

TEST_F(GpuTransport, StreamMayGoBeforeItsMessages) {
  const Datatype column = vector(256, 1, 4, Named::int_);
  UserBuffer image(column, 1, 1);
  UserBuffer expected(column, 1, 2);
  PlacedBuffer sent(Source::device, image);
  PlacedBuffer received(Source::device, expected);
  Request receive;
  Request sending;
  {
    const OwnStream stream;
    receive = irecv(received.origin(), 1, commit(column), partner(), tag, comm_, stream.get());
    sending = isend(sent.origin(), 1, commit(column), partner(), tag, comm_, stream.get());
  }
  receive.wait();
  sending.wait();
  scatter(gathered(image, column, 1), expected, column, 1);
  EXPECT_EQ(received.bytes(expected.bytes().size()), expected.bytes());
}

TEST_F(GpuTransport, ManyInFlight) {
  constexpr int messages = 64;
  const Datatype column = vector(256, 1, 16, Named::float_);
  const Plan plan = commit(column);
  const OwnStream stream;
  std::vector<UserBuffer> images;
  std::vector<std::unique_ptr<PlacedBuffer>> sent;
  std::vector<std::unique_ptr<PlacedBuffer>> received;
  std::vector<Request> requests;
  for (int i = 0; i < messages; ++i) {
    images.emplace_back(column, 1, static_cast<std::uint64_t>(i));
    sent.push_back(std::make_unique<PlacedBuffer>(Source::device, images.back()));
    UserBuffer blank(column, 1, 777);
    received.push_back(std::make_unique<PlacedBuffer>(Source::device, blank));
    requests.push_back(irecv(received.back()->origin(), 1, plan, partner(), i, comm_, stream.get()));
  }
  for (int i = 0; i < messages; ++i) {
    requests.push_back(
        isend(sent[static_cast<std::size_t>(i)]->origin(), 1, plan, partner(), i, comm_, stream.get()));
  }
  for (Request& request : requests) request.wait();
  for (std::size_t i = 0; i < messages; ++i) {
    UserBuffer expected(column, 1, 777);
    scatter(gathered(images[i], column, 1), expected, column, 1);
    EXPECT_EQ(received[i]->bytes(expected.bytes().size()), expected.bytes()) << i;
  }
}

// Five parts between two ranks; those that lie with the device are packed by one launch.
TEST_F(GpuTransport, ExchangesPartsFromMemoryOfAllKinds) {
  for (const std::int64_t items : {16, 64, 3000}) {
    const Datatype column = vector(items, 1, 5, Named::int_);
    const Plan plan = commit(column);
    const OwnStream stream;
    const std::vector<int> edges(sources.size(), partner());
    const int degree = static_cast<int>(edges.size());
    MPI_Comm graph = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Dist_graph_create_adjacent(comm_, degree, edges.data(), MPI_UNWEIGHTED, degree,
                                             edges.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
              MPI_SUCCESS);
    std::vector<UserBuffer> images;
    std::vector<std::unique_ptr<PlacedBuffer>> sent, received;
    std::vector<SendPart> sends;
    std::vector<RecvPart> receives;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (const bool mine : {true, false}) {
        UserBuffer image(column, 1, 10 * i + static_cast<std::uint64_t>(mine ? rank_ : partner()));
        if (mine) {
          sent.push_back(std::make_unique<PlacedBuffer>(i % 2 == 0 ? Source::device : sources[i], image));
        } else {
          images.push_back(std::move(image));
        }
      }
      UserBuffer blank(column, 1, 777);
      received.push_back(std::make_unique<PlacedBuffer>(sources[sources.size() - 1 - i], blank));
      sends.push_back({sent.back()->origin(), 1, plan});
      receives.push_back({received.back()->origin(), 1, plan});
    }
    for (int round = 0; round < 3; ++round) neighbor_alltoallw(sends, receives, graph, stream.get());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      UserBuffer expected(column, 1, 777);
      scatter(gathered(images[i], column, 1), expected, column, 1);
      EXPECT_EQ(received[i]->bytes(expected.bytes().size()), expected.bytes()) << i << ", " << items;
    }
    MPI_Comm_free(&graph);
  }
}

TEST_F(GpuTransport, TruncationLeavesDeviceMemoryAsItWas) {
  TYPEWARP_NEEDS_SAFE_TRUNCATION();
  const Datatype column = vector(8, 1, 2, Named::int_);
  UserBuffer image(column, 1, 1);
  PlacedBuffer received(Source::device, image);
  const test::Bytes sent(64, std::byte{9});
  Request receive = irecv(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  Request sending = isend(sent.data(), 64, commit(Named::byte), partner(), tag, comm_, nullptr);
  EXPECT_THROW(receive.wait(), MpiError);
  EXPECT_EQ(received.bytes(image.bytes().size()), image.bytes());
  sending.wait();
}

TEST_F(GpuTransport, DroppedRequestsLeaveNothingBehind) {
  const Datatype column = vector(512, 1, 4, Named::int_);
  const Plan plan = commit(column);
  UserBuffer image(column, 1, 1);
  UserBuffer blank(column, 1, 2);
  PlacedBuffer sent(Source::device, image);
  PlacedBuffer received(Source::device, blank);
  { const Request unmatched = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr); }
  EXPECT_EQ(received.bytes(blank.bytes().size()), blank.bytes());
  MPI_Barrier(comm_);
  {
    Request receive = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
    (void)isend(sent.origin(), 1, plan, partner(), tag, comm_, nullptr);
    receive.wait();
  }
  scatter(gathered(image, column, 1), blank, column, 1);
  EXPECT_EQ(received.bytes(blank.bytes().size()), blank.bytes());
}

}  // namespace
}  // namespace typewarp
