// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"
#include "interpose/core/function_ref.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// What is counted of a program's calls if TYPEWARP_STATS asks for it, and how it is told: as named numbers
/// under headings, of one rank or of several.
namespace typewarp::interpose {

/// A number of several ranks, one at least. Those that do not have it have 0.
struct Total {
  std::int64_t sum;
  std::int64_t least;
  std::int64_t most;
  int ranks;  ///< that have it
};

class Summary {
 public:
  /// A number of this rank; nothing if it is 0.
  void add(const std::string& heading, const std::string& label, std::int64_t value);
  /// The numbers of other ranks.
  void add(const Summary& others);

  /// A line for each heading, in the order in which they came: "heading: label number, label number".
  /// Of more than one rank with sum, least and most: "label 30 (10 to 12)".
  std::string text(const std::string& prefix, int ranks) const;

  /// For the way to another rank, which reads it.
  std::string packed() const;
  static Summary unpacked(const std::string& text);

 private:
  using Labels = std::vector<std::pair<std::string, Total>>;
  void add(const std::string& heading, const std::string& label, const Total& total);

  std::vector<std::pair<std::string, Labels>> lines_;
  std::map<std::string, std::size_t> places_;  ///< of headings
};

/// That of all ranks, each of which gives its own(), in rank 0; in others their own. Collective over `comm`.
/// Where a rank lacks the memory, or own() throws, rank 0 throws too, and nobody waits. Throws MpiError.
Summary merged(FunctionRef<Summary()> own, MPI_Comm comm);

/// Why (buffer, count, datatype) of a call is left to the MPI.
enum class Reason : std::uint8_t { outside, no_gpu, no_data, not_planned, host_memory, consecutive, no_peer };
inline constexpr std::array<const char*, 7> reason_names{"outside of MPI_Init and MPI_Finalize",
                                                         "GPU not in use",
                                                         "no data",
                                                         "datatype not planned",
                                                         "host memory",
                                                         "consecutive host memory",
                                                         "no rank at the other end"};

/// What is counted of one call: how often it was made, and how long it took; the bytes of packed data that it
/// sent, or received if it sent none; how often it was ours; and from `left` on how often it was the MPI's,
/// for each reason.
struct CountOf {
  enum Place : std::size_t { calls, nanoseconds, bytes, ours, bytes_of_ours, left };
};
template <class Number>
using CallCounts = std::array<Number, CountOf::left + reason_names.size()>;

/// What one thread counts: nobody else writes to it.
using Counters = std::array<CallCounts<std::atomic<std::int64_t>>, calls>;
/// The calling thread's. Null if there is no memory for it.
Counters* counters() noexcept;

inline void count(std::atomic<std::int64_t>& counter, std::int64_t n) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

/// The sums of all threads, those that have ended too.
std::array<CallCounts<std::int64_t>, calls> counted() noexcept;

/// The datatypes that plans were made for, those that none could be made for, and the plans that exist.
struct PlanCounts {
  std::atomic<std::int64_t> planned = 0;
  std::atomic<std::int64_t> not_planned = 0;
  std::atomic<std::int64_t> alive = 0;
};
inline constinit PlanCounts plan_counts;

/// Whether the statistics of all ranks become one: TYPEWARP_STATS=merged. In MPI_Init, collective over the
/// ranks of the Session if there is one; without one, and of ranks elsewhere, it is taken that all have the
/// setting.
bool ranks_merge() noexcept;

/// Writes to stderr what was counted: of all ranks together, by rank 0, collective over `world`; where that
/// is MPI_COMM_NULL, of this one. While MPI is initialised; nothing where statistics are not asked for.
void report_statistics(int rank, MPI_Comm world) noexcept;

}  // namespace typewarp::interpose
