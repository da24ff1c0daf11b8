// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/node.hpp"

#include "support/nested_types.hpp"
#include "support/small_stack.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace typewarp::test {
namespace {

TEST(Node, TheDeepestTypeNeedsLittleStack) {
  on_small_stack([] {
    Datatype type = deep_type(datatype::max_depth);
    EXPECT_EQ(datatype::node_of(type).depth, datatype::max_depth);
    EXPECT_EQ(type.size(), 8);
    EXPECT_EQ(type.elements_in(4), 1);
    EXPECT_EQ(type.elements_in(5), -1);
    const std::string text = type.to_string();
    EXPECT_EQ(std::ranges::count(text, '\n'), datatype::max_depth);
    EXPECT_THROW(dup(type), InvalidArgument);
    type = Datatype();  // destroys it
  });
}

TEST(Node, WhatSomebodyHasOutlivesTheTypeAboveIt) {
  Datatype kept = deep_type(500);
  {
    Datatype above = kept;
    for (int i = 0; i < 400; ++i) above = dup(above);
  }
  EXPECT_EQ(datatype::node_of(kept).depth, 500);
  EXPECT_EQ(kept.to_string(), deep_type(500).to_string());
}

TEST(Node, DeepTypesEndInTheThreadThatDropsThemLast) {
  for (int i = 0; i < 50; ++i) {
    Datatype below = deep_type(datatype::max_depth / 2);
    Datatype one = dup(below), other = dup(below);
    below = Datatype();
    std::jthread thread([&] { on_small_stack([&] { one = Datatype(); }); });
    on_small_stack([&] { other = Datatype(); });
  }
}

TEST(Node, SharedTypesAreAsCheapAsTheirConstructors) {
  for (const SharedType& shared : shared_types()) {
    const Datatype type = shared_type(shared, 30);
    EXPECT_GE(type.elements(), std::int64_t{1} << 30) << shared.name;
    EXPECT_EQ(type.elements(), type.elements_in(type.size())) << shared.name;
    EXPECT_EQ(type.signature(), shared_type(shared, 30).signature()) << shared.name;
    EXPECT_LT(std::ranges::count(type.to_string(), '\n'), 10 * datatype::max_depth) << shared.name;
  }
}

}  // namespace
}  // namespace typewarp::test
