// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/ranks.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace typewarp {

/// `count` items of a plan that are sent to a rank.
struct OutgoingPart {
  const void* buffer;
  std::int64_t count;
  Plan plan;
  int peer;  ///< may be this rank, or nobody (MPI_PROC_NULL over an MPI, else -1): then nothing is moved
};
/// What is received from a rank, with the same signature as what that rank sends.
struct IncomingPart {
  void* buffer;
  std::int64_t count;
  Plan plan;
  int peer;
};

/// How a device waits for other ranks.
enum class DeviceWait : std::uint8_t {
  /// The kernels that store the data poll, in at most 64 thread blocks. If another rank of the exchange uses
  /// the same device, as below: a kernel that polls keeps that rank's kernels from running.
  automatic,
  memory_operation,  ///< the stream waits by memory operations, without a kernel: slower
};

/// How an Exchange waits.
struct ExchangeOptions {
  /// A start fails if it has not ended this long after its stream, or the host if no device is involved, has
  /// reached it. 0: it waits for ever, as MPI does.
  std::chrono::milliseconds time_limit{0};
  DeviceWait wait = DeviceWait::automatic;
};

/// How many nonempty parts of this rank go each way.
struct ExchangeWays {
  std::int64_t direct_sends, direct_receives;    ///< stored by the sender's device in the receiver's memory
  std::int64_t carried_sends, carried_receives;  ///< packed, and sent by the MPI
};

/// Which way one part goes.
struct PartWay {
  int peer;
  std::int64_t bytes;  ///< 0 also if the peer is nobody: then nothing is moved
  bool direct;         ///< stored by the sender's device in the receiver's memory
  /// Why it is not direct, as a clause, the same at both ends: "the receiver wants it in ...". Empty if it
  /// is, or if nothing is moved.
  std::string_view reason;
};

/// How many bytes from their bound addresses this rank's parts are in one start: for arrays of one layout at
/// changing addresses. Parts that peers store cannot be displaced. The memory there must be of the same kind
/// and on the same device. Multiples of 16 are fastest.
struct PartDisplacements {
  std::int64_t sends = 0;         ///< of all sends; must be 0 if some are in host memory and some on a device
  std::int64_t own_receives = 0;  ///< of receives from this rank; must be 0 if no device stores them
  std::size_t layout = 0;         ///< which one: what add_layout() returned; 0 is the constructor's
};

/// A fixed set of parts that ranks exchange repeatedly, ordered by streams: made once by all ranks, then
/// started without an MPI call and without involving the host.
///
/// Parts between the same two ranks match by their order in the spans. Between device memory of ranks of one
/// host, if it was allocated by cudaMalloc or the like, the sender's device stores into the receiver's
/// layout: all parts for all peers by one launch, once the receiver's stream has reached its start. Other
/// parts are packed, sent by the MPI, and unpacked; if the ranks have no MPI, they are refused. An object
/// without parts on a device is not ordered by streams: a thread of the object makes its starts one after the
/// other if the MPI grants MPI_THREAD_MULTIPLE; otherwise done() and wait() do. The same goes for parts of
/// other objects that the MPI sends.
///
/// All ranks start it the same number of times. Starts of one object on one rank must follow each other in
/// stream order. Objects are independent of each other, but if a stream holds two in a different order than a
/// peer's stream, they wait for each other until the time limit; so do two on streams that share a hardware
/// queue. While a start waits for a peer, anything that waits for the whole device (an
/// allocation; a synchronisation; making, rebinding or destroying an object) waits for that peer, too.
///
/// A start may be captured into a graph, which can be replayed any number of times, instead of calling
/// start(). An object must not be used by several threads at once; different objects may be.
class Exchange {
 public:
  /// Collective over `ranks`. The plans are kept; the memory is the caller's and must live as long as this.
  /// Parts in device, managed and page-locked memory must be within reach of one device, that of the first
  /// part in device memory. Sends and receives must not overlap. Throws InvalidArgument that names "comm",
  /// "sends[i].count", "receives[i].peer" and the like, and Error in the ranks where nothing is wrong; Error
  /// in all ranks, with rank and part, if sender and receiver disagree or a part cannot be moved; GpuError;
  /// MpiError, or what the function of `ranks` throws.
  Exchange(const Ranks& ranks, std::span<const OutgoingPart> sends, std::span<const IncomingPart> receives,
           const ExchangeOptions& options = {});
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  /// Collective, before MPI_Finalize if over an MPI: waits for this rank's own starts, and until all ranks
  /// are here, within the time limit (which does not bound a function given to Ranks). If that is exceeded,
  /// memory that a peer may still write to is given up. Graphs that hold a start must not be replayed any
  /// more.
  ~Exchange();

  /// Enqueues one exchange on `stream`: it reads sends and overwrites receives after the work that the stream
  /// holds, and later work on the stream sees what was received. Waits only if the device's queue for the
  /// stream is full (about 1000 launches, of which a start takes 1 to 8): then it waits for the stream, and
  /// so for a peer. If no part is on a device, the buffers are in use until done(). A default stream is that
  /// of the device of the parts.
  ///
  /// Each rank chooses its own `displacements` for each start; a graph keeps those that it captured.
  ///
  /// Throws the error of an earlier start; InvalidArgument for a stream of another device, for a captured
  /// stream if the MPI sends parts but does not grant MPI_THREAD_MULTIPLE, and for impossible displacements.
  /// Then nothing is started.
  void start(Stream stream = {}, const PartDisplacements& displacements = {});

  /// Another layout of this rank's parts, for starts that choose it: its sends, one for each of the
  /// constructor's, in order, and its receives from itself. Their packed bytes and peers must be the same, so
  /// that peers see no difference: each rank adds what it needs, when it needs it. With displacements
  /// of 0, a start uses the addresses given here. Returns the layout's number. Only for parts that a device
  /// stores. Allocates device memory, and so may wait for the device. Throws InvalidArgument that names
  /// "sends.size()", "own_receives[i].count" and the like, and GpuError; then nothing has changed.
  std::size_t add_layout(std::span<const OutgoingPart> sends, std::span<const IncomingPart> own_receives);

  /// Whether all starts have ended, except those in graphs. Throws TimeLimitExceeded if one, even in a graph,
  /// has exceeded the time limit, MpiError and GpuError: the object can then only be destroyed. What a failed
  /// start receives is undefined, and a peer that was late may still store it.
  bool done();
  /// Returns when done().
  void wait();

  /// Collective: the same parts at other addresses, one for each part, in order. Waits for earlier starts.
  /// Throws what the constructor throws, and on all ranks if a start of one has failed; then nothing has
  /// changed. For buffers that alternate, one object for each order costs less. Added layouts are dropped.
  void rebind(std::span<const void* const> sends, std::span<void* const> receives);

  ExchangeWays ways() const noexcept;
  /// For each part, in the order in which they were given.
  std::vector<PartWay> ways_of_sends() const;
  std::vector<PartWay> ways_of_receives() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp
