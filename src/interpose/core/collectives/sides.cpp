// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/sides.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "mpi/large.hpp"
#include "plan/bounds.hpp"

#include <typewarp/error.hpp>
#include <typewarp/host.hpp>
#include <typewarp/mpi.hpp>

namespace typewarp::interpose {
namespace {

plan::Bounds bounds_of(const Data& data) {
  const auto found = plan::bounds(data.plan, data.count);
  if (!found)
    throw InvalidArgument("typewarp", "count", data.count, "items lie further apart than 64 bits count");
  return *found;
}

}  // namespace

std::int64_t packed_bytes(std::int64_t items, MPI_Datatype type) noexcept {
  if (items <= 0 || type == MPI_DATATYPE_NULL) return 0;
  try {
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(items, mpi::size(type), &bytes) ? 0 : bytes;
  } catch (const MpiError&) {
    return 0;
  }
}

EvenCopy::EvenCopy(const EvenBlocks& of)
    : of_(of),
      data_(data_needed(of.buffer, of.items(), of.type, of.comm)),
      memory_(staging_for_moves(data_.bytes())),
      type_(data_, of.type) {}

void EvenCopy::pack() {
  Moves moves;
  moves.pack(data_, memory_.data());
  moves.reached(true);
}

OperandCopy::OperandCopy(const Operand& of)
    : of_(of),
      data_(data_needed(of.buffer, of.count, of.type, of.comm)),
      packed_(staging_for_moves(data_.bytes())),
      lowest_(bounds_of(data_).lowest),
      is_packed_(transport::consecutive(data_.plan, data_.count)) {
  if (is_packed_) return;
  // Operations of the program's may count on the alignment that its buffer has.
  constexpr std::int64_t alignment = 64;
  const std::int64_t end = bounds_of(data_).end;
  lowest_ -= (lowest_ % alignment + alignment) % alignment;
  spread_ = transport::HostBuffer(end - lowest_);
}

void OperandCopy::pack() {
  Moves moves;
  moves.pack(data_, packed_.data());
  moves.reached(true);
  if (!is_packed_) host::unpack(packed_.data(), image(), data_.count, data_.plan, {0, data_.bytes()});
}

void OperandCopy::unpack(Moves& moves, std::int64_t bytes) {
  if (!is_packed_) host::pack(image(), data_.count, data_.plan, packed_.data(), {0, bytes});
  moves.unpack(packed_.data(), bytes, data_);
}

}  // namespace typewarp::interpose
