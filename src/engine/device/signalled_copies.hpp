// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/copy.hpp"
#include "engine/runtime/flags.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::gpu {

/// The move of all bytes, `bytes` > 0, of the packed stream of both sides.
struct CopyMember {
  Side destination, source;
  std::int64_t bytes;
  bool destination_moves = false;  ///< by AddressOffsets::destinations
  bool source_moves = true;        ///< by AddressOffsets::sources
};

/// How far from their members' addresses sides lie this time, in bytes.
struct AddressOffsets {
  std::int64_t sources = 0, destinations = 0;  ///< of members that say so
};

struct FlagSteps {
  std::vector<Flag*> raised = {};   ///< whoever sees one raised also sees all earlier work of the stream
  std::vector<Flag*> awaited = {};  ///< the stream goes on when each is raised or closed
};

/// What a stream does, in this order. All flags are in memory that the device addresses.
struct SignalledSteps {
  FlagSteps before = {};
  std::vector<CopyMember> copies = {};
  /// Lowers the flags in `before.awaited`, then raises these. Lowers those awaited here at the end.
  FlagSteps after = {};
  /// Raised while the stream waits. Kernels raise it only after they have waited for about 100 us, so that
  /// short waits write nothing to host memory.
  Flag* waiting = nullptr;
  std::uint64_t* count = nullptr;  ///< set at the end to the number that enqueue() is given
  const Flag* gate = nullptr;      ///< once it is closed, nothing is moved or raised
};

/// How a stream waits for flags: within kernels, or by memory operations of the stream.
enum class FlagWait : std::uint8_t { kernel, memory_operation };

/// Copies of any length and number between two steps with flags, made repeatedly. If there are few bytes, one
/// kernel does everything; otherwise small kernels before and after it handle the flags. About every 200
/// copies, or every GiB, take one more launch. Consecutive launches overlap as far as the result stays the
/// same.
class SignalledCopies {
 public:
  /// Allocates and uploads; launches nothing. What the sides point to, plans included, must live as long as
  /// the enqueued work runs, and be addressable by the device. Throws GpuError, also where the device has no
  /// memory operations of streams.
  SignalledCopies(int device, const SignalledSteps& steps, FlagWait wait);
  SignalledCopies& operator=(SignalledCopies&&) = delete;
  ~SignalledCopies();

  /// Counts nothing if there is no number, as in a graph. Waits for nothing, and allocates nothing. Throws
  /// GpuError, and then the stream may hold a part of it.
  void enqueue(Stream stream, std::uint64_t number = uncounted, const AddressOffsets& moves = {}) const;
  static constexpr std::uint64_t uncounted = 0;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
