// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The constructors whose arguments are lists: (h)indexed, (h)indexed_block, struct.

#include "datatype/calculus.hpp"
#include "datatype/make.hpp"
#include "datatype/signature.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace typewarp {

using namespace datatype;  // NOLINT(google-build-using-namespace): these are that namespace's constructors

namespace {

using Integers = std::vector<std::int64_t>;

Argument last(std::string_view call, std::string_view name, const Integers& values) {
  return values.empty() ? Argument{call, name, 0} : entry(call, name, values, values.size() - 1);
}

/// The most that a quantity of a list may come to for displaced_nearby(): no sum of a few of them exceeds 64
/// bits.
constexpr std::int64_t nearby = std::int64_t{1} << 59;

/// Whether nothing about such a list can come near 64 bits: so that its blocks need no check one by one.
template <typename LengthOf>
bool lies_nearby(const Integers& displacements, std::int64_t unit, const Attributes& child,
                 LengthOf length_of) {
  std::int64_t longest = 0;
  std::int64_t farthest = 0;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    if (length_of(i) < 0) return false;
    longest = std::max(longest, length_of(i));
    farthest = std::max(farthest, displacements[i] < 0 ? ~displacements[i] : displacements[i]);
  }
  const auto within = [](std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && -nearby <= product && product <= nearby;
  };
  std::int64_t children = 0;
  return !__builtin_mul_overflow(longest, std::ssize(displacements), &children) &&
         within(children, child.size) && within(longest, extent_of(child)) && within(farthest, unit) &&
         within(child.lb, 1) && within(child.ub, 1) && within(child.true_lb, 1) && within(child.true_ub, 1);
}

/// The total of displaced() for a list that lies nearby: all that differs between its blocks is where their
/// children begin.
template <typename LengthOf>
Attributes displaced_nearby(const Integers& displacements, std::int64_t unit, const Attributes& child,
                            LengthOf length_of) {
  const std::int64_t extent = extent_of(child);
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  std::int64_t children = 0;
  std::int64_t end = 0;  // of the block before, where the next would continue the run
  bool dense = child.dense;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    const std::int64_t length = length_of(i);
    if (length == 0) continue;
    const std::int64_t first = displacements[i] * unit;
    const std::int64_t last = first + (length - 1) * extent;
    low = std::min({low, first, last});
    high = std::max({high, first, last});
    dense = dense && (length == 1 || extent == child.size) && (children == 0 || first == end);
    end = first + length * child.size;
    children += length;
  }
  if (children == 0 || child.size == 0) return {};
  Attributes total = child;
  total.size = children * child.size;
  total.lb += low;
  total.ub += high;
  total.true_lb += low;
  total.true_ub += high;
  total.dense = dense;
  return total;
}

/// The same for any list, block by block.
template <typename LengthAt>
Attributes displaced_anywhere(std::string_view call, const Integers& displacements, std::int64_t unit,
                              const Attributes& child, LengthAt length_at) {
  BlockSequence sequence;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    const Argument blame = entry(call, "displacements", displacements, i);
    const Argument length = length_at(i);
    require_not_negative(length);
    if (child.size == 0 || length.value == 0) continue;
    const std::int64_t bytes = checked_multiply(displacements[i], unit, blame, "the displacement in bytes");
    const Attributes block = repeated(child, length.value, extent_of(child), length, length);
    sequence.append(shifted(block, bytes, blame), length, blame);
  }
  return sequence.total();
}

/// Block i, a repetition of `child` whose length is the argument length_at(i), lies at displacements[i] *
/// unit bytes. A block without data moves no bound.
template <typename LengthAt>
Attributes displaced(std::string_view call, const Integers& displacements, std::int64_t unit,
                     const Attributes& child, LengthAt length_at) {
  // The signature does not depend on the places, so it is enough to make it once, at the end.
  Attributes unsigned_child = child;
  unsigned_child.signature = {};
  const auto length_of = [&](std::size_t i) { return length_at(i).value; };
  const Attributes total = lies_nearby(displacements, unit, child, length_of)
                               ? displaced_nearby(displacements, unit, unsigned_child, length_of)
                               : displaced_anywhere(call, displacements, unit, unsigned_child, length_at);
  Attributes result = finished(total, last(call, "displacements", displacements));
  if (result.size == 0) return result;
  result.signature = repeated(child.signature, result.size / child.size);
  result.elements = result.signature.elements;
  return result;
}

Attributes varying(std::string_view call, const Integers& blocklengths, const Integers& displacements,
                   std::int64_t unit, const Attributes& child) {
  require_entries(call, "displacements", displacements.size(), "blocklengths", blocklengths.size());
  const auto length_at = [&](std::size_t i) { return entry(call, "blocklengths", blocklengths, i); };
  return displaced(call, displacements, unit, child, length_at);
}

Attributes equal(std::string_view call, std::int64_t blocklength, const Integers& displacements,
                 std::int64_t unit, const Attributes& child) {
  const Argument length{call, "blocklength", blocklength};
  require_not_negative(length);  // also where there is no block
  return displaced(call, displacements, unit, child, [&](std::size_t) { return length; });
}

}  // namespace

Datatype indexed(Integers blocklengths, Integers displacements, const Datatype& child) {
  constexpr std::string_view call = "typewarp::indexed";
  const Attributes& attributes = attributes_of(call, child);
  const Attributes result = varying(call, blocklengths, displacements, extent_of(attributes), attributes);
  return make(Indexed{std::move(blocklengths), std::move(displacements), child}, result);
}

Datatype hindexed(Integers blocklengths, Integers displacements, const Datatype& child) {
  constexpr std::string_view call = "typewarp::hindexed";
  const Attributes result = varying(call, blocklengths, displacements, 1, attributes_of(call, child));
  return make(Hindexed{std::move(blocklengths), std::move(displacements), child}, result);
}

Datatype indexed_block(std::int64_t blocklength, Integers displacements, const Datatype& child) {
  constexpr std::string_view call = "typewarp::indexed_block";
  const Attributes& attributes = attributes_of(call, child);
  const Attributes result = equal(call, blocklength, displacements, extent_of(attributes), attributes);
  return make(IndexedBlock{blocklength, std::move(displacements), child}, result);
}

Datatype hindexed_block(std::int64_t blocklength, Integers displacements, const Datatype& child) {
  constexpr std::string_view call = "typewarp::hindexed_block";
  const Attributes result = equal(call, blocklength, displacements, 1, attributes_of(call, child));
  return make(HindexedBlock{blocklength, std::move(displacements), child}, result);
}

Datatype structure(Integers blocklengths, Integers displacements, std::vector<Datatype> children) {
  constexpr std::string_view call = "typewarp::structure";
  require_entries(call, "displacements", displacements.size(), "blocklengths", blocklengths.size());
  require_entries(call, "children", children.size(), "blocklengths", blocklengths.size());
  BlockSequence sequence;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Argument length = entry(call, "blocklengths", blocklengths, i);
    const Argument displacement = entry(call, "displacements", displacements, i);
    require_not_negative(length);
    if (children[i].null())
      attributes_of(call, children[i], "children[" + std::to_string(i) + "]");  // throws
    const Attributes& child = datatype::node_of(children[i]).attributes;
    if (length.value == 0) continue;
    // A member without data still counts with its bounds: Open MPI and MPICH agree on that.
    const Attributes block = repeated(child, length.value, extent_of(child), length, length);
    sequence.append(shifted(block, displacement.value, displacement), length, displacement);
  }
  const Attributes result = finished(sequence.total(), last(call, "displacements", displacements));
  return make(Struct{std::move(blocklengths), std::move(displacements), std::move(children)}, result);
}

}  // namespace typewarp
