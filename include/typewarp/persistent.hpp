// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <memory>

namespace typewarp {

/// An operation of engine.hpp that is prepared once and started many times, after MPI's persistent operations
/// (MPI 4.1, section 3.9): for small messages, whose cost is that of a launch. Where a device is involved, a
/// start is one launch of a GPU graph, which was instantiated before, and runs at the stream's priority. It
/// allocates nothing and waits for nothing. done() and wait() know sooner that the bytes are there than a
/// call that waits for the stream.
///
/// Keeps the plans. The memory of both sides is the caller's and must live until what was started is
/// done. Its kind (pageable host, pinned, managed, device) is asked when pointers are given, not at a start.
/// Not safe for use by several threads at once; different objects are.
///
/// May be destroyed while a start is in flight: that waits for nothing, and the bytes still arrive.
class Persistent {
 public:
  /// Lets the operation run on the source's device, if it is a device's, else on the destination's.
  static constexpr int device_of_data = -1;

  // Arguments, which must not overlap, and what is thrown for them, are those of engine.hpp. `device`
  // executes; it is ignored where no device is involved. Beyond that throws InvalidArgument that names
  //   - the argument that is pageable host memory while the other side is a device's,
  //   - the argument that lies on a device whose memory `device` cannot reach,
  //   - a `device` that does not exist.
  // The first operation on a device loads kernels, as in engine.hpp. GpuError if the GPU's runtime refuses
  // the work.

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

  /// Enqueues the operation on `stream` once more. Starts of one object follow each other, on whatever
  /// streams they are: each begins when the one before it is done. Where no device is involved, bytes move at
  /// once and order with nothing. A default stream is that of the device that executes. Throws
  /// InvalidArgument for a stream that is captured, GpuError for a failing launch.
  void start(Stream stream = {});

  /// The same, on the same device, between other addresses, which stay: what was buffer and packed at a pack
  /// is `source` and `destination`, and so on. Starts before this one keep theirs. Costs three times a
  /// start's price, unless both addresses are those of the start before; where addresses alternate among a
  /// few, an object for each is cheaper. Throws what the factories throw, with the names of these arguments,
  /// and then nothing has changed. Waits for the starts before it if other addresses need another kind of
  /// work, such as a copy engine instead of a kernel.
  void start(const void* source, void* destination, Stream stream = {});

  /// Whether all starts are done: their bytes are in place, and the host sees them where it can address them.
  /// True before the first start. Throws GpuError for what failed on the device.
  bool done();

  /// Returns when done(). Spins on the calling processor.
  void wait();

 private:
  struct State;
  explicit Persistent(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace typewarp
