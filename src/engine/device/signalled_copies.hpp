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
  bool destination_moves = false;  ///< by Moves::destinations
  bool source_moves = true;        ///< by Moves::sources
};

/// How many bytes from where members have them sides lie this time.
struct Moves {
  std::int64_t sources = 0, destinations = 0;  ///< of members that say so
};

struct FlagSteps {
  std::vector<Flag*> raised = {};   ///< who sees that sees all that the stream has done before
  std::vector<Flag*> awaited = {};  ///< the stream goes on when each is raised or closed
};

/// What a stream does, in this order. All flags are in memory that the device addresses.
struct SignalledSteps {
  FlagSteps before = {};
  std::vector<CopyMember> copies = {};
  /// Those awaited before are lowered ere these are raised. Those awaited here are lowered at the end.
  FlagSteps after = {};
  /// Raised while the stream waits, if kernels wait at all only once that has taken some 100 us: a word for
  /// the host is not written in vain.
  Flag* waiting = nullptr;
  std::uint64_t* count = nullptr;  ///< gets, at the end, the number that enqueue() is given
  const Flag* gate = nullptr;      ///< once it is closed, nothing is moved or raised
};

/// How a stream waits for flags: within kernels, or by operations of its own beside them.
enum class FlagWait : std::uint8_t { kernel, memory_operation };

/// Copies between two steps with flags, made again and again, of any length and number. A kernel does all in
/// one launch if there are few bytes; else small ones before and behind it see to the flags. Another launch
/// is for each some 200 copies or gibibyte. Launches that follow each other overlap as far as nothing of it
/// shows.
class SignalledCopies {
 public:
  /// Allocates and uploads; launches nothing. What the sides point to, plans too, must live as long as what
  /// is enqueued runs, and be addressable by the device. Throws GpuError, also where the device has no such
  /// operations of streams.
  SignalledCopies(int device, const SignalledSteps& steps, FlagWait wait);
  SignalledCopies(const SignalledCopies&) = delete;
  SignalledCopies& operator=(const SignalledCopies&) = delete;
  ~SignalledCopies();

  /// Without a number, as in a graph, nothing is counted. Waits for nothing, and allocates nothing. Throws
  /// GpuError, and then the stream may hold a part of it.
  void enqueue(Stream stream, std::uint64_t number = uncounted, const Moves& moves = {}) const;
  static constexpr std::uint64_t uncounted = 0;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
