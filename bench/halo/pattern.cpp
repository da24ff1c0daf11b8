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
  for (std::size_t d = 0; d < 3; ++d) {
    const halo::Range range = range_of(d);
    result.begin[d] = range.begin;
    result.size[d] = range.length();
  }
  return result;
}

/// Of all directions, in their order, without their places.
std::vector<Part> parts_of(const halo::Domain& domain) {
  const std::vector<halo::Descriptor> descriptors = domain.descriptors();
  const std::vector<halo::Direction> directions = halo::all_directions(3);
  const int last = static_cast<int>(directions.size()) - 1;
  std::vector<Part> result;
  for (const halo::Direction& direction : directions) {
    const int tag = static_cast<int>(result.size());
    Part part{domain.grid().neighbour(direction), tag, last - tag, {}, {}, 0, 0, 0};
    part.sent = span([&](std::size_t d) { return descriptors[d].sent_to(direction[d]); });
    part.received = span([&](std::size_t d) { return descriptors[d].received_from(direction[d]); });
    part.block = (part.sent.cells() + alignment - 1) / alignment * alignment;
    result.push_back(part);
  }
  return result;
}

}  // namespace

Pattern pattern_of(const halo::Domain& domain, std::int64_t fields) {
  Pattern result{domain.grid().rank(), domain.shape().front(), fields, {}};
  for (const bool here : {false, true}) {
    for (Part& part : parts_of(domain)) {
      if ((part.rank == result.rank) != here) continue;
      part.place = result.packed;
      result.packed += part.block * fields;
      result.parts.push_back(part);
    }
    if (here) continue;
    result.others = result.parts.size();
    result.packed_others = result.packed;
  }
  for (Part& part : result.parts) {
    const auto opposite = std::ranges::find(result.parts, part.received_tag, &Part::sent_tag);
    part.opposite = static_cast<std::size_t>(opposite - result.parts.begin());
  }
  return result;
}

}  // namespace typewarp::halo_bench
