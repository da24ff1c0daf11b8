// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "parts.hpp"

#include <array>

namespace typewarp::exchange_bench {
namespace {

constexpr std::int64_t number = sizeof(double);

struct Range {
  std::int64_t begin, length;
};

/// Along one dimension of a field with halos: what is sent towards `side`, -1, 0 or 1, or comes from there.
Range sent(int side, std::int64_t cells, std::int64_t width) {
  if (side == 0) return {width, cells};
  return {side < 0 ? width : cells, width};
}
Range received(int side, std::int64_t cells, std::int64_t width) {
  if (side == 0) return {width, cells};
  return {side < 0 ? 0 : cells + width, width};
}

Datatype box(const std::array<Range, 3>& ranges, std::int64_t length, std::int64_t field) {
  std::vector<std::int64_t> subsizes, starts;
  for (const Range& range : ranges) {
    subsizes.push_back(range.length);
    starts.push_back(range.begin);
  }
  const Datatype inside = subarray({length, length, length}, subsizes, starts, Order::c, Named::double_);
  return hindexed({1}, {field * length * length * length * number}, inside);
}

/// Single numbers, each the first of `stride`.
Pattern blocks(const char* name, std::int64_t bytes, std::int64_t stride) {
  const Datatype type = vector(bytes / number, 1, stride, Named::double_);
  return {name, stride * bytes, bytes, {type}, {type}};
}

}  // namespace

Pattern strided(std::int64_t bytes) { return blocks("strided", bytes, 8); }
Pattern column(std::int64_t bytes) { return blocks("column", bytes, 256); }

Pattern halo(std::int64_t cells, std::int64_t width, std::int64_t fields) {
  const std::int64_t length = cells + 2 * width;
  Pattern pattern{"halo", fields * length * length * length * number, 0, {}, {}};
  for (int neighbour = 0; neighbour < 27; ++neighbour) {
    const std::array side{neighbour / 9 - 1, neighbour / 3 % 3 - 1, neighbour % 3 - 1};
    if (side == std::array{0, 0, 0}) continue;
    std::array<Range, 3> out, in;
    for (std::size_t d = 0; d < 3; ++d) {
      out[d] = sent(side[d], cells, width);
      in[d] = received(-side[d], cells, width);
    }
    for (std::int64_t field = 0; field < fields; ++field) {
      pattern.sends.push_back(box(out, length, field));
      pattern.receives.push_back(box(in, length, field));
      pattern.packed_bytes += pattern.sends.back().size();
    }
  }
  return pattern;
}

}  // namespace typewarp::exchange_bench
