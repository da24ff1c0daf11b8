// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/range.hpp"
#include "interpose/core/observe/statistics.hpp"
#include "interpose/core/observe/used_types.hpp"

#include <climits>
#include <cstdint>
#include <optional>

/// The calls of the program as statistics, the trace and NVTX see them. Where the environment asks for none
/// of them no call is observed, and what is said here costs a branch.
namespace typewarp::interpose {

/// What the environment asks for.
struct Observing {
  bool statistics = false;  ///< TYPEWARP_STATS: 1, or merged
  bool merged = false;
  bool trace = false;   ///< TYPEWARP_TRACE
  bool ranges = false;  ///< TYPEWARP_NVTX=1
  bool sites = false;   ///< TYPEWARP_DOCTOR, beside which the others are not asked for

  bool any() const noexcept { return statistics || trace || ranges || sites; }
};
/// Read at the first call.
const Observing& observing() noexcept;

/// What the arguments of a call say of its message, if it is one's.
struct Arguments {
  static constexpr int none = INT_MIN;

  std::int64_t bytes = 0;    ///< of packed data
  UsedType* type = nullptr;  ///< or null where it has no plan
  int peer = none;
  int tag = none;
};

/// A call of the program, for as long as it lasts.
class Observed {
 public:
  Observed(int number, const Arguments& arguments) noexcept;
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;
  ~Observed();

  /// What has become of the innermost call of this thread.
  static void is_taken(std::int64_t bytes) noexcept;
  static void is_left(Reason reason) noexcept;

 private:
  enum class Fate : std::uint8_t { unreported, taken, left };

  void count(std::int64_t nanoseconds) const noexcept;
  const char* reported() const noexcept;

  int number_;
  Arguments arguments_;
  Fate fate_ = Fate::unreported;
  Reason reason_{};
  std::int64_t bytes_of_ours_ = 0;
  Observed* outer_;
  std::optional<gpu::Range> range_;
  std::int64_t begin_;
};

/// A call that is ours, or the MPI's for this reason. `bytes`: of the packed stream, that it may move.
inline void tell_taken(std::int64_t bytes) noexcept {
  if (observing().any()) Observed::is_taken(bytes);
}
inline void tell_left(Reason reason) noexcept {
  if (observing().any()) Observed::is_left(reason);
}

}  // namespace typewarp::interpose
