// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages that the receiver reads where they lie, where one end is played by the test, by plain MPI calls:
// so it sees each step, and spoils some.

#include "transport/direct_fixture.hpp"
#include "transport/tuning/policy.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace typewarp::test {
namespace {

using transport::Cts;
using transport::RemoteKey;
using transport::Rts;
using Code = Cts::Code;

const Datatype column = vector(5000, 1, 2, Named::byte);
/// Of the other end: with a plan of its own.
const Datatype wide = vector(5000, 1, 3, Named::byte);

/// Where the test plays the receiver.
using DirectSend = Direct;

TEST_F(DirectSend, OffersWhereItsMemoryLies) {
  UserBuffer mine(scattered(2000), 1, 1);
  const Plan plan = commit(scattered(2000));
  Request sending = isend(mine.origin(), 1, plan, partner(), tag, comm_, nullptr);
  const Rts descriptor = take_descriptor();
  ASSERT_TRUE(descriptor.offer);
  EXPECT_TRUE(descriptor.offer->readable);
  EXPECT_EQ(descriptor.offer->count, 1);
  EXPECT_EQ(descriptor.offer->plan, plan::identity(plan));
  EXPECT_TRUE(descriptor.offer->wire().empty());
  answer(descriptor, Code::send_wire);
  EXPECT_EQ(note(sending), plan::to_wire(plan, 1 << 20));
  EXPECT_FALSE(sending.ready());
  meet();
  answer(descriptor, Code::say_ready);
  EXPECT_EQ(note(sending).size(), 1U);
  EXPECT_FALSE(sending.ready());
  meet();
  answer(descriptor, Code::taken);
  EXPECT_EQ(sending.wait().bytes, 2000);
}

TEST_F(DirectSend, CarriesAShortPlanItself) {
  UserBuffer mine(column, 1, 1);
  Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  const Rts descriptor = take_descriptor();
  const auto wire = descriptor.offer->wire();
  EXPECT_EQ(std::vector(wire.begin(), wire.end()), plan::to_wire(commit(column), 1000));
  answer(descriptor, Code::refused);
  sending.wait();
}

TEST_F(DirectSend, EndsInAnErrorWhereItsReceiverFails) {
  UserBuffer mine(column, 1, 1);
  Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  answer(take_descriptor(), Code::failed);
  EXPECT_THROW(sending.wait(), Error);
}

// Whatever a receiver answers: an error in place of bytes beyond a chunk, and of a wait for ever.
TEST_F(DirectSend, RefusesAnAnswerThatCannotBe) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const auto refused = [&](const auto& wrong) {
    UserBuffer mine(column, 1, 1);
    Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
    wrong(take_descriptor(), sending);
    EXPECT_THROW(sending.wait(), Error);
    settle();
  };
  const auto is_told = [&](Code verdict, std::int64_t bytes) {
    refused([&](const Rts& descriptor, Request& sending) {
      answer(descriptor, verdict, bytes);
      EXPECT_EQ(note(sending).size(), 0U) << "that nothing comes";
    });
  };
  const std::int64_t longest = state_->host_pools.outgoing.chunk_bytes();
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{-1}, longest + 1, most})
    is_told(Code::granted, bytes);
  for (const Code verdict : {Code::shared, Code::shared_far}) is_told(verdict, longest);
  for (const Code verdict : {Code::linked, Code{-1}, Code{99}})
    refused([&](const Rts& descriptor, Request&) { answer(descriptor, verdict, longest); });
  refused([&](const Rts& descriptor, Request&) {
    MPI_Send(nullptr, 0, MPI_PACKED, descriptor.sender, descriptor.reply_tag, state_->comm.get());
  });
}

// Its memory may be read for as long as the receiver does not say that it has read it.
TEST_F(DirectSend, ThatWasGivenUpTellsItsReceiverAndWaitsForIt) {
  SessionOptions options = small_fragments;
  options.time_limit = std::chrono::milliseconds(30);
  for (const Code verdict : {Code::send_wire, Code::say_ready, Code::taken, Code::failed}) {
    share(options);
    UserBuffer mine(column, 1, 1);
    Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
    EXPECT_THROW(sending.wait(), TimeLimitExceeded);
    EXPECT_EQ(state_->progress.active(), 1U);
    MPI_Barrier(comm_);
    answer(take_descriptor(), verdict);
    if (verdict == Code::send_wire || verdict == Code::say_ready) {
      EXPECT_EQ(note(sending).size(), 0U);
    }
    while (state_->progress.active() != 0) progress();
    MPI_Barrier(comm_);
  }
}

/// A sender that this test plays.
class DirectReceive : public Direct {
 protected:
  void SetUp() override {
    Direct::SetUp();
    if (IsSkipped()) return;
    const std::optional<plan::Bounds> span = plan::bounds(plan_, 1);
    const transport::MessageBuffer side = side_of(sent_.origin(), plan_);
    descriptor_ = {5000, 1000, state_->comm.rank(), reply_tag,
                   RemoteKey{sharing_.name(side, *span).value(), true, 1, plan::identity(plan_).value(),
                             std::ssize(wire()), true}};
    put_inline(wire());
  }

  void put_inline(const std::vector<std::byte>& wire) {
    std::ranges::copy(wire, descriptor_.offer->inline_wire.begin());
    descriptor_.offer->inline_bytes = static_cast<std::int32_t>(wire.size());
  }
  std::vector<std::byte> wire() const { return plan::to_wire(plan_, 1000).value(); }

  Request announce() {
    announcement_ = descriptor_.encode(state_->comm.identity());
    announced_ =
        transport::start_send(announcement_.data(), std::ssize(announcement_), {partner(), tag, comm_});
    return irecv(received_.origin(), 1, commit(wide), partner(), tag, comm_, nullptr);
  }
  Cts answer(Request& receive) {
    Cts clearance{};
    transport::Posted posted =
        transport::start_receive(reinterpret_cast<std::byte*>(&clearance), sizeof(clearance),
                                 {private_partner(), reply_tag, state_->comm.get()});
    while (!posted.test()) {
      if (receive.active()) static_cast<void>(receive.ready());
      progress();
    }
    return clearance;
  }
  void note(const Cts& clearance, const std::vector<std::byte>& bytes) {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_PACKED, private_partner(), clearance.data_tag,
             state_->comm.get());
  }

  void expect_taken(Request& receive) {
    EXPECT_EQ(answer(receive).verdict, Code::taken);
    EXPECT_EQ(receive.wait().bytes, 5000);
    UserBuffer theirs(column, 1, static_cast<std::uint64_t>(partner()));
    EXPECT_EQ(gathered(received_, wide, 1), gathered(theirs, column, 1));
  }
  void expect_untouched() {
    UserBuffer before(wide, 1, 99);
    EXPECT_EQ(received_.bytes(), before.bytes());
    EXPECT_EQ(mapped(), 0);
  }
  /// Of a clearance that asks for fragments, of which the first tells that there is none.
  void expect_granted(Request& receive) {
    const Cts clearance = answer(receive);
    EXPECT_EQ(clearance.verdict, Code::granted);
    note(clearance, {});
    EXPECT_THROW(receive.wait(), Error);
    expect_untouched();
  }

  // Tags of the Session's own are taken from below.
  static constexpr int reply_tag = 30'000;

  Plan plan_ = commit(column);
  UserBuffer sent_{column, 1, static_cast<std::uint64_t>(rank_of_world())};
  UserBuffer received_{wide, 1, 99};
  Rts descriptor_{};
  transport::RtsBytes announcement_{};
  transport::Posted announced_;

 private:
  static int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
};

TEST_F(DirectReceive, ReadsAtOnceWhatIsReadable) {
  Request receive = announce();
  expect_taken(receive);
}

TEST_F(DirectReceive, WaitsForWhatIsNotReadableYet) {
  descriptor_.offer->readable = false;
  Request receive = announce();
  const Cts clearance = answer(receive);
  EXPECT_EQ(clearance.verdict, Code::say_ready);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(receive.ready());
  meet();
  note(clearance, {std::byte{1}});
  EXPECT_EQ(answer(receive).verdict, Code::taken);
  receive.wait();
}

TEST_F(DirectReceive, AsksForAPlanThatItDoesNotKnow) {
  put_inline({});
  Request receive = announce();
  const Cts clearance = answer(receive);
  EXPECT_EQ(clearance.verdict, Code::send_wire);
  note(clearance, wire());
  expect_taken(receive);
}

TEST_F(DirectReceive, EndsInAnErrorWhereTheSenderFails) {
  for (const bool asks : {true, false}) {
    if (asks) put_inline({});
    if (!asks) put_inline(wire());
    descriptor_.offer->readable = false;
    Request receive = announce();
    const Cts clearance = answer(receive);
    EXPECT_EQ(clearance.verdict, asks ? Code::send_wire : Code::say_ready);
    note(clearance, {});
    EXPECT_THROW(receive.wait(), Error);
    UserBuffer before(wide, 1, 99);
    EXPECT_EQ(received_.bytes(), before.bytes());
    MPI_Barrier(comm_);
  }
}

TEST_F(DirectReceive, TakesWhatItDoubtsInFragments) {
  const RemoteKey right = *descriptor_.offer;
  const auto doubted = [&](auto spoil) {
    *descriptor_.offer = right;
    spoil(*descriptor_.offer);
    Request receive = announce();
    expect_granted(receive);
    MPI_Barrier(comm_);
  };
  doubted([](RemoteKey& offer) { offer.inline_wire[50] ^= std::byte{1}; });
  doubted([](RemoteKey& offer) { offer.inline_bytes -= 8; });
  doubted([](RemoteKey& offer) { offer.plan.words[1] ^= 1; });
  doubted([](RemoteKey& offer) { offer.count = 2; });
  doubted([](RemoteKey& offer) { offer.count = std::int64_t{1} << 62; });
  doubted([](RemoteKey& offer) { offer.memory.size -= 1; });
  doubted([](RemoteKey& offer) { offer.memory.offset = 1; });
  doubted([](RemoteKey& offer) { offer.memory.offset = -1; });
  for (const std::int64_t bytes :
       {std::int64_t{-1}, std::int64_t{0}, transport::direct_policy.longest_wire + 1}) {
    doubted([&](RemoteKey& offer) {
      offer.inline_bytes = 0;
      offer.plan.words[0] ^= 1;  // not known from before
      offer.wire_bytes = bytes;
    });
  }
}

TEST_F(DirectReceive, TellsWhetherFragmentsCrossALink) {
  state_->profile.direct.fragments_from = 0;
  state_->profile.direct.fragment_cost = 0;
  state_->profile.direct.fragments_rate = std::numeric_limits<double>::infinity();
  RemoteKey& offer = *descriptor_.offer;
  offer.chunks = offer.memory;
  offer.chunk_bytes = 300;
  for (const bool near : {false, true}) {
    sharing_.is_near = near;
    offer.whole = !near;  // what is near and can be read whole is
    Request receive = announce();
    const Cts clearance = answer(receive);
    EXPECT_EQ(clearance.verdict, near ? Code::shared : Code::shared_far);
    EXPECT_EQ(clearance.fragment_bytes, offer.chunk_bytes);
    note(clearance, {});
    EXPECT_THROW(receive.wait(), Error);
    expect_untouched();
    MPI_Barrier(comm_);
  }
}

TEST_F(DirectReceive, TakesAWireThatItDoubtsInFragments) {
  put_inline({});
  Request receive = announce();
  const Cts clearance = answer(receive);
  std::vector<std::byte> wrong = wire();
  wrong.back() ^= std::byte{1};
  note(clearance, wrong);
  expect_granted(receive);
}

class DirectReceiveGivenUp : public DirectReceive {
 protected:
  void SetUp() override {
    DirectReceive::SetUp();
    if (IsSkipped()) return;
    SessionOptions options = small_fragments;
    options.time_limit = std::chrono::milliseconds(30);
    share(options);
  }
  /// A receive that was given up before would take no message.
  Request announce_and_match() {
    Request receive = announce();
    while (state_->comm.tags.taken() == 0 && sharing_.mapped == 0 && !receive.ready()) continue;
    return receive;
  }
};

TEST_F(DirectReceiveGivenUp, WhileItAsksRefusesThen) {
  put_inline({});
  Request receive = announce_and_match();
  EXPECT_THROW(receive.wait(), TimeLimitExceeded);
  meet();
  note(answer(receive), wire());
  EXPECT_EQ(answer(receive).verdict, Code::refused);
  settle();
  expect_untouched();
}

TEST_F(DirectReceiveGivenUp, WhileItWaitsReadsNothing) {
  descriptor_.offer->readable = false;
  Request receive = announce_and_match();
  EXPECT_THROW(receive.wait(), TimeLimitExceeded);
  meet();
  note(answer(receive), {std::byte{1}});
  EXPECT_EQ(answer(receive).verdict, Code::taken);
  settle();
  UserBuffer before(wide, 1, 99);
  EXPECT_EQ(received_.bytes(), before.bytes());
}

// The sender must not be told before the copy has ended.
TEST_F(DirectReceiveGivenUp, WhileItCopiesEndsWithTheCopy) {
  sharing_.holds = true;
  Request receive = announce_and_match();
  EXPECT_THROW(receive.wait(), TimeLimitExceeded);
  meet();
  for (int i = 0; i < 100; ++i) progress();
  int told = 0;
  MPI_Iprobe(private_partner(), reply_tag, state_->comm.get(), &told, MPI_STATUS_IGNORE);
  EXPECT_EQ(told, 0);
  MPI_Barrier(comm_);
  sharing_.holds = false;
  EXPECT_EQ(answer(receive).verdict, Code::taken);
  settle();
}

}  // namespace
}  // namespace typewarp::test
