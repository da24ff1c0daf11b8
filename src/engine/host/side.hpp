// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/host/program.hpp"
#include "engine/host/step.hpp"

#include <typewarp/plan.hpp>

#include <string_view>

namespace typewarp::host {

/// One noncontiguous side of an operation: the user's buffer seen through (count, plan). Keeps references
/// only.
class HostSide {
 public:
  /// `address` is what displacements are relative to. Throws InvalidArgument, naming `call` and `count_name`,
  /// for a negative count.
  HostSide(std::string_view call, std::string_view count_name, const void* address, std::int64_t count,
           const Plan& plan);

  /// Packed bytes; saturates at the largest 64-bit value.
  std::int64_t size() const noexcept { return size_; }
  /// Packed bytes of an average contiguous piece.
  std::int64_t average_run() const noexcept;
  /// Bytes of memory that moving `bytes` packed bytes touches: themselves, and a cache line a run.
  std::int64_t work(std::int64_t bytes) const noexcept {
    return static_cast<std::int64_t>(static_cast<double>(bytes) * program_.work_per_byte());
  }

  /// Moves bytes `range`, which must lie inside [0, size()]; `packed` points to byte range.begin.
  void move(Way way, std::byte* packed, ByteRange range) const {
    host::move(way, step_, first_, packed, range.begin, range.end);
  }

  /// The longest contiguous piece that starts at byte `at` of the packed stream.
  struct Piece {
    std::byte* address;
    std::int64_t bytes;
  };
  Piece piece(std::int64_t at) const;

 private:
  const Plan& plan_;
  const Program& program_;
  std::byte* first_;
  std::int64_t size_;
  Step step_;
};

}  // namespace typewarp::host
