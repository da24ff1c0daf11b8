// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/dispatch.hpp"

#include <typewarp/host.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace typewarp::engine {
namespace {

constexpr std::int64_t chunk_bytes = std::int64_t{4} << 20;
/// Chunks start at multiples of the widest word, so that only the first and the last byte range are odd.
constexpr std::int64_t widest_word = 16;
constexpr std::size_t stages = 2;

/// A pinned chunk, and when its bytes are in (filled) and out again (drained).
class Stage {
 public:
  explicit Stage(std::int64_t bytes) : buffer_(bytes) {}
  Stage& operator=(Stage&&) = delete;
  ~Stage() {
    // The buffer goes back to the pool: nothing may still use it, however the move ended.
    const bool filled = ended(filled_);
    const bool drained = ended(drained_);
    if (!filled || !drained) buffer_.abandon();
  }

  std::byte* data() const noexcept { return buffer_.data(); }
  void mark_filled(const PlacedSide& by) { mark(filled_, by); }
  void mark_drained(const PlacedSide& by) { mark(drained_, by); }
  void await_filled() { await(filled_); }
  void await_drained() { await(drained_); }

 private:
  void mark(std::optional<gpu::Event>& event, const PlacedSide& by) {
    if (!by.device) return;
    try {
      event.emplace(by.device->device, by.device->stream);
    } catch (...) {
      buffer_.abandon();  // a device uses it, and nobody will learn until when
      throw;
    }
  }
  static void await(std::optional<gpu::Event>& event) {
    if (!event) return;
    event->wait();
    event.reset();
  }
  static bool ended(std::optional<gpu::Event>& event) noexcept {
    try {
      await(event);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  gpu::PinnedBuffer buffer_;
  std::optional<gpu::Event> filled_, drained_;
};

void move_by(const PlacedSide& by, const gpu::Side& destination, const gpu::Side& source, ByteRange range) {
  if (!by.device) return move_on_host(destination, source, range);
  gpu::copy(destination, source, range, *by.device);
}

/// `side` of a move of `whole`, as a side of a move of `part` of it.
gpu::Side part_of(const gpu::Side& side, ByteRange whole, ByteRange part) {
  if (side.plan != nullptr) return side;
  return {nullptr, part.end - part.begin, static_cast<std::byte*>(side.address) + (part.begin - whole.begin),
          side.memory};
}

}  // namespace

void move_on_host(const gpu::Side& destination, const gpu::Side& source, ByteRange range) {
  if (destination.plan != nullptr && source.plan != nullptr) {
    host::copy(source.address, source.count, *source.plan, destination.address, destination.count,
               *destination.plan, range);
  } else if (source.plan != nullptr) {
    host::pack(source.address, source.count, *source.plan, destination.address, range);
  } else if (destination.plan != nullptr) {
    host::unpack(source.address, destination.address, destination.count, *destination.plan, range);
  } else {
    std::memcpy(destination.address, source.address, static_cast<std::size_t>(range.end - range.begin));
  }
}

void move_staged(const PlacedSide& destination, const PlacedSide& source, ByteRange range) {
  const std::int64_t origin = range.begin / widest_word * widest_word;
  const std::int64_t chunks = (range.end - origin + chunk_bytes - 1) / chunk_bytes;
  const std::int64_t capacity = std::min(chunk_bytes, range.end - origin);
  std::array<std::optional<Stage>, stages> pool;

  const auto stage_of = [&](std::int64_t k) -> Stage& {
    std::optional<Stage>& stage = pool[static_cast<std::size_t>(k) % stages];
    if (!stage) stage.emplace(capacity);
    return *stage;
  };
  const auto part = [&](std::int64_t k) {
    const std::int64_t begin = origin + k * chunk_bytes;
    return ByteRange{std::max(begin, range.begin), std::min(begin + chunk_bytes, range.end)};
  };
  const auto staged = [&](std::int64_t k) {
    const auto [begin, end] = part(k);
    return gpu::Side{nullptr, end - begin, stage_of(k).data() + (begin - origin - k * chunk_bytes),
                     MemoryKind::pinned};
  };
  const auto fill = [&](std::int64_t k) {
    stage_of(k).await_drained();
    move_by(source, staged(k), part_of(source.side, range, part(k)), part(k));
    stage_of(k).mark_filled(source);
  };
  const auto drain = [&](std::int64_t k) {
    stage_of(k).await_filled();
    move_by(destination, part_of(destination.side, range, part(k)), staged(k), part(k));
    stage_of(k).mark_drained(destination);
  };

  // A device fills the next chunk while the host drains this one; where the host fills, a device drains
  // behind it.
  const std::int64_t lead = source.device ? 1 : 0;
  for (std::int64_t k = 0; k < chunks + lead; ++k) {
    if (k < chunks) fill(k);
    if (k >= lead) drain(k - lead);
  }
  for (std::optional<Stage>& stage : pool) {
    if (stage) stage->await_drained();
  }
}

}  // namespace typewarp::engine
