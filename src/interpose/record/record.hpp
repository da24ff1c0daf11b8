// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

/// What a rank notes of its calls for `typewarp doctor`: a file that the rank has mapped, so that all of it
/// is there however the process ends, and that the program typewarp reads on a machine of the same byte
/// order.
namespace typewarp::interpose::record {

/// Another number for every change of what follows.
inline constexpr std::uint64_t version = 0x5457'6469'6167'0001;
inline constexpr std::size_t most_sites = 1024;
inline constexpr std::uint32_t most_text = std::uint32_t{2} << 20;
/// Longer descriptions of layouts are left out.
inline constexpr std::int64_t longest_wire = std::int64_t{256} << 10;

/// A part of `File::texts`.
struct Text {
  std::uint32_t at = 0, bytes = 0;
};

/// What the calls of a site send or receive, as the first of them says; nothing if `pieces` is 0.
struct RecordedSide {
  Text type;  ///< the datatype in one line
  Text wire;  ///< plan::to_wire() of it; nothing if it is too long or nested too deeply
  std::int64_t count = 0;
  std::int64_t pieces = 0;  ///< of consecutive bytes
  std::int64_t bytes = 0;   ///< of packed data
};

/// Durations in classes of a quarter of an octave.
inline constexpr std::size_t classes = 128;

constexpr std::size_t class_of(std::int64_t nanoseconds) noexcept {
  const auto n = static_cast<std::uint64_t>(nanoseconds < 0 ? 0 : nanoseconds);
  if (n < 4) return n;
  const auto octave = static_cast<std::size_t>(std::bit_width(n)) - 1;
  const std::size_t found = 4 * (octave - 1) + ((n >> (octave - 2)) & 3);
  return found < classes ? found : classes - 1;
}
/// The shortest duration of a class, in nanoseconds.
constexpr std::int64_t shortest_of(std::size_t number) noexcept {
  if (number < 4) return static_cast<std::int64_t>(number);
  return static_cast<std::int64_t>((4 + number % 4) << (number / 4 - 1));
}

enum class Memory : std::uint32_t { host, device };

/// What the calls of a site took, so far.
struct SiteTotals {
  std::atomic<std::int64_t> calls;
  std::atomic<std::int64_t> bytes;        ///< sent and received
  std::atomic<std::int64_t> nanoseconds;  ///< inside of the calls
  std::atomic<std::int64_t> behind;  ///< nanoseconds of calls that wait or test, as far as for these messages
  std::atomic<std::int64_t> plans;   ///< datatypes that came for the first time
  std::atomic<std::int64_t> repeats;  ///< calls right after one of the same site
  /// How many calls took how long, with the waits behind them.
  std::array<std::atomic<std::uint32_t>, classes> times;
};

/// Calls that are alike: of one function, from one place, on one communicator, of the same datatypes and
/// memory, and of sizes in one octave.
struct Site {
  std::atomic<std::uint32_t> complete;  ///< not 0: all but the totals is there, and stays
  Memory memory;
  Text call;
  Text stack;  ///< of frames from the caller on, a line each: module, a blank, offset in it in hexadecimal
               ///< digits
  Text comm;   ///< name of the communicator
  std::int32_t ranks;  ///< of the communicator, or of those that opened the file
  RecordedSide sent, received;
  RecordedSide view;  ///< of a file: its file type, whose count is 1
  SiteTotals totals;
};

struct File {
  std::uint64_t version;  ///< written last: 0 in a file that nobody opened
  std::int32_t rank, ranks;
  std::int64_t begun;                ///< of the steady clock, nanoseconds: when MPI_Init returned,
  std::atomic<std::int64_t> ended;   ///< and when MPI_Finalize was called; 0 where it was not
  std::atomic<std::uint32_t> sites;  ///< in use
  std::atomic<std::uint32_t> text_bytes;
  std::atomic<std::int64_t> others;              ///< calls that no site was left for
  std::atomic<std::int64_t> others_nanoseconds;  ///< and their time
  std::array<Site, most_sites> site;
  std::array<char, most_text> texts;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// The file of a rank in the folder that TYPEWARP_DOCTOR names is this, its rank and its process.
inline constexpr const char* file_prefix = "rank-";

}  // namespace typewarp::interpose::record
