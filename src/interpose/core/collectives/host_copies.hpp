// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/byte_type.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/collectives/call.hpp"
#include "transport/buffer/staging.hpp"

#include <cstdint>
#include <vector>

/// Copies in host memory of what a call sends or receives, which the MPI is given in its place. Other ranks
/// need not know of them, since a copy has the same signature.
namespace typewarp::interpose {

class HostCopy {
 public:
  HostCopy& operator=(HostCopy&&) = delete;
  virtual ~HostCopy() = default;

  /// Fills it. Throws GpuError.
  virtual void pack() = 0;
  /// Brings back what came into it: all of it, or only the first so many bytes of the packed stream, which
  /// takes a copy of one block. Enqueued; throws GpuError.
  virtual void unpack(Moves& moves, std::int64_t bytes) = 0;
  void unpack(Moves& moves) { unpack(moves, bytes()); }
  /// As a side of the call. Valid as long as this and the call's counts.
  const CallSide& given() const noexcept { return given_; }
  /// Of the packed stream.
  std::int64_t bytes() const noexcept { return bytes_; }

 protected:
  CallSide given_;
  std::int64_t bytes_ = 0;
};

/// The blocks packed, one after the other, as items of so many bytes.
class PackedBlocks final : public HostCopy {
 public:
  /// The side's arrays are needed meanwhile only. Throws InvalidArgument, also for displacements beyond what
  /// the call can count, MpiError, GpuError, std::bad_alloc.
  explicit PackedBlocks(const CallSide& of);

  void pack() override;
  void unpack(Moves& moves, std::int64_t bytes) override;
  using HostCopy::unpack;

 private:
  void add(Data data);
  void place(const CallSide& of);

  std::vector<PlacedData> blocks_;
  transport::Staging memory_;
  IntList displacements_;
  PackedTypes types_;
};

/// What an operation takes or gives: the same items, lying as they do where they come from, since the
/// operation has to be told their datatype.
class OperandCopy final : public HostCopy {
 public:
  /// Throws InvalidArgument, GpuError, std::bad_alloc.
  explicit OperandCopy(const CallSide& of);

  void pack() override;
  void unpack(Moves& moves, std::int64_t bytes) override;
  using HostCopy::unpack;

 private:
  /// What stands for the buffer.
  void* image() const noexcept { return at(is_packed_ ? packed_.data() : spread_.data(), -lowest_); }

  Data data_;
  transport::Staging packed_;
  transport::HostBuffer spread_;  ///< none where the packed items lie as the others
  std::int64_t lowest_;           ///< byte of the items, from the buffer
  bool is_packed_;
};

}  // namespace typewarp::interpose
