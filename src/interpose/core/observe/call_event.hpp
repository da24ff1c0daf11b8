// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>
#include <typewarp/plan.hpp>

#include <mpi.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

/// Calls of a program, as all that observes them reads them, and its datatypes.
namespace typewarp::interpose {

/// A datatype of the program, by what it is: equal ones that were made at different times are one.
struct UsedType {
  explicit UsedType(std::string description) : text(std::move(description)) {}

  const std::string text;  ///< in one line
  std::atomic<std::int64_t> calls = 0;
  std::atomic<std::int64_t> bytes = 0;  ///< of packed data
};

/// The record of that type, which stays for as long as the process lives. Of a program that makes types
/// without end, all beyond the first 1000 have one in common. Throws std::bad_alloc.
UsedType& used_type(const Datatype& type);

/// The tree of constructors as one line, abridged: "vector ... of resized ... of double ...".
std::string one_line(const Datatype& type);

/// Those with the most bytes, at most `most`, in order.
std::vector<const UsedType*> most_used_types(std::size_t most);

/// What a call sends, or what it receives; nothing if it has no bytes. Of several blocks `bytes` are those of
/// all, and the rest is that of the one with the most pieces.
struct ObservedData {
  const Plan* plan = nullptr;  ///< or null: named types and those that cannot be read may have none
  UsedType* type = nullptr;
  const void* buffer = nullptr;
  std::int64_t count = 0;
  std::int64_t bytes = 0;         ///< of packed data
  std::int64_t other_pieces = 0;  ///< of other blocks with gaps
  bool fresh = false;             ///< its datatype has come for the first time
};

/// What a call is made on.
struct Where {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_File file = MPI_FILE_NULL;

  bool operator==(const Where&) const = default;
};

/// A call of the program, as its arguments say.
struct CallEvent {
  static constexpr int none = INT_MIN;

  int number;                    ///< of the call
  const void* caller = nullptr;  ///< where it returns to
  Where where{};
  ObservedData sent{};
  ObservedData received{};
  bool combines = false;  ///< by an MPI_Op, so that nothing of it travels packed
  int peer = none;
  int tag = none;

  /// What it sends, or what it receives if it sends nothing.
  const ObservedData& message() const noexcept { return sent.plan != nullptr ? sent : received; }
};

}  // namespace typewarp::interpose
