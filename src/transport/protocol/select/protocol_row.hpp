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
  std::optional<int>
      receiver;  ///< its rank in the private communicator; nothing if it takes no announcements
};

struct ProtocolChoice {
  const ProtocolRow* by = nullptr;
  const char* why = "";
};

/// The protocol that was chosen for a message.
struct SendPath {
  SendCase message;
  ProtocolChoice choice;
};

/// A message that was announced to this rank. `side` and `candidate` outlive its ReceiveProtocol.
struct ReceiveContext {
  SessionState& session;
  const MessageBuffer& side;
  const Rts& rts;
  CopyCoalescer::Candidate& candidate;  ///< set if the message may still become a gathered copy
  const ProtocolRow* by;                ///< the row that receives it; null: none yet
};

/// The receiver's part of a protocol, for one message.
class ReceiveProtocol {
 public:
  explicit ReceiveProtocol(const ReceiveContext& message) : row_(message.by), rts_(message.rts) {}
  ReceiveProtocol& operator=(ReceiveProtocol&&) = delete;
  virtual ~ReceiveProtocol() = default;

  /// Makes some progress without waiting. Returns true when the data is in place and the sender knows, or if
  /// impossible(). Throws GpuError, MpiError, and Error if the sender failed.
  virtual bool advance() = 0;
  /// Drops the message: from now on only what is under way writes to the user's memory.
  virtual void discard() = 0;

  const ProtocolRow* row() const noexcept { return row_; }
  const Rts& rts() const noexcept { return rts_; }
  /// Changes with each step of progress.
  std::int64_t steps() const noexcept { return steps_; }
  /// Whether it cannot answer yet because other messages hold all memory for fragments.
  bool waits_for_memory() const noexcept { return waits_for_memory_; }
  /// Whether another protocol must receive the message. The sender then still waits for the first answer.
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

/// A library that can carry fragments from device to device.
struct GpuLibrary {
  Protocol protocol;
  /// Whether this rank has a reason to believe that it works here.
  bool (*present)(MPI_Comm comm);
  /// Collective over the private communicator. Returns null if it fails in any rank, at least in that rank.
  /// Throws MpiError.
  std::unique_ptr<GpuChannel> (*make)(MPI_Comm comm);
  /// Whether an MPI that sends by this library can pass it device memory without looking at it. Null: no.
  bool (*takes_for_mpi)() = nullptr;
};

/// Statistics of the messages that this process sent by one protocol.
struct Traffic {
  static inline constinit std::atomic<bool> counted = false;  ///< set by whoever wants the numbers

  /// Call it once for each message, when its protocol is certain.
  void count(std::int64_t bytes_of_one) noexcept {
    if (!counted.load(std::memory_order_relaxed)) return;
    messages.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(bytes_of_one, std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> messages = 0;
  std::atomic<std::int64_t> bytes = 0;
};

/// A protocol, as the rest of transport sees it. A function is null where the protocol has no use for it. The
/// table is in the order of preference: a faster protocol first. Only the row of get compares times, with
/// those of fragments in the sender's pool.
struct ProtocolRow {
  const char* name;  ///< for statistics and TYPEWARP_VERBOSE
  Traffic* sent;
  /// Names the row in announcements and answers, unique in the table. 0: its messages are not announced.
  ChannelId id = 0;

  /// Returns why the protocol takes the message; null if it does not.
  const char* (*sends)(const SendCase& message) = nullptr;
  /// The same at the receiver, from what the channel offered. Throws Error for an offer that cannot be,
  /// GpuError.
  const char* (*receives)(const ReceiveContext& message) = nullptr;

  /// Sender: acquires what the announcement will offer, and makes the operation, which takes over `side`.
  /// Returns null if that is impossible. A protocol without this function does not announce its messages.
  std::shared_ptr<RendezvousSend> (*start)(const SendContext& message, MessageBuffer& side) = nullptr;
  /// Receiver: starts to receive the message. Returns null if that is impossible.
  std::unique_ptr<ReceiveProtocol> (*on_rts)(const ReceiveContext& message) = nullptr;
  /// Receiver: answers through the channel instead of by an MPI message. With a null `answer` it only checks
  /// that it can. Throws Error if not.
  void (*answer)(SessionState& session, const Rts& rts, const Cts* answer) = nullptr;

  /// Blocking send without an operation, where no other thread calls. False: nothing was done.
  bool (*send_at_once)(const SendPath& path, const Peer& to) = nullptr;
  /// The same for the rest of a receive, after its announcement.
  void (*receive_at_once)(const ReceiveContext& message) = nullptr;

  /// Makes what the protocol keeps in a Session. Local. Throws MpiError, std::bad_alloc.
  std::unique_ptr<ChannelState> (*prepare)(SessionState& session) = nullptr;
  const GpuLibrary* library = nullptr;  ///< the library that carries its fragments, if one does
};

/// The table, in the order of preference. The last row takes any message that may be announced.
std::span<const ProtocolRow* const> protocols() noexcept;

/// The first row that takes the message; the first one after `after`, if that row proved impossible for it.
ProtocolChoice select(const SendCase& message, const ProtocolRow* after = nullptr);
/// The same for an announced message, after `message.by`. Throws Error for offers that cannot be, GpuError.
ProtocolChoice select(const ReceiveContext& message);

/// The row with this id; null if there is none.
const ProtocolRow* row_of(ChannelId channel) noexcept;

/// Whether a message of this length is sent without an announcement.
bool is_plain(std::int64_t bytes, const SessionOptions& options) noexcept;

/// Prints the choice for a message to stderr, if TYPEWARP_VERBOSE is 1.
void tell(const char* call, std::int64_t bytes, int peer, const ProtocolChoice& choice) noexcept;

/// Makes what protocols keep in a new Session: prepare() what this rank makes alone, connect() what all ranks
/// make together, which never fails in one rank only. Throw MpiError, prepare() also std::bad_alloc.
void prepare(SessionState& session);
void connect(SessionState& session);

/// The link that works in all ranks of `comm`, a private communicator; null if there is none. For
/// Protocol::automatic only if the ranks are on several hosts. Collective. Throws MpiError.
std::unique_ptr<GpuChannel> make_gpu_channel(Protocol wanted, bool one_host, MPI_Comm comm);

}  // namespace typewarp::transport
