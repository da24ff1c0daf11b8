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

/// `count` items of a plan that go to a rank.
struct OutgoingPart {
  const void* buffer;
  std::int64_t count;
  Plan plan;
  int peer;  ///< perhaps this rank itself, or nobody (MPI_PROC_NULL over an MPI, else -1): then nothing moves
};
/// What comes from a rank, of the same signature as what that rank sends.
struct IncomingPart {
  void* buffer;
  std::int64_t count;
  Plan plan;
  int peer;
};

/// Who waits on the device for other ranks.
enum class DeviceWait : std::uint8_t {
  /// The kernels that store, by 64 thread blocks at most. Where another rank of the exchange uses the
  /// same device, as below: a kernel keeps those of that rank from running while it waits.
  automatic,
  memory_operation,  ///< the stream, without a kernel: slower
};

/// How an Exchange waits.
struct ExchangeOptions {
  /// A start that its stream, or the host where no device is involved, has reached, and that has not ended
  /// after so long, fails. 0: it waits for ever, as MPI does.
  std::chrono::milliseconds time_limit{0};
  DeviceWait wait = DeviceWait::automatic;
};

/// How many parts of this rank, with bytes, go which way.
struct ExchangeWays {
  std::int64_t direct_sends, direct_receives;    ///< stored by the sender's device where they belong
  std::int64_t carried_sends, carried_receives;  ///< packed, and carried by the MPI
};

/// Which way one part goes.
struct PartWay {
  int peer;
  std::int64_t bytes;  ///< 0 also for a part of nobody: then nothing moves
  bool direct;         ///< stored by the sender's device where it belongs
  /// Why it is not, as a clause, and the same at both ends: "the receiver wants it in ...". Empty if it is,
  /// or nothing moves.
  std::string_view reason;
};

/// How many bytes from where they were bound this rank has parts in one start: for arrays of one layout that
/// are elsewhere each time. What peers store stays where it is. There must be memory of the same device and
/// kind, or of the host as before. Multiples of 16 are fastest.
struct PartDisplacements {
  std::int64_t sends = 0;  ///< of all sends; must be 0 if some are of the host, beside parts on a device
  std::int64_t own_receives = 0;  ///< of what comes from this rank itself; must be 0 if no device stores that
};

/// A fixed set of parts that ranks exchange again and again, ordered by streams: made once by all ranks, then
/// started without a call of the MPI and without the host in the loop.
///
/// Parts between the same two ranks match by their order in the spans. Between device memory of ranks of one
/// host, which is of plain allocations (cudaMalloc's), the sender's device stores into the receiver's layout,
/// all parts of all peers by one launch, once the receiver's stream has come to its start. All else is
/// packed, carried by the MPI, and unpacked; where the ranks have none, it is refused. An object without
/// parts on a device orders with no stream: its starts are done one after the other by a thread of the
/// object, where the MPI grants MPI_THREAD_MULTIPLE, else in done() and wait(); which also goes for what the
/// MPI carries of other objects.
///
/// Each rank starts it equally often. Starts of one object on one rank must follow each other in stream
/// order; objects are independent of each other, but two that a stream holds in another order than a peer's
/// stream wait for each other until the time limit; so do two on streams that share a queue of the hardware.
/// While a start waits for a peer, what waits for the whole device
/// (cudaMalloc, to synchronise it; to make, rebind or destroy an object) waits for that peer.
///
/// A start may be captured into a graph, which is replayed any number of times, in place of starts. Not safe
/// for use by several threads at once; different objects are.
class Exchange {
 public:
  /// Collective over `ranks`. The plans are kept; the memory is the caller's and stays as long as this. Parts
  /// in device, managed and page-locked memory must be within reach of one device, that of the first part in
  /// device memory. Sends and receives may not overlap. Throws InvalidArgument that names "comm",
  /// "sends[i].count", "receives[i].peer" and the like, and Error in the ranks where nothing is wrong; Error
  /// in all ranks, with rank and part, where sender and receiver disagree, and where a part has no way;
  /// GpuError; MpiError, or what the function of `ranks` throws.
  Exchange(const Ranks& ranks, std::span<const OutgoingPart> sends, std::span<const IncomingPart> receives,
           const ExchangeOptions& options = {});
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  /// Collective, before MPI_Finalize if over an MPI: waits for what this rank has started, and until all
  /// ranks are here, within the time limit, but for a function of Ranks, which waits as it likes. Where that
  /// is exceeded, memory that a peer may still write to is given up. No graph that holds a start may be
  /// replayed any more.
  ~Exchange();

  /// Enqueues one exchange on `stream`: sends are read after what the stream holds, receives are overwritten
  /// after that, and what is enqueued behind finds what was received. Waits only where the device's queue
  /// of the stream is full (about 1000 launches, 1 to 8 a start), for the stream and so for a peer. Where no
  /// part is on a device, the buffers are in use until done(). A default stream is that of the device of the
  /// parts.
  ///
  /// Each rank chooses its `displacements` for each start; a graph keeps those of the start that it captured.
  ///
  /// Throws what an earlier start failed of; InvalidArgument for a stream of another device, for one that is
  /// captured where the MPI carries parts but does not grant MPI_THREAD_MULTIPLE, and for displacements that
  /// cannot be. Then nothing is started.
  void start(Stream stream = {}, const PartDisplacements& displacements = {});

  /// Whether all starts have ended, but for those in graphs. Throws TimeLimitExceeded for one, also in a
  /// graph, that has not within the time limit, MpiError and GpuError: the object is of no use then but to be
  /// destroyed. What a failed start receives is undefined, and a peer that was late may still store it.
  bool done();
  /// Returns when done().
  void wait();

  /// Collective: the same parts at other addresses, one for each part, in order. Waits for what was started.
  /// Throws what the constructor throws, on all ranks also where a start of one has failed, and then nothing
  /// has changed. For buffers that take turns, an object for each order costs less.
  void rebind(std::span<const void* const> sends, std::span<void* const> receives);

  ExchangeWays ways() const noexcept;
  /// Of each part, in the order in which they were given.
  std::vector<PartWay> ways_of_sends() const;
  std::vector<PartWay> ways_of_receives() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp
