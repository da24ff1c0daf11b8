// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/places.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace typewarp::halo {
namespace {

constexpr std::int64_t alignment = 64;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Fields in the order in which they travel: their elements are as long in all processes.
std::vector<std::size_t> order_of(std::span<const Field> fields) {
  std::vector<std::size_t> order(fields.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t f) {
    return std::countr_zero(static_cast<std::uint64_t>(fields[f].element().size()));
  });
  return order;
}

}  // namespace

std::vector<Message> messages_of(std::span<const Field> fields, const Stage& stage, const End& end) {
  std::map<int, std::size_t> places;
  std::vector<std::pair<int, std::vector<std::size_t>>> transfers;
  for (std::size_t t = 0; t < stage.size(); ++t) {
    const int process = stage[t].*end.process;
    if (process == MPI_PROC_NULL) continue;
    const auto [place, is_new] = places.try_emplace(process, transfers.size());
    if (is_new) transfers.emplace_back(process, std::vector<std::size_t>());
    transfers[place->second].second.push_back(t);
  }
  const std::vector<std::size_t> order = order_of(fields);
  std::vector<Message> messages;
  for (const auto& [process, shared] : transfers) {
    Message& message = messages.emplace_back(process, std::vector<PartOf>());
    for (const std::size_t f : order) {
      for (const std::size_t t : shared) message.parts.push_back({t, f});
    }
  }
  return messages;
}

std::int64_t bytes_of(std::span<const Field> fields, const Stage& stage, const End& end, const PartOf& part) {
  return elements((stage[part.transfer].*end.boxes)[part.field]) * fields[part.field].element().size();
}

std::int64_t bytes_of(std::span<const Field> fields, const Stage& stage, const End& end,
                      const Message& message) {
  std::int64_t bytes = 0;
  for (const PartOf& part : message.parts) bytes += bytes_of(fields, stage, end, part);
  return bytes;
}

std::int64_t most_received(std::span<const Field> fields, const Stage& stage) {
  std::int64_t most = 0;
  for (std::size_t t = 0; t < stage.size(); ++t) {
    std::int64_t bytes = 0;
    for (std::size_t f = 0; f < fields.size(); ++f) bytes += bytes_of(fields, stage, receiving, PartOf{t, f});
    most = std::max(most, bytes);
  }
  return most;
}

Places places_of(std::span<const Field> fields, const Stage& stage, int rank, bool messages) {
  const Places::OfParts nowhere(stage.size(), std::vector<std::int64_t>(fields.size()));
  Places places{nowhere, nowhere};
  const auto lay_out = [&](const End& end, Places::OfParts& begins) {
    for (const Message& message : messages_of(fields, stage, end)) {
      if (message.process != rank && !messages) continue;
      std::int64_t& next = message.process == rank ? places.own_end : places.end;
      for (const PartOf& part : message.parts) {
        begins[part.transfer][part.field] = std::exchange(next, next + bytes_of(fields, stage, end, part));
      }
      next = aligned(next);
    }
  };
  lay_out(sending, places.sent);
  places.own_end = 0;  // what stays here is unpacked from where it was packed
  lay_out(receiving, places.received);
  return places;
}

}  // namespace typewarp::halo
