// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <mpi.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Point-to-point messages of (buffer, count, plan) over any MPI, from and to memory of any kind, also
/// where the MPI knows nothing of GPUs. docs/transport.md explains how.
///
/// Without a Transport a message is the packed stream without any header, in type-map order, sent as
/// MPI_PACKED: a plain MPI receive of a matching type takes it, and a receive here takes a plain MPI send.
/// While a Transport lives, messages between its ranks, on whatever communicator, use its protocols; messages
/// to and from other processes are as before.
///
/// MPI's rules hold: matching by (source, tag, communicator) in the order posted, MPI_ANY_SOURCE,
/// MPI_ANY_TAG, MPI_PROC_NULL, truncation, zero-size messages. A failing MPI call throws MpiError if the
/// communicator's error handler lets it return; CUDA's failures throw CudaError; bad arguments
/// InvalidArgument. An error ends the request that it belongs to and no other.
///
/// A truncated message ends in MpiError (MPI_ERR_TRUNCATE). Memory that is received into through a packed
/// copy (a device's, or not consecutive) then stays as it was; consecutive host memory holds what the MPI
/// wrote. There this is as good as the MPI: Open MPI 5.0.11 writes beyond a consecutive receive buffer when a
/// message that is sent in several pieces is truncated, which is kept from packed copies; MPICH 5.0.2 does
/// not. A message that a Transport announced before sending (longer than its eager limit) is never sent if it
/// does not fit.
///
/// A buffer lies in one kind of memory, judged by its first byte of data.
///
/// Threads may call at once where MPI granted MPI_THREAD_MULTIPLE; one request belongs to one thread at a
/// time. A call that waits moves on all messages of the Transport, whichever thread they belong to.
///
/// Streams: memory that a device may be using is read and written behind what `stream` holds when the call
/// starts the message, and not behind what comes later: later work must not touch it before the message is
/// complete. Nothing is enqueued on `stream` after the call, so it may go. wait() and test() say that a
/// message is complete once its bytes are in place: what is enqueued then, on whatever stream, sees them.
/// Whoever waits, waits for the stream up to the point of the call, never for the device.
namespace typewarp {

namespace transport {
class Session;
class Waiting;
}  // namespace transport

/// How messages travel between the ranks of a Transport.
enum class Protocol : std::uint8_t {
  automatic,  ///< direct where that is possible, else through rings of shared memory between host memory of
              ///< ranks on one host, else eager up to the eager limit, then gpu_aware or ucx between
              ///< devices of ranks on several hosts, then pipelined
  eager,      ///< the packed stream as one MPI message. Holds only if all ranks ask for it
  pipelined,  ///< announced, then sent in pieces that are packed, sent and unpacked at once
  direct,     ///< device memory is read by the receiver's device where it lies; what cannot be is automatic
  gpu_aware,  ///< as pipelined, from device memory to device memory, which is given to the MPI; the first
              ///< such message that is not consecutive takes 128 MiB of its device
  ucx,        ///< the same, given to UCX
};
std::string_view name(Protocol) noexcept;

struct TransportOptions {
  /// Messages of up to so many bytes, at least 509, are sent as they are. The least value of all ranks
  /// counts. Between host memory of ranks on one host, where both allow the protocol direct, those of 4 KiB
  /// and more go through shared memory instead: they count as announced, too.
  std::int64_t eager_bytes = std::int64_t{16} << 10;
  /// Messages from device memory of at least so many bytes, and at least 509, go direct where the ranks are
  /// on one host and the memory of both is a device's. They count as announced: such a send need not complete
  /// before it is received. The first of at least 256 KiB takes 128 MiB of the device, for as long as the
  /// Transport lives.
  std::int64_t direct_bytes = 509;
  /// Longest piece of a pipelined message, at least 64 bytes.
  std::int64_t chunk_bytes = std::int64_t{256} << 10;
  /// Host memory for all pieces under way, half for sending and half for receiving; at least 128 bytes.
  /// Pinned where there is a GPU. Never exceeded: messages wait for each other instead. Less is taken if
  /// there is no more.
  std::int64_t pool_bytes = std::int64_t{64} << 20;
  /// The most memory that is taken of each device, for fragments of messages between devices; allocated at
  /// the first such message, for as long as the Transport lives. Never exceeded: fragments get shorter where
  /// it is less than they need, and messages wait for each other. With 0 there is none, and what needs it
  /// goes through the host.
  std::int64_t device_pool_bytes = std::int64_t{128} << 20;
  /// A wait ends with TimeLimitExceeded when its message has made no progress for so long, be it that the
  /// peer is dead or that it is merely busy elsewhere, or that it has no memory of its pool left for this
  /// message. While what lacks is this rank's pool, any message's progress counts. A time of 0 waits for
  /// ever, as MPI does.
  std::chrono::milliseconds time_limit = no_time_limit;
  Protocol protocol = Protocol::automatic;
  /// A thread that moves messages on while no thread of the program is in this library. Needs
  /// MPI_THREAD_MULTIPLE.
  bool progress_thread = false;
  /// Ranks of the Transport also send by calls of the MPI's, messages of any length, which are received here
  /// as they come. Then a receive has room for its whole message from the start, in pageable memory beyond
  /// the eager limit, and on one host CUDA is not started before a message needs it.
  bool mixed = false;

  static constexpr std::chrono::milliseconds no_time_limit{0};

  /// The values above, or those that the machine's profile holds (docs/transport.md; TYPEWARP_PROFILE names
  /// the file), changed by TYPEWARP_PROTOCOL, TYPEWARP_EAGER_BYTES, TYPEWARP_DIRECT_BYTES,
  /// TYPEWARP_CHUNK_BYTES, TYPEWARP_POOL_BYTES, TYPEWARP_DEVICE_POOL_BYTES, TYPEWARP_TIME_LIMIT_MS and
  /// TYPEWARP_PROGRESS_THREAD (0 or 1). Throws InvalidArgument for a malformed one, and a malformed profile.
  static TransportOptions from_environment();
};

/// A wait gave up. The memory of its message must not be freed unless the peer is known to be gone: the MPI
/// may still use it where the message went from or to consecutive host memory, and a receiver on this host
/// may still read it there, or where it is a device's.
class TimeLimitExceeded : public Error {
 public:
  TimeLimitExceeded(const std::string& text, int peer) : Error(text), peer_(peer) {}
  /// The rank that was waited for, in the message's communicator; perhaps MPI_ANY_SOURCE.
  int peer() const noexcept { return peer_; }

 private:
  int peer_;
};

/// Gives the messages between the ranks of a communicator protocols that are faster than one MPI message. A
/// process has at most one.
///
/// Progress is made inside this library's calls only, or by the progress thread. This is less than MPI gives:
/// a rank that has started a message, a receive too, and then waits for something else, an MPI_Barrier
/// perhaps, keeps its peer waiting for as long. If it waits for that peer, that is a deadlock: then use the
/// progress thread, or call progress() meanwhile. Both ends of a message beyond the eager limit, or of 509
/// bytes, must be calls of this library; where the options allow mixed calls, each receive of 509 bytes or
/// more must be one. The hints mpi_assert_exact_length and mpi_assert_allow_overtaking
/// must not be set on communicators that such messages use.
class Transport {
 public:
  /// Collective over `comm`, which is duplicated without its hints, and may be freed. No message between its
  /// ranks may be in flight, here and when it goes. What the options leave open is as the machine's profile
  /// says. Throws InvalidArgument for `comm`, before it communicates, for the options and the profile; Error
  /// if the process has one already; MpiError. What throws in one rank, other than for `comm` and the MPI,
  /// throws in all: Error where nothing is wrong.
  Transport(MPI_Comm comm, const TransportOptions& options);
  /// With the options from_environment(), of which one that is malformed in one rank throws in all.
  explicit Transport(MPI_Comm comm);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  /// Collective: waits until all ranks are here, within the time limit. Where that is exceeded, nothing may
  /// be sent to or received from ranks of the Transport any more. Before MPI_Finalize.
  ~Transport();

  /// The options in force: the eager limit is that of all ranks.
  const TransportOptions& options() const noexcept;
  /// Whether some message of this Transport may go by `protocol`: direct if there is a GPU, and a rank of
  /// this host that it can be used with; gpu_aware and ucx if this Transport was made to use it and it works
  /// in all of its ranks. What the options ask for and is impossible is automatic.
  bool possible(Protocol protocol) const noexcept;
  /// In how many pieces a message of `bytes` bytes goes direct, where it does not go at once: what is left
  /// over counts as a part of one. For who measures what a piece costs. Throws InvalidArgument for negative
  /// `bytes`.
  double direct_pieces(std::int64_t bytes) const;

 private:
  void open(MPI_Comm comm, const TransportOptions* options);

  std::shared_ptr<transport::Session> session_;
};

/// Moves some of the Transport's messages on, if there is one, without waiting: for a rank that waits for
/// something else and has no progress thread.
void progress();

/// What a completed operation moved. Of a send, only `bytes` says something.
struct Status {
  int source = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  std::int64_t bytes = 0;
  bool cancelled = false;  ///< of a receive: cancel() came before a message, and nothing was received

  /// Whole items received (MPI_Get_count): MPI_UNDEFINED if `bytes` is no multiple of the item's size.
  std::int64_t count(const Plan& plan) const;
  /// Basic elements received (MPI_Get_elements): MPI_UNDEFINED if `bytes` ends inside one.
  std::int64_t elements(const Plan& plan) const;
};

/// One operation in flight. Move-only; owns its temporaries, and keeps the plan alive. The user's buffer must
/// stay until completion. Destroying an active request cancels an unmatched receive and else completes the
/// operation, so that no temporary is freed under MPI's feet.
class Request {
 public:
  Request() noexcept;
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;
  ~Request();

  bool active() const noexcept { return operation_ != nullptr; }
  /// Blocks until complete; inactive afterwards, also when it throws. On an inactive request: an empty
  /// status.
  Status wait();
  /// The status if complete (then inactive afterwards), else nothing. On an inactive request: an empty
  /// status.
  std::optional<Status> test();
  /// Moves on, and says whether wait() would return, or throw, at once.
  bool ready();
  /// Of a receive that no message has matched yet: ends it, as the status will say. Else does nothing. The
  /// request stays active.
  void cancel();

  /// Whether it can be started again (see send_init()). It stays so until it is assigned to or destroyed,
  /// which frees it.
  bool persistent() const noexcept { return message_ != nullptr; }
  /// Starts the message of a persistent request. Throws InvalidArgument if it is active or not persistent;
  /// what the call that it stands for throws, and is inactive then.
  void start();

  struct Operation;
  struct Message;
  explicit Request(std::shared_ptr<Operation> operation) noexcept;
  explicit Request(std::shared_ptr<const Message> message) noexcept;

 private:
  friend class transport::Waiting;
  friend void start_all(std::span<Request> requests);

  std::shared_ptr<Operation> operation_;
  std::shared_ptr<const Message> message_;
};

void send(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
          Stream stream);
Status recv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
            Stream stream);
/// A synchronous send: complete only when a receive has matched it.
void ssend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
           Stream stream);
/// A message that is neither pipelined nor direct is packed when this returns, for which it waits for the
/// work that `stream` holds. As MPI says, the buffer must not be written before the request completes: it is
/// read later, or sent from where it lies.
[[nodiscard]] Request isend(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                            int tag, MPI_Comm comm, Stream stream);
[[nodiscard]] Request issend(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                             int tag, MPI_Comm comm, Stream stream);
[[nodiscard]] Request irecv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag,
                            MPI_Comm comm, Stream stream);
Status sendrecv(const void* send_buffer, std::int64_t send_count, const Plan& send_plan, int destination,
                int send_tag, void* recv_buffer, std::int64_t recv_count, const Plan& recv_plan, int source,
                int recv_tag, MPI_Comm comm, Stream stream);

// Persistent requests: inactive when made, started as often as needed, inactive again after each completion.
// Each start is one isend, issend or irecv with these arguments, ordered by what `stream` holds at the start:
// so the stream and the communicator must stay for as long as it is started. The buffer must stay the same
// memory. InvalidArgument is thrown here; rank and tag are the MPI's to judge, at each start.

[[nodiscard]] Request send_init(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                                int tag, MPI_Comm comm, Stream stream);
[[nodiscard]] Request ssend_init(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                                 int tag, MPI_Comm comm, Stream stream);
[[nodiscard]] Request recv_init(void* buffer, std::int64_t count, const Plan& plan, int source, int tag,
                                MPI_Comm comm, Stream stream);
/// Starts all, in order. Throws InvalidArgument, before it starts any, if one is active or not persistent;
/// where a start throws, those before it are active.
void start_all(std::span<Request> requests);

/// What of a message can be received now: who sent it, its tag and its bytes; nothing if there is none. A
/// receive that is posted by no other thread meanwhile then gets just this message. A message that has been
/// probed must be received by this library, with the Transport, if any, that lived then; while a Transport
/// lives, so must messages of any tag that its source sent before, on that communicator.
[[nodiscard]] std::optional<Status> iprobe(int source, int tag, MPI_Comm comm);
/// Waits for a message, without a time limit.
Status probe(int source, int tag, MPI_Comm comm);

/// A message that a probe has taken out of MPI's matching: only whoever has this receives it (MPI_Message).
/// Move-only. A message must be received before this goes.
class Matched {
 public:
  Matched() noexcept;
  Matched(Matched&&) noexcept;
  Matched& operator=(Matched&&) noexcept;
  ~Matched();

  /// What can be received.
  const Status& status() const noexcept { return status_; }
  /// Whether it holds no message, as when that has been received.
  bool empty() const noexcept { return state_ == nullptr; }

  struct State;
  Matched(std::unique_ptr<State> state, const Status& status) noexcept;

 private:
  friend Request imrecv(void*, std::int64_t, const Plan&, Matched&&, MPI_Comm, Stream);
  std::unique_ptr<State> state_;
  Status status_;
};
/// Takes what iprobe() would find, or nothing. What was taken while a Transport lived must be received while
/// it lives.
[[nodiscard]] std::optional<Matched> improbe(int source, int tag, MPI_Comm comm);
/// Waits for a message, without a time limit.
Matched mprobe(int source, int tag, MPI_Comm comm);
/// Of a message that a program's own MPI_Mprobe or MPI_Improbe has matched, on `comm`: `message` is null
/// afterwards. Not for messages that may be announced by a Transport's sender. Throws InvalidArgument for
/// MPI_MESSAGE_NULL.
Matched adopt(MPI_Message& message);
/// As irecv(), of a message that was matched on `comm`. Throws InvalidArgument for an empty one. `message` is
/// empty afterwards, unless this throws: then it is still to be received.
[[nodiscard]] Request imrecv(void* buffer, std::int64_t count, const Plan& plan, Matched&& message,
                             MPI_Comm comm, Stream stream);

/// Which of some requests completed, and how.
struct Completion {
  std::size_t index;
  Status status;
};

// Many requests at once, as MPI_Waitall and its kin. Inactive ones are complete, and in statuses empty; they
// are passed over by any and some. An error makes the request that it belongs to inactive. `all` throws the
// first one when all are over, `any` throws when it meets one. `some` throws only if it has no completion to
// tell of: what failed is otherwise left for the next call. The time limit ends a wait when none of the
// active requests has made progress for so long: `all` gives up all that are left, `any` and `some` the
// first.

std::vector<Status> wait_all(std::span<Request> requests);
/// Nothing, and all still active, if not all are complete.
std::optional<std::vector<Status>> test_all(std::span<Request> requests);
/// Nothing if none is active.
std::optional<Completion> wait_any(std::span<Request> requests);
/// Nothing if no active one is complete.
std::optional<Completion> test_any(std::span<Request> requests);
/// At least one, unless none is active.
std::vector<Completion> wait_some(std::span<Request> requests);
std::vector<Completion> test_some(std::span<Request> requests);

}  // namespace typewarp
