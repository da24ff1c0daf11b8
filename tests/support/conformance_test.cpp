// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/conformance.hpp"

#include "datatype/node.hpp"
#include "support/conformance_cases.hpp"
#include "support/host_memory.hpp"
#include "support/type_map.hpp"
#include "support/variable.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

/// The suite itself: it accepts an engine made of the oracle, and finds every fault put into it.
namespace typewarp::test {
namespace {

enum class Fault {
  none,
  last_byte_missing,
  one_byte_too_many,
  gap_filled,
  range_ignored,
  source_written,
  throws
};

/// Where the bytes of one side lie: of the plan that was asked for last, since a case asks again for each
/// range.
class Side {
 public:
  std::vector<std::byte*> addresses(const void* buffer, std::int64_t count, const Plan& plan) {
    if (node_ != &datatype::node_of(plan.datatype()) || count_ != count) {
      type_ = plan.datatype();  // as long as it is held, no other has its node's place
      node_ = &datatype::node_of(type_);
      count_ = count;
      displacements_ = byte_map(type_, count);
    }
    std::vector<std::byte*> result;
    result.reserve(displacements_.size());
    for (const std::int64_t displacement : displacements_) {
      const auto address = reinterpret_cast<std::intptr_t>(buffer) + displacement;
      result.push_back(reinterpret_cast<std::byte*>(address));
    }
    return result;
  }

 private:
  Datatype type_;
  const datatype::Node* node_ = nullptr;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> displacements_;
};

std::vector<std::byte*> addresses(const void* packed, ByteRange range) {
  std::vector<std::byte*> result(static_cast<std::size_t>(range.end));
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    result[static_cast<std::size_t>(i)] =
        static_cast<std::byte*>(const_cast<void*>(packed)) + (i - range.begin);
  }
  return result;
}

class OracleBackend final : public Backend {
 public:
  explicit OracleBackend(Fault fault) : fault_(fault) {}

  int cases = 0;  ///< with data, that were packed

  std::unique_ptr<Memory> user_memory(std::int64_t bytes) override {
    new_case_ = true;
    return std::make_unique<HostMemory>(bytes);
  }
  std::unique_ptr<Memory> packed_memory(std::int64_t bytes) override {
    return std::make_unique<HostMemory>(bytes);
  }

  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    if (new_case_ && count > 0 && plan.size() > 0) ++cases;
    new_case_ = false;
    move(user_.addresses(buffer, count, plan), addresses(packed, range), range);
  }
  void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
              ByteRange range) override {
    move(addresses(packed, range), user_.addresses(buffer, count, plan), range);
  }
  void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
            std::int64_t destination_count, const Plan& destination_plan, ByteRange range) override {
    move(user_.addresses(source, source_count, source_plan),
         destination_.addresses(destination, destination_count, destination_plan), range);
  }

 private:
  void move(const std::vector<std::byte*>& from, const std::vector<std::byte*>& to, ByteRange range) const {
    if (fault_ == Fault::throws) throw std::runtime_error("no engine today");
    const auto begin = static_cast<std::size_t>(range.begin);
    const auto end =
        static_cast<std::size_t>(range.end) -
        (fault_ == Fault::last_byte_missing && begin < static_cast<std::size_t>(range.end) ? 1 : 0);
    for (std::size_t i = begin; i < end; ++i) *to[i] = *from[i];
    if (begin >= end) return;
    if (fault_ == Fault::one_byte_too_many) to[end - 1][1] ^= std::byte{1};
    if (fault_ == Fault::source_written) *from[begin] ^= std::byte{1};
    if (fault_ == Fault::range_ignored && begin > 0) *to[begin] = std::byte{0};
    if (fault_ == Fault::gap_filled) fill_gap(to, begin, end);
  }

  /// The byte behind the first block that another block follows at some distance.
  static void fill_gap(const std::vector<std::byte*>& to, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i + 1 < end; ++i) {
      if (to[i + 1] > to[i] + 1) {
        to[i][1] ^= std::byte{1};
        return;
      }
    }
  }

  Fault fault_;
  Side user_, destination_;
  bool new_case_ = false;
};

constexpr ConformanceOptions few{.types = 60, .cut_every_nth = 0};
using Suite = void (*)(Backend&, ConformanceOptions);

/// The failures that a suite reports about a fault; they are not failures of this test.
int failures(Suite suite, Fault fault) {
  OracleBackend backend(fault);
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    suite(backend, few);
  }
  return results.size();
}

TEST(Conformance, AcceptsTheOracle) {
  OracleBackend backend(Fault::none);
  check_pack(backend, few);
  check_unpack(backend, few);
  check_copy(backend, few);
}

TEST(Conformance, FindsEveryFaultAndStopsAfterAFew) {
  for (const Fault fault : {Fault::last_byte_missing, Fault::one_byte_too_many, Fault::range_ignored,
                            Fault::source_written, Fault::throws}) {
    for (const Suite suite : {check_pack, check_unpack, check_copy}) {
      EXPECT_EQ(failures(suite, fault), 5) << "fault " << static_cast<int>(fault);
    }
  }
  // A packed stream has no gaps.
  EXPECT_EQ(failures(check_pack, Fault::gap_filled), 0);
  EXPECT_EQ(failures(check_unpack, Fault::gap_filled), 5);
  EXPECT_EQ(failures(check_copy, Fault::gap_filled), 5);
}

TEST(Conformance, FewTypesBoundTheEdgeCasesAndThoseWithoutDataDoNotCount) {
  constexpr int types = 60;
  const Variable asked("TYPEWARP_TEST_TYPES", std::to_string(types).c_str());
  OracleBackend backend(Fault::none);
  check_pack(backend, few);
  const std::vector<Case> edges = spread(edge_cases(), types);
  const auto with_data = std::count_if(
      edges.begin(), edges.end(), [](const Case& item) { return item.count > 0 && item.type.size() > 0; });
  EXPECT_LT(with_data, types);
  EXPECT_EQ(backend.cases, with_data + types);
}

TEST(ConformanceCases, SpreadTakesDifferentOnesFromAllOver) {
  const std::vector<Case> table = edge_cases();
  EXPECT_EQ(spread(table, table.size()).size(), table.size());
  for (const std::size_t most : {1U, 10U, 150U, 400U}) {
    std::set<std::uint64_t> seeds;
    std::set<std::int64_t> counts;
    for (const Case& item : spread(table, most)) {
      seeds.insert(item.seed);
      counts.insert(item.count);
    }
    EXPECT_EQ(seeds.size(), most);
    if (most < 10) continue;
    EXPECT_LE(*seeds.begin(), table.size() / 4);
    EXPECT_GE(*seeds.rbegin(), table.size() * 3 / 4);
    EXPECT_GE(counts.size(), 3U);
  }
}

TEST(ConformanceCases, RangesHoldBothSidesOfEveryCut) {
  const Case item{contiguous(100, Named::byte), 1, 7, ""};
  const auto holds = [](const std::vector<ByteRange>& list, std::int64_t begin, std::int64_t end) {
    return std::any_of(list.begin(), list.end(),
                       [&](ByteRange range) { return range.begin == begin && range.end == end; });
  };
  const std::vector<ByteRange> all = ranges(item, 100, true, 100);
  for (std::int64_t at = 1; at < 100; ++at) {
    EXPECT_TRUE(holds(all, 0, at)) << at;
    EXPECT_TRUE(holds(all, at, 100)) << at;
  }
  const std::vector<ByteRange> pieces = ranges(item, 100, false, 100);
  EXPECT_TRUE(holds(pieces, 0, 100));
  EXPECT_EQ(ranges(item, 100, true, 99).size(), pieces.size() + 32);
}

}  // namespace
}  // namespace typewarp::test
