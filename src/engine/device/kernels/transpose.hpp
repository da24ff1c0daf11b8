// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/device/kernels/method_row.hpp"

#include <typewarp/plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// Moves between packed bytes and layouts whose neighbours in the packed stream lie far apart in memory,
/// while neighbours in memory lie far apart in the stream: transposed matrices and permuted arrays. Tiles
/// that are wide on both sides pass through shared memory, so that both sides are read and written in whole
/// lines.
namespace typewarp::gpu {

/// One level of a nested regular repetition: a step on it is a step on either side.
struct Axis {
  std::int64_t count;
  std::int64_t packed;  ///< words of the packed stream
  std::int64_t memory;  ///< bytes of the user's memory
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Axes of more than one step, those that are fastest in the packed stream first.
struct Axes {
  std::array<Axis, Strided::capacity> axis{};
  std::size_t depth = 0;

  const Axis* begin() const noexcept { return axis.data(); }
  const Axis* end() const noexcept { return axis.data() + depth; }
  void add(const Axis& next) {
    if (next.count > 1) axis[depth++] = next;
  }
};

/// A strided layout that is worth moving in tiles, in words of `word` bytes.
struct Transposition {
  int word = 1;
  Axes axes;

  /// Bytes from the first byte of the layout to word `index` of the packed stream.
  std::int64_t offset(std::int64_t index) const noexcept;
};

/// The layout `shape`, which is regular, as a transposition; std::nullopt where it has only one axis, or an
/// index of a word or an offset within a tile needs more than 31 bits. `word` is a power of two <= 16 that
/// divides the run and every stride.
std::optional<Transposition> transposition(const Strided& shape, int word);

/// Whether tiles are faster than kernels that go word by word. `bytes` is how many are to be moved at a time.
bool tiles_pay(const Shape& shape, std::int64_t bytes);

/// The layout of a move, if it can be moved in tiles.
template <typename Move>
std::optional<Transposition> tiled(const Move& move) {
  if (!move.has_packed_side() || move.layout().shape().lookup != Lookup::none) return std::nullopt;
  return transposition(move.layout().shape().strided, 1 << move.word_log2);
}

/// What to move. `word` of the transposition divides both addresses.
struct TransposedMove {
  Direction direction;
  std::byte* user;    ///< where the first byte of the layout lies
  std::byte* packed;  ///< where byte 0 of the packed stream lies or would lie
  ByteRange range;    ///< of the packed stream; may begin and end inside a word
};

/// Enqueues the move: one kernel; or three where elements of up to four bytes are moved several at a time,
/// and a long range begins or ends within such groups. The context's device is current. Throws GpuError if
/// that fails.
void launch_transposed(const Transposition& transposition, const TransposedMove& move,
                       const LaunchContext& context);

extern const MethodRow transposed_row;

}  // namespace typewarp::gpu
