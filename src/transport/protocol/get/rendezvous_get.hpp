// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/cts.hpp"
#include "transport/channel/ipc/gpu_ipc.hpp"
#include "transport/wire/remote_plan_cache.hpp"

namespace typewarp::transport {

/// A message that its receiver reads where the sender has it, in one copy from layout to layout. The sender
/// keeps the memory until it is told that it has been read.
class RendezvousGet {
 public:
  /// Of a message that is announced with a key to all of it. Tells the sender nothing yet. What is passed
  /// must outlive this.
  RendezvousGet(const Ipc& sharing, RemotePlanCache& plans, const MessageBuffer& side, const Rts& descriptor,
                CtsReply reply, CopyCoalescer::Candidate& message);
  RendezvousGet(const RendezvousGet&) = delete;
  RendezvousGet& operator=(const RendezvousGet&) = delete;

  /// Moves on without waiting; true when all is in place and the sender has been told, or if impossible().
  /// Throws GpuError, MpiError, and Error if the sender failed.
  bool advance();
  /// Ends without copying what is not being copied yet.
  void discard();
  /// Whether the message has to come in another way. The sender waits for an answer then, as at the start.
  bool impossible() const noexcept { return state_ == State::impossible; }
  /// Changes whenever something got done.
  std::int64_t steps() const noexcept { return steps_; }

 private:
  using Code = Cts::Code;
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
  bool end(Code verdict);
  bool sender_failed();

  bool knows_plan();
  bool plan_fits();
  void expect(std::int64_t bytes);

  const RemoteKey& key() const noexcept { return *descriptor_.offer; }

  /// What is read.
  struct Source {
    std::optional<Plan> plan;  ///< the sender's
    Bounds span{};             ///< of its message
  };
  struct Copy {
    std::unique_ptr<IpcCopy> reading;
    Code outcome = Code::refused;
  };
  /// From the sender: the wire, or that it may be read.
  struct Note {
    std::vector<std::byte> bytes;
    Posted posted;
  };

  const Ipc& sharing_;
  RemotePlanCache& plans_;
  const MessageBuffer& side_;
  CopyCoalescer::Candidate& message_;
  Rts descriptor_;
  CtsReply reply_;
  State state_ = State::finding;
  std::int64_t steps_ = 0;
  bool discarding_ = false;
  Source source_;
  Copy copy_;
  Note note_;
};

}  // namespace typewarp::transport
