// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/direct/direct_calls.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace typewarp::interpose {
namespace {

/// Programs with more sets of arguments than there are places would prepare them over and over: each must be
/// used so often on average, but for the first ones.
constexpr std::uint64_t uses_of_each = 8;

}  // namespace

PreparedCall::PreparedCall(DirectKey key, Steps steps) : key_(std::move(key)), steps_(std::move(steps)) {
  for (const auto& step : steps_) {
    device_ = std::max(device_, step->device());
    bytes_ += step->bytes();
  }
}

void PreparedCall::start(Stream stream) {
  for (const auto& step : steps_) step->start(stream);
}

bool PreparedCall::done() const noexcept {
  return std::ranges::all_of(steps_, [](const auto& step) { return step->done(); });
}

void PreparedCall::check_device() const {
  for (const auto& step : steps_) step->check_device();
}

void PreparedCall::release() {
  for (const auto& step : steps_) step->release();
}

void PreparedCall::abandon() noexcept {
  for (const auto& step : steps_) step->abandon();
}

bool DirectCalls::Hashes::has(std::uint64_t hash) const noexcept {
  return std::ranges::find(values, hash) != values.end();
}

std::uint64_t DirectCalls::bits_of(const DirectKey& key) noexcept {
  if (!key.is_direct()) return 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < most; ++i) {
    if (slots_[i].call && slots_[i].call->key() == key) bits |= std::uint64_t{1} << i;
  }
  if (refused_.has(key.hash())) return bits;
  if (bits != 0 || seen_.has(key.hash())) return bits | may_be_prepared;
  seen_.add(key.hash());
  return 0;
}

PreparedCall* DirectCalls::choose(std::uint64_t given_by_all, const Call& call, const DirectKey& key,
                                  const DirectNumbers* move) {
  const std::uint64_t places = given_by_all & (may_be_prepared - 1);
  Slot* found = nullptr;
  if (places != 0) {
    found = &slots_[static_cast<std::size_t>(std::countr_zero(places))];
  } else if (prepared_ * uses_of_each <= used_ + most * uses_of_each &&
             (move == nullptr || failed_buffers_ < most_failures)) {
    found = prepare(call, key, move);
  }
  if (found == nullptr) return nullptr;
  found->last_use = patience_.calls();
  ++used_;
  patience_.reward();
  return found->call.get();
}

/// The place that was used longest ago, or never.
DirectCalls::Slot& DirectCalls::oldest() noexcept {
  return *std::ranges::min_element(slots_, {}, &Slot::last_use);
}

/// Peers keep memory mapped that this rank has freed: all give up what some rank has no more.
void DirectCalls::forget_freed() {
  std::uint64_t alive = 0;
  for (std::size_t i = 0; i < most; ++i) {
    if (slots_[i].call && slots_[i].call->key().is_alive()) alive |= std::uint64_t{1} << i;
  }
  const std::vector<std::byte> all = peers_.group().gather(std::as_bytes(std::span(&alive, 1)));
  for (std::size_t rank = 0; rank * sizeof alive < all.size(); ++rank) {
    std::uint64_t other = 0;
    std::memcpy(&other, all.data() + rank * sizeof other, sizeof other);
    alive &= other;
  }
  for (std::size_t i = 0; i < most; ++i) {
    if ((alive >> i & 1) == 0) slots_[i] = {};
  }
}

PreparedCall::Steps DirectCalls::prepared_steps(const Call& call) {
  const Participants ranks(*call.group, call.root);
  const CallSide& side = ranks.is_root ? call.sent : call.received;
  std::optional<std::vector<DirectStep>> cut;
  // All ask, as a wrong program may give another length in each rank.
  peers_.together([&] {
    if (call.pattern == CallPattern::bcast && broadcast_steps_pay(packed_bytes(side.count, side.type), ranks))
      cut = broadcast_steps(call, ranks);
  });
  const bool all_cut = exchange::in_all(peers_.group(), cut.has_value());
  std::vector<DirectStep> parts;
  peers_.together([&] {
    if (all_cut)
      parts = *std::move(cut);
    else
      parts.push_back(step_of(call, ranks));
  });
  PreparedCall::Steps steps;
  for (const DirectStep& each : parts) {
    auto made = exchange::DirectSchedule::of(peers_.group(), each.sends, each.receives);
    if (!made) return {};
    peers_.together([&] { steps.push_back(std::move(made)); });
  }
  return steps;
}

/// Null where it cannot be.
DirectCalls::Slot* DirectCalls::prepare(const Call& call, const DirectKey& key, const DirectNumbers* move) {
  std::unique_ptr<PreparedCall> made;
  try {
    forget_freed();
    PreparedCall::Steps steps;
    std::unique_ptr<exchange::PeerMemory> buffers;
    if (move != nullptr)
      buffers = move->buffers_of(peers_.group());
    else
      steps = prepared_steps(call);
    peers_.together([&] {
      if (buffers) made = std::make_unique<PreparedCall>(key, std::move(buffers));
      if (!steps.empty()) made = std::make_unique<PreparedCall>(key, std::move(steps));
    });
  } catch (const MpiError&) {
    throw;
  } catch (const std::exception&) {  // in all ranks: the call goes another way, which tells what is wrong
    made.reset();
  }
  if (made || move == nullptr) {  // what cannot be prepared so has another way among GPUs
    ++prepared_;
    failed_ = made ? 0 : failed_ + 1;
  }
  if (move != nullptr) failed_buffers_ = made ? 0 : failed_buffers_ + 1;
  if (!made) {
    refused_.add(key.hash());
    return nullptr;
  }
  Slot& place = oldest();
  place.call = std::move(made);
  return &place;
}

void DirectCalls::make(PreparedCall& prepared, Stream stream, CommAgreement& agreement) {
  const auto is_done = [&] { return prepared.done(); };
  try {
    prepared.start(peers_.stream_behind(stream, prepared.device()));
    DirectPeers::wait(agreement, is_done, [&] { prepared.check_device(); });
  } catch (...) {
    DirectPeers::give_up(agreement, is_done, [&] { prepared.release(); });
    prepared.abandon();
    throw;
  }
}

}  // namespace typewarp::interpose
