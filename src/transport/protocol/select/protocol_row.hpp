// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/copy_coalescer.hpp"
#include "transport/buffer/message_buffer.hpp"
#include "transport/session.hpp"
#include "transport/wire/rts.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <span>

/// The table of protocols. A message goes by the first row that takes it.
namespace typewarp::transport {

class RendezvousSend;
struct ProtocolRow;

/// A message of a Session that is to be sent.
struct SendCase {
  SessionState& session;
  const MessageBuffer& side;
  /// In the private communicator; nothing if it takes no announcements.
  std::optional<int> receiver;
};

struct Choice {
  const ProtocolRow* by = nullptr;
  const char* why = "";
};

/// What has been chosen for a message within a Session.
struct SendPath {
  SendCase message;
  Choice choice;
};

/// A message that was announced to this rank. `side` and `candidate` outlive what takes it in hand.
struct ReceiveContext {
  SessionState& session;
  const MessageBuffer& side;
  const Rts& rts;
  CopyCoalescer::Candidate& candidate;  ///< the message, if it may yet become a copy
  const ProtocolRow* by;                ///< that takes it; null: none
};

/// The receiver's part of a protocol, for one message.
class ReceiveProtocol {
 public:
  explicit ReceiveProtocol(const ReceiveContext& message) : row_(message.by), rts_(message.rts) {}
  ReceiveProtocol(const ReceiveProtocol&) = delete;
  ReceiveProtocol& operator=(const ReceiveProtocol&) = delete;
  virtual ~ReceiveProtocol() = default;

  /// Moves on for a while, without waiting; true when all is in place and the sender has been told, or if
  /// impossible(). Throws GpuError, MpiError, and Error if the sender failed.
  virtual bool advance() = 0;
  /// Ends without touching the user's memory any more, but for what is under way.
  virtual void discard() = 0;

  const ProtocolRow* row() const noexcept { return row_; }
  const Rts& rts() const noexcept { return rts_; }
  /// Changes whenever something got done.
  std::int64_t steps() const noexcept { return steps_; }
  /// Whether all that keeps it from answering is that other messages have all memory for fragments.
  bool waits_for_memory() const noexcept { return waits_for_memory_; }
  /// Whether the message has to come in another way. The sender waits for an answer then, as at the start.
  bool impossible() const noexcept { return impossible_; }

 protected:
  std::int64_t steps_ = 0;
  bool waits_for_memory_ = false;
  bool impossible_ = false;

 private:
  const ProtocolRow* row_;
  Rts rts_;
};

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

/// The first protocol of the table that takes the message, behind `after` if that is not null: one that
/// turned out to be impossible for this message.
Choice select(const SendCase& message, const ProtocolRow* after = nullptr);
/// The same of a message that was announced, behind `message.by`. Throws Error for offers that cannot be,
/// GpuError.
Choice select(const ReceiveContext& message);

/// The row of the table whose offers have this name, null if there is none.
const ProtocolRow* row_of(ChannelId channel) noexcept;

/// Whether a message is short enough to go as one that is not announced.
bool is_plain(std::int64_t bytes, const SessionOptions& options) noexcept;

/// Says on stderr what was chosen for a message, if TYPEWARP_VERBOSE is 1.
void tell(const char* call, std::int64_t bytes, int peer, const Choice& choice) noexcept;

/// Gives a new Session what its protocols have in it: first what this rank makes alone, and then, collective,
/// what it makes with the others, where nothing fails in one of them only. Throw MpiError, the first also
/// std::bad_alloc.
void prepare(SessionState& session);
void connect(SessionState& session);

/// The link that all ranks of `comm`, a private communicator, can have; null if there is none. For
/// Protocol::automatic it is one only where direct is not enough: `one_host` says that all ranks are on one.
/// Collective. Throws MpiError.
std::unique_ptr<GpuChannel> make_gpu_channel(Protocol wanted, bool one_host, MPI_Comm comm);

}  // namespace typewarp::transport
