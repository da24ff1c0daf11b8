// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages that the receiver reads where they lie, where one end is played by the test, by plain MPI calls:
// so it sees each step, and spoils some.

#include "transport/protocol/direct_fixture.hpp"
#include "transport/protocol/fragments/gpu_fragments.hpp"
#include "transport/tuning/policy.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace typewarp::test {
namespace {

using transport::AskedFor;
using transport::Cts;
using transport::DirectOffer;
using transport::Rts;

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
  const std::optional<DirectOffer> offer = DirectOffer::of(descriptor);
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->readable, 1);
  EXPECT_EQ(offer->count, 1);
  EXPECT_EQ(offer->plan, plan::identity(plan));
  EXPECT_TRUE(transport::inline_wire(descriptor).empty());
  answer(descriptor, asks_for(AskedFor::wire));
  EXPECT_EQ(note(sending), plan::to_wire(plan, 1 << 20));
  EXPECT_FALSE(sending.ready());
  meet();
  answer(descriptor, asks_for(AskedFor::ready));
  EXPECT_EQ(note(sending).size(), 1U);
  EXPECT_FALSE(sending.ready());
  meet();
  answer(descriptor, says(Code::taken));
  EXPECT_EQ(sending.wait().bytes, 2000);
}

TEST_F(DirectSend, CarriesAShortPlanItself) {
  UserBuffer mine(column, 1, 1);
  Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  const Rts descriptor = take_descriptor();
  const auto wire = transport::inline_wire(descriptor);
  EXPECT_EQ(std::vector(wire.begin(), wire.end()), plan::to_wire(commit(column), 1000));
  answer(descriptor, says(Code::refused));
  sending.wait();
}

TEST_F(DirectSend, EndsInAnErrorWhereItsReceiverFails) {
  UserBuffer mine(column, 1, 1);
  Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  answer(take_descriptor(), says(Code::failed));
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
  const auto is_told = [&](const transport::ProtocolRow& by, std::int64_t bytes) {
    refused([&](const Rts& descriptor, Request& sending) {
      answer(descriptor, wants_fragments(by, bytes));
      EXPECT_EQ(note(sending).size(), 0U) << "that nothing comes";
    });
  };
  const std::int64_t longest = state_->host_pools.outgoing.chunk_bytes();
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{-1}, longest + 1, most})
    is_told(transport::host_row, bytes);
  is_told(transport::ipc_row, longest);
  for (const Cts& wrong :
       {wants_fragments(transport::mpi_row, longest), says(Code{-1}), says(Code{99}), asks_for(AskedFor{99}),
        Cts{Code::fragments, 99, 0, 0, longest}, Cts{Code::asks, transport::host_row.id, 0, 0, 0}})
    refused([&](const Rts& descriptor, Request&) { answer(descriptor, wrong); });
  refused([&](const Rts& descriptor, Request&) {
    MPI_Send(nullptr, 0, MPI_PACKED, descriptor.sender, descriptor.reply_tag, state_->comm.get());
  });
}

// Its memory may be read for as long as the receiver does not say that it has read it.
TEST_F(DirectSend, ThatWasGivenUpTellsItsReceiverAndWaitsForIt) {
  SessionOptions options = small_fragments;
  options.time_limit = std::chrono::milliseconds(30);
  for (const Cts& cts :
       {asks_for(AskedFor::wire), asks_for(AskedFor::ready), says(Code::taken), says(Code::failed)}) {
    share(options);
    UserBuffer mine(column, 1, 1);
    Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
    EXPECT_THROW(sending.wait(), TimeLimitExceeded);
    EXPECT_EQ(state_->progress.active(), 1U);
    MPI_Barrier(comm_);
    answer(take_descriptor(), cts);
    if (cts.code == Code::asks) {
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
    offer_ = {sharing_.name(side, *span).value(), 1, plan::identity(plan_).value(),
              static_cast<std::int32_t>(wire().size()), 1};
  }

  std::vector<std::byte> wire() const { return plan::to_wire(plan_, 1000).value(); }

  Request announce() {
    Rts rts = transport::announcement(*state_, side_of(sent_.origin(), plan_));
    rts.reply_tag = reply_tag;
    if (offer_) rts.offers.add(transport::get_row.id, *offer_, inline_wire_);
    if (pool_) rts.offers.add(transport::ipc_row.id, *pool_);
    announcement_ = rts.encode(state_->comm.identity());
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
    EXPECT_EQ(answer(receive).code, Code::taken);
    EXPECT_EQ(receive.wait().bytes, 5000);
    UserBuffer theirs(column, 1, static_cast<std::uint64_t>(partner()));
    EXPECT_EQ(gathered(received_, wide, 1), gathered(theirs, column, 1));
  }
  void expect_untouched() {
    UserBuffer before(wide, 1, 99);
    EXPECT_EQ(received_.bytes(), before.bytes());
    EXPECT_EQ(mapped(), 0);
  }
  static void expect_asks(const Cts& cts, AskedFor what) {
    EXPECT_EQ(cts.code, Code::asks);
    EXPECT_EQ(cts.channel, transport::get_row.id);
    EXPECT_EQ(cts.detail, static_cast<std::int32_t>(what));
  }
  /// Of a clearance that asks for fragments, of which the first tells that there is none.
  void expect_granted(Request& receive) {
    const Cts clearance = answer(receive);
    EXPECT_EQ(clearance.code, Code::fragments);
    EXPECT_EQ(clearance.channel, transport::host_row.id);
    note(clearance, {});
    EXPECT_THROW(receive.wait(), Error);
    expect_untouched();
  }

  // Tags of the Session's own are taken from below.
  static constexpr int reply_tag = 30'000;

  Plan plan_ = commit(column);
  UserBuffer sent_{column, 1, static_cast<std::uint64_t>(rank_of_world())};
  UserBuffer received_{wide, 1, 99};
  std::optional<DirectOffer> offer_;
  std::vector<std::byte> inline_wire_ = wire();
  std::optional<transport::PoolOffer> pool_;
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
  offer_->readable = 0;
  Request receive = announce();
  const Cts clearance = answer(receive);
  expect_asks(clearance, AskedFor::ready);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(receive.ready());
  meet();
  note(clearance, {std::byte{1}});
  EXPECT_EQ(answer(receive).code, Code::taken);
  receive.wait();
}

TEST_F(DirectReceive, AsksForAPlanThatItDoesNotKnow) {
  inline_wire_.clear();
  Request receive = announce();
  const Cts clearance = answer(receive);
  expect_asks(clearance, AskedFor::wire);
  note(clearance, wire());
  expect_taken(receive);
}

TEST_F(DirectReceive, EndsInAnErrorWhereTheSenderFails) {
  for (const bool asks : {true, false}) {
    inline_wire_ = asks ? std::vector<std::byte>() : wire();
    offer_->readable = 0;
    Request receive = announce();
    const Cts clearance = answer(receive);
    expect_asks(clearance, asks ? AskedFor::wire : AskedFor::ready);
    note(clearance, {});
    EXPECT_THROW(receive.wait(), Error);
    UserBuffer before(wide, 1, 99);
    EXPECT_EQ(received_.bytes(), before.bytes());
    MPI_Barrier(comm_);
  }
}

TEST_F(DirectReceive, TakesWhatItDoubtsInFragments) {
  const DirectOffer right = *offer_;
  const auto doubted = [&](auto spoil) {
    offer_ = right;
    inline_wire_ = wire();
    spoil(*offer_);
    Request receive = announce();
    expect_granted(receive);
    MPI_Barrier(comm_);
  };
  doubted([&](DirectOffer&) { inline_wire_[50] ^= std::byte{1}; });
  doubted([&](DirectOffer&) { inline_wire_.resize(inline_wire_.size() - 8); });
  doubted([&](DirectOffer&) { inline_wire_.resize(DirectOffer::longest_inline_wire + 1); });
  doubted([](DirectOffer& offer) { offer.plan.words[1] ^= 1; });
  doubted([](DirectOffer& offer) { offer.count = 2; });
  doubted([](DirectOffer& offer) { offer.count = std::int64_t{1} << 62; });
  doubted([](DirectOffer& offer) { offer.memory.size -= 1; });
  doubted([](DirectOffer& offer) { offer.memory.offset = 1; });
  doubted([](DirectOffer& offer) { offer.memory.offset = -1; });
  for (const std::int64_t bytes :
       {std::int64_t{-1}, std::int64_t{0}, transport::remote_plan_policy.longest_wire + 1}) {
    doubted([&](DirectOffer& offer) {
      inline_wire_.clear();
      offer.plan.words[0] ^= 1;  // not known from before
      offer.wire_bytes = static_cast<std::int32_t>(bytes);
    });
  }
}

TEST_F(DirectReceive, TellsWhetherFragmentsCrossALink) {
  state_->profile.direct.fragments_from = 0;
  state_->profile.direct.fragment_cost = 0;
  state_->profile.direct.fragments_rate = std::numeric_limits<double>::infinity();
  pool_ = {offer_->memory, 300, 0};
  for (const bool near : {false, true}) {
    sharing_.is_near = near;
    if (near) offer_.reset();  // what is near and can be read whole is
    Request receive = announce();
    const Cts clearance = answer(receive);
    EXPECT_EQ(clearance.code, Code::fragments);
    EXPECT_EQ(clearance.channel, transport::ipc_row.id);
    EXPECT_EQ(clearance.detail == 0, near);
    EXPECT_EQ(clearance.fragment_bytes, 300);
    note(clearance, {});
    EXPECT_THROW(receive.wait(), Error);
    expect_untouched();
    MPI_Barrier(comm_);
  }
}

TEST_F(DirectReceive, TakesNoPoolThatCannotBe) {
  const transport::PoolOffer right{offer_->memory, 300, 8};
  const auto refused = [&](auto spoil) {
    offer_.reset();
    pool_ = right;
    spoil(*pool_);
    Request receive = announce();
    expect_granted(receive);
    MPI_Barrier(comm_);
  };
  refused([](transport::PoolOffer& pool) { pool.chunk_bytes = -1; });
  refused(
      [](transport::PoolOffer& pool) { pool.chunk_bytes = static_cast<std::int32_t>(pool.chunks.size) + 1; });
  refused([](transport::PoolOffer& pool) { pool.chunks.offset = -1; });
  refused([](transport::PoolOffer& pool) { pool.run = -1; });
}

TEST_F(DirectReceive, TakesAWireThatItDoubtsInFragments) {
  inline_wire_.clear();
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
  inline_wire_.clear();
  Request receive = announce_and_match();
  EXPECT_THROW(receive.wait(), TimeLimitExceeded);
  meet();
  note(answer(receive), wire());
  EXPECT_EQ(answer(receive).code, Code::refused);
  settle();
  expect_untouched();
}

TEST_F(DirectReceiveGivenUp, WhileItWaitsReadsNothing) {
  offer_->readable = 0;
  Request receive = announce_and_match();
  EXPECT_THROW(receive.wait(), TimeLimitExceeded);
  meet();
  note(answer(receive), {std::byte{1}});
  EXPECT_EQ(answer(receive).code, Code::taken);
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
  EXPECT_EQ(answer(receive).code, Code::taken);
  settle();
}

}  // namespace
}  // namespace typewarp::test
