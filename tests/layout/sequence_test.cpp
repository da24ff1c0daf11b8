// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/sequence.hpp"

#include "layout/layout_bytes.hpp"
#include "support/nested_types.hpp"
#include "support/small_stack.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace typewarp {
namespace {

using test::shared_type;
using test::shared_types;
using test::SharedType;

constexpr int too_large_to_list = 30;

TEST(Sequence, WhatIsTooLargeToListStaysCompact) {
  for (const SharedType& shared : shared_types()) {
    const Datatype type = shared_type(shared, too_large_to_list);
    const Layout layout = normalise(type);
    EXPECT_EQ(layout.size(), type.size()) << shared.name;
    EXPECT_EQ(layout.offset + layout.root->true_lb, type.true_lb()) << shared.name;
    EXPECT_EQ(layout.offset + layout.root->true_ub, type.true_ub()) << shared.name;
    EXPECT_GE(layout::runs(*layout.root), std::int64_t{1} << too_large_to_list) << shared.name;
    EXPECT_LT(layout.to_string().size(), std::size_t{1} << 18) << shared.name;
  }
}

TEST(Sequence, HasTheBytesOfTheTypeMapAroundTheLimit) {
  for (const SharedType& shared : shared_types()) {
    for (int levels = 8; levels <= 15; ++levels) {
      const Datatype type = shared_type(shared, levels);
      if (type.size() > 300'000) break;
      const Layout layout = normalise(type);
      ASSERT_EQ(test::layout_bytes(layout), test::byte_map(type))
          << shared.name << ", " << levels << " levels";
      ASSERT_EQ(normalise(layout), layout) << shared.name << ", " << levels << " levels";
    }
  }
}

TEST(Sequence, LayoutsMadeApartAreCompared) {
  for (const SharedType& shared : shared_types()) {
    const Layout layout = normalise(shared_type(shared, too_large_to_list));
    EXPECT_EQ(layout, normalise(shared_type(shared, too_large_to_list))) << shared.name;
    EXPECT_EQ(layout, normalise(layout)) << shared.name;
    const Layout other = normalise(shared_type(shared, too_large_to_list, vector(2, 1, 2, Named::char_)));
    EXPECT_NE(layout, other) << shared.name;
  }
}

TEST(Sequence, WhatIsSpelledOutIsListedHoweverLong) {
  // The same list three times, and something between: longer than what is always written out.
  std::vector<std::int64_t> places(3000);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<std::int64_t>(7 * i * i);
  }
  const Datatype list = hindexed_block(1, places, Named::char_);
  const std::int64_t apart = list.extent();
  const Datatype type = structure({1, 1, 1, 1, 1}, {0, 2 * apart, 3 * apart, 5 * apart, 7 * apart},
                                  {list, Named::char_, list, Named::char_, list});
  EXPECT_TRUE(std::holds_alternative<layout::Blocks>(normalise(type).root->shape));
}

TEST(Sequence, TheDeepestTypeNeedsLittleStack) {
  test::on_small_stack([] {
    const Datatype type = test::deep_type(1000);
    EXPECT_EQ(normalise(type), normalise(vector(2, 1, 2, Named::int_)));
    // Something beside the nested type on each level.
    Datatype growing = vector(2, 1, 2, Named::int_);
    for (int i = 1; i < 1000; ++i) {
      growing = structure({1, 1}, {0, growing.extent() + 8}, {growing, vector(2, 1, 2, Named::short_)});
    }
    EXPECT_EQ(normalise(growing).size(), growing.size());
  });
}

}  // namespace
}  // namespace typewarp
