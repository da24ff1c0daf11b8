// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/accumulation.hpp"

#include <typewarp/reduce.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>

namespace typewarp::halo {
namespace {

/// The types that an element may consist of alone: several of the same signature, as pairs and their parts.
/// Those with gaps are not as long packed, which they are here, as reduce_local() takes them to be.
std::vector<Named> numbers_of(const Datatype& element) {
  std::vector<Named> found;
  for (int value = 0; value <= static_cast<int>(Named::two_integer); ++value) {
    const auto named = static_cast<Named>(value);
    const std::int64_t size = Datatype(named).size();
    if (size == Datatype(named).extent() && element.size() % size == 0 &&
        element.signature() == contiguous(element.size() / size, named).signature()) {
      found.push_back(named);
    }
  }
  return found;
}

std::vector<int> as_they_are(std::size_t dimensions) {
  std::vector<int> order(dimensions);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

// No process knows in which order those that it receives from now would like the dimensions.
Transfers reversed(Transfers transfers) {
  for (HaloTransfer& transfer : transfers) {
    std::swap(transfer.to, transfer.from);
    std::swap(transfer.sent, transfer.received);
    for (std::size_t f = 0; f < transfer.sent.size(); ++f) {
      transfer.sent_order[f] = transfer.received_order[f] = as_they_are(transfer.sent[f].size());
    }
  }
  return transfers;
}

Accumulation::Accumulation(const ProcessGrid& grid, std::span<const Field> fields,
                           const schedule::Schedule& schedule, bool on_device, schedule::StreamOrder& order)
    : memory_(grid.comm(), schedule, {.packs = true, .overwrites = false, .on_device = on_device}),
      messages_("typewarp::halo::Exchange", memory_, order, schedule) {
  for (const Field& field : fields) types_.push_back({field.element(), numbers_of(field.element())});
  const schedule::PackedLayout sent(schedule.sends, schedule.rank);
  const schedule::PackedLayout received(schedule.receives, schedule.rank, sent.end);
  std::map<std::size_t, std::vector<std::size_t>> by_transfer;
  std::map<std::size_t, std::int64_t> bytes;
  for (std::size_t i = 0; i < schedule.receives.size(); ++i) {
    const std::size_t transfer = schedule.receives[i].index / fields.size();
    by_transfer[transfer].push_back(i);
    bytes[transfer] += schedule.receives[i].bytes;
  }
  if (bytes.empty()) return;
  own_ = schedule::Buffer(std::ranges::max(std::views::values(bytes)), schedule.device, true);
  for (const auto& [transfer, parts] : by_transfer) add(schedule, parts, received);
}

void Accumulation::add(const schedule::Schedule& schedule, const std::vector<std::size_t>& parts,
                       const schedule::PackedLayout& layout) {
  std::vector<Numbers> numbers;
  std::vector<Piece> pieces;
  std::int64_t place = 0;
  for (const std::size_t i : parts) {
    const schedule::Part& part = schedule.receives[i];
    const schedule::Buffer& buffer = part.peer == schedule.rank ? memory_.own : memory_.messages;
    numbers.push_back(
        {part.index % types_.size(), part.bytes, buffer.data() + layout.places[i], own_.data() + place});
    pieces.push_back({part.buffer, part.count, part.plan, place});
    place += part.bytes;
  }
  contributions_.push_back({Batch(pieces, own_.data()), std::move(numbers)});
}

std::optional<Named> Accumulation::Type::of(Operation operation) const {
  const auto found = std::ranges::find_if(numbers, [=](Named type) { return reducible(type, operation); });
  return found == numbers.end() ? std::nullopt : std::optional(*found);
}

void Accumulation::check(Operation operation) const {
  for (std::size_t f = 0; f < types_.size(); ++f) {
    if (types_[f].of(operation)) continue;
    throw InvalidArgument("typewarp::halo::Exchange::accumulate", "fields[" + std::to_string(f) + "].element",
                          types_[f].element.to_string(),
                          "must consist of numbers of one type without gaps that " +
                              std::string(name(operation)) + " combines");
  }
}

void Accumulation::combine(Operation operation, Stream stream) {
  for (Contribution& contribution : contributions_) {
    contribution.own.pack(stream);
    for (const Numbers& part : contribution.numbers) {
      const Named number = types_[part.field].of(operation).value_or(Named::byte);  // there is one
      reduce_local(part.sent, part.own, part.bytes / Datatype(number).size(), number, operation, stream);
    }
    contribution.own.unpack(stream);
  }
}

}  // namespace typewarp::halo
