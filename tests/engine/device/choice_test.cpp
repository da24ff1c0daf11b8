// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/method.hpp"

#include "support/environment.hpp"
#include "support/random_type.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace typewarp::test {
namespace {

using gpu::Considered;
using gpu::Decision;

struct Case {
  Plan plan;
  std::int64_t count;
  bool packs;
  MemoryKind packed;

  Decision with(const Hints& hints) const {
    const Plan hinted = plan.with(hints);
    return gpu::decision({hinted, count, packs, packed});
  }
};

Case pack_of(const Datatype& type, std::int64_t count = 1, MemoryKind packed = MemoryKind::device) {
  return {commit(type), count, true, packed};
}

const Considered& row(const Decision& decision, Method method) {
  return *std::ranges::find(decision.methods, method, &Considered::method);
}

bool copies(Method method) { return method <= Method::dma_rows; }

/// Calls check(case) for random layouts, both directions, and both kinds of memory for packed bytes.
template <typename Check>
void for_random_moves(const Check& check) {
  const std::uint64_t seeds = at_most_types(300);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Datatype type = random_type(seed);
    if (type.size() == 0) continue;
    const Plan plan = commit(type);
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{300}}) {
      for (const bool packs : {true, false}) {
        for (const MemoryKind packed : {MemoryKind::device, MemoryKind::pinned}) {
          check(Case{plan, count, packs, packed});
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Choice, HasARowForEachMethodInTheirOrder) {
  const Decision decision = pack_of(Named::double_).with({});
  ASSERT_EQ(decision.methods.size(), static_cast<std::size_t>(Method::generic));
  for (std::size_t i = 0; i < decision.methods.size(); ++i) {
    const Considered& method = decision.methods[i];
    EXPECT_EQ(name(method.method), name(static_cast<Method>(i + 1)));
    EXPECT_FALSE(method.rule.empty() || method.needs.empty()) << name(method.method);
  }
}

TEST(Choice, TakesTheFirstThatSuitsWithoutHints) {
  for_random_moves([](const Case& move) {
    const Decision decision = move.with({});
    const auto first = std::ranges::find(decision.methods, true, &Considered::suits);
    ASSERT_NE(first, decision.methods.end());
    EXPECT_EQ(name(decision.chosen), name(first->method));
    EXPECT_TRUE(decision.remarks.empty());
    for (const Considered& method : decision.methods) {
      EXPECT_TRUE(method.can || !method.suits) << name(method.method);
    }
  });
}

TEST(Choice, TakesAMethodByNameWhereItIsPossible) {
  for_random_moves([](const Case& move) {
    const Decision automatic = move.with({});
    for (const Considered& method : automatic.methods) {
      const Decision forced = move.with({.method = method.method});
      EXPECT_EQ(forced.chosen, method.can ? method.method : automatic.chosen) << name(method.method);
      ASSERT_EQ(forced.remarks.size(), 1U);
      const bool taken = forced.remarks[0].ends_with("it is taken");
      EXPECT_EQ(taken, forced.chosen == method.method) << forced.remarks[0];
    }
  });
}

TEST(Choice, OfFewBlocksIsTheBoundedKernelOrNone) {
  for_random_moves([](const Case& move) {
    const Decision decision = move.with({.max_blocks = 3});
    EXPECT_TRUE(decision.chosen == Method::bounded || copies(decision.chosen)) << name(decision.chosen);
    const bool link = move.packed == MemoryKind::pinned;
    EXPECT_TRUE(decision.chosen == Method::bounded || link) << "the driver's kernels copy within a device";
    EXPECT_EQ(move.with({.method = Method::words, .max_blocks = 3}).chosen, decision.chosen);
  });
}

TEST(Choice, SparesTheMultiprocessorsOrTakesFewBlocks) {
  int spared = 0;
  for_random_moves([&](const Case& move) {
    const Decision decision = move.with({.avoid = Resource::multiprocessors});
    EXPECT_TRUE(copies(decision.chosen) || decision.chosen == Method::bounded) << name(decision.chosen);
    const bool copied = row(decision, Method::dma_rows).can || row(decision, Method::dma).can;
    const bool link = move.packed == MemoryKind::pinned;
    EXPECT_EQ(decision.chosen == Method::bounded, !copied || !link)
        << "the driver's kernels copy within a device";
    if (copies(decision.chosen)) ++spared;
  });
  EXPECT_GT(spared, 100);
}

TEST(Choice, SparesTheCopyEngines) {
  for_random_moves([](const Case& move) {
    const Decision decision = move.with({.avoid = Resource::copy_engines});
    EXPECT_TRUE(!copies(decision.chosen) || move.packed == MemoryKind::device) << name(decision.chosen);
  });
}

TEST(Choice, HeedsWhatItCanOfHintsThatDisagree) {
  for_random_moves([](const Case& move) {
    const Resource both = Resource::multiprocessors | Resource::copy_engines;
    EXPECT_EQ(move.with({.avoid = both}).chosen, Method::bounded);
    const Hints forced{.avoid = Resource::multiprocessors, .method = Method::layouts};
    EXPECT_EQ(move.with(forced).chosen, Method::layouts) << "what is asked for by name comes first";
  });
}

TEST(Choice, LeavesTheMethodToOtherHints) {
  for_random_moves([](const Case& move) {
    EXPECT_EQ(move.with({.priority = Priority::high}).chosen, move.with({}).chosen);
  });
}

TEST(Choice, SaysWhyMultiprocessorsAreNotSpared) {
  const Case many =
      pack_of(hindexed_block(1, std::vector<std::int64_t>{0, 24, 40, 80}, Named::double_), 5000);
  const Decision decision = many.with({.avoid = Resource::multiprocessors});
  EXPECT_EQ(decision.chosen, Method::bounded);
  ASSERT_EQ(decision.remarks.size(), 1U);
  EXPECT_EQ(decision.remarks[0],
            "avoid=multiprocessors: impossible, as the driver copies within a device by kernels of its own; "
            "at most 16 "
            "thread blocks move them");
  Case to_host = many;
  to_host.packed = MemoryKind::pinned;
  EXPECT_EQ(
      to_host.with({.avoid = Resource::multiprocessors}).remarks.at(0),
      "avoid=multiprocessors: impossible, as copy engines move contiguous bytes and equal rows only; at "
      "most 16 thread blocks move them");
  const Resource both = Resource::multiprocessors | Resource::copy_engines;
  EXPECT_EQ(
      to_host.with({.avoid = both}).remarks.at(0),
      "avoid=multiprocessors: impossible, as copy engines are to be avoided too; at most 16 thread blocks "
      "move them");
  EXPECT_EQ(to_host.with({.avoid = Resource::multiprocessors, .method = Method::bounded}).remarks.at(1),
            "avoid=multiprocessors: not heeded, as the method is asked for by name");
}

TEST(Choice, SaysWhyAMethodIsNotTaken) {
  const Case run = pack_of(contiguous(1000, Named::double_));
  EXPECT_EQ(run.with({.method = Method::dma, .max_blocks = 4}).remarks.at(0),
            "method=DMA: impossible, it needs as many thread blocks as it likes");
  EXPECT_EQ(run.with({.method = Method::dma_rows, .max_blocks = 4}).remarks.at(0),
            "method=DMA rows: impossible, it needs equal rows a fixed stride apart, not in a graph");
}

TEST(Choice, SaysWherePriorityHasNoEffect) {
  const Hints urgent{.priority = Priority::high};
  EXPECT_EQ(pack_of(contiguous(1000, Named::double_), 1, MemoryKind::pinned).with(urgent).remarks.at(0),
            "priority=high: of no effect, as a copy engine moves it");
  EXPECT_EQ(pack_of(contiguous(1000, Named::double_)).with(urgent).remarks.at(0),
            "priority=high: its kernels have it, whatever the stream's is");
  EXPECT_EQ(pack_of(contiguous(1 << 22, Named::double_)).with(urgent).remarks.at(0),
            "priority=high: where the caller's stream has another, a stream that has it takes its place");
}

TEST(Choice, PassesPcieByFewBlocksFrom2MiBOnAndLists8MiB) {
  const auto chosen = [](std::int64_t words, MemoryKind packed, const Named& of = Named::double_) {
    return name(pack_of(vector(words, 1, 8, of), 1, packed).with({}).chosen);
  };
  EXPECT_EQ(chosen(1 << 18, MemoryKind::pinned), "bounded");
  EXPECT_EQ(chosen((1 << 18) - 1, MemoryKind::pinned), "words");
  EXPECT_EQ(chosen(1 << 18, MemoryKind::device), "words");
  EXPECT_EQ(chosen(1 << 19, MemoryKind::pinned, Named::int_), "words") << "short words";
  EXPECT_EQ(name(pack_of(vector(1 << 18, 1, 8, Named::double_), 1, MemoryKind::pinned)
                     .with({.priority = Priority::high})
                     .chosen),
            "words");
  const Datatype list = indexed({1, 2, 1, 3}, {0, 3, 8, 11}, Named::double_);
  const std::int64_t items = (std::int64_t{8} << 20) / list.size();
  EXPECT_EQ(name(pack_of(list, items + 1, MemoryKind::pinned).with({}).chosen), "bounded");
  EXPECT_EQ(name(pack_of(list, items / 2, MemoryKind::pinned).with({}).chosen), "deep words");
}

}  // namespace
}  // namespace typewarp::test
