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

bool DirectCalls::Hashes::has(std::uint64_t hash) const noexcept {
  return std::ranges::find(values, hash) != values.end();
}

std::uint64_t DirectCalls::bits_of(const DirectKey& key) noexcept {
  if (!key.is_direct()) return 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < most; ++i) {
    if (slots_[i].call && slots_[i].call->key == key) bits |= std::uint64_t{1} << i;
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
  return &*found->call;
}

/// The place that was used longest ago, or never.
DirectCalls::Slot& DirectCalls::oldest() noexcept {
  return *std::ranges::min_element(slots_, {}, &Slot::last_use);
}

/// Peers keep memory mapped that this rank has freed: all give up what some rank has no more.
void DirectCalls::forget_freed() {
  std::uint64_t alive = 0;
  for (std::size_t i = 0; i < most; ++i) {
    if (slots_[i].call && slots_[i].call->key.is_alive()) alive |= std::uint64_t{1} << i;
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

/// Null where it cannot be.
DirectCalls::Slot* DirectCalls::prepare(const Call& call, const DirectKey& key, const DirectNumbers* move) {
  std::optional<PreparedCall> made;
  try {
    forget_freed();
    std::unique_ptr<exchange::DirectSchedule> schedule;
    std::unique_ptr<exchange::PeerMemory> buffers;
    if (move != nullptr) {
      buffers = move->buffers_of(peers_.group());
    } else {
      DirectStep step;
      peers_.together([&] { step = step_of(call, Participants(*call.group, call.root)); });
      schedule = exchange::DirectSchedule::of(peers_.group(), step.sends, step.receives);
    }
    peers_.together([&] {
      if (schedule || buffers) made = PreparedCall{key, std::move(schedule), std::move(buffers)};
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

void DirectCalls::make(exchange::DirectSchedule& schedule, Stream stream, CommAgreement& agreement) {
  const auto is_done = [&] { return schedule.done(); };
  try {
    schedule.start(peers_.stream_behind(stream, schedule.device()));
    DirectPeers::wait(agreement, is_done, [&] { schedule.check_device(); });
  } catch (...) {
    DirectPeers::give_up(agreement, is_done, [&] { schedule.release(); });
    schedule.abandon();
    throw;
  }
}

}  // namespace typewarp::interpose
