// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/places.hpp"

#include "plan/locate.hpp"
#include "plan/state.hpp"

#include <algorithm>

namespace typewarp::explanation {

std::int64_t Places::lowest() const { return std::ranges::min_element(runs, {}, &RunPlace::begin)->begin; }

std::int64_t Places::end() const {
  const auto end_of = [](const RunPlace& place) { return place.begin + place.bytes; };
  return end_of(*std::ranges::max_element(runs, {}, end_of));
}

Places places_of(const Plan& plan, std::int64_t count) {
  const plan::State& state = plan::state_of(plan);
  const std::int64_t bytes = count * state.size;
  Places places;
  for (std::int64_t at = 0; at < bytes;) {
    const plan::Location found = plan::locate(state.encoding.view(), state.extent, at);
    const std::int64_t length = std::min(found.run, bytes - at);
    const std::int64_t begin = state.layout.offset + found.offset;
    const std::int64_t item = at / state.size;
    RunPlace* const last = places.runs.empty() ? nullptr : &places.runs.back();
    const bool goes_on = last != nullptr && last->item == item && last->begin + last->bytes == begin;
    if (goes_on) {
      last->bytes += length;
    } else {
      if (places.runs.size() == Places::most) {
        places.all = false;
        break;
      }
      places.ascending = places.ascending && (last == nullptr || last->begin <= begin);
      places.runs.push_back({begin, length, item});
    }
    at += length;
  }
  return places;
}

std::vector<double> coverage(const Places& places, std::int64_t begin, std::int64_t cell, std::size_t cells) {
  std::vector<double> filled(cells);
  const std::int64_t end = begin + cell * static_cast<std::int64_t>(cells);
  for (const RunPlace& place : places.runs) {
    std::int64_t at = std::max(place.begin, begin);
    const std::int64_t last = std::min(place.begin + place.bytes, end);
    while (at < last) {
      const std::int64_t index = (at - begin) / cell;
      const std::int64_t next = std::min(last, begin + (index + 1) * cell);
      filled[static_cast<std::size_t>(index)] += static_cast<double>(next - at);
      at = next;
    }
  }
  for (double& part : filled) part = std::min(1.0, part / static_cast<double>(cell));
  return filled;
}

}  // namespace typewarp::explanation
