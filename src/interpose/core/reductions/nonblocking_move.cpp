// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/collectives/paths.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/reductions/call_in_turn.hpp"
#include "interpose/core/requests/operations.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/session.hpp"

#include <utility>

namespace typewarp::interpose::nonblocking_move {
namespace {

class NonblockingMove final : public CallInTurn {
 public:
  NonblockingMove(const Call& call, const Participants& ranks, std::shared_ptr<TurnChannel> channel,
                  const std::optional<DirectNumbers>& at_once, BlockMessages&& blocks)
      : CallInTurn(call.comm, ranks, std::move(channel), at_once), blocks_(call.comm, ranks.own) {
    if (blocks.any_is_ours())
      follow(stream_of(call.comm), at_once ? std::optional(at_once->device) : blocks.device());
    take_turn();
    blocks_ = std::move(blocks);
    blocks_.go_on(transport::current()->comm.get());
  }

 private:
  bool go_on_by_messages() override {
    if (!std::exchange(is_begun_, true))
      failure().attempt([&] { messages().begin([&]() -> BlockMessages& { return blocks_; }, stream()); });
    return messages().over(failure());
  }

  BlockMessages blocks_;
  bool is_begun_ = false;
};

/// What this rank gives to a move at once; nothing also of a long one that is not worth tiles.
std::optional<DirectNumbers> given_at_once(const Call& call, int ranks) noexcept {
  std::optional<DirectNumbers> own = numbers_started_at_once(call);
  const bool is_long = own && own->bytes / ranks > gpu::PeerReduction::one_step_bytes(ranks);
  if (is_long && !is_worth_tiles(call, *own)) own.reset();
  return own;
}

}  // namespace

bool pays(const Call& call, const Participants& ranks, std::int64_t longest) noexcept {
  // By messages the root sends all of a broadcast to each rank. Below this that takes as long.
  constexpr std::int64_t least_broadcast = std::int64_t{8} << 20;
  constexpr int pair = 2;
  if (!boards() || !own_host().is_only || ranks.all > gpu::NumbersOfRanks::most_ranks) return false;
  if (call.pattern == CallPattern::bcast) return ranks.all > pair && longest >= least_broadcast;
  // Messages store where data belongs, so between two these gain by fewer steps alone (decision 086).
  constexpr std::int64_t most_between_two = std::int64_t{8} << 20;
  if (ranks.all == pair && longest > most_between_two) return false;
  return call.pattern == CallPattern::allgather || call.pattern == CallPattern::alltoall;
}

int start(const Call& call, const Participants& ranks, BlockMessages&& blocks) {
  const auto channel = transport::insist([&] { return TurnChannel::of(call.comm); });
  const std::optional<DirectNumbers> at_once = given_at_once(call, ranks.all);
  const auto begin = [&] {
    const auto made = transport::insist(
        [&] { return std::make_shared<NonblockingMove>(call, ranks, channel, at_once, std::move(blocks)); });
    made->advance(false);
    return transport::Internal::request(made);
  };
  // Others wait for a rank that has no request.
  *call.form.request = channel->messages()->or_spoil(
      [&] { return operations().add_started(call.comm, [&] { return one_begun(begin); }); });
  return MPI_SUCCESS;
}

}  // namespace typewarp::interpose::nonblocking_move
