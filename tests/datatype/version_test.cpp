// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/version.hpp>

#include <gtest/gtest.h>

#include <string>

namespace typewarp {
namespace {

TEST(Version, IsThatOfTheHeadersAndOfTheProject) {
  EXPECT_EQ(version(), TYPEWARP_VERSION);
  EXPECT_EQ(version(), std::to_string(TYPEWARP_VERSION_MAJOR) + "." + std::to_string(TYPEWARP_VERSION_MINOR) +
                           "." + std::to_string(TYPEWARP_VERSION_PATCH));
  EXPECT_EQ(version(), TYPEWARP_PROJECT_VERSION);
}

}  // namespace
}  // namespace typewarp
