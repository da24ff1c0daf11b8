// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/memory.hpp"
#include "hacc/block.hpp"
#include "hacc/carrier/by.hpp"

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace hacc {

/// Of messages with a block.
inline constexpr int block_tag = 1;

/// Moves one block, by one of the ways, as one packed stream: into and out of a buffer, between ranks, and to
/// and from a file. The stream is the same for all ways, so what one sends another may receive.
class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  virtual ~Carrier() = default;

  /// Packs into, or unpacks from, memory of the host, which is in place when it returns.
  virtual void pack(std::byte* packed) = 0;
  virtual void unpack(const std::byte* packed) = 0;

  /// Starts to send the block, or to receive it; finish() returns when that is done. One of them at a time.
  virtual void start_send(int destination, MPI_Comm comm) = 0;
  virtual void start_receive(int source, MPI_Comm comm) = 0;
  virtual void finish() = 0;

  /// Collective over the ranks that opened the file.
  virtual void write(MPI_File file, MPI_Offset at) = 0;
  virtual void read(MPI_File file, MPI_Offset at) = 0;
};

/// Block and stream live as long as the carrier. Throws std::bad_alloc, typewarp::Error.
std::unique_ptr<Carrier> make_carrier(By way, const Block& block, const apps::OwnedStream& stream);

/// The kind of memory of the host into which blocks are packed.
typewarp::MemoryKind staging_kind(const Block& block);

}  // namespace hacc
