// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/conformance.hpp"

#include <optional>
#include <vector>

namespace typewarp::test {

/// Memory for the displacements [low, high), at a deliberately odd address, with guard bytes on both sides,
/// all filled with a random pattern; and what it is expected to hold, byte for byte.
class Guarded {
 public:
  using Allocate = std::unique_ptr<Memory> (Backend::*)(std::int64_t);

  /// `allocate` is &Backend::user_memory or &Backend::packed_memory.
  Guarded(Backend& backend, Allocate allocate, std::int64_t low, std::int64_t high, std::uint64_t seed);

  /// Address of displacement 0, which may lie outside the memory.
  std::byte* origin();
  std::byte at(std::int64_t displacement) const { return pattern_[index(displacement)]; }

  /// Puts the pattern into the memory and expects it to stay.
  void reset();
  void expect(std::int64_t displacement, std::byte value) { expected_[index(displacement)] = value; }
  /// The first byte, guards included, that is not as expected, in words.
  std::optional<std::string> difference();

 private:
  std::size_t index(std::int64_t displacement) const {
    return static_cast<std::size_t>(displacement - low_ + before_);
  }

  std::int64_t low_, before_;
  std::vector<std::byte> pattern_, expected_, found_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace typewarp::test
