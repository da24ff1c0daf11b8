// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <memory>
#include <span>

namespace typewarp {

/// `count` items of a plan at `buffer`, whose packed bytes begin `place` bytes into the packed buffer.
struct Piece {
  void* buffer;
  std::int64_t count;
  Plan plan;
  std::int64_t place;
};

/// Many pieces of different types that are packed and unpacked together: all directions and fields of a halo
/// exchange, or all messages of an all-to-all. If one device can access everything, up to some hundreds of
/// pieces take one kernel, and what the kernels need is prepared once: pack() and unpack() then cost the
/// launch of a GPU graph. Otherwise the pieces are moved one after the other, as in engine.hpp.
///
/// Keeps the plans. The memory is the caller's, and must live until the work on it is done. May be destroyed
/// while work is in flight. An object must not be used by several threads at once; different objects may be.
class Batch {
 public:
  /// Launches nothing. Pieces that are written must not overlap, nor may their packed bytes: this
  /// is not checked. Throws InvalidArgument that names "pieces", with the index, for a negative
  /// count or place, or more than 64 bits of bytes; and "packed" if it is null although there are
  /// bytes.
  Batch(std::span<const Piece> pieces, void* packed);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  /// Enqueues the pack, or unpack, of all pieces on `stream`. Stream semantics and errors are those of
  /// engine.hpp, for the kinds of memory that the pieces had when the object was made. The first call of each
  /// allocates; the kernels have the stream's priority. A call is ordered after the work that `stream` holds,
  /// not after other calls of the object on other streams. If a call is captured into a graph, the object
  /// must live as long as the graph is replayed.
  void pack(Stream stream = {});
  void unpack(Stream stream = {});

 private:
  friend void pack(std::span<const Piece>, void*, Stream);
  friend void unpack(const void*, std::span<const Piece>, Stream);

  struct State;
  std::unique_ptr<State> state_;
};

// The same once, without an object.

void pack(std::span<const Piece> pieces, void* packed, Stream stream = {});
void unpack(const void* packed, std::span<const Piece> pieces, Stream stream = {});

}  // namespace typewarp
