// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// The device of a stream; -1 for the default streams, which exist on every device. The driver does not tell
/// the device of a stream that is being captured; then it is the current device, as for a kernel that the
/// caller would launch there.
int stream_device(Stream stream);
/// Whether it is the default stream of the process, which other streams wait for.
bool is_legacy(Stream stream) noexcept;
/// Whether `stream` has completed everything that it holds. Always false for the default streams, and for
/// those that wait for the legacy one. Throws GpuError for what failed there.
bool idle(Stream stream);
/// Throws GpuError for a device that has failed, which every stream of it reports. Also while a thread
/// captures.
void check_alive(int device);
/// Whether `stream` is being captured into a graph, when nothing may wait for it.
bool capturing(Stream stream);

/// What a stream of the library is for. Packing and unpacking use a link in opposite directions at the same
/// time. Consecutive pieces alternate between two streams, so that one begins while the previous one ends.
enum class StreamRole : std::uint8_t { preparation, packing, unpacking, packing_odd, unpacking_odd, flags };
inline constexpr std::size_t stream_roles = 6;
/// Those of piece `number`.
constexpr StreamRole packing_role(std::int64_t number) {
  return number % 2 == 0 ? StreamRole::packing : StreamRole::packing_odd;
}
constexpr StreamRole unpacking_role(std::int64_t number) {
  return number % 2 == 0 ? StreamRole::unpacking : StreamRole::unpacking_odd;
}
/// A stream of the library's own on `device`, which orders with no other. Except for preparation it has the
/// priority that the argument or the environment asks for, and otherwise the highest: other ranks wait for
/// what it moves, and if one long kernel fills the device, thread blocks of normal priority start only after
/// all of its blocks have started. The stream is shared: nothing enqueued there may wait for another stream.
Stream private_stream(int device, StreamRole role = StreamRole::preparation,
                      Priority priority = Priority::automatic);

/// A stream of the highest priority that orders with no other. Its destructor does not wait for what it
/// holds.
class OwnStream {
 public:
  explicit OwnStream(int device);
  OwnStream& operator=(OwnStream&&) = delete;
  ~OwnStream();

  Stream get() const noexcept { return stream_; }

 private:
  Stream stream_ = nullptr;
};

}  // namespace typewarp::gpu
