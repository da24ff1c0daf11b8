// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/stream_work.hpp"

#include <utility>

namespace typewarp::exchange {

/// In page-locked memory: each is written by the host on one side and the device on the other.
struct StreamWork::Words {
  gpu::Flag waiting = gpu::lowered;  ///< raised while a stream waits; seen() by the host
  gpu::Flag packed = gpu::lowered;   ///< what the MPI carries
  gpu::Flag free = gpu::raised;      ///< the memory for that
  gpu::Flag received = gpu::lowered;
  gpu::Flag unpacked = gpu::lowered;
  std::uint64_t ended = 0;  ///< starts that were not captured

  static constexpr gpu::Flag seen = 2;
};

namespace {

std::atomic_ref<gpu::Flag> atomic(gpu::Flag& flag) { return std::atomic_ref(flag); }

/// Lowers a flag that is raised; false if it is not.
bool take(gpu::Flag& flag) {
  if (atomic(flag).load(std::memory_order_acquire) == gpu::lowered) return false;
  atomic(flag).store(gpu::lowered, std::memory_order_relaxed);
  return true;
}

void set(gpu::Flag& flag, gpu::Flag value) { atomic(flag).store(value, std::memory_order_release); }

gpu::Side bytes_at(const PackedPart& packed) {
  return {nullptr, packed.part.bytes, packed.data, MemoryKind::pinned};
}

/// Those that are stored packed, or the others.
std::vector<gpu::CopyMember> pushes_of(const std::vector<Push>& pushes, bool packed) {
  std::vector<gpu::CopyMember> members;
  for (const Push& push : pushes) {
    if (push.packed != packed) continue;
    members.push_back({{&push.plan, push.count, push.buffer, push.memory.kind, push.memory.device},
                       push.part.side(),
                       push.part.bytes,
                       push.own});
  }
  return members;
}

std::vector<gpu::CopyMember> stores_of(const std::vector<Push>& pushes, const Connections& connections,
                                       const HostTransport* transport) {
  std::vector<gpu::CopyMember> members = pushes_of(pushes, false);
  for (const auto& [part, packed] : connections.packed_receives) {
    members.push_back({.destination = part.side(),
                       .source = {nullptr, part.bytes, packed, MemoryKind::device, part.memory.device},
                       .bytes = part.bytes,
                       .source_moves = false});
  }
  if (transport == nullptr) return members;
  for (const PackedPart& packed : transport->packed_on_stream()) {
    members.push_back({bytes_at(packed), packed.part.side(), packed.part.bytes});
  }
  return members;
}

std::vector<gpu::CopyMember> unpacks_of(const HostTransport& transport) {
  std::vector<gpu::CopyMember> members;
  for (const PackedPart& packed : transport.unpacked_on_stream()) {
    members.push_back({packed.part.side(), bytes_at(packed), packed.part.bytes});
  }
  return members;
}

}  // namespace

StreamWork::StreamWork(const Connections& connections, const HostTransport* transport, int device,
                       gpu::FlagWait wait)
    : device_(device),
      connections_(connections),
      wait_(wait),
      words_memory_(sizeof(Words)),
      words_(new(words_memory_.data()) Words) {
  add(connections.pushes, transport);
  if (transport == nullptr) return;
  const gpu::SignalledSteps end{.copies = unpacks_of(*transport),
                                .after = {.raised = {&words_->unpacked}},
                                .count = &words_->ended,
                                .gate = connections.flags->at(0)};
  unpacks_.emplace(device, end, wait);
}

void StreamWork::add(const std::vector<Push>& pushes, const HostTransport* transport) {
  Stores made;
  gpu::FlagSteps credits = connections_.credits;
  const gpu::FlagSteps& packed = connections_.packed_arrivals;
  const gpu::Flag* const gate = connections_.flags->at(0);
  if (!packed.raised.empty() || !packed.awaited.empty()) {
    const gpu::SignalledSteps packed_stores{
        .before = std::exchange(credits, {}),
        .copies = pushes_of(pushes, true),
        .after = packed,
        .waiting = &words_->waiting,
        .gate = gate,
    };
    made.packed = std::make_unique<gpu::SignalledCopies>(device_, packed_stores, wait_);
  }
  gpu::SignalledSteps stores{
      .before = credits,
      .copies = stores_of(pushes, connections_, transport),
      .after = connections_.arrivals,
      .waiting = &words_->waiting,
      .count = transport == nullptr ? &words_->ended : nullptr,
      .gate = gate,
  };
  if (transport != nullptr) {
    stores.before.awaited.push_back(&words_->free);
    stores.after.raised.push_back(&words_->packed);
    stores.after.awaited.push_back(&words_->received);
  }
  made.rest = std::make_unique<gpu::SignalledCopies>(device_, stores, wait_);
  layouts_.push_back(std::move(made));
}

void StreamWork::add_layout(const std::vector<Push>& pushes) { add(pushes, nullptr); }

void StreamWork::enqueue(Stream stream, const PartDisplacements& displacements) {
  const bool captured = gpu::capturing(stream);
  if (captured) captured_.store(true);
  const std::uint64_t number = captured ? gpu::SignalledCopies::uncounted : started_.load() + 1;
  const gpu::AddressOffsets moves{displacements.sends, displacements.own_receives};
  const Stores& stores = layouts_[displacements.layout];
  if (stores.packed) stores.packed->enqueue(stream, gpu::SignalledCopies::uncounted, moves);
  stores.rest->enqueue(stream, number, moves);
  if (unpacks_) unpacks_->enqueue(stream, number);
  if (!captured) started_.store(number);
}

bool StreamWork::done() const noexcept {
  return std::atomic_ref(words_->ended).load(std::memory_order_acquire) == started_.load();
}

bool StreamWork::waits() const noexcept { return atomic(words_->waiting).load() != gpu::lowered; }

// A replayed graph tells of no number: the host marks the wait that it has seen, and another one removes the
// mark.
bool StreamWork::changed() noexcept {
  const std::uint64_t ended = std::atomic_ref(words_->ended).load(std::memory_order_acquire);
  const bool counted = ended != ended_seen_;
  ended_seen_ = ended;
  gpu::Flag found = gpu::raised;
  const bool another = atomic(words_->waiting).compare_exchange_strong(found, Words::seen);
  return another || counted || found == gpu::lowered;
}

void StreamWork::check_device() const { gpu::check_alive(device_); }

void StreamWork::release() {
  connections_.flags->close();
  set(words_->free, gpu::closed);
  set(words_->received, gpu::closed);
}

// Sends of the host beside those of a device are never displaced.
std::optional<std::int64_t> StreamWork::begun() {
  return take(words_->packed) ? std::optional<std::int64_t>(0) : std::nullopt;
}

void StreamWork::sent() { set(words_->free, gpu::raised); }

void StreamWork::received() { set(words_->received, gpu::raised); }

bool StreamWork::unpacked() { return take(words_->unpacked); }

}  // namespace typewarp::exchange
