// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/wire.hpp"
#include "transport/channel/ipc/gpu_ipc.hpp"
#include "transport/protocol/fragments/cts.hpp"
#include "transport/wire/remote_plan_cache.hpp"

namespace typewarp::transport {

/// The receiver reads the message in the sender's memory.
extern const ProtocolRow get_row;

/// The sender's memory, for a receiver that can map it.
struct DirectOffer {
  gpu::SharedMemory memory;  ///< from the lowest byte of the message on
  std::int64_t count;        ///< of items
  plan::Identity plan;
  std::int32_t wire_bytes;  ///< of the plan
  std::int32_t readable;    ///< 1: at once; else when the sender says so

  /// The room that an RTS has for a plan. A strided type takes 40 bytes and 24 for each level.
  static constexpr std::size_t longest_inline_wire = 136;
  /// What an announcement offers; nothing if it does not.
  static std::optional<DirectOffer> of(const Rts& rts);
};
/// The wire of the plan, which follows the offer. Empty if it is too long: the receiver asks for it.
std::span<const std::byte> inline_wire(const Rts& rts);

/// What the receiver asks for (Cts::detail).
enum class AskedFor : std::int32_t { wire, ready };

/// The plans of other ranks that a Session knows.
struct KnownPlans final : ChannelState {
  static KnownPlans& of(SessionState& session);

  RemotePlanCache plans{remote_plan_policy.kept_plans, remote_plan_policy.kept_wire_bytes};
};

/// Receives a message by one copy from the sender's layout to its own. The sender keeps the memory until it
/// is told that it has been read.
class RendezvousGet final : public ReceiveProtocol {
 public:
  /// For a message with a DirectOffer. Sends nothing yet.
  explicit RendezvousGet(const ReceiveContext& message);

  bool advance() override;
  void discard() override;

 private:
  using Code = Cts::Code;
  enum class State {
    finding,  ///< looks for the sender's plan
    asking,   ///< waits for the plan's wire
    mapping,  ///< maps the sender's memory
    waiting,  ///< until the sender says that the memory is readable
    copying,
    telling,  ///< tells the sender that it is done
    over,
    impossible,
  };

  // Return whether the state has changed.
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
  /// The sender's reply: the wire, or that the memory is readable.
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
