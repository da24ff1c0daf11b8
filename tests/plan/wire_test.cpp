// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/wire.hpp"

#include "layout/node.hpp"
#include "plan/locate.hpp"
#include "plan/state.hpp"
#include "plan/wire_format.hpp"
#include "support/environment.hpp"
#include "support/nested_types.hpp"
#include "support/random.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

namespace typewarp::plan {
namespace {

using Bytes = std::vector<std::byte>;

const std::uint64_t seeds = test::at_most_types(3000);
constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

Bytes wire_of(const Plan& plan) { return to_wire(plan, any_length).value(); }

Plan random_plan(std::uint64_t seed) {
  return commit(test::random_type(seed, {.depth = 5, .max_size = 512, .overlap = seed % 3 == 0}));
}

/// Irregular in every way: a sequence of varying blocks of a repetition, of equal blocks, and of bytes.
Plan deep_plan() {
  const Datatype pairs = vector(3, 1, 2, Named::short_);
  const Datatype varying = hindexed({1, 70, 2, 3}, {0, 100, 7001, 9000}, pairs);
  const Datatype equal = hindexed_block(1, {0, 17, 90, std::int64_t{1} << 40}, pairs);
  const Datatype bytes = indexed({1, 5, 2}, {-30, 7, 20}, Named::byte);
  return commit(structure({1, 1, 1, 1}, {8, 20000, -50000, 60000}, {varying, equal, bytes, Named::double_}));
}

void expect_same_places(const Plan& plan, const Plan& original) {
  ASSERT_EQ(plan.size(), original.size());
  ASSERT_EQ(plan.extent(), original.extent());
  ASSERT_EQ(plan.layout().offset, original.layout().offset);
  for (std::int64_t packed = 0; packed < 3 * plan.size(); ++packed) {
    const Location place = locate(plan::state_of(plan).encoding.view(), plan.extent(), packed);
    const Location expected = locate(plan::state_of(original).encoding.view(), original.extent(), packed);
    ASSERT_EQ(place.offset, expected.offset) << "byte " << packed;
    ASSERT_EQ(place.run, expected.run) << "byte " << packed;
  }
}

TEST(Wire, BringsEveryByteOfRandomTypesBack) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Datatype type = test::random_type(seed, {.depth = 5, .max_size = 512, .overlap = seed % 3 == 0});
    const Plan plan = from_wire(wire_of(commit(type)));
    ASSERT_TRUE(plan.datatype().null());
    ASSERT_EQ(plan.extent(), type.extent());
    const std::vector<std::int64_t> expected = test::byte_map(type, 3);
    ASSERT_EQ(3 * plan.size(), std::ssize(expected)) << "seed " << seed;
    for (std::size_t packed = 0; packed < expected.size(); ++packed) {
      const Location found =
          locate(plan::state_of(plan).encoding.view(), plan.extent(), static_cast<std::int64_t>(packed));
      ASSERT_EQ(plan.layout().offset + found.offset, expected[packed])
          << "seed " << seed << ", packed byte " << packed << "\n"
          << type;
    }
  }
}

TEST(Wire, BringsTheEncodingBack) {
  std::vector<std::int64_t> displacements;
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 1000; ++i) {
    displacements.push_back(i * 20 + i * i % 11);
    lengths.push_back(1 + i * i % 7);
  }
  for (const Plan& plan : {deep_plan(), commit(Named::int_), commit(contiguous(0, Named::int_)),
                           commit(hindexed_block(1, displacements, Named::int_)),
                           commit(hindexed(lengths, displacements, Named::byte))}) {
    const Plan back = from_wire(wire_of(plan));
    EXPECT_EQ(back.layout(), plan.layout());
    EXPECT_EQ(back.layout().root->true_lb, plan.layout().root->true_lb);
    EXPECT_EQ(back.layout().root->true_ub, plan.layout().root->true_ub);
    EXPECT_EQ(plan::state_of(back).encoding.grain, plan::state_of(plan).encoding.grain);
    // The bytes between its lists are never set.
    EXPECT_EQ(plan::state_of(back).encoding.lookaside.size(), plan::state_of(plan).encoding.lookaside.size());
    ASSERT_NO_FATAL_FAILURE(expect_same_places(back, plan));
    EXPECT_EQ(wire_of(back), wire_of(plan));
  }
}

TEST(Wire, IsShort) {
  EXPECT_EQ(wire_of(commit(vector(1000, 1, 3, Named::int_))).size(),
            sizeof(WireHeader) + 2 * sizeof(WireNode));
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < 1000; ++i) displacements.push_back(i * 20 + i * i % 11);
  EXPECT_EQ(wire_of(commit(indexed_block(1, displacements, Named::int_))).size(),
            sizeof(WireHeader) + 2 * sizeof(WireNode) + 4000);
}

TEST(Wire, KeepsToTheLengthGiven) {
  const Plan plan = deep_plan();
  const auto length = static_cast<std::int64_t>(wire_of(plan).size());
  EXPECT_TRUE(to_wire(plan, length));
  EXPECT_FALSE(to_wire(plan, length - 1));
}

/// Of `depth` nodes, one inside the other.
Plan nested_plan(std::int64_t depth) {
  layout::NodePtr node = layout::run(1);
  for (std::int64_t level = 1; level < depth; ++level) node = layout::repeat(2, 0, node);
  return Internal::make(std::make_shared<const State>(Layout(0, node), 1));
}

TEST(Wire, NestsToABound) {
  constexpr std::int64_t most = 60;  // sizes are powers of two
  EXPECT_TRUE(to_wire(nested_plan(most), any_length));
  EXPECT_EQ(from_wire(wire_of(nested_plan(most))).size(), std::int64_t{1} << (most - 1));
  // One run beside the nested member, so that depth costs few bytes of data.
  layout::NodePtr node = layout::run(1);
  const auto nested = [&] { return Internal::make(std::make_shared<const State>(Layout(0, node), 1)); };
  for (std::int64_t level = 1; level < deepest_wire; ++level) {
    node = layout::sequence({{0, 1000 * level}, {node, layout::run(1)}});
  }
  EXPECT_TRUE(identity(nested()));
  ASSERT_NO_FATAL_FAILURE(expect_same_places(from_wire(wire_of(nested())), nested()));
  node = layout::sequence({{0, -1000}, {node, layout::run(1)}});
  EXPECT_FALSE(to_wire(nested(), any_length));
  EXPECT_FALSE(identity(nested()));
}

TEST(Wire, LeavesSharedMembersAtHome) {
  const Plan plan = commit(test::shared_type(test::shared_types().front(), 17));
  ASSERT_TRUE(plan::state_of(plan).encoding.shared);
  EXPECT_FALSE(to_wire(plan, any_length));
  EXPECT_FALSE(identity(plan));
}

TEST(Wire, IdentifiesLayouts) {
  const auto id = [](const Datatype& type) { return identity(commit(type)).value(); };
  EXPECT_EQ(id(vector(3, 2, 5, Named::double_)), id(hvector(3, 4, 40, Named::int_)));
  EXPECT_NE(id(vector(3, 2, 5, Named::double_)), id(vector(3, 2, 6, Named::double_)));
  EXPECT_NE(id(contiguous(4, Named::int_)), id(resized(contiguous(4, Named::int_), 0, 24)));
  EXPECT_NE(id(hindexed_block(1, {0}, Named::int_)), id(hindexed_block(1, {4}, Named::int_)));
  const Plan plan = deep_plan();
  EXPECT_EQ(identity(plan), identity(from_wire(wire_of(plan))));
  EXPECT_EQ(identity(plan), identity(plan));
}

TEST(Wire, IsNamedWithItsLengthAndKeptIfShort) {
  const Plan plan = commit(vector(3, 2, 5, Named::double_));
  const WireName& name = *wire_name(plan);
  EXPECT_EQ(name.identity, identity(plan));
  EXPECT_EQ(name.short_wire, wire_of(plan));
  EXPECT_EQ(name.bytes, std::ssize(wire_of(plan)));
  EXPECT_EQ(&name, wire_name(plan));
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 1000; ++i) places.push_back(i * i);
  const Plan irregular = commit(indexed_block(1, places, Named::double_));
  EXPECT_EQ(wire_name(irregular)->bytes, std::ssize(wire_of(irregular)));
  EXPECT_GT(wire_name(irregular)->bytes, longest_short_wire);
  EXPECT_TRUE(wire_name(irregular)->short_wire.empty());
}

/// Neither half of the identity is the same for any two inputs that differ in one bit or in their length.
TEST(Wire, IdentitiesDifferInBothHalves) {
  std::set<std::uint64_t> seen;
  Bytes bytes(64);
  const auto fresh = [&] {
    const Identity identity = identity_of(bytes);
    return seen.insert(identity.words[0]).second && seen.insert(identity.words[1]).second;
  };
  ASSERT_TRUE(fresh());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto flip = static_cast<std::byte>(1 << bit % 8);
    bytes[bit / 8] ^= flip;
    ASSERT_TRUE(fresh()) << "bit " << bit;
    bytes[bit / 8] ^= flip;
  }
  for (bytes.clear(); bytes.size() < 40; bytes.emplace_back())
    ASSERT_TRUE(fresh()) << bytes.size() << " bytes";
}

/// The rule that the bytes break; empty if they break none.
std::string refusal(const Bytes& wire) {
  try {
    from_wire(wire);
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), "wire");
    return error.what();
  }
  return "";
}

void identify(Bytes& wire) {
  const Identity identity = identity_of(std::span(wire).subspan(identified_from));
  std::memcpy(wire.data() + identity_at, &identity, sizeof(identity));
}

TEST(Wire, RefusesEveryTruncation) {
  for (const Plan& plan : {deep_plan(), random_plan(7), random_plan(8)}) {
    const Bytes whole = wire_of(plan);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      Bytes wire(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      ASSERT_NE(refusal(wire), "") << length << " of " << whole.size() << " bytes";
      if (length < sizeof(WireHeader)) continue;
      identify(wire);
      ASSERT_NE(refusal(wire), "") << length << " of " << whole.size() << " bytes, identified";
    }
    Bytes longer = whole;
    longer.resize(whole.size() + 8);
    identify(longer);
    EXPECT_NE(refusal(longer).find("goes on after its end"), std::string::npos) << refusal(longer);
  }
}

TEST(Wire, RefusesEveryFlippedBit) {
  Bytes wire = wire_of(deep_plan());
  for (std::size_t bit = 0; bit < 8 * wire.size(); ++bit) {
    const auto flip = static_cast<std::byte>(1 << bit % 8);
    wire[bit / 8] ^= flip;
    ASSERT_NE(refusal(wire), "") << "bit " << bit;
    wire[bit / 8] ^= flip;
  }
}

/// What is accepted although it was changed is another plan, as whole as any: every byte can be found, and
/// on the wire it is what it was made of. Returns whether it was accepted.
bool check_changed(const Bytes& wire, test::Random& random) {
  if (!refusal(wire).empty()) return false;
  const Plan plan = from_wire(wire);
  EXPECT_EQ(wire_of(plan), wire);
  if (plan.size() == 0) return true;
  const layout::Node& root = *plan.layout().root;
  for (int i = 0; i < 50; ++i) {
    const std::int64_t packed = random.range(0, plan.size() - 1);
    const Location place = locate(plan::state_of(plan).encoding.view(), plan.extent(), packed);
    EXPECT_GE(place.run, 1);
    EXPECT_GE(place.offset, root.true_lb);
    EXPECT_LE(place.offset, root.true_ub - place.run);
  }
  return true;
}

/// Changes that keep the identity right meet the checks of what the nodes say.
TEST(Wire, SurvivesChangedContents) {
  std::int64_t accepted = 0;
  std::int64_t refused = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    test::Random random(seed);
    const Bytes whole = wire_of(seed % 10 == 0 ? deep_plan() : random_plan(seed));
    for (int trial = 0; trial < 20; ++trial) {
      Bytes wire = whole;
      for (std::int64_t change = random.range(1, 3); change > 0; --change) {
        const auto at = static_cast<std::size_t>(random.range(sizeof(WireHeader), std::ssize(wire) - 1));
        if (random.one_in(2)) {
          wire[at] ^= static_cast<std::byte>(1 << random.range(0, 7));
        } else {
          // A whole word: small, or about as large as can be.
          const std::int64_t extreme = random.one_in(2) ? std::numeric_limits<std::int64_t>::max() : 0;
          const std::int64_t word =
              (random.one_in(2) ? extreme : ~extreme) - random.range(-2, 2) * (extreme == 0);
          std::memcpy(wire.data() + at / 8 * 8, &word, sizeof(word));
        }
      }
      identify(wire);
      ++(check_changed(wire, random) ? accepted : refused);
      if (HasFailure()) FAIL() << "seed " << seed << ", trial " << trial;
    }
  }
  EXPECT_GT(accepted, static_cast<int>(seeds / 3));
  EXPECT_GT(refused, static_cast<int>(seeds / 3));
}

TEST(Wire, SurvivesNoise) {
  test::Random random(3);
  for (int trial = 0; trial < 20000; ++trial) {
    Bytes wire(static_cast<std::size_t>(random.range(sizeof(WireHeader), 400)));
    for (std::byte& byte : wire) byte = static_cast<std::byte>(random.next());
    const WireHeader header{wire_version, {}, random.range(-9, 9), random.range(-9, 9)};
    std::memcpy(wire.data(), &header, sizeof(header));
    for (std::size_t at = sizeof(header); at + sizeof(WireNode) <= wire.size(); at += sizeof(WireNode)) {
      const WireNode node{static_cast<Kind>(random.range(0, 4)), random.one_in(2) ? 4 : 8, random.range(0, 4),
                          random.range(-9, 9)};
      if (!random.one_in(4)) std::memcpy(wire.data() + at, &node, sizeof(node));
    }
    identify(wire);
    check_changed(wire, random);
  }
}

/// One node after the other, each right but for what the rule is about.
class Forged {
 public:
  Forged() {
    const WireHeader header{wire_version, {}, 64, 0};
    put(header);
  }
  Forged& node(Kind kind, std::int64_t count, std::int64_t stride = 0, std::int32_t width = 8) {
    put(WireNode{kind, width, count, stride});
    return *this;
  }
  Forged& list(const std::vector<std::int64_t>& entries) {
    for (const std::int64_t entry : entries) put(entry);
    return *this;
  }
  std::string refusal() {
    identify(wire_);
    return plan::refusal(wire_);
  }

 private:
  template <typename T>
  void put(const T& value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    wire_.insert(wire_.end(), bytes, bytes + sizeof(value));
  }
  Bytes wire_;
};

TEST(Wire, SaysWhatIsWrong) {
  constexpr std::int64_t large = std::int64_t{1} << 62;
  const auto expect = [](Forged& forged, const std::string& rule) {
    EXPECT_NE(forged.refusal().find(rule), std::string::npos) << forged.refusal() << " instead of " << rule;
  };
  expect(Forged().node(Kind::run, -1), "too few bytes");
  expect(Forged().node(Kind::repeat, 2, 8).node(Kind::run, 0), "too few bytes");
  expect(Forged().node(Kind::repeat, 1, 8).node(Kind::run, 8), "two parts or more");
  expect(Forged().node(static_cast<Kind>(5), 1), "no kind of node");
  expect(Forged().node(Kind::repeat, 2, 8), "too short");
  expect(Forged().node(Kind::repeat, 4, 8).node(Kind::run, large), "more than 64 bits");
  expect(Forged().node(Kind::repeat, 4, large).node(Kind::run, 1), "more than 64 bits");
  expect(Forged().node(Kind::blocks, 2, 0, 3).list({0, 9}).node(Kind::run, 1), "4 or 8 bytes");
  expect(Forged().node(Kind::blocks, large).list({0, 9}).node(Kind::run, 1), "more entries than bytes");
  expect(Forged().node(Kind::blocks, 2).list({1, 9}).node(Kind::run, 1), "begin at its first part");
  expect(Forged().node(Kind::blocks, 2).list({0, any_length}).node(Kind::run, 1), "more than 64 bits");
  expect(Forged().node(Kind::varying, 2, 4).list({0, 9, 1, 4, 8}).node(Kind::run, 4), "packed byte 0");
  expect(Forged().node(Kind::varying, 2, 4).list({0, 9, 0, 4, 4}).node(Kind::run, 4), "more than 0 bytes");
  expect(Forged().node(Kind::varying, 2, 4).list({0, 9, 0, 4, 9}).node(Kind::run, 4), "whole children");
  expect(Forged().node(Kind::varying, 2, large).list({0, 9, 0, 4, 16}).node(Kind::run, 4),
         "more than 64 bits");
  expect(Forged().node(Kind::sequence, 2).list({3, 9}).node(Kind::run, 4).node(Kind::run, 4), "first part");
  expect(Forged().node(Kind::sequence, 2).list({0, 9}).node(Kind::run, any_length).node(Kind::run, 4),
         "more than 64 bits");
  expect(Forged().node(Kind::blocks, 2).list({0, 9}).node(Kind::run, 1), "as to_wire() does");
  expect(Forged().node(Kind::run, 8, 5), "as to_wire() does");
  Forged nested;
  for (std::int64_t level = 0; level <= deepest_wire; ++level) nested.node(Kind::repeat, 2, 0);
  expect(nested.node(Kind::run, 1), "too deeply");
  Bytes other = wire_of(deep_plan());
  other[0] ^= std::byte{1};
  EXPECT_NE(refusal(other).find("another version"), std::string::npos);
}

TEST(Wire, TakesAForgedPlanThatIsRight) {
  Forged right;
  EXPECT_EQ(right.node(Kind::varying, 2, 4, 8)
                .list({0, std::int64_t{1} << 40, 0, 4, 16})
                .node(Kind::run, 4)
                .refusal(),
            "");
}

}  // namespace
}  // namespace typewarp::plan
