// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/direct/direct_calls.hpp"

#include "engine/runtime/share.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "transport/collective/neighbours.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace typewarp::interpose {

DirectKey::DirectKey(const Call& call) {
  words_.reserve(32);
  put(static_cast<std::uint64_t>(call.pattern) << 1 | std::uint64_t{call.among_neighbours});
  put(static_cast<std::uint64_t>(call.root));
  put(call.sent);
  put(call.received);
  // Each rank replaces what it sends: peers must not store before it is sent.
  if (call.pattern == CallPattern::alltoall && call.in_place()) is_direct_ = false;
}

void DirectKey::put(std::uint64_t word) noexcept {
  hash_ = combined_hash(hash_, word);
  words_.push_back(word);
}

void DirectKey::put(const CallSide& side) {
  put(std::bit_cast<std::uintptr_t>(side.buffer));
  put(side.size);
  put(static_cast<std::uint64_t>(side.placing));
  if (side.in_place() || side.size == 0) return;
  if (!side.is_given()) {  // the MPI's to refuse
    is_direct_ = false;
    return;
  }
  const bool is_regular = side.is_regular();
  const Plan* plan = nullptr;
  MPI_Datatype planned = MPI_DATATYPE_NULL;
  for (std::size_t i = 0; i < (is_regular ? 1 : side.size); ++i) {
    const std::int64_t count = side.count_of(i);
    put(static_cast<std::uint64_t>(count));
    if (count == 0) continue;
    const MPI_Datatype type = side.type_of(i);
    if (type != planned && type != MPI_DATATYPE_NULL) {
      plan = plan_of(planned = type);
      if (plan != nullptr) plans_.push_back(*plan);
    }
    if (plan == nullptr || type == MPI_DATATYPE_NULL) {
      is_direct_ = false;
      return;
    }
    put(std::bit_cast<std::uintptr_t>(&plan->layout()));
    const std::int64_t place = is_regular ? 0 : side.place_of(i);
    put(static_cast<std::uint64_t>(place));
    const std::int64_t unit = side.placing == CallSide::Placing::in_bytes ? 1 : plan->extent();
    if (plan->size() > 0) put_memory(side.buffer, place * unit + plan->layout().offset);
  }
}

void DirectKey::put_memory(const void* buffer, std::int64_t place) {
  const void* const address = at(buffer, place);
  const std::uint64_t allocation = gpu::allocation_number(address);
  put(allocation);
  memories_.push_back({address, allocation});
  // Types of absolute addresses may name several memories.
  is_direct_ = is_direct_ && allocation != 0 && buffer != MPI_BOTTOM;
  has_device_data_ = has_device_data_ || allocation != 0;
}

bool DirectKey::is_alive() const noexcept {
  return std::ranges::all_of(memories_, [](const Memory& memory) {
    return gpu::allocation_number(memory.address) == memory.allocation;
  });
}

namespace {

using Edge = transport::Neighbours::Edge;

Data data_of(const CallSide& side, std::size_t i) {
  Data data = side.data(i);
  if (data.is_moved_packed())
    throw InvalidArgument("typewarp", "buffer", "one of several memories", "must lie in one");
  return data;
}

/// What goes to a peer, or comes from it, unless it has no bytes.
template <class Part>
void add(std::vector<Part>& parts, const CallSide& side, std::size_t i, int peer) {
  if (side.count_of(i) == 0) return;
  const Data data = data_of(side, i);
  if (data.bytes() > 0) parts.push_back({data.address, data.count, data.plan, peer});
}

/// Numbers of edges that lead somewhere, those between two ranks in an order that both find.
std::vector<std::size_t> in_order(const std::vector<Edge>& edges) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i].rank != MPI_PROC_NULL) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return edges[i].tag; });
  return order;
}

DirectStep step_among_neighbours(const Call& call) {
  DirectStep step;
  const transport::Neighbours all = transport::in_topology(call.comm);
  for (const std::size_t i : in_order(all.destinations))
    add(step.sends, call.sent, i, all.destinations[i].rank);
  for (const std::size_t i : in_order(all.sources)) add(step.receives, call.received, i, all.sources[i].rank);
  return step;
}

}  // namespace

DirectStep step_of(const Call& call, const Participants& ranks) {
  if (call.among_neighbours) return step_among_neighbours(call);
  const CallBlocks blocks = blocks_of(call, ranks);
  const bool sends_received = call.in_place() && call.pattern == CallPattern::allgather;
  DirectStep step;
  for (const CallBlocks::Block& block : blocks.sends) {
    const auto i = static_cast<std::size_t>(sends_received ? ranks.own : block.rank);
    add(step.sends, sends_received ? call.received : call.sent, i, block.rank);
  }
  for (const CallBlocks::Block& block : blocks.receives)
    add(step.receives, call.received, static_cast<std::size_t>(block.rank), block.rank);
  return step;
}

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
