// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace typewarp::gpu {

/// Offsets in user memory as kernels look them up: in 4 bytes each if they fit, if need be as multiples of
/// the unit that divides them; else in 8.
class Offsets {
 public:
  Offsets() = default;
  /// Room for `count` offsets from `low` to `high`, multiples of `unit`, a power of two.
  Offsets(std::int64_t count, std::int64_t low, std::int64_t high, std::int64_t unit);

  void set(std::int64_t i, std::int64_t offset) {
    if (width_ == sizeof(std::int32_t)) {
      reinterpret_cast<std::int32_t*>(bytes_.data())[i] = static_cast<std::int32_t>(offset >> scale_log2_);
    } else {
      reinterpret_cast<std::int64_t*>(bytes_.data())[i] = offset;
    }
  }

  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
  std::int32_t width() const noexcept { return width_; }            ///< bytes of an entry
  std::int32_t scale() const noexcept { return 1 << scale_log2_; }  ///< bytes that an entry counts

 private:
  std::vector<std::byte> bytes_;
  std::int32_t width_ = sizeof(std::int32_t);
  std::int32_t scale_log2_ = 0;
};

}  // namespace typewarp::gpu
