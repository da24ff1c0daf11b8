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

using Parts = std::vector<Datatype>;

/// One message of as many parts of each field, transfer by transfer; relative to the first field.
Datatype together(std::span<const Field> fields, const Parts& parts) {
  const auto first = reinterpret_cast<std::intptr_t>(fields.front().data());
  std::vector<std::int64_t> displacements;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    displacements.push_back(reinterpret_cast<std::intptr_t>(fields[i % fields.size()].data()) - first);
  }
  return structure(std::vector<std::int64_t>(parts.size(), 1), displacements, parts);
}

/// What is sent, or what is received, of each transfer.
struct End {
  int Transfer::* process;
  std::vector<Box> Transfer::* boxes;
  std::vector<std::vector<int>> Transfer::* orders;
};
constexpr End sent{&Transfer::to, &Transfer::sent, &Transfer::sent_order};
constexpr End received{&Transfer::from, &Transfer::received, &Transfer::received_order};

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
    add_messages(made_.sends_, stage, sent, places_.sent);
    add_messages(made_.receives_, stage, received, places_.received);
  }

 private:
  bool here(const Transfer& transfer) const { return transfer.from == setup_.grid.rank(); }

  /// Adds those of all fields that travel.
  void add_of(const Transfer& transfer, const End& end, Parts& parts) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      parts.push_back(fields_[f].part((transfer.*end.boxes)[f], (transfer.*end.orders)[f]));
    }
  }
  Parts parts_of(const Transfer& transfer, const End& end) const {
    Parts parts;
    add_of(transfer, end, parts);
    return parts;
  }

  /// What of a transfer is packed, unpacked and poisoned.
  void add(const Transfer& transfer, std::size_t t) {
    const bool in_buffer = setup_.packs() || here(transfer);
    const Packed packed{(here(transfer) ? setup_.own : setup_.buffer).data(),
                        setup_.device >= 0 && (here(transfer) || !setup_.pins())};
    if (in_buffer && transfer.to != MPI_PROC_NULL) {
      add_parts(made_.packed_, parts_of(transfer, sent), packed.at(places_.sent[t]));
    }
    if (transfer.from == MPI_PROC_NULL || !(in_buffer || setup_.options.poison)) return;
    const Parts parts = parts_of(transfer, received);
    if (in_buffer) add_parts(made_.unpacked_, parts, packed.at(places_.received[t]));
    if (setup_.options.poison) add_poison(parts);
  }

  /// Where packed bytes are.
  struct Packed {
    std::byte* data;
    bool on_device;
    Packed at(std::int64_t place) const noexcept { return {data + place, on_device}; }
  };

  void add_parts(std::vector<Part>& parts, const Parts& of_fields, Packed packed) {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::int64_t bytes = of_fields[f].size();
      if (bytes > 0) add_part(parts, f, of_fields[f], packed);
      packed = packed.at(bytes);
    }
  }

  void add_poison(const Parts& of_fields) {
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

  /// Those with other processes. Where nothing goes to a process, or nothing of a field, there is no message.
  void add_messages(std::vector<transport::Sending>& messages, const Stage& stage, const End& end,
                    const std::vector<std::int64_t>& places) {
    for (const std::vector<std::size_t>& transfers : by_process(stage, end.process, setup_.grid.rank())) {
      const int rank = stage[transfers.front()].*end.process;
      if (setup_.options.messages == Messages::together) {
        std::int64_t bytes = 0;
        for (const std::size_t t : transfers) bytes += packed_bytes(fields_, stage[t].*end.boxes);
        if (bytes == 0) continue;
        const Content content =
            setup_.packs() ? in_buffer(bytes, places[transfers.front()]) : in_place(stage, transfers, end);
        add_message(messages, content, rank, 0);
      } else {
        for (const std::size_t t : transfers) add_each(messages, parts_of(stage[t], end), rank, t, places[t]);
      }
    }
  }

  void add_each(std::vector<transport::Sending>& messages, const Parts& parts, int rank, std::size_t t,
                std::int64_t place) {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const std::int64_t bytes = parts[f].size();
      if (bytes > 0) {
        add_message(
            messages,
            setup_.packs() ? in_buffer(bytes, place) : Content{address(fields_[f]), 1, commit(parts[f])},
            rank, t * fields_.size() + f);
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
  Content in_place(const Stage& stage, const std::vector<std::size_t>& transfers, const End& end) const {
    check_uniform();
    Parts parts;
    for (const std::size_t t : transfers) add_of(stage[t], end, parts);
    return {address(fields_.front()), 1, commit(together(fields_, parts))};
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
void Prepared::order(Stream stream) {
  if (starts_late()) stream = cuda::private_stream(setup_.device);
  const int device = cuda::stream_device(stream);
  transport::Turns turns;
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

std::int64_t Prepared::bytes_sent() const noexcept {
  std::int64_t bytes = 0;
  for (const transport::Sending& message : sends_) bytes += message.side.bytes;
  return bytes;
}

}  // namespace typewarp::halo
