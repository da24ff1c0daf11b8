// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/cts.hpp"
#include "transport/channel/ipc/gpu_ipc.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/wire/remote_plan_cache.hpp"

namespace typewarp::transport {

/// Read by the receiver where it lies.
extern const ProtocolRow get_row;

/// A message that its receiver reads where the sender has it, in one copy from layout to layout. The sender
/// keeps the memory until it is told that it has been read.
class RendezvousGet final : public ReceiveProtocol {
 public:
  /// Of a message that is announced with a key to all of it. Tells the sender nothing yet.
  explicit RendezvousGet(const ReceiveContext& message);

  bool advance() override;
  void discard() override;

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

  const RemoteKey& key() const noexcept { return *rts().offer; }

  /// What is read.
  struct Source {
    std::optional<Plan> plan;  ///< the sender's
    plan::Bounds span{};       ///< of its message
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
  CtsReply reply_;
  State state_ = State::finding;
  bool discarding_ = false;
  Source source_;
  Copy copy_;
  Note note_;
};

}  // namespace typewarp::transport
