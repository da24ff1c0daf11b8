// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/hints.hpp>
#include <typewarp/layout.hpp>

namespace typewarp {

namespace plan {
struct Internal;
struct State;
}  // namespace plan

/// A half-open range of the packed stream of (count, plan), in bytes.
struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A committed datatype: its layout, the encoding of that layout, and the data that engines have attached to
/// it. A shared, immutable handle: copying costs a reference count; thread safe. Operations in flight keep
/// what they need, so a plan may be dropped at any time.
class Plan {
 public:
  /// Null for the plan of another rank's layout, which travels without its datatype.
  const Datatype& datatype() const noexcept;
  /// Of one item.
  const Layout& layout() const noexcept;
  /// Bytes of one packed item.
  std::int64_t size() const noexcept;
  /// Bytes from one item to the next in the user's buffer.
  std::int64_t extent() const noexcept;

  /// Hints on how to move the bytes; none unless with() gave some.
  const Hints& hints() const noexcept { return hints_; }
  /// The same plan, which shares everything that was prepared for it, with these hints instead of its own.
  /// They apply wherever the returned plan is used. Throws InvalidArgument for a negative `max_blocks`.
  Plan with(const Hints& hints) const;

 private:
  friend struct plan::Internal;
  explicit Plan(std::shared_ptr<const plan::State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<const plan::State> state_;
  Hints hints_;
};

/// Prepares a datatype for execution, on any engine. Launches nothing and needs neither GPU nor MPI.
/// Throws InvalidArgument for a null datatype.
Plan commit(const Datatype& datatype);

}  // namespace typewarp
