// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/prepared.hpp"

#include "transport/receive.hpp"
#include "transport/turns.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace typewarp::halo {
namespace {

constexpr const char* call = "typewarp::halo::Exchange";

std::byte* address(const Field& field) { return static_cast<std::byte*>(field.data()); }

/// Fields of one message, relative to the first of them.
Datatype together(std::span<const Field> fields, const std::vector<Datatype>& parts) {
  const auto first = reinterpret_cast<std::intptr_t>(fields.front().data());
  std::vector<std::int64_t> displacements;
  for (const Field& field : fields) {
    displacements.push_back(reinterpret_cast<std::intptr_t>(field.data()) - first);
  }
  return structure(std::vector<std::int64_t>(parts.size(), 1), displacements, parts);
}

}  // namespace

/// Goes through the transfers of a stage and adds what they need.
class Prepared::Builder {
 public:
  Builder(Prepared& made, std::span<const Field> fields, const Stage& stage)
      : made_(made),
        setup_(made.setup_),
        fields_(fields),
        places_(places_of(fields, stage, setup_.grid.rank(), setup_.packs())) {}

  void add_all(const Stage& stage) {
    for (std::size_t t = 0; t < stage.size(); ++t) add(stage[t], t);
  }

 private:
  bool here(const Transfer& transfer) const { return transfer.from == setup_.grid.rank(); }

  /// The parts of all fields that travel.
  std::vector<Datatype> sent(const Transfer& transfer) const {
    std::vector<Datatype> parts;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      parts.push_back(fields_[f].part(transfer.sent[f], transfer.sent_order[f]));
    }
    return parts;
  }
  std::vector<Datatype> received(const Transfer& transfer) const {
    std::vector<Datatype> parts;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      parts.push_back(fields_[f].part(transfer.received[f], transfer.received_order[f]));
    }
    return parts;
  }

  void add(const Transfer& transfer, std::size_t t) {
    const bool in_buffer = setup_.packs() || here(transfer);
    const Packed packed{(here(transfer) ? setup_.own : setup_.buffer).data(),
                        setup_.device >= 0 && (here(transfer) || !setup_.pins())};
    if (transfer.to != MPI_PROC_NULL) {
      const std::vector<Datatype> parts = sent(transfer);
      if (in_buffer) add_parts(made_.packed_, parts, packed.at(places_.sent[t]));
      if (!here(transfer)) add_messages(made_.sends_, parts, transfer.to, t, places_.sent[t]);
    }
    if (transfer.from != MPI_PROC_NULL) {
      const std::vector<Datatype> parts = received(transfer);
      if (in_buffer) add_parts(made_.unpacked_, parts, packed.at(places_.received[t]));
      if (setup_.options.poison) add_poison(parts);
      if (!here(transfer)) add_messages(made_.receives_, parts, transfer.from, t, places_.received[t]);
    }
  }

  /// Where packed bytes are.
  struct Packed {
    std::byte* data;
    bool on_device;
    Packed at(std::int64_t place) const noexcept { return {data + place, on_device}; }
  };

  void add_parts(std::vector<Part>& parts, const std::vector<Datatype>& of_fields, Packed packed) {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::int64_t bytes = of_fields[f].size();
      if (bytes > 0) add_part(parts, f, of_fields[f], packed);
      packed = packed.at(bytes);
    }
  }

  void add_poison(const std::vector<Datatype>& of_fields) {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (of_fields[f].size() > 0) add_part(made_.poisoned_, f, of_fields[f], {setup_.poison.data(), false});
    }
  }

  void add_part(std::vector<Part>& parts, std::size_t f, const Datatype& part, const Packed& packed) {
    parts.push_back({address(fields_[f]), commit(part), packed.data});
    const MemoryKind kind = setup_.memory[f].kind;
    made_.staged_ = made_.staged_ || (packed.on_device && kind == MemoryKind::host);
    if (packed.on_device || kind == MemoryKind::device || kind == MemoryKind::managed) return;
    made_.on_host_ = true;
    made_.pinned_on_host_ = made_.pinned_on_host_ || kind == MemoryKind::pinned;
  }

  /// Those of a transfer with another process. Fields that have nothing in it have no message either.
  void add_messages(std::vector<transport::Sending>& messages, const std::vector<Datatype>& parts, int rank,
                    std::size_t t, std::int64_t place) {
    const std::size_t fields = fields_.size();
    if (setup_.options.messages == Messages::together) {
      std::int64_t bytes = 0;
      for (const Datatype& part : parts) bytes += part.size();
      if (bytes == 0) return;
      if (setup_.packs()) return add_message(messages, in_buffer(bytes, place), rank, t * fields);
      check_uniform();
      return add_message(messages, {address(fields_.front()), 1, commit(together(fields_, parts))}, rank,
                         t * fields);
    }
    for (std::size_t f = 0; f < fields; ++f) {
      const std::int64_t bytes = parts[f].size();
      if (bytes > 0) {
        add_message(
            messages,
            setup_.packs() ? in_buffer(bytes, place) : Content{address(fields_[f]), 1, commit(parts[f])},
            rank, t * fields + f);
      }
      place += bytes;
    }
  }

  struct Content {
    std::byte* buffer;
    std::int64_t count;
    Plan plan;
  };
  Content in_buffer(std::int64_t bytes, std::int64_t place) const {
    return {setup_.buffer.data() + place, bytes, setup_.byte};
  }
  void add_message(std::vector<transport::Sending>& messages, const Content& content, int rank,
                   std::size_t tag) const {
    constexpr transport::Names names{call, "data", "fields"};
    messages.push_back({transport::Side(names, content.buffer, content.count, content.plan,
                                        setup_.comm->get(), false, nullptr),
                        {rank, static_cast<int>(tag), setup_.comm->get()}});
  }

  void check_uniform() const {
    if (setup_.uniform()) return;
    throw InvalidArgument(call, "fields[i].data", "memory of several kinds or devices",
                          "must be of one, where a message of all fields is sent in place");
  }

  Prepared& made_;
  const Setup& setup_;
  std::span<const Field> fields_;
  Places places_;
};

Prepared::Prepared(const Setup& setup, std::span<const Field> fields, const Stage& stage) : setup_(setup) {
  Builder(*this, fields, stage).add_all(stage);
  if (setup.options.packing != Packing::mpi_pack) {
    packing_ = batch_of(packed_);
    unpacking_ = batch_of(unpacked_);
  }
  if (setup.options.poison) poisoning_ = batch_of(poisoned_);
}

// Addresses of all kinds of memory are of one space, so a place may lie in another buffer than the lowest.
Batch Prepared::batch_of(std::span<const Part> parts) {
  if (parts.empty()) return {{}, nullptr};
  const auto number = [](const Part& part) { return reinterpret_cast<std::intptr_t>(part.packed); };
  const Part& lowest = *std::ranges::min_element(parts, {}, number);
  std::vector<Piece> pieces;
  for (const Part& part : parts) {
    pieces.push_back({part.data, 1, &part.plan, number(part) - number(lowest)});
  }
  return {pieces, lowest.packed};
}

void Prepared::pack(Stream stream) {
  if (packing_) return packing_->pack(stream);
  for (const Part& part : packed_) {
    typewarp::pack(part.data, 1, part.plan, part.packed, stream);
  }
}

void Prepared::unpack(Stream stream) {
  if (unpacking_) return unpacking_->unpack(stream);
  for (const Part& part : unpacked_) {
    typewarp::unpack(part.packed, part.data, 1, part.plan, stream);
  }
}

void Prepared::poison(Stream stream) {
  if (poisoning_) poisoning_->unpack(stream);
}

// The transport would put messages that come into page-locked memory elsewhere first, if it had to suppose
// that work on the stream uses it.
void Prepared::start(Stream stream, std::vector<Request>& requests) {
  if (starts_late()) stream = cuda::private_stream(setup_.device);
  const int device = cuda::stream_device(stream);
  transport::Turns turns;
  const auto order = [&](std::vector<transport::Sending>& messages) {
    for (transport::Sending& message : messages) {
      message.side.stream = stream;
      message.side.device = device >= 0 ? device : message.side.route.device;
      turns.give(message.side);
    }
  };
  order(receives_);
  order(sends_);
  for (const transport::Sending& message : receives_) {
    requests.push_back(transport::begin_receive(message.side, message.to).request());
  }
  transport::begin_sends(sends_, requests);
}

std::int64_t Prepared::bytes_sent() const noexcept {
  std::int64_t bytes = 0;
  for (const transport::Sending& message : sends_) bytes += message.side.bytes;
  return bytes;
}

}  // namespace typewarp::halo
