// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>
#include <typewarp/operation.hpp>
#include <typewarp/ranks.hpp>
#include <typewarp/stream.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

namespace typewarp {

/// How a DeviceGroup is made.
struct DeviceGroupOptions {
  /// This rank's GPU; -1: the current device of the calling thread.
  int device = -1;
  /// A call fails if it has waited for another rank for so long, in a graph too. 0: it waits for ever, as MPI
  /// does.
  std::chrono::milliseconds time_limit{0};
};

/// The GPUs of up to 8 ranks of one host, one for each, which combine numbers of all ranks, or move
/// bytes between all, in calls that streams order: without an MPI call and without involving the host. Made
/// once by all ranks.
///
/// Each call enqueues one kernel in each rank (several of a long scan), whose blocks wait for those of
/// the other ranks. It reads `in` after the work that the stream holds, and later work on the stream sees the
/// result in `out`. No call waits, except if the device's queue for the stream is full. Numbers are combined
/// in the order of ranks, however many there are: the same numbers give the same bits in all ranks and each
/// time.
///
/// `count` is of numbers of `type`, with `operation` one that the type has: reducible() of operation.hpp.
/// Memory is the caller's; the device must reach it, so it may be managed or page-locked too; no address
/// needs to be aligned (multiples of 16 bytes are fastest). It must live until the stream has done the call.
/// `in` and `out` are equal, or do not overlap; in allgather, allgatherv and reduce_scatter, the smaller one
/// may be this rank's part of the larger one instead. A default stream is that of the device.
///
/// All ranks make the same calls in the same order, with equal arguments but for addresses and streams. On
/// one rank, calls of one object must follow each other in stream order: on one stream, or on several that
/// events order. While a call waits for a peer it occupies up to 96 multiprocessors, so calls of several
/// objects follow one order on all ranks, too; and anything that waits for the whole device (an allocation, a
/// synchronisation, making or destroying an object) waits for that peer.
///
/// Calls may be captured into a graph, which can be replayed any number of times, in stream order with
/// others. The object must live as long as that.
///
/// A call with wrong arguments throws before anything is enqueued: InvalidArgument that names "count",
/// "type", "in", "out", "root", "counts[i]", "buffer", "bytes", "bytes[i]" or "stream". The other ranks then
/// wait for this one. An object must not be used by several threads at once; different objects may be.
class DeviceGroup {
 public:
  static constexpr int most_ranks = 8;

  /// Collective over `ranks`. Each rank takes device memory: 28 MiB if there are two, 52 for four, 99 for
  /// eight. Throws InvalidArgument that names "options.device" or "options.time_limit", and Error in the
  /// ranks where nothing is wrong; Error in all ranks if there are more than 8, if they are on several hosts
  /// or share a GPU (kernels of both would wait for each other), or if a GPU does not reach another one;
  /// GpuError; MpiError, or what the function of `ranks` throws.
  explicit DeviceGroup(const Ranks& ranks, const DeviceGroupOptions& options = {});
  DeviceGroup(DeviceGroup&&) noexcept;
  DeviceGroup& operator=(DeviceGroup&&) noexcept;
  /// Collective, before MPI_Finalize if over an MPI: waits for this rank's own calls, and until all ranks are
  /// here, within the time limit (which does not bound a function given to Ranks). Graphs that hold calls
  /// must not be replayed any more.
  ~DeviceGroup();

  int rank() const noexcept;
  int size() const noexcept;
  int device() const noexcept;

  /// Each rank gets what the `count` numbers of all ranks make.
  void allreduce(const void* in, void* out, std::int64_t count, Named type, Operation operation,
                 Stream stream = {});
  /// Rank `root` gets it; `out` of others is ignored.
  void reduce(const void* in, void* out, std::int64_t count, Named type, Operation operation, int root,
              Stream stream = {});
  /// Rank r gets counts[r] numbers of what all numbers make, those after the counts before: `counts` has one
  /// for each rank, the same in all. `in` is of all numbers; `out` may also be this rank's own part of them.
  void reduce_scatter(const void* in, void* out, std::span<const std::int64_t> counts, Named type,
                      Operation operation, Stream stream = {});
  /// Rank r gets what the numbers of ranks 0 to r make.
  void scan(const void* in, void* out, std::int64_t count, Named type, Operation operation,
            Stream stream = {});
  /// Rank r gets what the numbers of ranks 0 to r - 1 make; `out` of rank 0 is ignored.
  void exscan(const void* in, void* out, std::int64_t count, Named type, Operation operation,
              Stream stream = {});

  /// Each rank gives `bytes` bytes, and gets those of all, in the order of ranks. `in` may be this rank's own
  /// part of `out`, but not all of it.
  void allgather(const void* in, void* out, std::int64_t bytes, Stream stream = {});
  /// The same, where rank r gives bytes[r] bytes: `bytes` has one for each rank, the same in all.
  void allgatherv(const void* in, void* out, std::span<const std::int64_t> bytes, Stream stream = {});
  /// Each rank gives each rank a block of `bytes` bytes. Block r of `in` goes to rank r, and block r of `out`
  /// comes from it.
  void alltoall(const void* in, void* out, std::int64_t bytes, Stream stream = {});
  /// Rank `root` gives all others `bytes` bytes of its buffer.
  void broadcast(void* buffer, std::int64_t bytes, int root, Stream stream = {});

  /// Collective: maps `bytes` bytes of each rank's device memory, from `begin` on, into all other ranks;
  /// `bytes` is the same on all ranks. A long allgather, allgatherv, alltoall (not in place) or broadcast
  /// then stores directly into `out` or `buffer`, if on every rank this lies within registered memory, and it
  /// and each rank's share begin at a multiple of 16 bytes. Ranks may use different registrations and
  /// offsets. Otherwise the call works as before, but takes a few microseconds longer. The memory must come
  /// from one cudaMalloc (the default of PyTorch and CuPy), and must live until deregister_memory() returns
  /// or the object is destroyed; after a call that failed, until peers that were late have ended. May wait
  /// for the device. Throws InvalidArgument that names "begin" or "bytes", and Error on the other ranks;
  /// Error on all ranks if a GPU cannot map the memory: the object is then unchanged. After what the function
  /// of Ranks throws it can only be destroyed.
  void register_memory(void* begin, std::int64_t bytes);
  /// Collective: waits for this rank's calls, as wait() does, and then for all ranks; replays of graphs must
  /// have ended. `begin` is what was given to register_memory(); all ranks must name the same registration.
  /// Graphs with calls that use the memory must not be replayed afterwards. Throws InvalidArgument that names
  /// "begin", and Error on the other ranks; Error on all ranks if they name different registrations; and what
  /// done() throws.
  void deregister_memory(void* begin);

  /// Whether all calls have ended, except those in graphs. Throws TimeLimitExceeded if one has exceeded the
  /// time limit, and GpuError: the object can then only be destroyed. What a failed call stores is undefined.
  bool done();
  /// Returns when done().
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp
