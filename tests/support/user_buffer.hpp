// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Host memory as a user of a datatype has it: items somewhere in a larger piece of memory that must stay as
/// it is.
namespace typewarp::test {

using Bytes = std::vector<std::byte>;

/// Bytes that look random, the same for the same seed.
Bytes pattern(std::int64_t bytes, std::uint64_t seed);

/// Memory around `count` items, with guard bytes on both sides, filled with a pattern.
class UserBuffer {
 public:
  UserBuffer(const Datatype& type, std::int64_t count, std::uint64_t seed);

  /// What the displacements of the datatype are relative to; it may lie outside the memory.
  void* origin();
  /// The byte at a displacement.
  std::byte& at(std::int64_t displacement);
  Bytes& bytes() { return bytes_; }

 private:
  std::int64_t low_;
  Bytes bytes_;
};

/// The packed stream of `count` items, gathered element by element from the type map.
Bytes gathered(UserBuffer& buffer, const Datatype& type, std::int64_t count);
/// Writes the first `packed.size()` bytes of the packed stream of `count` items to where the type map has
/// them.
void scatter(const Bytes& packed, UserBuffer& buffer, const Datatype& type, std::int64_t count);

/// Positions in the packed stream of `count` items that hold no value: an x87 long double has 10 bytes
/// of value in 16, and MPIs move some of them by value and leave the rest as it is.
std::vector<std::int64_t> positions_without_value(const Datatype& type, std::int64_t count);

/// A type of the same signature as `count` items of `type`, its elements in the same order at other places.
Datatype scattered_like(const Datatype& type, std::int64_t count, std::uint64_t seed);
/// The same of the first `elements` elements only.
Datatype prefix_like(const Datatype& type, std::int64_t count, std::int64_t elements, std::uint64_t seed);

}  // namespace typewarp::test
