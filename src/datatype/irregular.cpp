// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The constructors whose arguments are lists: (h)indexed, (h)indexed_block, struct.

#include "datatype/calculus.hpp"
#include "datatype/make.hpp"
#include "datatype/signature.hpp"

#include <span>

namespace typewarp {

using namespace datatype;  // NOLINT(google-build-using-namespace): these are that namespace's constructors

namespace {

using Integers = std::vector<std::int64_t>;

Argument entry(std::string_view call, std::string_view name, const Integers& values, std::size_t i) {
  return {call, name, values[i], static_cast<std::int64_t>(i)};
}

Argument last(std::string_view call, std::string_view name, const Integers& values) {
  return values.empty() ? Argument{call, name, 0} : entry(call, name, values, values.size() - 1);
}

/// Block i, a repetition of `child` whose length is the argument length_at(i), lies at displacements[i] *
/// unit bytes. A block without data moves no bound.
template <typename LengthAt>
Attributes displaced(std::string_view call, const Integers& displacements, std::int64_t unit,
                     const Attributes& child, LengthAt length_at) {
  // The signature does not depend on the places, so it is enough to make it once, at the end.
  Attributes unsigned_child = child;
  unsigned_child.signature = {};
  Sequence sequence;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    const Argument blame = entry(call, "displacements", displacements, i);
    const Argument length = length_at(i);
    require_not_negative(length);
    if (child.size == 0 || length.value == 0) continue;
    const std::int64_t bytes = checked_multiply(displacements[i], unit, blame, "the displacement in bytes");
    const Attributes block = repeated(unsigned_child, length.value, extent_of(child), length, length);
    sequence.append(shifted(block, bytes, blame), length, blame);
  }
  Attributes result = finished(sequence.total(), last(call, "displacements", displacements));
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
  Sequence sequence;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Argument length = entry(call, "blocklengths", blocklengths, i);
    const Argument displacement = entry(call, "displacements", displacements, i);
    require_not_negative(length);
    const Attributes& child = attributes_of(call, children[i], "children[" + std::to_string(i) + "]");
    if (length.value == 0) continue;
    // A member without data still counts with its bounds: Open MPI and MPICH agree on that.
    const Attributes block = repeated(child, length.value, extent_of(child), length, length);
    sequence.append(shifted(block, displacement.value, displacement), length, displacement);
  }
  const Attributes result = finished(sequence.total(), last(call, "displacements", displacements));
  return make(Struct{std::move(blocklengths), std::move(displacements), std::move(children)}, result);
}

}  // namespace typewarp
