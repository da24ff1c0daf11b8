// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/prepared.hpp"

#include "halo/places.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <typewarp/completion.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>

namespace typewarp::halo {
namespace {

constexpr const char* call = "typewarp::halo::Exchange";
constexpr transport::Names names{call, "data", "fields"};
constexpr int tag = 0;

std::byte* address(const Field& field) { return static_cast<std::byte*>(field.data()); }

}  // namespace

/// Goes through the transfers of a stage and adds what they need.
class Prepared::Builder {
 public:
  Builder(Prepared& made, std::span<const Field> fields, const Stage& stage)
      : made_(made),
        setup_(made.setup_),
        fields_(fields),
        stage_(stage),
        places_(places_of(fields, stage, setup_.grid.rank(), setup_.packs())) {}

  void add_all() {
    for (std::size_t t = 0; t < stage_.size(); ++t) {
      for (std::size_t f = 0; f < fields_.size(); ++f) add({t, f});
    }
    made_.packing_.emplace(batch_of(packed_));
    made_.unpacking_.emplace(batch_of(unpacked_));
    if (setup_.options.poison) made_.poisoning_.emplace(batch_of(poisoned_));
    add_messages(made_.sends_, sending, places_.sent);
    add_messages(made_.receives_, receiving, places_.received);
  }

 private:
  /// Where packed bytes are.
  struct Packed {
    std::byte* data;
    bool on_device;
  };
  /// A part of a field that is packed, or unpacked, by itself.
  struct Part {
    std::byte* data;
    Plan plan;
    std::byte* packed;
  };
  struct Content {
    std::byte* buffer;
    std::int64_t count;
    Plan plan;
  };

  Datatype type_of(const End& end, const PartOf& part) const {
    const Transfer& transfer = stage_[part.transfer];
    return fields_[part.field].part((transfer.*end.boxes)[part.field], (transfer.*end.orders)[part.field]);
  }

  /// What is packed, unpacked and poisoned.
  void add(const PartOf& part) {
    const Transfer& transfer = stage_[part.transfer];
    const bool here = transfer.from == setup_.grid.rank();
    const bool in_buffer = setup_.packs() || here;
    const auto packed = [&](const Places::OfParts& places) -> Packed {
      return {(here ? setup_.own : setup_.buffer).data() + places[part.transfer][part.field],
              setup_.device >= 0 && (here || !setup_.pins())};
    };
    if (in_buffer && transfer.to != MPI_PROC_NULL) {
      add_part(packed_, type_of(sending, part), part.field, packed(places_.sent));
    }
    if (transfer.from == MPI_PROC_NULL || !(in_buffer || setup_.options.poison)) return;
    const Datatype filled = type_of(receiving, part);
    if (in_buffer) add_part(unpacked_, filled, part.field, packed(places_.received));
    if (setup_.options.poison) add_part(poisoned_, filled, part.field, {setup_.poison.data(), false});
  }

  void add_part(std::vector<Part>& parts, const Datatype& type, std::size_t f, const Packed& packed) {
    if (type.size() == 0) return;
    parts.push_back({address(fields_[f]), commit(type), packed.data});
    const MemoryKind kind = setup_.memory[f].kind;
    made_.staged_ = made_.staged_ || (packed.on_device && kind == MemoryKind::host);
    if (packed.on_device || kind == MemoryKind::device || kind == MemoryKind::managed) return;
    made_.on_host_ = true;
    made_.pinned_on_host_ = made_.pinned_on_host_ || kind == MemoryKind::pinned;
  }

  void add_messages(std::vector<transport::Sending>& messages, const End& end,
                    const Places::OfParts& places) {
    for (const Message& message : messages_of(fields_, stage_, end)) {
      if (message.process != setup_.grid.rank()) add_message(messages, message, end, places);
    }
  }

  // Addresses of all kinds of memory are of one space, so a place may lie in another buffer than the lowest.
  static Batch batch_of(const std::vector<Part>& parts) {
    if (parts.empty()) return {{}, nullptr};
    std::byte* const lowest = std::ranges::min(parts, {}, &Part::packed).packed;
    std::vector<Piece> pieces;
    for (const Part& part : parts) {
      pieces.push_back(
          {part.data, 1, part.plan,
           reinterpret_cast<std::intptr_t>(part.packed) - reinterpret_cast<std::intptr_t>(lowest)});
    }
    return {pieces, lowest};
  }

  /// Unless it is empty.
  void add_message(std::vector<transport::Sending>& messages, const Message& message, const End& end,
                   const Places::OfParts& places) {
    const std::int64_t bytes = bytes_of(fields_, stage_, end, message);
    if (bytes == 0) return;
    const PartOf& first = message.parts.front();
    const Content content =
        setup_.packs()
            ? Content{setup_.buffer.data() + places[first.transfer][first.field], bytes, setup_.byte}
            : in_place(message, end);
    messages.push_back({transport::MessageBuffer(names, content.buffer, content.count, content.plan,
                                                 setup_.grid.comm(), false, nullptr),
                        {message.process, tag, setup_.grid.comm()}});
  }

  /// Relative to the field of the first part.
  Content in_place(const Message& message, const End& end) const {
    std::byte* const base = address(fields_[message.parts.front().field]);
    std::vector<std::int64_t> displacements;
    std::vector<Datatype> types;
    for (const PartOf& part : message.parts) {
      displacements.push_back(reinterpret_cast<std::intptr_t>(address(fields_[part.field])) -
                              reinterpret_cast<std::intptr_t>(base));
      types.push_back(type_of(end, part));
    }
    return {base, 1, commit(structure(std::vector<std::int64_t>(types.size(), 1), displacements, types))};
  }

  Prepared& made_;
  const Setup& setup_;
  std::span<const Field> fields_;
  const Stage& stage_;
  Places places_;
  std::vector<Part> packed_, unpacked_, poisoned_;
};

Prepared::Prepared(const Setup& setup, std::span<const Field> fields, const Stage& stage) : setup_(setup) {
  Builder(*this, fields, stage).add_all();
}

// The transport would put messages that come into page-locked memory elsewhere first, if it had to suppose
// that work on the stream uses it.
void Prepared::order(Stream stream) {
  if (starts_late()) stream = gpu::private_stream(setup_.device);
  const int device = gpu::stream_device(stream);
  transport::StreamPoints turns;
  for (std::vector<transport::Sending>* const messages : {&receives_, &sends_}) {
    for (transport::Sending& message : *messages) {
      message.side.stream = stream;
      message.side.device = device >= 0 ? device : message.side.route.device;
      turns.give(message.side);
    }
  }
}

void Prepared::start(std::vector<Request>& requests) {
  for (const transport::Sending& message : receives_) {
    requests.push_back(transport::begin_receive(message.side, message.to).request());
  }
  transport::begin_sends(sends_, requests);
}

void Prepared::start_failed(std::vector<Request>& requests) const {
  // Of pageable memory, without a question to a device, which may answer none any more.
  const auto bytes_to = [&](std::byte* memory, std::int64_t bytes) {
    transport::MessageBuffer side(names, nullptr, 0, setup_.byte, setup_.grid.comm(), false, nullptr);
    side.buffer = side.route.first = memory;
    side.count = side.bytes = bytes;
    side.route.consecutive = true;
    return side;
  };
  const std::size_t posted = std::min(requests.size(), receives_.size());
  const std::size_t sent = requests.size() - posted;
  const std::span missing = std::span(receives_).subspan(posted);
  std::exception_ptr failure;
  const auto attempt = [&](std::vector<Request>& started, const auto& begin) {
    try {
      started.push_back(begin().request());
    } catch (...) {
      failure = std::current_exception();  // the others are told nonetheless
    }
  };
  std::vector<Request> sends;
  for (const transport::Sending& message : std::span(sends_).subspan(sent)) {
    attempt(sends, [&] {
      return transport::begin_send(bytes_to(nullptr, 0), message.to, transport::SendMode::standard);
    });
  }
  std::int64_t bytes = 0;
  for (const transport::Sending& message : missing) bytes += message.side.bytes;
  Buffer dropped(bytes, -1, false);
  std::byte* next = dropped.data();
  dropped.abandon();  // a neighbour that stalls may send into it when nobody waits any more
  for (const transport::Sending& message : missing) {
    attempt(requests,
            [&] { return transport::begin_receive(bytes_to(next, message.side.bytes), message.to); });
    next += message.side.bytes;
  }
  requests.insert(requests.end(), std::move_iterator(sends.begin()), std::move_iterator(sends.end()));
  if (failure) std::rethrow_exception(failure);
}

void Prepared::finish(std::vector<Request>& requests) const {
  const std::vector<Status> statuses = wait_all(requests);
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    if (statuses[i].bytes == receives_[i].side.bytes) continue;
    throw Error("typewarp::halo::Exchange: rank " + std::to_string(receives_[i].to.rank) +
                " of the grid could not send its message");
  }
}

std::int64_t Prepared::bytes_sent() const noexcept {
  std::int64_t bytes = 0;
  for (const transport::Sending& message : sends_) bytes += message.side.bytes;
  return bytes;
}

}  // namespace typewarp::halo
