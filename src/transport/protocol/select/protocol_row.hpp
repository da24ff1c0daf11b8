// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/receive_protocol.hpp"
#include "transport/protocol/select/select.hpp"
#include "transport/session.hpp"

#include <atomic>
#include <memory>
#include <span>

namespace typewarp::transport {

class RendezvousSend;

/// A message of a Session that is about to be announced.
struct SendContext {
  const std::shared_ptr<SessionState>& session;
  const Peer& to;
  int receiver;  ///< in the private communicator
  const ProtocolRow& by;
};

/// What may carry fragments from device to device.
struct GpuLibrary {
  Protocol protocol;
  /// Whether this rank has a reason to believe that it can.
  bool (*present)(MPI_Comm comm);
  /// Collective over the private communicator; null, in this rank or in all, if it cannot be had in one.
  /// Throws MpiError.
  std::unique_ptr<GpuChannel> (*make)(MPI_Comm comm);
  /// Whether an MPI that sends by this library can give it memory of devices unseen. May be null: no.
  bool (*takes_for_mpi)() = nullptr;
};

/// The messages that this process sent by one protocol, for statistics.
struct Traffic {
  static inline constinit std::atomic<bool> counted = false;  ///< whoever wants to know sets this

  /// To be called once for each message, when it is known that it goes so.
  void count(std::int64_t bytes_of_one) noexcept {
    if (!counted.load(std::memory_order_relaxed)) return;
    messages.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(bytes_of_one, std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> messages = 0;
  std::atomic<std::int64_t> bytes = 0;
};

/// A protocol: all that the rest of transport knows of it. What may be null is so where it has no use for it.
/// Rows have no cost. The order of the table prefers what is faster wherever it is possible at all; only
/// between get and fragments in the sender's pool times are compared, in the row of get.
struct ProtocolRow {
  const char* name;  ///< in statistics and what TYPEWARP_VERBOSE says
  Traffic* sent;     ///< by this protocol
  /// In announcements and answers: another one for each row. 0: messages of this protocol are not announced.
  ChannelId id = 0;

  /// Why the protocol takes a message; null if it does not.
  const char* (*sends)(const SendCase& message) = nullptr;
  /// Judges what its channel offers. Throws Error for what cannot be, GpuError.
  const char* (*receives)(const ReceiveContext& message) = nullptr;

  /// Sender: takes what an announcement offers, and makes the operation; `side` is moved to it. Null if that
  /// is not to be had, as is known now. Not a null function: messages of this protocol are announced.
  std::shared_ptr<RendezvousSend> (*start)(const SendContext& message, MessageBuffer& side) = nullptr;
  /// Receiver: takes the message in hand. Null if that turns out to be impossible.
  std::unique_ptr<ReceiveProtocol> (*on_rts)(const ReceiveContext& message) = nullptr;
  /// Receiver: answers through the channel, in place of a message of the MPI. A null answer only checks that
  /// there is somewhere to bring one to. Throws Error where there is not.
  void (*answer)(SessionState& session, const Rts& rts, const Cts* answer) = nullptr;

  /// Sends a whole message without an operation, where nobody else calls. False: nothing has been done.
  bool (*send_at_once)(const SendPath& path, const Peer& to) = nullptr;
  /// The same of the rest of a receive.
  void (*receive_at_once)(const ReceiveContext& message) = nullptr;

  /// Makes what the protocol keeps in a Session, of this rank alone. Throws MpiError, std::bad_alloc.
  std::unique_ptr<ChannelState> (*prepare)(SessionState& session) = nullptr;
  const GpuLibrary* library = nullptr;  ///< by which its fragments go
};

/// The table, in the order of preference. The last is always possible for what may be announced.
std::span<const ProtocolRow* const> protocols() noexcept;

}  // namespace typewarp::transport
