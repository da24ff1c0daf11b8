// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/lists.hpp"
#include "engine/device/layout/shape.hpp"
#include "plan/state.hpp"
#include "support/random_type.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <optional>

/// The address arithmetic of the kernels, run on the host: no address is ever followed.
namespace typewarp::gpu {
namespace {

constexpr std::int64_t count = 3;

std::byte* const base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);

std::int64_t expected(const plan::State& state, std::int64_t byte) {
  return plan::locate(state.encoding.view(), state.extent, byte).offset;
}

/// The lists of a shape in host memory, as Prepared has them in a device's.
class HostLists {
 public:
  HostLists(const plan::Encoding& encoding, const Shape& shape) {
    const plan::EncodedNode& node = encoding.nodes[shape.node];
    if (shape.lookup == Lookup::none || shape.lookup == Lookup::generic) return;
    if (shape.lookup == Lookup::list && !shape.lists_units) {
      take(block_list(node, encoding.lookaside.data(), encoding.grain));
      return;
    }
    runs_ = lists_runs(encoding, shape.node) ? encoding : flattened(encoding, shape.node);
    const plan::EncodedNode& run_node = runs_.nodes[lists_runs(encoding, shape.node) ? shape.node : 0];
    if (shape.lookup == Lookup::list) {
      take(unit_list(run_node, runs_.lookaside.data(), encoding.grain));
    } else {
      rank_ = rank_table(run_node, runs_.lookaside.data(), std::countr_zero(std::uint64_t(encoding.grain)));
      take(rank_.displacements);
      lists_.unit_log2 = rank_.unit_log2;
      lists_.entries = rank_.entries.data();
      lists_.node = run_node;
      lists_.lookaside = runs_.lookaside.data();
    }
  }
  const Lists& get() const { return lists_; }

 private:
  void take(Offsets list) {
    list_ = std::move(list);
    lists_.displacements = list_.bytes().data();
    lists_.width = list_.width();
    lists_.scale = list_.scale();
  }

  plan::Encoding runs_;
  RankTable rank_;
  Offsets list_;
  Lists lists_;
};

/// All words from byte `begin` on lie where Algorithm 1 finds them, and so do words of their pieces.
template <Lookup lookup>
void check_view(const plan::State& state, const Shape& shape, const Lists& lists, int word_log2,
                std::int64_t begin) {
  const std::int64_t word = std::int64_t{1} << word_log2;
  const View view = levels_view(shape, lists, base, begin, word_log2);
  const auto words = static_cast<std::uint32_t>((count * state.size - begin) / word);
  for (std::uint32_t i = 0; i < words; ++i) {
    ASSERT_EQ(view.at<lookup>(i, word_log2) - base, expected(state, begin + i * word))
        << i << " from " << begin;
    const WordRun piece = view.piece<lookup>(i, word_log2);
    ASSERT_GE(piece.words, 1u);
    ASSERT_LE(piece.words, words - i);
    for (const std::uint32_t k : {0u, piece.words / 2, piece.words - 1}) {
      ASSERT_EQ(piece.address + k * word - base, expected(state, begin + std::int64_t{i + k} * word))
          << i << " + " << k;
    }
  }
}

/// The lookup that the type takes, or nothing where it is contiguous.
std::optional<Lookup> check(const Datatype& datatype) {
  const Plan plan = commit(datatype);
  const plan::State& state = plan::state_of(plan);
  if (state.size == 0) return std::nullopt;
  Shape shape = shape_of(state.encoding);
  const HostLists lists(state.encoding, shape);
  if (!shape.repeat(count, state.extent) || shape.contiguous()) return std::nullopt;
  const std::int64_t bits = state.encoding.grain | state.extent;
  const int widest = std::countr_zero(static_cast<std::uint64_t>(bits));
  for (int word_log2 = 0; word_log2 <= widest; ++word_log2) {
    const std::int64_t item = state.size >> word_log2 << word_log2;
    for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{1} << word_log2, item, 2 * item}) {
      SCOPED_TRACE(testing::Message() << datatype << "\nwords of " << (1 << word_log2));
      if (shape.lookup == Lookup::none) check_view<Lookup::none>(state, shape, lists.get(), word_log2, begin);
      if (shape.lookup == Lookup::list) check_view<Lookup::list>(state, shape, lists.get(), word_log2, begin);
      if (shape.lookup == Lookup::rank) check_view<Lookup::rank>(state, shape, lists.get(), word_log2, begin);
      if (shape.lookup == Lookup::search || shape.lookup == Lookup::rank) {
        check_view<Lookup::search>(state, shape, lists.get(), word_log2, begin);
      }
      if (testing::Test::HasFatalFailure()) return shape.lookup;
    }
  }
  return shape.lookup;
}

TEST(View, AgreesWithLocate) {
  EXPECT_EQ(check(vector(7, 3, 5, Named::double_)), Lookup::none);
  EXPECT_EQ(check(vector(7, 2, -3, Named::short_)), Lookup::none);
  EXPECT_EQ(check(subarray({5, 6, 7, 8}, {2, 3, 4, 5}, {1, 1, 1, 1}, Order::fortran, Named::float_)),
            Lookup::none);
  EXPECT_EQ(check(hvector(4, 1, 24, vector(3, 1, 100, Named::double_))), Lookup::none);
  EXPECT_EQ(check(indexed_block(3, {0, 5, 11, 13}, Named::int_)), Lookup::list);
  EXPECT_EQ(check(hvector(3, 1, 999, indexed_block(3, {0, 5, 11, 13}, Named::int_))), Lookup::list);
  EXPECT_EQ(check(indexed_block(1, {0, 5, 6, 13, 2, 40, 8}, Named::int_)), Lookup::list) << "two touch";
  EXPECT_EQ(check(indexed_block(1, {0, 5, 1 << 30, (1 << 30) + 1, 2, 3}, Named::double_)), Lookup::rank);
  EXPECT_EQ(check(hindexed_block(1, {0, 16, std::int64_t{1} << 40, (std::int64_t{1} << 40) + 8, 64, 96},
                                 Named::double_)),
            Lookup::list);
  EXPECT_EQ(check(hindexed_block(1, {0, 16, std::int64_t{1} << 33, -(std::int64_t{1} << 33), 96, 80},
                                 Named::double_)),
            Lookup::list)
      << "offsets that fit 32 bits as multiples of 8";
  EXPECT_EQ(check(hindexed({8, 24, 16}, {0, std::int64_t{1} << 33, -(std::int64_t{1} << 33)}, Named::byte)),
            Lookup::rank);
  EXPECT_EQ(check(indexed({1, 3, 2, 7}, {9, 1, 20, 100}, Named::int_)), Lookup::rank);
  EXPECT_EQ(check(structure({1, 1, 3}, {0, 8, 17}, {Named::char_, Named::double_, Named::short_})),
            Lookup::rank);
  EXPECT_EQ(check(indexed({90, 33, 52, 77}, {900, 1, 200, 1000}, Named::int_)), Lookup::search);
}

TEST(Offsets, AreNarrowWhereMultiplesFit) {
  const std::int64_t far = std::int64_t{1} << 33;
  const auto format = [](std::int64_t low, std::int64_t high, std::int64_t unit) {
    const Offsets offsets(1, low, high, unit);
    return std::pair{offsets.width(), offsets.scale()};
  };
  EXPECT_EQ(format(-4, 1000, 4), std::pair(4, 1));
  EXPECT_EQ(format(-far, far, 8), std::pair(4, 8));
  EXPECT_EQ(format(-far, 2 * far, 8), std::pair(8, 1));
  EXPECT_EQ(format(0, 2 * far - 16, 16), std::pair(4, 16));
  EXPECT_EQ(format(0, far, 1), std::pair(8, 1));
}

TEST(View, AgreesWithLocateOnRandomTypes) {
  std::map<Lookup, int> found;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    if (const auto lookup = check(test::random_type(seed))) ++found[*lookup];
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(found[Lookup::none], 300);
  EXPECT_GT(found[Lookup::list], 20);
  EXPECT_GT(found[Lookup::rank], 300);
}

TEST(View, GenericAgreesWithLocateFromAnyPlace) {
  const Plan plan = commit(indexed({1, 2, 1}, {0, 3, 11}, Named::int_));
  const plan::State& state = plan::state_of(plan);
  View view;
  view.base = base;
  view.lists.nodes = state.encoding.nodes.data();
  view.lists.lookaside = state.encoding.lookaside.data();
  view.lists.extent = state.extent;
  view.lists.origin = 8;
  for (std::uint32_t i = 0; i < (count * state.size - 8) / 4; ++i) {
    EXPECT_EQ(view.at<Lookup::generic>(i, 2) - base, expected(state, 8 + 4 * std::int64_t{i}));
    EXPECT_EQ(view.at_any(Lookup::generic, i, 2), view.at<Lookup::generic>(i, 2));
  }
}

}  // namespace
}  // namespace typewarp::gpu
