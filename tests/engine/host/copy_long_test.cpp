// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/copy_long.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace typewarp::host {
namespace {

/// Exactly the bytes between its ends are written, at every alignment of either side.
TEST(HostCopyLong, EveryVariantCopiesAtEveryAlignment) {
  constexpr std::size_t guard = 70;
  constexpr std::array<std::size_t, 16> lengths{64,  65,  95,  96,  127, 128, 129,  200,
                                                255, 256, 257, 383, 384, 511, 1000, 4099};
  for (const CopyVariant& variant : copy_variants()) {
    if (!variant.supported) continue;
    for (const std::size_t length : lengths) {
      for (std::size_t shift = 0; shift < 64; ++shift) {
        std::vector<std::byte> from(length + shift * 7 % 64);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 37 % 251);
        std::vector<std::byte> to(length + shift + guard, std::byte{255});
        std::vector<std::byte> expected = to;
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(from.size() - length);
        std::copy(begin, from.end(), expected.begin() + static_cast<std::ptrdiff_t>(shift));
        variant.copy(to.data() + shift, &*begin, static_cast<std::int64_t>(length));
        ASSERT_EQ(to, expected) << variant.name << ", " << length << " bytes, shift " << shift;
      }
    }
  }
}

TEST(HostCopyLong, TheChosenVariantIsSupported) {
  const auto variants = copy_variants();
  const auto chosen = std::find_if(variants.begin(), variants.end(),
                                   [](const CopyVariant& v) { return v.copy == copy_long; });
  ASSERT_NE(chosen, variants.end());
  EXPECT_TRUE(chosen->supported);
}

}  // namespace
}  // namespace typewarp::host
