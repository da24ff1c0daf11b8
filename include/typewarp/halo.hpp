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

/// Halo exchange on regular grids (docs/guide/halo.md): each process has a part of some arrays, surrounded by
/// copies of what its neighbours have, which an exchange brings up to date. After the GCL (paper 004), whose
/// meaning of halos, directions and layouts this has.
namespace typewarp::halo {

/// How data gets into messages and out of them. What travels is the same, so each process may choose its own;
/// so are the results.
enum class Packing : std::uint8_t {
  automatic,  ///< datatype, where all neighbours are on this host and share memory with this process through
              ///< a Session, but for messages of several parts of device memory with few bytes at a time;
              ///< else manual. Where a field lies in its device's memory is not looked at: what has no name
              ///< (a pool's) is packed on its way
  manual,     ///< all fields and directions into one buffer, by one batch (batch.hpp), and out by another
  datatype,   ///< a datatype for each message, which the transport sends and receives in place; manual in a
              ///< process whose fields lie in several kinds of memory
};
/// As the enumerator is spelled.
std::string_view name(Packing) noexcept;

// Choices that change nothing any more, for programs that name them: a message takes all fields for a
// process, on whatever sides of this one it is, and goes straight to diagonal neighbours, too.
enum class Messages : std::uint8_t { automatic, together, each };
enum class Diagonals : std::uint8_t { direct, by_dimension };

/// Where packed messages of fields in device memory lie. Without effect for others, and for what a process
/// has for itself, which stays on its device.
enum class Buffers : std::uint8_t {
  automatic,  ///< on the device, where a Session takes it from there to all neighbours; else pinned
  pinned,     ///< in page-locked host memory
  device,     ///< in device memory
};

/// How an Exchange works.
struct Options {
  Packing packing = Packing::automatic;
  Messages messages = Messages::automatic;  ///< changes nothing
  Diagonals diagonals = Diagonals::direct;  ///< changes nothing
  Buffers buffers = Buffers::automatic;
  /// The sides on which halos are filled, by the neighbour there; empty: all.
  std::vector<Direction> sides = {};  // NOLINT(readability-redundant-member-init): may be left out
  /// For finding errors: from start_exchange() on, until the data has come, halos that are to be filled hold
  /// bytes of value 255, which is a NaN as a floating-point number. Also if TYPEWARP_HALO_POISON is 1.
  bool poison = false;
};

/// An exchange that is prepared once and done as often as needed. Move-only.
///
/// A point of a halo is filled if the process at its side exists: with a step of -1 where it is below
/// `begin`, 1 where it is not below `end`, for each dimension of the process grid. All else stays as it is.
/// Where a periodic dimension has one process, this copies, and sends no messages.
///
/// One exchange is pack(), start_exchange(), wait() and unpack(), or exchange(). From pack() on fields may
/// not be written, nor their halos read, until unpack(). Those are the same for all packings, though some
/// have nothing to do in some of them. Several objects may be in flight at once; each has a communicator of
/// its own.
///
/// Streams: as in engine.hpp and p2p.hpp. Fields of device memory are all on one device, of which the
/// default streams are. pack() and unpack() enqueue on `stream`, and wait for nothing where all fields are
/// there; start_exchange() sends what `stream` holds by then, and may wait for that. The halos are there for
/// what is enqueued on the stream of unpack() afterwards. Fields of pinned memory that the host packs, since
/// no field is on a device or messages are packed into pinned memory, are no different, but pack() waits for
/// what `stream` holds (a default stream: of the current device). Pageable memory orders with no stream. The
/// streams of one exchange after the other must be one, or ordered by the caller.
///
/// pack() and unpack() may be captured into GPU graphs, unless the host moves some of it (InvalidArgument
/// that names "stream"). Replays stand for the captured calls as long as the same memory is bound:
/// start_exchange() throws Error if other memory is bound for which pack() was neither called nor captured.
/// Which graph was replayed it cannot see. This must live as long as they are replayed.
///
/// Nothing is allocated by this library in an exchange, but by the transport for its requests; that is done
/// at the first one for some addresses or width. InvalidArgument is thrown for wrong arguments, Error for
/// calls out of order, MpiError, GpuError and TimeLimitExceeded for what fails, and a halo may hold anything
/// then. A pack() that throws may be called again: nothing has been sent. What fails later is thrown when all
/// messages have ended, by wait(), ready(), exchange(), overlap() or accumulate(). Neighbours do not wait for
/// what cannot be sent: they get Error. Since others may be at another exchange then, all further calls throw
/// Error, and the memory of packed messages is not used again.
class Exchange {
 public:
  /// Collective over the grid, all of whose processes describe fields of the same number, dimensions and
  /// elements. Owned sizes may differ, as long as what neighbours send is what they receive. Throws
  /// InvalidArgument that names, of this process's arguments, "fields[i]...", "options..."; on the others
  /// Disagreement, with the same text and the rank.
  Exchange(const ProcessGrid& grid, std::vector<Field> fields, const Options& options = {});
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  /// Waits for what this has enqueued, and completes messages that are in flight.
  ~Exchange();

  /// From now on works on other memory, an address a field, of the same kind and device as before. Addresses
  /// that were bound before cost nothing, as long as no more than eight other sets have been bound since.
  /// Waits for what has been enqueued for a set that is given up. Only between exchanges. Throws
  /// InvalidArgument that names "data", or "data[i]".
  void bind(std::span<void* const> data);
  /// From now on fills at most `width` elements of a halo, those next to what is owned. The same on all
  /// processes. Only between exchanges. Throws InvalidArgument for negative `width`.
  void set_width(std::int64_t width);

  /// Collective. Does some exchanges of these fields in each packing, and keeps from now on what takes the
  /// slowest process the shortest time: the same on all. Halos are filled as by exchange();
  /// addresses that were bound before are forgotten, but for the last. Only between exchanges, and not once a
  /// graph holds a call: Error. Throws as exchange() does.
  void tune(Stream stream = {});

  void pack(Stream stream = {});
  void start_exchange(Stream stream = {});
  /// Returns when all data has come, and memory that was sent may be written.
  void wait();
  /// Moves messages on, without waiting: whether wait() would return at once.
  bool ready();

  void unpack(Stream stream = {});
  /// All of these.
  void exchange(Stream stream = {});
  /// The same while `work` is done, which may neither write owned elements that neighbours get nor read
  /// halos: it computes, or enqueues on `stream` what does. On a device the exchange uses a stream of its
  /// own; what is enqueued on `stream` afterwards follows both. What `work` throws goes on when the exchange
  /// is over.
  void overlap(const std::function<void()>& work, Stream stream = {});

  /// The other way round, for adjoints, and for particles that were deposited in halos: what a halo holds is
  /// combined with the element that its owner has, for all processes around one after the other, in an order
  /// that is always the same. Halos keep what they hold. Returns when all data has come; the rest is enqueued
  /// on `stream`. The first call for some addresses and width allocates. Throws InvalidArgument that names
  /// "fields[i].element" unless it consists of numbers of one type without gaps that
  /// is reducible().
  void accumulate(Operation operation, Stream stream = {});

  const std::vector<Field>& fields() const noexcept;
  /// What was chosen: never automatic.
  Packing packing() const noexcept;
  Messages messages() const noexcept;  ///< together
  /// Of those, where fields lie in device memory; `pinned` elsewhere.
  Buffers buffers() const noexcept;
  /// Packed bytes that one exchange sends to other processes, and how many messages that takes.
  std::int64_t bytes_sent() const noexcept;
  std::int64_t messages_sent() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::halo
