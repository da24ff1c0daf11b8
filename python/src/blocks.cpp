// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"

#include "plans.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::python {
namespace {

Datatype datatype_of(const Blocks& part) {
  const Datatype row = datatype_of(part.row);
  const std::int64_t rows = part.lengths.front();
  if (std::ranges::all_of(part.lengths, [&](std::int64_t n) { return n == rows; })) {
    return hindexed_block(1, part.displacements, hvector(rows, 1, part.stride, row));
  }
  return hindexed(part.lengths, part.displacements, resized(row, 0, part.stride));
}

}  // namespace

void Blocks::append(std::int64_t displacement, std::int64_t rows) {
  if (stride <= 0) {
    for (; rows > 0; --rows, displacement += stride) {
      displacements.push_back(displacement);
      lengths.push_back(1);
    }
  } else if (!lengths.empty() && displacements.back() + lengths.back() * stride == displacement) {
    lengths.back() += rows;
  } else if (rows > 0) {
    displacements.push_back(displacement);
    lengths.push_back(rows);
  }
}

Datatype datatype_of(const std::vector<Blocks>& parts) {
  if (parts.size() == 1) return datatype_of(parts.front());
  std::vector<Datatype> types;
  for (const Blocks& part : parts) types.push_back(datatype_of(part));
  return structure(std::vector<std::int64_t>(parts.size(), 1), std::vector<std::int64_t>(parts.size(), 0),
                   std::move(types));
}

std::pair<std::int64_t, std::int64_t> span_of(const std::vector<Blocks>& parts) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max(),
               high = std::numeric_limits<std::int64_t>::min();
  for (const Blocks& part : parts) {
    const auto [below, above] = span_of(part.row, 1);
    for (std::size_t i = 0; i < part.lengths.size(); ++i) {
      low = std::min(low, part.displacements[i] + below);
      high = std::max(high, part.displacements[i] + (part.lengths[i] - 1) * part.stride + above);
    }
  }
  std::int64_t bytes = 0;
  if (!__builtin_sub_overflow(high, low, &bytes)) return {low, high};
  throw nanobind::value_error("x: spans more bytes than 64 bits count");
}

}  // namespace typewarp::python
