// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/wire.hpp"
#include "transport/channel/ipc/gpu_ipc.hpp"
#include "transport/protocol/fragments/cts.hpp"
#include "transport/wire/remote_plan_cache.hpp"

namespace typewarp::transport {

/// Read by the receiver where it lies.
extern const ProtocolRow get_row;

/// Where a message lies, for a receiver that can read it there.
struct DirectOffer {
  gpu::SharedMemory memory;  ///< from the lowest byte of the message on
  std::int64_t count;        ///< of items
  plan::Identity plan;
  std::int32_t wire_bytes;  ///< of the plan
  std::int32_t readable;    ///< 1: at once; else when the sender says so

  /// What an RTS has room for besides all else. A strided type takes 40 bytes and 24 a level.
  static constexpr std::size_t longest_inline_wire = 136;
  /// Nothing if that is not offered.
  static std::optional<DirectOffer> of(const Rts& rts);
};
/// The plan's wire follows the offer; nothing where it is too long and has to be asked for.
std::span<const std::byte> inline_wire(const Rts& rts);

/// What the receiver has to know first: `detail` of such an answer.
enum class AskedFor : std::int32_t { wire, ready };

/// Plans of other ranks that a Session has met.
struct KnownPlans final : ChannelState {
  static KnownPlans& of(SessionState& session);

  RemotePlanCache plans{direct_policy.kept_plans, direct_policy.kept_wire_bytes};
};

/// A message that its receiver reads where the sender has it, in one copy from layout to layout. The sender
/// keeps the memory until it is told that it has been read.
class RendezvousGet final : public ReceiveProtocol {
 public:
  /// Of a message that is offered so. Tells the sender nothing yet.
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
  void ask(AskedFor what);
  bool end(Code code);
  bool sender_failed();

  bool knows_plan();
  bool plan_fits();
  void expect(std::int64_t bytes);

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
  const DirectOffer offer_;
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
