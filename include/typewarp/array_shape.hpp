// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace typewarp {

/// Sizes and strides of an array of up to 8 dimensions, in elements. A stride is the distance from one index
/// to the next; it may be negative, and 0 if the array is only read. The first dimension varies slowest in
/// the packed stream, whatever the strides are. A value.
class ArrayShape {
 public:
  static constexpr std::size_t max_rank = 8;

  /// Throws InvalidArgument that names "sizes.size()", "sizes[d]", "strides.size()", or "sizes" if there are
  /// more elements than 64 bits can count.
  ArrayShape(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
  /// Without gaps, the last dimension fastest.
  explicit ArrayShape(std::span<const std::int64_t> sizes);

  std::size_t rank() const noexcept { return rank_; }
  std::span<const std::int64_t> sizes() const noexcept { return std::span(sizes_).first(rank_); }
  std::span<const std::int64_t> strides() const noexcept { return std::span(strides_).first(rank_); }
  /// The product of the sizes; 1 for rank 0.
  std::int64_t elements() const noexcept { return elements_; }
  /// Whether the elements follow each other without gaps, in the order of the packed stream.
  bool dense() const noexcept { return dense_; }
  friend bool operator==(const ArrayShape&, const ArrayShape&) = default;

 private:
  std::size_t rank_;
  std::array<std::int64_t, max_rank> sizes_{}, strides_{};
  std::int64_t elements_ = 1;
  bool dense_ = true;
};

/// Displacements are relative to the element whose indices are 0. Throws InvalidArgument that names
/// "strides[d]" for distances beyond 64 bits of bytes.
Datatype datatype_of(const ArrayShape& shape, Named element);

/// The plan of that datatype. Each thread keeps those of the 16 most recent shapes: getting one of them takes
/// 10 to 30 ns, getting another as long as commit(), 0.7 us and more.
Plan commit(const ArrayShape& shape, Named element);

}  // namespace typewarp
