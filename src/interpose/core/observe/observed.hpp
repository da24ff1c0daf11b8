// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/range.hpp"
#include "interpose/core/observe/call_event.hpp"
#include "interpose/core/observe/sites.hpp"
#include "interpose/core/observe/statistics.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The calls of the program as statistics, the trace, NVTX and `typewarp doctor` see them. Where the
/// environment asks for none of them no call is observed, and what is said here costs a branch.
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

/// Statistics, the trace and NVTX: a call for as long as it lasts.
class CountedCall {
 public:
  explicit CountedCall(const CallEvent& event) noexcept;
  CountedCall& operator=(CountedCall&&) = delete;
  ~CountedCall();

  /// What has become of the innermost call of this thread.
  static void is_taken(std::int64_t bytes) noexcept;
  static void is_left(Reason reason) noexcept;
  /// The path of a collective call. `path` lives as long as the process.
  static void goes_by(const char* path) noexcept;

 private:
  enum class Fate : std::uint8_t { unreported, taken, left };

  void count(std::int64_t nanoseconds) const noexcept;
  const char* reported() const noexcept;

  CallEvent event_;
  Fate fate_ = Fate::unreported;
  const char* path_ = "ours";
  Reason reason_{};
  std::int64_t bytes_of_ours_ = 0;
  CountedCall* outer_;
  std::optional<gpu::ProfilerRange> range_;
  std::int64_t begin_;
};

/// The doctor: a call for as long as it lasts, counted at its site. One that the MPI makes inside of another
/// is not counted.
class SiteCall {
 public:
  explicit SiteCall(const CallEvent& event) noexcept;
  SiteCall& operator=(SiteCall&&) = delete;
  ~SiteCall();

  void made(MPI_Request request, bool persistent) noexcept;
  void started(int count, const MPI_Request* requests) noexcept;

 private:
  bool inner_;  ///< inside of another
  bool is_a_call_ = true;
  bool has_request_ = false;
  bool fresh_;
  std::int64_t bytes_;
  record::Site* site_ = nullptr;
  std::int64_t begin_;
};

/// A call of the program, for as long as it lasts.
class Observed {
 public:
  explicit Observed(const CallEvent& event) noexcept;

  /// The call has succeeded, and has begun what waits for this request are for ...
  void made(MPI_Request request) noexcept {
    if (at_site_) at_site_->made(request, false);
  }
  /// ... or what each start of it begins: then the starts are the calls of this site.
  void made_persistent(MPI_Request request) noexcept {
    if (at_site_) at_site_->made(request, true);
  }
  /// It has started these.
  void started(int count, const MPI_Request* requests) noexcept {
    if (at_site_) at_site_->started(count, requests);
  }

 private:
  std::optional<CountedCall> counted_;
  std::optional<SiteCall> at_site_;
};

/// One that waits for requests, or tests them.
class Awaited {
 public:
  Awaited(const CallEvent& event, int count, const MPI_Request* requests) noexcept;
  Awaited& operator=(Awaited&&) = delete;
  ~Awaited();

 private:
  std::optional<CountedCall> counted_;  ///< then the rest is not in use
  bool inner_ = true;
  int number_;
  const void* caller_;
  // Not thread_local: a program may wait for requests when its thread's objects have ended.
  std::array<MPI_Request, 64> few_;
  std::vector<MPI_Request> many_;
  std::span<const MPI_Request> before_;
  const MPI_Request* requests_;
  std::int64_t begin_ = 0;
};

/// A call that is ours, or the MPI's for this reason. `bytes`: of the packed stream, that it may move.
inline void tell_taken(std::int64_t bytes) noexcept {
  if (observing().any()) CountedCall::is_taken(bytes);
}
inline void tell_path(const char* path) noexcept {
  if (observing().any()) CountedCall::goes_by(path);
}
inline void tell_left(Reason reason) noexcept {
  if (observing().any()) CountedCall::is_left(reason);
}

}  // namespace typewarp::interpose
