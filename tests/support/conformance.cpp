// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/conformance.hpp"

#include "support/conformance_cases.hpp"
#include "support/environment.hpp"
#include "support/guarded.hpp"
#include "support/type_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace typewarp::test {

namespace {

constexpr int most_failures = 5;

/// Where the bytes of a case lie, and the span of memory that they need.
struct Bytes {
  explicit Bytes(std::vector<std::int64_t> map) : displacements(std::move(map)) {
    if (displacements.empty()) return;
    const auto [least, greatest] = std::minmax_element(displacements.begin(), displacements.end());
    low = *least;
    high = *greatest + 1;
  }

  std::int64_t size() const { return static_cast<std::int64_t>(displacements.size()); }
  std::int64_t operator[](std::int64_t i) const { return displacements[static_cast<std::size_t>(i)]; }
  bool disjoint() const { return test::disjoint(displacements); }

  std::vector<std::int64_t> displacements;
  std::int64_t low = 0, high = 0;
};

/// A difference, or nothing: what a check of one range says.
using Verdict = std::optional<std::string>;

std::string described(const char* direction, const Case& item) {
  std::ostringstream text;
  text << direction << " of " << item.count << " items of\n" << item.type << "\n";
  if (item.name.empty()) {
    text << "seed " << item.seed << " (replay: TYPEWARP_TEST_SEED=" << item.seed << " TYPEWARP_TEST_TYPES=1)";
  } else {
    text << "edge case '" << item.name << "'";
  }
  return text.str();
}

std::string in_range(ByteRange range, const std::string& what) {
  return "bytes [" + std::to_string(range.begin) + ", " + std::to_string(range.end) + "): " + what;
}

/// Which cases get every cut, and up to which length.
struct Cuts {
  std::uint64_t every_nth;  ///< by seed; 0: none
  std::int64_t longest;
  bool every_edge_case;

  std::vector<ByteRange> ranges(const Case& item, std::int64_t size) const {
    const bool chosen =
        every_nth > 0 && ((every_edge_case && !item.name.empty()) || item.seed % every_nth == 0);
    return test::ranges(item, size, chosen, longest);
  }
};

/// Runs `check`, which takes a case and its cuts and returns a verdict, over all cases.
template <typename Check>
void for_all_cases(const char* direction, const ConformanceOptions& options, bool overlap, Check check) {
  const std::uint64_t first = from_environment("TYPEWARP_TEST_SEED", options.first_seed);
  const auto types = static_cast<std::uint64_t>(options.types);
  const std::uint64_t asked = from_environment("TYPEWARP_TEST_TYPES", types);
  const std::vector<Case> table = edge_cases();
  const bool bounded = std::getenv("TYPEWARP_TEST_TYPES") != nullptr && asked < table.size();
  const Cuts cuts{static_cast<std::uint64_t>(options.cut_every_nth), options.longest_cut, !bounded};
  int failures = 0;
  const auto run = [&](const Case& item) {
    Verdict verdict;
    try {
      verdict = check(item, cuts);
    } catch (const std::exception& error) {
      verdict = std::string("threw: ") + error.what();
    }
    if (verdict) {
      ADD_FAILURE() << described(direction, item) << "\n" << *verdict;
      ++failures;
    }
  };
  for (const Case& item : bounded ? spread(table, asked) : table) {
    if (failures < most_failures) run(item);
  }
  std::uint64_t with_data = 0;
  for (std::uint64_t seed = first; with_data < asked && failures < most_failures; ++seed) {
    const Case item = random_case(seed, overlap);
    if (item.count > 0 && item.type.size() > 0) ++with_data;
    run(item);
  }
}

/// How the user's side of a case is passed: relative to a buffer, or for one in sixteen as absolute
/// addresses.
struct Passed {
  const void* buffer;
  std::int64_t count;
  Plan plan;
};

Passed passed(const Case& item, std::byte* origin) {
  if (item.seed % 16 != 7) return {origin, item.count, commit(item.type)};
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(origin));
  return {nullptr, 1, commit(hindexed_block(1, {address}, contiguous(item.count, item.type)))};
}

Verdict check_pack_of(Backend& backend, const Case& item, const Cuts& cuts) {
  const Bytes bytes(byte_map(item.type, item.count));
  Guarded user(backend, &Backend::user_memory, bytes.low, bytes.high, 2 * item.seed);
  Guarded packed(backend, &Backend::packed_memory, 0, bytes.size(), 2 * item.seed + 1);
  const Passed from = passed(item, user.origin());
  user.reset();
  for (const ByteRange range : cuts.ranges(item, bytes.size())) {
    packed.reset();
    backend.pack(from.buffer, from.count, from.plan, packed.origin() + range.begin, range);
    for (std::int64_t i = range.begin; i < range.end; ++i) packed.expect(i, user.at(bytes[i]));
    if (const Verdict difference = packed.difference()) return in_range(range, "packed: " + *difference);
  }
  if (const Verdict difference = user.difference()) return "source changed: " + *difference;
  return {};
}

Verdict check_unpack_of(Backend& backend, const Case& item, const Cuts& cuts) {
  const Bytes bytes(byte_map(item.type, item.count));
  if (!bytes.disjoint()) return {};  // MPI has no meaning for it: packing alone may read a byte twice
  Guarded user(backend, &Backend::user_memory, bytes.low, bytes.high, 2 * item.seed);
  Guarded packed(backend, &Backend::packed_memory, 0, bytes.size(), 2 * item.seed + 1);
  const Passed to = passed(item, user.origin());
  packed.reset();
  for (const ByteRange range : cuts.ranges(item, bytes.size())) {
    user.reset();
    backend.unpack(packed.origin() + range.begin, const_cast<void*>(to.buffer), to.count, to.plan, range);
    for (std::int64_t i = range.begin; i < range.end; ++i) user.expect(bytes[i], packed.at(i));
    if (const Verdict difference = user.difference()) return in_range(range, "user memory: " + *difference);
  }
  if (const Verdict difference = packed.difference()) return "packed bytes changed: " + *difference;
  return {};
}

Verdict check_copy_between(Backend& backend, const Case& from, const Case& to, const Cuts& cuts) {
  const Bytes source_bytes(byte_map(from.type, from.count));
  const Bytes destination_bytes(byte_map(to.type, to.count));
  if (source_bytes.size() != destination_bytes.size()) throw std::logic_error("the two sides differ in size");
  if (!destination_bytes.disjoint()) return {};
  Guarded source(backend, &Backend::user_memory, source_bytes.low, source_bytes.high, 2 * from.seed);
  Guarded destination(backend, &Backend::user_memory, destination_bytes.low, destination_bytes.high,
                      2 * from.seed + 1);
  const Plan source_plan = commit(from.type);
  const Plan destination_plan = commit(to.type);
  source.reset();
  for (const ByteRange range : cuts.ranges(from, source_bytes.size())) {
    destination.reset();
    backend.copy(source.origin(), from.count, source_plan, destination.origin(), to.count, destination_plan,
                 range);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      destination.expect(destination_bytes[i], source.at(source_bytes[i]));
    }
    if (const Verdict difference = destination.difference()) {
      std::ostringstream text;
      text << in_range(range, "destination: ") << *difference << "\nfrom " << from.count << " items of\n"
           << from.type << "\nto " << to.count << " items of\n"
           << to.type;
      return text.str();
    }
  }
  if (const Verdict difference = source.difference()) return "source changed: " + *difference;
  return {};
}

}  // namespace

void check_pack(Backend& backend, ConformanceOptions options) {
  for_all_cases("pack", options, true,
                [&](const Case& item, const Cuts& cuts) { return check_pack_of(backend, item, cuts); });
}

void check_unpack(Backend& backend, ConformanceOptions options) {
  for_all_cases("unpack", options, false,
                [&](const Case& item, const Cuts& cuts) { return check_unpack_of(backend, item, cuts); });
}

void check_copy(Backend& backend, ConformanceOptions options) {
  for_all_cases("copy", options, true, [&](const Case& item, const Cuts& cuts) {
    const Bytes bytes(byte_map(item.type, item.count));
    const Case other{counterpart(item, bytes.size(), bytes.disjoint()), 1, item.seed, item.name};
    if (const Verdict difference = check_copy_between(backend, item, other, cuts)) return difference;
    constexpr Cuts none{0, 0, false};
    return check_copy_between(backend, other, item, none);
  });
}

}  // namespace typewarp::test
