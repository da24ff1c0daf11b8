// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/host_device.hpp"

#include <cstdint>

namespace hacc {

/// The members of a block as a kernel takes them: where each lies, and where its first word is in the packed
/// block. All have whole words of four bytes.
struct MemberTable {
  static constexpr int members = 9;
  std::uint32_t* data[members];
  std::int64_t first[members + 1];
};

/// Copies every `step`-th word of a member, from word `begin` on, to the packed block.
APPS_HOST_DEVICE inline void gather_member(const MemberTable& table, int member, std::uint32_t* packed,
                                           std::int64_t begin, std::int64_t step) {
  const std::int64_t words = table.first[member + 1] - table.first[member];
  for (std::int64_t i = begin; i < words; i += step) {
    packed[table.first[member] + i] = table.data[member][i];
  }
}

/// The other way.
APPS_HOST_DEVICE inline void scatter_member(const MemberTable& table, int member, const std::uint32_t* packed,
                                            std::int64_t begin, std::int64_t step) {
  const std::int64_t words = table.first[member + 1] - table.first[member];
  for (std::int64_t i = begin; i < words; i += step) {
    table.data[member][i] = packed[table.first[member] + i];
  }
}

}  // namespace hacc
