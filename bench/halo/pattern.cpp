// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pattern.hpp"

#include <algorithm>

namespace typewarp::halo_bench {
namespace {

/// Doubles: blocks begin at multiples of 256 bytes, as hand-written kernels that use wide words need it.
constexpr std::int64_t alignment = 32;

template <typename RangeOf>
Span3 span(RangeOf range_of) {
  Span3 result{};
  for (int d = 0; d < 3; ++d) {
    const halo::Range range = range_of(d);
    result.begin[d] = range.begin;
    result.size[d] = range.length;
  }
  return result;
}

}  // namespace

Pattern pattern_of(const halo::Domain& domain, std::int64_t fields) {
  const std::vector<halo::Descriptor> descriptors = domain.descriptors();
  const std::vector<halo::Direction> directions = halo::all_directions(3);
  Pattern result{domain.grid().rank(), descriptors.front().total_length, fields, {}};
  const int last = static_cast<int>(directions.size()) - 1;
  for (int tag = 0; tag <= last; ++tag) {
    const halo::Direction& direction = directions[static_cast<std::size_t>(tag)];
    const auto at = [&](int d) { return static_cast<std::size_t>(d); };
    Part part{domain.grid().neighbour(direction), tag, last - tag, {}, {}, 0, 0, 0};
    part.sent = span([&](int d) { return descriptors[at(d)].sent_to(direction[at(d)]); });
    part.received = span([&](int d) { return descriptors[at(d)].received_from(direction[at(d)]); });
    part.block = (part.sent.cells() + alignment - 1) / alignment * alignment;
    result.parts.push_back(part);
  }
  std::ranges::stable_partition(result.parts, [&](const Part& part) { return part.rank != result.rank; });
  for (Part& part : result.parts) {
    part.place = result.packed;
    result.packed += part.block * fields;
    if (part.rank != result.rank) {
      ++result.others;
      result.packed_others = result.packed;
    }
    const auto opposite = std::ranges::find(result.parts, part.received_tag, &Part::sent_tag);
    part.opposite = static_cast<std::size_t>(opposite - result.parts.begin());
  }
  return result;
}

}  // namespace typewarp::halo_bench
