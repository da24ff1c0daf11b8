// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/conformance_cases.hpp"

#include "support/nested_types.hpp"
#include "support/random.hpp"
#include "support/random_type.hpp"

#include <array>
#include <numeric>

namespace typewarp::test {

namespace {

using Integers = std::vector<std::int64_t>;

struct Edge {
  const char* name;
  Datatype type;
};

Datatype many_lengths() {
  Integers lengths;
  Integers displacements;
  for (std::int64_t length = 1, next = 0; length <= 40; ++length) {
    lengths.push_back(length);
    displacements.push_back(next);
    next += length + length % 5;
  }
  return hindexed(lengths, displacements, Named::byte);
}

Datatype gather(std::int64_t blocks) {
  Integers displacements;
  for (std::int64_t i = 0; i < blocks; ++i) displacements.push_back(i * 7919 % (4 * blocks));
  return indexed_block(1, displacements, Named::double_);
}

Datatype nested(int levels) {
  Datatype type = Named::byte;
  for (int i = 0; i < levels; ++i) type = hvector(2, 1, type.extent() + 1, type);
  return type;
}

Datatype record() { return structure({1, 3, 1}, {0, 5, 8}, {Named::int_, Named::byte, Named::double_}); }

std::vector<Edge> edges() {
  std::vector<Edge> table{
      {"no items", contiguous(0, Named::double_)},
      {"no members", structure({}, {}, {})},
      {"blocks of zero length", indexed({0, 2, 0, 1}, {5, 0, 9, 3}, Named::int_)},
      {"only blocks of zero length", hvector(5, 0, 16, Named::int_)},
      {"resized nothing", resized(contiguous(0, Named::int_), -8, 24)},
      {"negative stride", vector(4, 1, -3, Named::int_)},
      {"negative stride in bytes", hvector(5, 2, -17, Named::short_)},
      {"overlapping vector", vector(4, 3, 1, Named::int_)},
      {"overlapping bytes", hindexed({1, 1, 1}, {0, 1, 2}, Named::int_)},
      {"stride of zero", hvector(5, 1, 0, Named::double_)},
      {"lower bound below zero", resized(vector(3, 1, 2, Named::int_), -12, 40)},
      {"displacements below zero", hindexed({1, 2}, {-31, -9}, Named::int_)},
      {"lower bound above the data", resized(vector(3, 1, 2, Named::int_), 100, 20)},
      {"items inside one another", resized(vector(4, 1, 8, Named::float_), 0, 4)},
      {"bytes inside one another", resized(hvector(3, 1, 7, Named::byte), 0, 1)},
      {"extent below zero", resized(Named::int_, 3, -10)},
      {"extent of zero", resized(Named::int_, 0, 0)},
      {"every second byte", vector(13, 1, 2, Named::byte)},
      {"every third byte", vector(200, 1, 3, Named::byte)},
      {"doubles at odd places", hvector(9, 1, 17, Named::double_)},
      {"packed record", structure({1, 1, 1}, {0, 1, 9}, {Named::byte, Named::double_, Named::short_})},
      {"record", record()},
      {"array of records", contiguous(10, record())},
      {"members in reverse", structure({1, 1, 1}, {24, 8, 0}, {Named::double_, Named::double_, Named::int_})},
      {"pairs with a gap inside", contiguous(5, Named::short_int)},
      {"pairs with a gap behind", contiguous(3, Named::long_double_int)},
      {"transposed matrix", hvector(9, 1, 4, hvector(8, 1, 36, Named::int_))},
      {"transposed bytes", hvector(16, 1, 1, hvector(16, 1, 16, Named::byte))},
      {"box in c order", subarray({5, 4, 6, 3}, {2, 3, 4, 2}, {1, 0, 2, 1}, Order::c, Named::short_)},
      {"box in fortran order", subarray({5, 4, 6}, {2, 3, 4}, {1, 0, 2}, Order::fortran, Named::double_)},
      {"dealt out", darray(6, 4, {10, 7}, {Distribution::cyclic, Distribution::block}, {2, -1}, {3, 2},
                           Order::c, Named::int_)},
      {"more processes than indices",
       darray(4, 3, {3}, {Distribution::block}, {-1}, {4}, Order::c, Named::int_)},
      {"duplicate of a resized", dup(resized(vector(2, 1, 3, Named::int_), 4, 28))},
      {"runs of 1 to 40 bytes", many_lengths()},
      {"gather", gather(500)},
      {"deeply nested", nested(8)},
      {"many doubles", vector(1000, 3, 7, Named::double_)},
      {"many bytes", hvector(3000, 1, 12, Named::byte)},
      {"one large run", contiguous(100000, Named::byte)},
      {"too large to list", shared_type(shared_types().front(), 17)},
  };
  return table;
}

/// Runs of every length that a word size or a tail loop may treat differently.
std::vector<Edge> runs() {
  std::vector<Edge> table;
  for (std::int64_t run = 1; run <= 40; ++run) {
    table.push_back({"runs at aligned places", hvector(5, run, 64, Named::byte)});
    table.push_back({"runs at odd places", hvector(5, run, run + 3, Named::byte)});
    table.push_back({"items that are one run", resized(contiguous(run, Named::byte), 0, run + 5)});
  }
  return table;
}

/// `n` copies of a type that has data, far enough apart for any type.
Datatype apart(std::int64_t n, const Datatype& type, std::int64_t gap) {
  return hvector(n, 1, type.true_extent() + gap, type);
}

}  // namespace

std::vector<Case> edge_cases() {
  std::vector<Case> cases;
  std::uint64_t seed = 0;
  for (const Edge& edge : edges()) {
    for (const std::int64_t count : {0, 1, 2, 3, 7}) cases.push_back({edge.type, count, ++seed, edge.name});
  }
  for (const Edge& edge : runs()) {
    for (const std::int64_t count : {1, 3}) cases.push_back({edge.type, count, ++seed, edge.name});
  }
  return cases;
}

std::vector<Case> spread(const std::vector<Case>& cases, std::size_t most) {
  if (most >= cases.size()) return cases;
  // Steps near the golden section fill a circle evenly; coprime ones meet no case twice.
  std::size_t step = cases.size() * 618 / 1000 + 1;
  while (std::gcd(step, cases.size()) != 1) ++step;
  std::vector<Case> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(cases[i * step % cases.size()]);
  return chosen;
}

Case random_case(std::uint64_t seed, bool overlap) {
  RandomTypeOptions options;
  options.overlap = overlap && seed % 5 == 0;
  if (seed % 3 == 0) {
    options.max_size = 64;
    options.max_extent = 1024;
  } else if (seed % 32 == 1) {
    options.max_size = 1 << 16;
    options.max_extent = 1 << 19;
  }
  // Of random types, up to three items are known to keep apart.
  static constexpr std::array<std::int64_t, 6> counts{1, 2, 1, 3, 1, 2};
  Random random(seed);
  const auto choice = static_cast<std::size_t>(random.range(0, counts.size() - 1));
  const std::int64_t count = options.overlap ? random.range(0, 7) : counts[choice];
  return {random_type(seed, options), count, seed, ""};
}

std::vector<ByteRange> ranges(const Case& item, std::int64_t size, bool cuts, std::int64_t longest_cut) {
  std::vector<ByteRange> result{{0, size}};
  if (size == 0) return result;
  Random random(item.seed ^ 0x72616e676573);
  const std::int64_t cut = random.range(0, size);
  result.push_back({0, cut});
  result.push_back({cut, size});
  result.push_back({cut, cut});
  for (int i = 0; i < 2; ++i) {
    const std::int64_t begin = random.range(0, size - 1);
    const std::int64_t end = random.range(begin, size);
    result.push_back({begin, end});
  }
  const std::int64_t single = random.range(0, size - 1);
  result.push_back({single, single + 1});
  if (!cuts) return result;
  const std::int64_t more = size <= longest_cut ? size - 1 : 16;
  for (std::int64_t i = 1; i <= more; ++i) {
    const std::int64_t at = size <= longest_cut ? i : random.range(1, size - 1);
    result.push_back({0, at});
    result.push_back({at, size});
  }
  return result;
}

Datatype counterpart(const Case& item, std::int64_t bytes, bool disjoint) {
  Random random(item.seed ^ 0x636f756e746572);
  const std::int64_t shape = random.range(0, 3);
  const std::int64_t gap = random.range(0, 11);
  if (shape == 0 || bytes == 0) return contiguous(bytes, Named::byte);
  if (shape == 1 && disjoint) return apart(item.count, item.type, gap);
  const Datatype other = random_type(random.next(), {.max_size = bytes, .max_extent = 1 << 14});
  if (other.size() == 0) return hvector(bytes, 1, 1 + gap, Named::byte);
  const Datatype items = apart(bytes / other.size(), other, gap);
  return structure({1, bytes % other.size()}, {0, items.true_ub() + gap}, {items, Named::byte});
}

}  // namespace typewarp::test
