// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/halo_disagreement.hpp>
#include <typewarp/halo_field.hpp>
#include <typewarp/halo_grid.hpp>
#include <typewarp/operation.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

/// Halo exchange on regular grids (docs/guide/halo.md): each process owns a part of some arrays, surrounded
/// by copies of its neighbours' elements, which an exchange updates. Halos, directions and layouts mean the
/// same as in the GCL (paper 004).
namespace typewarp::halo {

/// How data is packed into messages and unpacked. All packings send the same bytes and give the same results,
/// so each process may choose its own.
enum class Packing : std::uint8_t {
  automatic,  ///< datatype, if all neighbours are on this host and share a Session with this process, except
              ///< for short messages of several parts of device memory; else
              ///< manual. How device memory was allocated does not matter for this choice: memory that cannot
              ///< be shared between processes (a pool's) is packed first
  manual,     ///< one batch (batch.hpp) packs all fields and directions into one buffer, another unpacks them
  datatype,   ///< a datatype for each message, which the transport sends and receives in place; manual in a
              ///< process whose fields are in several kinds of memory
};
/// As the enumerator is spelled.
std::string_view name(Packing) noexcept;

// These choices have no effect any more, and exist for programs that name them. One message holds all fields
// and sides that go to a process, and diagonal neighbours get theirs directly.
enum class Messages : std::uint8_t { automatic, together, each };
enum class Diagonals : std::uint8_t { direct, by_dimension };

/// Where packed messages of fields in device memory are. Has no effect on other fields, nor on what a process
/// sends to itself, which stays on its device.
enum class Buffers : std::uint8_t {
  automatic,  ///< on the device, if a Session can send it from there to all neighbours; else pinned
  pinned,     ///< in page-locked host memory
  device,     ///< in device memory
};

/// How an Exchange works.
struct Options {
  Packing packing = Packing::automatic;
  Messages messages = Messages::automatic;  ///< has no effect
  Diagonals diagonals = Diagonals::direct;  ///< has no effect
  Buffers buffers = Buffers::automatic;
  /// The sides on which halos are filled; empty: all.
  std::vector<Direction> sides = {};  // NOLINT(readability-redundant-member-init): may be left out
  /// To find errors: from start_exchange() until the data has arrived, halos that will be filled hold
  /// bytes of 255, which make a floating-point number a NaN. TYPEWARP_HALO_POISON=1 sets it, too.
  bool poison = false;
};

/// An exchange that is prepared once and made as often as needed. Move-only.
///
/// A point of a halo is filled if there is a process in its direction. That has, for each dimension of the
/// process grid, a step of -1 if the point is below `begin`, and of 1 if it is not below `end`. Everything
/// else keeps its value. A periodic dimension of one process needs no messages.
///
/// One exchange is pack(), start_exchange(), wait() and unpack(), or exchange(). From pack() until unpack(),
/// fields must not be written, and their halos must not be read. All packings need all of these calls.
/// Several objects may be in flight at once; each has its own communicator.
///
/// Streams: as in engine.hpp and p2p.hpp. All fields in device memory are on one device, to which default
/// streams refer. pack() and unpack() enqueue on `stream`, and wait for nothing if all fields are on the
/// device. start_exchange() sends the results of the work that `stream` holds by then, and may wait for it.
/// Work that is enqueued on the stream of unpack() afterwards sees the halos. The host packs fields of pinned
/// memory if no field is on a device or if messages are packed into pinned memory. Then the same holds,
/// except that pack() waits for the work on `stream` (for a default stream, that of the current device).
/// Pageable memory is not ordered by streams. The streams of successive exchanges must be the same, or
/// ordered by the caller.
///
/// pack() and unpack() may be captured into GPU graphs, unless the host moves some of the data
/// (InvalidArgument that names "stream"). Replays replace the captured calls as long as the same memory is
/// bound: start_exchange() throws Error if other memory is bound for which pack() was neither called nor
/// captured. It cannot see which graph was replayed. This must outlive the graphs.
///
/// An exchange allocates nothing here; the transport allocates its requests. Only the first exchange for some
/// addresses or width allocates. Wrong arguments throw InvalidArgument, calls out of order Error, and
/// failures MpiError, GpuError and TimeLimitExceeded; halos may then hold anything. If pack() throws, it may
/// be called again: nothing has been sent. Later failures are thrown by wait(), ready(), exchange(),
/// overlap() or accumulate() when all messages have ended. Neighbours do not wait for data that cannot be
/// sent: they get Error. Others may be at another exchange then, so all further calls throw Error, and the
/// memory of packed messages is not reused.
class Exchange {
 public:
  /// Collective over the grid. All processes must give the same number of fields, with the same dimensions
  /// and elements. Owned sizes may differ, as long as neighbours send what the others expect. If this
  /// process's arguments are wrong, throws InvalidArgument that names "fields[i]..." or "options...", and
  /// Disagreement with the same text and the rank on the others.
  Exchange(const ProcessGrid& grid, std::vector<Field> fields, const Options& options = {});
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  /// Waits for the work that it has enqueued, and completes messages in flight.
  ~Exchange();

  /// Uses other memory from now on: one address for each field, of the same kind and on the same device as
  /// before. Addresses that were bound before cost nothing, unless more than eight other sets have been bound
  /// since; binding then waits for the work on a set that is dropped. Only between exchanges. Throws
  /// InvalidArgument that names "data", or "data[i]".
  void bind(std::span<void* const> data);
  /// From now on fills only the `width` elements of a halo next to the owned part. Must be the same on all
  /// processes. Only between exchanges. Throws InvalidArgument for negative `width`.
  void set_width(std::int64_t width);

  /// Collective. Makes some exchanges of these fields with each packing, and from now on uses the one that is
  /// fastest for the slowest process, on all processes. Halos are filled as by exchange(). Addresses
  /// that were bound before are forgotten, except the last ones. Only between exchanges, and not once a
  /// graph holds a call (Error). Throws as exchange() does.
  void tune(Stream stream = {});

  void pack(Stream stream = {});
  void start_exchange(Stream stream = {});
  /// Returns when all data has arrived, and memory that was sent may be written.
  void wait();
  /// Makes progress without waiting, and returns whether wait() would return immediately.
  bool ready();

  void unpack(Stream stream = {});
  /// All four steps.
  void exchange(Stream stream = {});
  /// The same during `work`, which computes, or enqueues computation on `stream`. It must neither write owned
  /// elements that neighbours receive nor read halos. On a device the exchange uses its own stream; work that
  /// is enqueued on `stream` afterwards follows both. If `work` throws, the exception is rethrown after the
  /// exchange.
  void overlap(const std::function<void()>& work, Stream stream = {});

  /// The reverse, for adjoints, and for particles that were deposited in halos: the values in halos are
  /// combined with the elements of their owners, for all surrounding processes one after the other, in a
  /// fixed order. Halos keep their values. Returns when all data has arrived; the rest is enqueued
  /// on `stream`. The first call for some addresses and width allocates. Throws InvalidArgument that names
  /// "fields[i].element" unless it consists of numbers of one type, without gaps, for which
  /// reducible() is true.
  void accumulate(Operation operation, Stream stream = {});

  const std::vector<Field>& fields() const noexcept;
  /// What was chosen: never automatic.
  Packing packing() const noexcept;
  Messages messages() const noexcept;  ///< together
  /// For fields in device memory; `pinned` for others.
  Buffers buffers() const noexcept;
  /// Packed bytes that one exchange sends to other processes, and the number of messages.
  std::int64_t bytes_sent() const noexcept;
  std::int64_t messages_sent() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::halo
