// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// The device of a stream; -1 for the default streams, which exist on every device. While a stream is
/// captured the driver does not tell, and the current device is taken, as for a kernel that the caller would
/// launch there.
int stream_device(Stream stream);
/// Whether it is the default stream of the process, which other streams wait for.
bool is_legacy(Stream stream) noexcept;
/// Whether `stream` has done all that it holds. False for streams of which that is not asked: the default
/// streams, and those that wait for the legacy one.
/// Throws GpuError for what failed there.
bool idle(Stream stream);
/// Whether `stream` is being captured into a graph, when nothing may wait for it.
bool capturing(Stream stream);

/// What a stream of the library's own is for. Packing and unpacking use a link in opposite directions at
/// once, and pieces that follow each other take turns between two streams: one begins while the one before it
/// ends.
enum class StreamRole : std::uint8_t { preparation, packing, unpacking, packing_odd, unpacking_odd };
inline constexpr std::size_t stream_roles = 5;
/// Those of piece `number`.
constexpr StreamRole packing_role(std::int64_t number) {
  return number % 2 == 0 ? StreamRole::packing : StreamRole::packing_odd;
}
constexpr StreamRole unpacking_role(std::int64_t number) {
  return number % 2 == 0 ? StreamRole::unpacking : StreamRole::unpacking_odd;
}
/// A stream of the library's own on `device`, which orders with no other. But for preparation it has the
/// priority that is wanted, here or by the environment, and else the highest: other ranks wait for what is
/// moved there, and where one long kernel fills the device, the thread blocks of usual priority begin when
/// all of that one's have. It is shared: nothing enqueued there may wait for another stream.
Stream private_stream(int device, StreamRole role = StreamRole::preparation,
                      Priority priority = Priority::automatic);

/// A stream of the highest priority that orders with no other. Going does not wait for what it holds.
class OwnStream {
 public:
  explicit OwnStream(int device);
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream();

  Stream get() const noexcept { return stream_; }

 private:
  Stream stream_ = nullptr;
};

}  // namespace typewarp::gpu
