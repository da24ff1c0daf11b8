// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/accumulation.hpp"

#include "halo/places.hpp"

#include <typewarp/reduce.hpp>

#include <algorithm>
#include <numeric>
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
Stage Accumulation::reversed(const Setup& exchange, std::span<const Field> fields, std::int64_t width) {
  Stage stage = transfers_of(exchange.grid, fields, exchange.options, width);
  for (Transfer& transfer : stage) {
    std::swap(transfer.to, transfer.from);
    std::swap(transfer.sent, transfer.received);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      transfer.sent_order[f] = transfer.received_order[f] = as_they_are(fields[f].dimensions());
    }
  }
  return stage;
}

Accumulation::Accumulation(const Setup& exchange, std::span<const Field> fields, std::int64_t width)
    : setup_(exchange, fields, reversed(exchange, fields, width)),
      messages_(setup_, fields, setup_.stages.front()),
      own_(most_received(fields, setup_.stages.front()), setup_.device, true) {
  for (const Field& field : fields) {
    types_.push_back({field.element(), numbers_of(field.element())});
  }
  const Stage& stage = setup_.stages.front();
  const Places places = places_of(fields, stage, setup_.grid.rank(), setup_.packs());
  for (std::size_t t = 0; t < stage.size(); ++t) {
    if (stage[t].from == MPI_PROC_NULL) continue;
    const Buffer& buffer = stage[t].from == setup_.grid.rank() ? setup_.own : setup_.buffer;
    add(fields, stage[t], buffer.data(), places.received[t]);
  }
}

void Accumulation::add(std::span<const Field> fields, const Transfer& transfer, std::byte* buffer,
                       const std::vector<std::int64_t>& places) {
  std::vector<Numbers> numbers;
  std::vector<Piece> pieces;
  std::int64_t place = 0;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Plan plan = commit(fields[f].part(transfer.received[f], transfer.received_order[f]));
    numbers.push_back({plan.size(), buffer + places[f], own_.data() + place});
    if (plan.size() > 0) pieces.push_back({fields[f].data(), 1, plan, place});
    place += plan.size();
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
    for (std::size_t f = 0; f < types_.size(); ++f) {
      const Numbers& part = contribution.numbers[f];
      const Named number = types_[f].of(operation).value_or(Named::byte);  // there is one
      reduce_local(part.sent, part.own, part.bytes / Datatype(number).size(), number, operation, stream);
    }
    contribution.own.unpack(stream);
  }
}

}  // namespace typewarp::halo
