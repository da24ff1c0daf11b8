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

/// A committed datatype: its layout, the encoding of that layout, and what the engines prepared to run
/// it. A shared, immutable handle: copying costs a reference count; thread safe. Operations in flight keep
/// what they use alive, so a plan may be dropped at any time.
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

  /// How the bytes are to be moved; nothing unless with() said something.
  const Hints& hints() const noexcept { return hints_; }
  /// The same plan, and all that was prepared for it, with these hints in place of its own. They hold for all
  /// that is done with the plan returned. Throws InvalidArgument for a negative `max_blocks`.
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
