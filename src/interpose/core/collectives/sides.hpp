// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/byte_type.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "transport/buffer/staging.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

/// What collective calls send or receive with one datatype and one count, and its copies in host memory. A
/// side has no blocks where it is not significant, as at a rank that is not the root.
namespace typewarp::interpose {

/// Whether (buffer, items, type) is ours. Also where it is not significant the program may pass null. Throws
/// what data_if_ours() throws.
inline bool items_are_ours(const void* buffer, std::int64_t items, MPI_Datatype type, MPI_Comm comm) {
  if (items <= 0) return false;
  const std::optional<Data> data = data_if_ours(buffer, items, type, comm);
  return data && !is_nowhere(*data);
}

/// Packed bytes of so many items; 0 of what is the MPI's to refuse, or of more than 64 bits count.
std::int64_t packed_bytes(std::int64_t items, MPI_Datatype type) noexcept;

class EvenCopy;

/// Blocks of `count` items each, one after the other.
struct EvenBlocks {
  using Copy = EvenCopy;

  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  std::size_t blocks;
  MPI_Comm comm;

  std::int64_t items() const noexcept {
    return buffer == MPI_IN_PLACE ? 0 : count * static_cast<std::int64_t>(blocks);
  }
  bool any_is_ours() const { return items_are_ours(buffer, items(), type, comm); }
};

/// Packed.
class EvenCopy {
 public:
  /// Throws InvalidArgument, MpiError, GpuError, std::bad_alloc.
  explicit EvenCopy(const EvenBlocks& of);
  EvenCopy(const EvenCopy&) = delete;
  EvenCopy& operator=(const EvenCopy&) = delete;

  void pack();
  void unpack(Moves& moves) { unpack(moves, bytes()); }
  /// Of what came only so many bytes.
  void unpack(Moves& moves, std::int64_t bytes) { moves.unpack(memory_.data(), bytes, data_); }
  EvenBlocks given() const noexcept { return {memory_.data(), of_.count, type_.get(), of_.blocks, of_.comm}; }
  std::int64_t bytes() const noexcept { return data_.bytes(); }

 private:
  EvenBlocks of_;
  Data data_;
  transport::Staging memory_;
  PackedType type_;
};

class OperandCopy;

/// What an operation takes or gives: `count` items, whose datatype the operation has to be told.
struct Operand {
  using Copy = OperandCopy;

  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  MPI_Comm comm;

  std::int64_t items() const noexcept { return buffer == MPI_IN_PLACE ? 0 : count; }
  bool any_is_ours() const { return items_are_ours(buffer, items(), type, comm); }
};

/// The same items, lying in host memory as they do where they come from.
class OperandCopy {
 public:
  /// Throws InvalidArgument, GpuError, std::bad_alloc.
  explicit OperandCopy(const Operand& of);

  void pack();
  void unpack(Moves& moves) { unpack(moves, bytes()); }
  /// Only the first so many bytes of the packed stream.
  void unpack(Moves& moves, std::int64_t bytes);
  Operand given() const noexcept { return {image(), of_.count, of_.type, of_.comm}; }
  std::int64_t bytes() const noexcept { return data_.bytes(); }

 private:
  /// What stands for the buffer.
  void* image() const noexcept { return at(is_packed_ ? packed_.data() : spread_.data(), -lowest_); }

  Operand of_;
  Data data_;
  transport::Staging packed_;
  transport::HostBuffer spread_;  ///< none where the packed items lie as the others
  std::int64_t lowest_;           ///< byte of the items, from the buffer
  bool is_packed_;
};

}  // namespace typewarp::interpose
