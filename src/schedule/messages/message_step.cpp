// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/messages/message_step.hpp"

#include "transport/buffer/message_buffer.hpp"
#include "transport/protocol/receive.hpp"

#include <typewarp/completion.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>

namespace typewarp::schedule {
namespace {

constexpr int tag = 0;

transport::Names names(const char* call) { return {call, "data", "fields"}; }

}  // namespace

class MessageStep::Builder {
 public:
  Builder(MessageStep& made, const Schedule& schedule)
      : made_(made),
        memory_(made.memory_),
        schedule_(schedule),
        sent_(schedule.sends, schedule.rank),
        received_(schedule.receives, schedule.rank, sent_.end) {}

  void add_all() {
    add_pieces(packed_, schedule_.sends, sent_);
    add_pieces(unpacked_, schedule_.receives, received_);
    made_.packing_.emplace(batch_of(packed_));
    made_.unpacking_.emplace(batch_of(unpacked_));
    if (memory_.overwriting.data() != nullptr) overwrite(schedule_.receives);
    for (const PeerMessage& message : sent_.messages) add_message(made_.sends_, schedule_.sends, message);
    for (const PeerMessage& message : received_.messages)
      add_message(made_.receives_, schedule_.receives, message);
    made_.requests_.reserve(made_.sends_.size() + made_.receives_.size());
  }

 private:
  // In the client's order: parts that it numbers one after the other may lie near each other, and a kernel
  // finds more of them in its caches then.
  static std::vector<std::size_t> by_index(const std::vector<Part>& parts) {
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return parts[i].index; });
    return order;
  }

  void add_pieces(std::vector<PackedPart>& packed, const std::vector<Part>& parts,
                  const PackedLayout& layout) const {
    for (const std::size_t i : by_index(parts)) {
      const bool own = parts[i].peer == schedule_.rank;
      if (!own && !memory_.packs) continue;
      add_piece(packed, parts[i], (own ? memory_.own : memory_.messages).data() + layout.places[i],
                memory_.device >= 0 && (own || !memory_.pins()));
    }
  }

  void add_piece(std::vector<PackedPart>& packed, const Part& part, std::byte* data, bool on_device) const {
    if (part.bytes == 0) return;
    packed.push_back({part, data});
    HostMoves& host = made_.host_moves_;
    const MemoryKind kind = part.memory.kind;
    host.staged = host.staged || (on_device && kind == MemoryKind::host);
    if (on_device || kind == MemoryKind::device || kind == MemoryKind::managed) return;
    host.any = true;
    host.pinned = host.pinned || kind == MemoryKind::pinned;
  }

  void overwrite(const std::vector<Part>& parts) const {
    std::vector<PackedPart> overwritten;
    for (const Part& part : parts) add_piece(overwritten, part, memory_.overwriting.data(), false);
    made_.overwriting_.emplace(batch_of(overwritten));
  }

  // Addresses of all kinds of memory are of one space, so a place may lie in another buffer than the lowest.
  static Batch batch_of(const std::vector<PackedPart>& parts) {
    if (parts.empty()) return {{}, nullptr};
    std::byte* const lowest = std::ranges::min_element(parts, {}, &PackedPart::data)->data;
    std::vector<Piece> pieces;
    for (const auto& [part, data] : parts) {
      pieces.push_back({part.buffer, part.count, part.plan,
                        reinterpret_cast<std::intptr_t>(data) - reinterpret_cast<std::intptr_t>(lowest)});
    }
    return {pieces, lowest};
  }

  void add_message(std::vector<transport::Sending>& messages, const std::vector<Part>& parts,
                   const PeerMessage& message) const {
    const Part& first = parts[message.parts.front()];
    const auto add = [&](void* buffer, std::int64_t count, const Plan& plan) {
      messages.push_back(
          {transport::MessageBuffer(names(made_.call_), buffer, count, plan, memory_.comm, false, nullptr),
           {message.peer, tag, memory_.comm}});
    };
    if (memory_.packs) return add(memory_.messages.data() + message.begin, message.bytes, memory_.byte);
    if (message.parts.size() == 1) return add(first.buffer, first.count, first.plan);
    std::vector<std::int64_t> counts, displacements;
    std::vector<Datatype> types;
    for (const std::size_t i : message.parts) {
      counts.push_back(parts[i].count);
      displacements.push_back(reinterpret_cast<std::intptr_t>(parts[i].buffer) -
                              reinterpret_cast<std::intptr_t>(first.buffer));
      types.push_back(parts[i].plan.datatype());
    }
    add(first.buffer, 1, commit(structure(counts, displacements, types)));
  }

  MessageStep& made_;
  const MessageMemory& memory_;
  const Schedule& schedule_;
  PackedLayout sent_, received_;
  std::vector<PackedPart> packed_, unpacked_;
};

MessageStep::MessageStep(const char* call, const MessageMemory& memory, StreamOrder& order,
                         const Schedule& schedule)
    : call_(call), memory_(memory), order_(order) {
  Builder(*this, schedule).add_all();
}

/// Calls `step`, and keeps what it throws unless something has failed before.
template <typename Do>
void MessageStep::attempt(Do step) {
  try {
    step();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
}

// What the host packs goes to the buffer at once, from which kernels may still unpack what came before.
void MessageStep::pack(Stream stream) {
  if (host_moves_.pinned) order_.settle(stream);
  if (host_moves_.any) order_.reached(true);
  order_.enqueue(stream, [&] { packing_->pack(stream); });
}

// Overwriting comes before messages that write in place.
void MessageStep::pack_to_start(Stream stream) {
  attempt([&] {
    if (!memory_.packs && !overwriting_) {
      order_messages(stream);
      has_order_ = true;
    }
    pack(stream);
  });
}

void MessageStep::start(Stream stream) {
  if (!failure_) {
    attempt([&] {
      if (overwriting_) order_.enqueue(stream, [&] { overwriting_->unpack(stream); });
      if (starts_late()) {
        order_.follow(stream);  // a graph may have packed
        order_.reached(true);
      }
      if (!has_order_) order_messages(stream);
      begin();
    });
  }
  has_order_ = false;
  if (failure_) begin_failed();
}

bool MessageStep::advance(bool block) {
  if (!block && !std::ranges::all_of(requests_, &Request::ready)) return false;
  attempt([&] { finish(); });  // also where something has failed: all messages come to their end
  requests_.clear();
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

void MessageStep::unpack(Stream stream) {
  order_.enqueue(stream, [&] { unpacking_->unpack(stream); });
}

// Messages go, and are written, behind what `stream` holds now. Where the transport had to suppose that work
// on the stream uses page-locked memory, it would put messages that come there elsewhere first.
void MessageStep::order_messages(Stream stream) {
  if (starts_late()) stream = gpu::private_stream(memory_.device);
  const int device = gpu::stream_device(stream);
  transport::StreamPoints points;
  for (std::vector<transport::Sending>* const messages : {&receives_, &sends_}) {
    for (transport::Sending& message : *messages) {
      message.side.stream = stream;
      message.side.device = device >= 0 ? device : message.side.route.device;
      points.give(message.side);
    }
  }
}

void MessageStep::begin() {
  for (const transport::Sending& message : receives_) {
    requests_.push_back(transport::begin_receive(message.side, message.to).request());
  }
  transport::begin_sends(sends_, requests_);
}

/// In place of what begin() could not begin: peers get an empty message for each, and theirs go nowhere.
void MessageStep::begin_failed() {
  // Of pageable memory, without a question to a device, which may answer none any more.
  const auto bytes_at = [&](std::byte* memory, std::int64_t bytes) {
    transport::MessageBuffer side(names(call_), nullptr, 0, memory_.byte, memory_.comm, false, nullptr);
    side.buffer = side.route.first = memory;
    side.count = side.bytes = bytes;
    side.route.consecutive = true;
    return side;
  };
  const std::size_t posted = std::min(requests_.size(), receives_.size());
  const std::size_t sent = requests_.size() - posted;
  std::vector<Request> sends;
  for (const transport::Sending& message : std::span(sends_).subspan(sent)) {
    attempt([&] {  // the others are told nonetheless
      sends.push_back(
          transport::begin_send(bytes_at(nullptr, 0), message.to, transport::SendMode::standard).request());
    });
  }
  for (const transport::Sending& message : std::span(receives_).subspan(posted)) {
    attempt([&] {
      Buffer dropped(message.side.bytes, -1, false);
      const transport::MessageBuffer side = bytes_at(dropped.data(), message.side.bytes);
      dropped.abandon();  // a peer that stalls may send into it when nobody waits any more
      requests_.push_back(transport::begin_receive(side, message.to).request());
    });
  }
  requests_.insert(requests_.end(), std::move_iterator(sends.begin()), std::move_iterator(sends.end()));
}

void MessageStep::finish() {
  const std::vector<Status> statuses = wait_all(requests_);
  if (failure_) return;  // perhaps not all were posted
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    if (statuses[i].bytes == receives_[i].side.bytes) continue;
    throw Error(std::string(call_) + ": rank " + std::to_string(receives_[i].to.rank) +
                " could not send its message");
  }
}

std::int64_t MessageStep::bytes_sent() const noexcept {
  std::int64_t bytes = 0;
  for (const transport::Sending& message : sends_) bytes += message.side.bytes;
  return bytes;
}

}  // namespace typewarp::schedule
