// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages of memory that has no name, which are packed whole where their receiver can read.

#include "support/random_type.hpp"
#include "transport/direct_fixture.hpp"
#include "transport/waiting.hpp"

#include <chrono>
#include <vector>

namespace typewarp::test {
namespace {

using transport::Waiting;
using Verdict = transport::Clearance::Verdict;

constexpr int tag = 4;
const Datatype column = vector(5000, 1, 2, Named::byte);

class PackedWhole : public DirectPieces {
 protected:
  void SetUp() override {
    DirectPieces::SetUp();
    if (IsSkipped()) return;
    sharing_.names = false;
    share_whole(small_pieces, std::int64_t{1} << 20);
  }

  void share_whole(const TransportOptions& options, std::int64_t pool_bytes) {
    share_pieces(options, 1024);
    core_->policy.packed_pool_bytes = pool_bytes;
  }

  Request start_send() { return isend(mine_.origin(), 1, commit(column), partner(), tag, comm_, nullptr); }
  Request start_receive() {
    return irecv(received_.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  }
  void expect_untouched() { EXPECT_EQ(received_.bytes(), UserBuffer(column, 1, 2).bytes()); }

  UserBuffer mine_{column, 1, 1};
  UserBuffer received_{column, 1, 2};
};

TEST_F(PackedWhole, MoveWhateverIsOnEitherSide) {
  for (const std::int64_t bytes : {550, 1001, 5000, 300'000}) {
    const std::vector<Datatype> types{row(bytes), spread(bytes), scattered(bytes)};
    for (const Datatype& sent : types) {
      for (const Datatype& received : types) exchange(sent, 1, received);
    }
    EXPECT_EQ(mapped(), 9) << bytes;
    EXPECT_EQ(unpacked(), 0) << bytes;
  }
}

TEST_F(PackedWhole, MoveRandomTypes) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 2048});
    const std::int64_t count = 1 + static_cast<std::int64_t>(seed % 3);
    exchange(type, count, test::scattered_like(type, count, seed), seed);
  }
  EXPECT_GT(mapped(), 30);
}

// What was sent is what the message says, and no longer the user's memory.
TEST_F(PackedWhole, AreOfferedAsBytes) {
  Request sending = start_send();
  const transport::Descriptor descriptor = take_descriptor();
  ASSERT_TRUE(descriptor.offer);
  EXPECT_TRUE(descriptor.offer->whole);
  EXPECT_FALSE(descriptor.offer->readable);
  EXPECT_EQ(descriptor.offer->chunk_bytes, 0);
  EXPECT_EQ(descriptor.offer->count, 5000);
  EXPECT_EQ(plan::from_wire(descriptor.offer->wire()).size(), 1);
  EXPECT_EQ(core_->shared_taken(), 1U);
  answer(descriptor, Verdict::say_ready);
  EXPECT_EQ(note(sending).size(), 1U);
  answer(descriptor, Verdict::taken);
  EXPECT_EQ(sending.wait().bytes, 5000);
}

TEST_F(PackedWhole, GoInPiecesWhereThereIsNoRoom) {
  share_whole(small_pieces, 4999);
  exchange(column, 1, column);
  EXPECT_EQ(mapped(), 0);
  EXPECT_EQ(unpacked(), pieces_of(5000));
  exchange(spread(4000), 1, spread(4000));
  EXPECT_EQ(mapped(), 1);
}

TEST_F(PackedWhole, ShareThePoolWithMessagesInPieces) {
  share_whole(small_pieces, 3 * 5120);
  constexpr int messages = 20;
  const Plan plan = commit(column);
  std::vector<UserBuffer> sent, received;
  for (int i = 0; i < messages; ++i) {
    sent.emplace_back(column, 1, static_cast<std::uint64_t>(messages * rank_ + i));
    received.emplace_back(column, 1, 5);
  }
  std::vector<Request> requests;
  for (int i = 0; i < messages; ++i) {
    const auto index = static_cast<std::size_t>(i);
    requests.push_back(isend(sent[index].origin(), 1, plan, partner(), i, comm_, nullptr));
    requests.push_back(irecv(received[index].origin(), 1, plan, partner(), i, comm_, nullptr));
  }
  wait_all(requests);
  for (int i = 0; i < messages; ++i) {
    UserBuffer expected(column, 1, static_cast<std::uint64_t>(messages * partner() + i));
    EXPECT_EQ(gathered(received[static_cast<std::size_t>(i)], column, 1), gathered(expected, column, 1)) << i;
  }
  EXPECT_GE(mapped(), 3);
  EXPECT_GT(unpacked(), 0);
}

TEST_F(PackedWhole, ThatCannotBeMappedGoThroughTheHost) {
  sharing_.maps = false;
  exchange(column, 1, column);
  EXPECT_EQ(mapped() + unpacked(), 0);
}

TEST_F(PackedWhole, GiveTheirRoomBackWhereTheReceiverFails) {
  for (std::atomic<bool>* const failure :
       {&sharing_.mapping_fails, &sharing_.fails_early, &sharing_.fails_late}) {
    *failure = true;
    Request receive = start_receive();
    Request sending = start_send();
    EXPECT_THROW(receive.wait(), CudaError);
    try {
      sending.wait();
    } catch (const Error&) {  // or it is told that its message was refused
    }
    settle();
    *failure = false;
    EXPECT_EQ(core_->shared_taken(), 0U);
    exchange(column, 1, column);
  }
}

TEST_F(PackedWhole, GiveTheirRoomBackWhereTheReceiverAsksForPieces) {
  share_pieces(small_pieces, 1024);
  core_->policy.packed_pool_bytes = std::int64_t{1} << 20;
  Request sending = start_send();
  const transport::Descriptor descriptor = take_descriptor();
  EXPECT_EQ(core_->shared_taken(), 1U);
  answer(descriptor, Verdict::shared, piece_bytes);
  for (int i = 0; i < pieces_of(5000); ++i) {
    const std::vector<std::byte> told = note(sending);
    ASSERT_EQ(told.size(), sizeof(transport::PieceNote));
    EXPECT_EQ(core_->shared_taken(), chunks().chunks.taken());
    MPI_Send(told.data(), sizeof(transport::PieceNote), MPI_PACKED, descriptor.sender, descriptor.reply_tag,
             core_->comm());
  }
  EXPECT_EQ(sending.wait().bytes, 5000);
}

TEST_F(PackedWhole, TellTheReceiverThatTheSenderGaveUp) {
  Request sending = start_send();
  Waiting::give_up(sending);
  meet();
  Request receive = start_receive();
  EXPECT_THROW(receive.wait(), Error);
  EXPECT_THROW(Waiting::finish(sending), TimeLimitExceeded);
  settle();
  expect_untouched();
}

// The sender is busy elsewhere until the receiver has given up what it was to be told of.
TEST_F(PackedWhole, EndWhereTheReceiverGivesUp) {
  if (rank_ == partner()) GTEST_SKIP() << "needs 2 ranks";
  if (rank_ % 2 == 0) {
    Request sending = start_send();
    MPI_Recv(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_, MPI_STATUS_IGNORE);
    EXPECT_EQ(sending.wait().bytes, 5000);
  } else {
    Request receive = start_receive();
    while (core_->tags.taken() == 0 && !receive.ready()) continue;
    Waiting::give_up(receive);
    MPI_Send(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_);
    EXPECT_THROW(Waiting::finish(receive), TimeLimitExceeded);
  }
  settle();
  EXPECT_EQ(core_->shared_taken(), 0U);
  expect_untouched();
}

TEST_F(PackedWhole, AreTruncatedAsOthers) {
  UserBuffer shorter(row(4000), 1, 2);
  Request receive = irecv(shorter.origin(), 1, commit(row(4000)), partner(), tag, comm_, nullptr);
  Request sending = start_send();
  EXPECT_THROW(receive.wait(), MpiError);
  EXPECT_EQ(sending.wait().bytes, 5000);
}

}  // namespace
}  // namespace typewarp::test
