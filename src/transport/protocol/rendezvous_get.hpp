// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/session.hpp"
#include "transport/channel/cuda_ipc.hpp"

namespace typewarp::transport {

/// The sender's chunks, for a message that comes in packed pieces; null where it has none, or they cannot be
/// mapped. Throws CudaError.
std::unique_ptr<MappedChunks> map_chunks(const Core& core, const Side& side, const Descriptor& descriptor);

/// A message that its receiver reads where the sender has it, in one copy from layout to layout. The sender
/// keeps the memory until it is told that it has been read.
class Pull {
 public:
  /// Whether that may be possible, and is not known to be slower than pieces. Tells the sender nothing.
  static bool suits(const Core& core, const Side& side, const Descriptor& descriptor);
  /// Precondition: suits(). `side`, `core` and `message` must outlive this.
  Pull(Core& core, const Side& side, const Descriptor& descriptor, Gather::Candidate& message);
  Pull(const Pull&) = delete;
  Pull& operator=(const Pull&) = delete;

  /// Moves on without waiting; true when all is in place and the sender has been told, or if impossible().
  /// Throws CudaError, MpiError, and Error if the sender failed.
  bool advance();
  /// Ends without copying what is not being copied yet.
  void discard();
  /// Whether the message has to come in another way. The sender waits for an answer then, as at the start.
  bool impossible() const noexcept { return state_ == State::impossible; }
  /// Changes whenever something got done.
  std::int64_t steps() const noexcept { return steps_; }

 private:
  using Verdict = Clearance::Verdict;
  enum class State {
    finding,  ///< of the plan
    asking,   ///< for its wire, which comes
    mapping,  ///< of the memory
    waiting,  ///< for the sender to say that it may be read
    copying,
    telling,  ///< the sender of the end
    over,
    impossible,
  };

  // Whether the state has changed.
  bool step_on();
  bool step(State state) noexcept;
  bool find();
  bool read_wire(std::span<const std::byte> wire);
  bool take_wire();
  bool map();
  bool take_ready();
  bool copy();
  bool copied();
  bool end(Verdict verdict);
  bool sender_failed();

  bool knows_plan();
  bool plan_fits();
  void expect(std::int64_t bytes);
  void answer(Verdict verdict);

  Core& core_;
  const Side& side_;
  Gather::Candidate& message_;
  Descriptor descriptor_;
  const Offer& offer_;
  State state_ = State::finding;
  std::int64_t steps_ = 0;
  bool discarding_ = false;
  std::optional<Plan> plan_;  ///< the sender's
  Bounds span_{};             ///< of its message
  std::unique_ptr<Reading> reading_;
  Tag tag_;                      ///< of what the sender sends
  std::vector<std::byte> note_;  ///< from the sender: the wire, or that it may be read
  Posted noted_;
  Verdict outcome_ = Verdict::refused;
  Clearance clearance_{};
  Posted answer_;
};

}  // namespace typewarp::transport
