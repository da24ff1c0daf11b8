// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The layout of a plan as bytes, for another process on a machine of the same byte order: what a rank needs
/// to walk the buffer of another rank.
namespace typewarp::plan {

/// Nodes inside nodes, at most, so that reading needs a bounded stack. Layouts of real types have a few.
inline constexpr std::int64_t deepest_wire = 256;

/// 128 bits of hash of all that a plan is on the wire: plans of one layout and extent have one identity,
/// whatever their datatypes, and others have another but for odds of one in 2^128 a pair.
struct Identity {
  std::uint64_t words[2];
  friend bool operator==(const Identity&, const Identity&) = default;
};

/// The layout, offset and extent of `plan`, in about as many bytes as its encoding has without an index.
/// Nothing if it is nested deeper than `deepest_wire`, has shared members, or takes more than `longest`
/// bytes.
std::optional<std::vector<std::byte>> to_wire(const Plan& plan, std::int64_t longest);

/// What is said of a plan to those who may know it, or can ask for its wire.
struct WireName {
  Identity identity;                  ///< that to_wire() writes
  std::int64_t bytes;                 ///< of the wire
  std::vector<std::byte> short_wire;  ///< all of it, if it has at most `longest_short_wire` bytes, else none
};
inline constexpr std::int64_t longest_short_wire = 512;

/// Found on first use, in time in proportion to the wire, and kept with the plan. Null if the plan is nested
/// deeper than `deepest_wire`, or has shared members.
const WireName* wire_name(const Plan& plan);
std::optional<Identity> identity(const Plan& plan);

/// A plan with the same bytes at the same places, which moves data on any engine as the original does. Its
/// datatype is null. Throws InvalidArgument, naming `wire`, for anything that to_wire() does not make.
Plan from_wire(std::span<const std::byte> wire);

}  // namespace typewarp::plan
