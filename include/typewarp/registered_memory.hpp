// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/stream.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace typewarp {

/// `bytes` bytes from `address` on.
struct MemoryRange {
  void* address;
  std::int64_t bytes;
};

/// How memory is registered.
struct RegistrationOptions {
  /// Numbers by which peers tell how far they are, all 0 at first. Who waits for one relies on peers to let
  /// it only grow.
  int signals = 0;
  /// A call that has waited for peers for so long fails. 0: it waits for ever.
  std::chrono::milliseconds time_limit{0};
};

/// Memory of GPUs that other processes of this user on this host may read and write, without a call of this
/// one. A handle, sent to them in any way (a file, a socket, a store), is all that they need: no MPI. They
/// make a RemoteMemory of it.
///
/// The memory is the caller's, and must live until end() has returned or the object is gone. A child made by
/// fork() cannot use it, and does not end it. An object must not be used by several threads at once;
/// different objects may be.
class RegisteredMemory {
 public:
  /// Processes that have it as RemoteMemory at a time; one that has it twice counts twice.
  static constexpr int most_peers = 64;
  /// Of one object.
  static constexpr int most_ranges = 65536, most_signals = 65536;

  /// Each range lies in one allocation of cudaMalloc, all of which peers map: PyTorch and CuPy take memory so
  /// unless told otherwise. May wait for the device. Throws InvalidArgument that names "ranges[i].address",
  /// "ranges[i].bytes", "options.signals" or "options.time_limit", with the reason where memory is of another
  /// kind; Error where the system has no memory; GpuError.
  explicit RegisteredMemory(std::span<const MemoryRange> ranges, const RegistrationOptions& options = {});
  RegisteredMemory(RegisteredMemory&&) noexcept;
  RegisteredMemory& operator=(RegisteredMemory&&) noexcept;
  /// Calls end(). If the time limit passes, streams that wait go on too, and peers may still write to the
  /// memory.
  ~RegisteredMemory();

  /// Plain bytes; the same each time. Valid until end(). Whoever has them, as the same user, can read and
  /// write the memory.
  std::span<const std::byte> handle() const noexcept;

  /// The last number that signal `signal` was given; the highest of 64 bits after end(). What a peer enqueued
  /// before it is there.
  std::int64_t signal(int signal) const;
  /// Gives it a number, as a peer would, at once, also a lower one. Throws InvalidArgument that names
  /// "signal" or "value"; Error after end().
  void raise(int signal, std::int64_t value);
  /// Enqueues on `stream`: later work on it begins when the signal is at least `value`, which is not
  /// negative. A default stream is that of the device that has the first range. Cannot be captured into a
  /// graph. Waits for nothing, unless 32 such waits are under way. Throws InvalidArgument that names
  /// "signal", "value" or "stream"; Error after end(); TimeLimitExceeded; GpuError. end() releases a stream
  /// that waits for a peer that is gone.
  void wait(int signal, std::int64_t value, Stream stream);
  /// Returns when the signal is at least `value`. Throws as above, and TimeLimitExceeded.
  void wait(int signal, std::int64_t value);

  /// Returns when what peers have begun so far is done, or 100 ms after their process has ended. Throws
  /// TimeLimitExceeded. Other threads may use the object meanwhile; of several that call this, one waits
  /// after the other.
  void wait_for_peers();
  /// Refuses further work of peers, and returns when what they have enqueued is done, or 100 ms after their
  /// process has ended. Then lets all streams go on that wait here; what they do next may find memory that no
  /// peer has written. Throws TimeLimitExceeded, after which it may be called again; GpuError.
  void end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Work that reads or writes the memory is enqueued between begin() and finish(): by IndexedCopy, copy(), a
/// kernel, or anything else that a stream orders. So pages are put or got in one launch:
///
///     IndexedCopy put(mine, items_of(remote.ranges()));
///     remote.use(stream, [&] { put.copy(from, to, count, stream); }, {.signal = 0, .value = step});
///
/// An object must not be used by several threads at once; different objects may be.
class RemoteMemory {
 public:
  /// The signal that finish() raises; none below 0.
  struct Notice {
    int signal = -1;
    std::int64_t value = 0;  ///< not negative
  };

  /// Opens the memory that a handle names, for use by `device`; -1: the current one. May wait for devices.
  /// Throws InvalidArgument that names "handle" or "device"; Error where the memory is of another host, user
  /// or container, its process has ended it or itself, `device` does not reach it, or too many peers have it;
  /// GpuError.
  explicit RemoteMemory(std::span<const std::byte> handle, int device = -1);
  RemoteMemory(RemoteMemory&&) noexcept;
  RemoteMemory& operator=(RemoteMemory&&) noexcept;
  /// Waits for the work on it, after finish() if that was not called. May wait for devices. If a finish() has
  /// failed, the owner waits until this process ends.
  ~RemoteMemory();

  /// The ranges as they were registered, by the addresses that `device` has for them. They are of use as long
  /// as this lives.
  std::span<const MemoryRange> ranges() const noexcept;
  int signals() const noexcept;
  int device() const noexcept;
  /// The last number that a signal was given; the highest of 64 bits when the memory has been ended. Throws
  /// InvalidArgument that names "signal".
  std::int64_t signal(int signal) const;

  /// Throws Error if the memory has been ended, or its process has. What was got is right if this passes
  /// after the stream has done it. Takes a system call, of some microseconds.
  void check() const;

  /// Before work is enqueued on `stream`, one of `device` or its default stream: keeps end() from returning
  /// until that is done. Waits for nothing, unless 32 such pieces of work are under way. Throws as check(),
  /// but may miss for a millisecond that the owner's process has ended; InvalidArgument that names "stream",
  /// one that is captured too; Error without finish() after the last begin(), or if a finish() has failed.
  void begin(Stream stream);
  /// After it, on the same stream. Raises a signal when the stream comes to it. Throws InvalidArgument that
  /// names "notice.signal" or "notice.value", and has finished without a signal then; Error without begin();
  /// GpuError.
  void finish(Stream stream, Notice notice);
  void finish(Stream stream) { finish(stream, {}); }

  /// Calls `enqueue` between the two. What it throws is thrown on, and no signal is raised then.
  template <typename Enqueue>
  void use(Stream stream, Enqueue&& enqueue, Notice notice) {
    begin(stream);
    try {
      enqueue();
    } catch (...) {
      finish(stream);
      throw;
    }
    finish(stream, notice);
  }
  template <typename Enqueue>
  void use(Stream stream, Enqueue&& enqueue) {
    use(stream, static_cast<Enqueue&&>(enqueue), {});
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp
