// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// First pieces that are packed before their receiver knows of them: that they are, and that nothing depends
// on the guess being right.

#include "transport/direct_fixture.hpp"
#include "transport/waiting.hpp"

#include <chrono>
#include <cstring>
#include <vector>

namespace typewarp::test {
namespace {

using transport::Clearance;
using transport::Descriptor;
using transport::PieceNote;
using transport::Waiting;
using Verdict = Clearance::Verdict;

constexpr int tag = 4;
const Datatype column = vector(5000, 1, 2, Named::byte);

class Ahead : public DirectPieces {
 protected:
  void SetUp() override {
    DirectPieces::SetUp();
    if (!IsSkipped()) exchange(column, 1, column, 7);  // other bytes, so that chunks hold those
    unpacked();
  }

  Request start_send(int number = tag) {
    return isend(mine_.origin(), 1, commit(column), partner(), number, comm_, nullptr);
  }
  std::size_t taken() { return chunks().chunks.taken(); }

  PieceNote piece_note(Request& sending) {
    const std::vector<std::byte> bytes = note(sending);
    PieceNote told{-1, -1};
    if (bytes.size() == sizeof(told)) std::memcpy(&told, bytes.data(), sizeof(told));
    return told;
  }
  void answer_piece(const Descriptor& descriptor, const PieceNote& told) {
    MPI_Send(&told, sizeof(told), MPI_PACKED, descriptor.sender, descriptor.reply_tag, core_->comm());
  }
  /// Receives what partner() sends, and compares it.
  void receive_all(int number = tag) {
    UserBuffer received(column, 1, 99);
    UserBuffer theirs(column, 1, static_cast<std::uint64_t>(partner()));
    recv(received.origin(), 1, commit(column), partner(), number, comm_, nullptr);
    EXPECT_EQ(gathered(received, column, 1), gathered(theirs, column, 1)) << number;
  }

  UserBuffer mine_{column, 1, static_cast<std::uint64_t>(rank_of_world())};

 private:
  static int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
};

TEST_F(Ahead, IsPackedBeforeTheReceiverAnswers) {
  Request sending = start_send();
  EXPECT_EQ(taken(), 1U);
  const auto packed = gathered(mine_, column, 1);
  int found = 0;
  for (std::int64_t place = 0; place < 1024; place += piece_bytes) {
    if (std::memcmp(chunks().memory.data + place, packed.data(), piece_bytes) == 0) ++found;
  }
  EXPECT_EQ(found, 1);
  MPI_Barrier(comm_);
  receive_all();
  sending.wait();
  EXPECT_EQ(taken(), 0U);
  EXPECT_EQ(unpacked(), pieces_of(5000));
}

TEST_F(Ahead, TellsTheLengthOfThePieces) {
  core_->policy.piece_scale = 128;
  Request sending = start_send();
  Descriptor descriptor = take_descriptor();
  EXPECT_EQ(descriptor.offer->piece_bytes, core_->policy.piece_length(5000, piece_bytes));
  answer(descriptor, Verdict::refused);
  sending.wait();
  sharing_.names = false;  // which is known to come in pieces, whatever the runs
  const Datatype line = row(5000);
  UserBuffer long_run(line, 1, 1);
  sending = isend(long_run.origin(), 1, commit(line), partner(), tag, comm_, nullptr);
  descriptor = take_descriptor();
  EXPECT_GT(descriptor.offer->piece_bytes, 0);
  answer(descriptor, Verdict::refused);
  sending.wait();
}

TEST_F(Ahead, IsLeftWhereAnotherWayIsLikely) {
  const auto expect_none = [&](const Datatype& type) {
    UserBuffer sent(type, 1, 1);
    Request sending = isend(sent.origin(), 1, commit(type), partner(), tag, comm_, nullptr);
    EXPECT_EQ(taken(), 0U);
    const Descriptor descriptor = take_descriptor();
    EXPECT_EQ(descriptor.offer->piece_bytes, 0);
    answer(descriptor, Verdict::refused);
    sending.wait();
    MPI_Barrier(comm_);
  };
  expect_none(spread(1000));
  core_->policy.piece_cost = transport::direct_policy.piece_cost;
  expect_none(row(5000));
  core_->policy.piece_cost = 0;
  core_->policy.left_by_guesses = 1;
  expect_none(column);
  sharing_.is_near = true;
  share_pieces(small_pieces, 1024);
  expect_none(column);
}

TEST_F(Ahead, ThatIsOfNoUseGoesBack) {
  // The last one: from then on the sender takes the receiver for one that reads whole messages.
  for (const Verdict verdict : {Verdict::refused, Verdict::failed, Verdict::taken}) {
    Request sending = start_send();
    EXPECT_EQ(taken(), 1U);
    answer(take_descriptor(), verdict);
    if (verdict == Verdict::failed) {
      EXPECT_THROW(sending.wait(), Error);
    } else {
      sending.wait();
    }
    EXPECT_EQ(taken(), 0U);
    MPI_Barrier(comm_);
  }
}

TEST_F(Ahead, GoesBackWhereTheMessageComesInAnotherWay) {
  Request sending = start_send();
  answer(take_descriptor(), Verdict::granted, 1000);
  UserBuffer theirs(column, 1, static_cast<std::uint64_t>(partner()));
  const auto packed = gathered(theirs, column, 1);
  for (int i = 0; i < 5; ++i) {
    const std::vector<std::byte> piece = note(sending);
    ASSERT_EQ(piece.size(), 1000U);
    EXPECT_EQ(std::memcmp(piece.data(), packed.data() + 1000 * i, piece.size()), 0);
  }
  sending.wait();
}

TEST_F(Ahead, IsNotUsedForPiecesOfAnotherLength) {
  constexpr std::int64_t length = 100;
  Request sending = start_send();
  const Descriptor descriptor = take_descriptor();
  answer(descriptor, Verdict::shared, length);
  UserBuffer received(column, 1, 99);
  UserBuffer theirs(column, 1, static_cast<std::uint64_t>(partner()));
  const transport::Side side({"test", "buffer", "count"}, received.origin(), 1, commit(column), comm_, false,
                             nullptr);
  const auto mapped = sharing_.map_chunks(descriptor.offer->chunks, side);
  for (std::int64_t begin = 0; begin < 5000; begin += length) {
    const PieceNote told = piece_note(sending);
    EXPECT_EQ(told.number, begin / length);
    std::optional<cuda::Event> done;
    mapped->unpack({begin, begin + length}, told.place, nullptr, done, told.number);
    answer_piece(descriptor, told);
  }
  while (!sending.ready()) continue;
  sending.wait();
  EXPECT_EQ(gathered(received, column, 1), gathered(theirs, column, 1));
}

TEST_F(Ahead, WrongGuessesChangeNoByte) {
  sharing_.is_near = true;  // now that all believe the opposite: so it goes by one kernel
  mapped();
  exchange(column, 1, column);
  EXPECT_EQ(mapped(), 1);
  EXPECT_EQ(unpacked(), 0);
  exchange(scattered(5000), 1, column);  // the plan is asked for on the way
  sharing_.maps = false;
  exchange(column, 1, column);
  EXPECT_EQ(taken(), 0U);
  UserBuffer received(spread(1000), 1, 2);
  Request receive = irecv(received.origin(), 1, commit(spread(1000)), partner(), tag, comm_, nullptr);
  Request sending = start_send();
  EXPECT_THROW(receive.wait(), MpiError);
  EXPECT_EQ(sending.wait().bytes, 5000);
}

TEST_F(Ahead, ReceiverThatCannotMapChunksRefusesTheMessage) {
  UserBuffer received(column, 1, 2);
  UserBuffer before(column, 1, 2);
  sharing_.mapping_fails = true;
  Request receive = irecv(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  Request sending = start_send();
  EXPECT_THROW(receive.wait(), CudaError);
  EXPECT_EQ(sending.wait().bytes, 5000);
  EXPECT_EQ(received.bytes(), before.bytes());
  EXPECT_EQ(taken(), 0U);
  meet();
  sharing_.mapping_fails = false;
  exchange(column, 1, column);
}

TEST_F(Ahead, LeavesHalfOfThePoolToMessagesThatAreReceived) {
  constexpr int messages = 20;
  TransportOptions options = small_pieces;
  options.time_limit = std::chrono::seconds(10);  // whoever waits in a circle shows
  share_pieces(options, 4 * piece_bytes);
  std::vector<Request> requests;
  for (int i = 0; i < messages; ++i) requests.push_back(start_send(100 + i));
  EXPECT_EQ(taken(), 2U);
  for (int i = 0; i < 3; ++i) exchange(column, 1, column);
  EXPECT_EQ(taken(), 2U);
  MPI_Barrier(comm_);
  for (int i = 0; i < messages; ++i) receive_all(100 + i);
  wait_all(requests);
  settle();
}

TEST_F(Ahead, TakesNoneOfAPoolOfOne) {
  share_pieces(small_pieces, piece_bytes);
  Request sending = start_send();
  EXPECT_EQ(taken(), 0U);
  MPI_Barrier(comm_);
  receive_all();
  sending.wait();
}

TEST_F(Ahead, GoesBackWhereTheSenderGivesUpBeforeTheAnswer) {
  Request sending = start_send();
  EXPECT_EQ(taken(), 1U);
  Waiting::give_up(sending);
  while (taken() != 0) progress();
  EXPECT_EQ(core_->progress.active(), 1U);
  EXPECT_THROW(Waiting::finish(sending), Error);
  MPI_Barrier(comm_);
  answer(take_descriptor(), Verdict::shared, piece_bytes);
  EXPECT_EQ(note(sending).size(), 0U);
  settle();
}

TEST_F(Ahead, GoesBackWhereTheSenderGivesUpAfterTheAnswer) {
  Request sending = start_send();
  const Descriptor descriptor = take_descriptor();
  answer(descriptor, Verdict::shared, piece_bytes);
  PieceNote told = piece_note(sending);
  EXPECT_EQ(told.number, 0);
  meet();  // all are in the middle of sending
  Waiting::give_up(sending);
  meet();  // nobody is answered to the end before giving up
  for (; told.place >= 0; told = piece_note(sending)) answer_piece(descriptor, told);
  EXPECT_THROW(Waiting::finish(sending), Error);
  settle();
  EXPECT_EQ(taken(), 0U);
}

}  // namespace
}  // namespace typewarp::test
