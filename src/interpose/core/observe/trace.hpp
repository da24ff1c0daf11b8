// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/never_destroyed.hpp"
#include "interpose/core/observe/call_event.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

/// The timeline that TYPEWARP_TRACE asks for: a file for each rank, of events in the JSON array format of
/// Chrome's Trace Event Format, which Perfetto opens. Times are in microseconds since the midnight (UTC)
/// before the process began, so files of several ranks go together as far as their clocks do.
namespace typewarp::interpose {

/// Thread safe. Events are kept in a buffer of 1 MiB, which is written between events: when it is half full,
/// and once a second while events come. So the file of a process that dies lacks the last second and the
/// closing bracket, which Perfetto does without.
class Trace {
 public:
  /// Nanoseconds of the steady clock.
  static std::int64_t now() noexcept;

  /// Between MPI_Init and MPI_Finalize; events that come outside of that are lost.
  /// Of a file that cannot be written the user is told on stderr.
  void open(int rank) noexcept;
  void close() noexcept;

  /// A call that began at that time of now() and took so many nanoseconds. `told`: "ours", or why it is the
  /// MPI's, or null.
  void add(const CallEvent& event, std::int64_t begin, std::int64_t nanoseconds, const char* told) noexcept;
  /// Messages are under way from the one to the other; `number` tells them apart.
  void add_begin(std::uint64_t number) noexcept;
  void add_end(std::uint64_t number) noexcept;

 private:
  friend class NeverDestroyed<Trace>;
  Trace() = default;

  double microseconds(std::int64_t time) const noexcept;
  void add_message(char phase, std::uint64_t number) noexcept;
  /// These two with the file locked.
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) noexcept;
  void flush(std::int64_t time) noexcept;

  std::FILE* file_ = nullptr;
  std::unique_ptr<char[]> buffer_;
  std::atomic<bool> is_open_ = false;
  std::int64_t flushed_ = 0;   ///< when
  std::size_t kept_ = 0;       ///< bytes in the buffer, about
  std::int64_t midnight_ = 0;  ///< of the steady clock
  int rank_ = 0;
};

Trace& trace() noexcept;

/// Where a rank writes: %r stands for its number, %p for its process. Without %r the number is put before the
/// ending.
std::string trace_file(const std::string& pattern, int rank, long process);

}  // namespace typewarp::interpose
