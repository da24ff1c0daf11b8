// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/pack/pack_cases.hpp"

#include "support/type_map.hpp"

#include <gtest/gtest.h>

namespace stencil2d {
namespace {

TEST(PackCases, AreTheSixTypesAtTheirSize) {
  for (const std::int64_t bytes : pack_sizes) {
    const std::vector<PackCase> cases = pack_cases(bytes);
    ASSERT_EQ(cases.size(), 6u);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(cases[i].packed_bytes(), bytes) << cases[i].name;
    }
    EXPECT_EQ(cases[5].packed_bytes(), bytes / 17 * 17);
  }
}

/// 64 KiB: the largest size whose type map is quickly enumerated byte by byte.
TEST(PackCases, BlocksAreTheTypeMap) {
  for (const std::int64_t bytes : {pack_sizes[0], pack_sizes[1]}) {
    for (const PackCase& pack_case : pack_cases(bytes)) {
      std::vector<std::int64_t> offsets;
      for (const Block& block : pack_case.blocks) {
        for (std::int64_t i = 0; i < block.bytes; ++i) {
          offsets.push_back(block.offset + i);
        }
      }
      EXPECT_EQ(offsets, typewarp::test::byte_map(pack_case.datatype, pack_case.count)) << pack_case.name;
    }
  }
}

}  // namespace
}  // namespace stencil2d
