// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/sides.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

/// Copies that one-sided calls were given in place of the program's memory, until these calls are complete at
/// this rank.
namespace typewarp::interpose {

enum class Use : std::uint8_t {
  sent,      ///< read
  received,  ///< written
  operand,   ///< read, by an operation that has to be told its datatype
  result,    ///< written, of that datatype
};

/// (buffer, count, datatype) of a one-sided call, at this rank.
struct LocalMemory {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  Use use;
};

constexpr std::size_t most_memories = 3;  ///< of one call

/// What the MPI is given in place of a LocalMemory; the count stays.
struct GivenMemory {
  void* buffer;
  MPI_Datatype type;
};
using Given = std::array<GivenMemory, most_memories>;

/// The program's own.
Given as_they_are(std::initializer_list<LocalMemory> memories) noexcept;

/// Copies of the memories of one call that are ours. Thread safe.
class LocalCopies {
 public:
  /// Of what is read they hold what lies there. Throws InvalidArgument, MpiError, GpuError, std::bad_alloc.
  explicit LocalCopies(std::initializer_list<LocalMemory> memories);

  const Given& given() const noexcept { return given_; }
  /// The MPI has made the call: from here on, finish() has something to do.
  void begin() noexcept { begun_ = true; }
  /// The call is complete at this rank: what was written is, on return, where the program expects it. Does
  /// so once. Throws GpuError.
  void finish();

 private:
  struct Copy {
    bool is_written = false;
    std::optional<EvenCopy> even;
    std::optional<OperandCopy> operand;
  };

  void add(Copy& copy, GivenMemory& given, const LocalMemory& memory);

  std::array<Copy, most_memories> copies_;
  Given given_{};
  std::mutex mutex_;
  std::atomic<bool> begun_ = false;
};

/// Those of all windows of this process. Thread safe.
class Pending {
 public:
  /// Of a call to rank `target` of the window's group. One that has a request is complete with that, too:
  /// then the copies are the request's, and are not held here.
  void keep(MPI_Win window, int target, const std::shared_ptr<LocalCopies>& copies, bool has_request);
  /// Whether there are any: else nothing is to be done when a window is synchronised.
  bool any() const noexcept { return kept_.load(std::memory_order_relaxed) != 0; }
  /// Calls of the window to `target`, or to any rank, are complete here. Throws GpuError for one of them,
  /// after all have been finished.
  void finish(MPI_Win window, std::optional<int> target);
  /// The window is gone.
  void forget(MPI_Win window) noexcept;

 private:
  struct Call {
    int target;
    std::weak_ptr<LocalCopies> copies;
    std::shared_ptr<LocalCopies> held;  ///< null where a request holds them
  };
  std::vector<Call> take(MPI_Win window, std::optional<int> target);

  std::mutex mutex_;
  std::unordered_map<MPI_Win, std::vector<Call>> calls_;
  std::atomic<std::size_t> kept_{0};
};

Pending& pending();

}  // namespace typewarp::interpose
