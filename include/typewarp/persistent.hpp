// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <memory>

namespace typewarp {

/// An operation of engine.hpp that is prepared once and started many times, like MPI's persistent
/// operations (MPI 4.1, section 3.9): for small messages, whose cost is that of a launch. If a device is
/// involved, a start launches a GPU graph that was instantiated before, at the stream's priority. It
/// allocates nothing and waits for nothing. done() and wait() notice completion sooner than a call that
/// waits for the stream.
///
/// Keeps the plans. The memory of both sides is the caller's and must live until the operations on it are
/// done. Its kind (pageable host, pinned, managed, device) is determined when the pointers are given, not
/// at a start. An object must not be used by several threads at once; different objects may be.
///
/// May be destroyed while a start is in flight: the destructor does not wait, and the bytes still arrive.
class Persistent {
 public:
  /// Runs the operation on the source's device if the source is device memory, else on the destination's.
  static constexpr int device_of_data = -1;

  // The arguments, which must not overlap, and the errors for them are those of engine.hpp. `device`
  // executes; it is ignored if no device is involved. These also throw InvalidArgument that names
  //   - the argument that is pageable host memory while the other side is device memory,
  //   - the argument that is on a device whose memory `device` cannot access,
  //   - a `device` that does not exist.
  // The first operation on a device loads kernels, as in engine.hpp. They throw GpuError if the GPU's runtime
  // refuses the work.

  static Persistent pack_init(const void* buffer, std::int64_t count, const Plan& plan, void* packed);
  static Persistent pack_init(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
                              ByteRange range, int device = device_of_data);

  static Persistent unpack_init(const void* packed, void* buffer, std::int64_t count, const Plan& plan);
  static Persistent unpack_init(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
                                ByteRange range, int device = device_of_data);

  static Persistent copy_init(const void* source, std::int64_t source_count, const Plan& source_plan,
                              void* destination, std::int64_t destination_count,
                              const Plan& destination_plan);
  static Persistent copy_init(const void* source, std::int64_t source_count, const Plan& source_plan,
                              void* destination, std::int64_t destination_count, const Plan& destination_plan,
                              ByteRange range, int device = device_of_data);

  Persistent(Persistent&&) noexcept;
  Persistent& operator=(Persistent&&) noexcept;
  ~Persistent();

  /// Enqueues the operation on `stream`. Starts of one object follow each other, whatever streams they are
  /// on: each begins when the one before it is done. If no device is involved, the bytes are moved
  /// immediately, and no stream orders them. A default stream is that of the executing device. Throws
  /// InvalidArgument for a stream that is being captured, GpuError for a failing launch.
  void start(Stream stream = {});

  /// The same, on the same device, between other addresses, which later starts keep: `source` and
  /// `destination` stand for the buffer and the packed bytes of a pack, and so on. Earlier starts keep
  /// theirs. This costs three times as much as a start, unless both addresses are those of the start before;
  /// if addresses alternate among a few, one object for each is cheaper. Throws what the factories throw,
  /// with the names of these arguments, and then nothing has changed. Waits for earlier starts if the other
  /// addresses need another kind of work, such as a copy engine instead of a kernel.
  void start(const void* source, void* destination, Stream stream = {});

  /// Whether all starts are done: their bytes are in place, and visible to the host if it can address them.
  /// True before the first start. Throws GpuError if a start failed on the device.
  bool done();

  /// Returns when done(). Spins on the calling processor.
  void wait();

 private:
  struct State;
  explicit Persistent(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace typewarp
