// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/bindings.hpp"

#include <gtest/gtest.h>

namespace typewarp::halo {
namespace {

std::vector<void*> address(std::uintptr_t number) { return {reinterpret_cast<void*>(number)}; }

void bind(Bindings& bindings, std::uintptr_t number) {
  if (bindings.bind(address(number), full_width)) return;
  if (bindings.full()) bindings.drop();
  bindings.add({address(number), full_width, {}, nullptr});
}

TEST(HaloBindings, StayUntilEightOthersAndOneMoreWereBound) {
  Bindings bindings;
  for (std::uintptr_t number = 0; number <= Bindings::most_others; ++number) bind(bindings, number);
  EXPECT_TRUE(bindings.bind(address(0), full_width));
  bind(bindings, 100);  // in the place of 1, which was not bound for longest
  EXPECT_FALSE(bindings.bind(address(1), full_width));
  EXPECT_TRUE(bindings.bind(address(2), full_width));
  EXPECT_TRUE(bindings.bind(address(0), full_width));
  EXPECT_EQ(bindings.bound().data, address(0));
}

TEST(HaloBindings, AreOfOneWidth) {
  Bindings bindings;
  bind(bindings, 0);
  EXPECT_FALSE(bindings.bind(address(0), 1));
  EXPECT_TRUE(bindings.bind(address(0), full_width));
}

TEST(HaloBindings, StayWhileGraphsUseThem) {
  Bindings bindings;
  bind(bindings, 0);
  bindings.bound().unpacked_by_graph = true;
  for (std::uintptr_t number = 1; number < 50; ++number) {
    bind(bindings, number);
    bindings.bound().packed_by_graph = number < 20;
  }
  for (std::uintptr_t number = 0; number < 20; ++number) {
    EXPECT_TRUE(bindings.bind(address(number), full_width)) << number;
  }
  EXPECT_FALSE(bindings.bind(address(21), full_width));
  for (std::uintptr_t number = 41; number < 50; ++number) {
    EXPECT_TRUE(bindings.bind(address(number), full_width)) << number;
  }
}

}  // namespace
}  // namespace typewarp::halo
