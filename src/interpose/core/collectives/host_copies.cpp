// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/host_copies.hpp"

#include "plan/bounds.hpp"

#include <typewarp/error.hpp>
#include <typewarp/host.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::interpose {
namespace {

plan::Bounds bounds_of(const Data& data) {
  const auto found = plan::bounds(data.plan, data.count);
  if (!found)
    throw InvalidArgument("typewarp", "count", data.count, "items lie further apart than 64 bits count");
  return *found;
}

/// Of a regular side, all its blocks.
Data all_of(const CallSide& side) { return data_needed(side.buffer, side.items(), side.type, side.comm); }

}  // namespace

PackedBlocks::PackedBlocks(const CallSide& of)
    : memory_(staging_for_moves(std::max<std::int64_t>(of.bytes(), 1))), displacements_(of.displacements) {
  if (of.is_regular()) {
    add(all_of(of));
  } else {
    blocks_.reserve(of.size);
    for (std::size_t i = 0; i < of.size; ++i) add(of.data(i));
  }
  given_ = of;
  given_.buffer = memory_.data();
  place(of);
}

void PackedBlocks::add(Data data) {
  const std::int64_t place = bytes_;
  bytes_ += data.bytes();
  blocks_.push_back({std::move(data), place});
}

/// Tells where the blocks are. Of one datatype for all, displacements are in items.
void PackedBlocks::place(const CallSide& of) {
  const bool has_types = of.placing == CallSide::Placing::in_bytes;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const PlacedData& block = blocks_[i];
    const std::int64_t size = block.data.plan.size();
    if (!of.is_regular()) displacements_.add(!has_types && size != 0 ? block.place / size : block.place);
    if (has_types || i == 0) types_.add(block.data, of.type_of(i));
  }
  if (!of.is_regular()) given_.displacements = displacements_.array();
  given_.type = blocks_.empty() ? MPI_BYTE : types_.data()[0];
  given_.types = types_.data();
}

void PackedBlocks::pack() {
  Moves moves;
  if (blocks_.size() == 1) {
    moves.pack(blocks_.front().data, memory_.data());
  } else {
    moves.pack(blocks_, memory_.data());
  }
  moves.reached(true);
}

void PackedBlocks::unpack(Moves& moves, std::int64_t bytes) {
  if (blocks_.size() == 1) return moves.unpack(memory_.data(), bytes, blocks_.front().data);
  moves.unpack(memory_.data(), blocks_);
}

OperandCopy::OperandCopy(const CallSide& of)
    : data_(all_of(of)),
      packed_(staging_for_moves(data_.bytes())),
      lowest_(bounds_of(data_).lowest),
      is_packed_(transport::consecutive(data_.plan, data_.count)) {
  if (!is_packed_) {
    // Operations of the program's may count on the alignment that its buffer has.
    constexpr std::int64_t alignment = 64;
    const std::int64_t end = bounds_of(data_).end;
    lowest_ -= (lowest_ % alignment + alignment) % alignment;
    spread_ = transport::HostBuffer(end - lowest_);
  }
  bytes_ = data_.bytes();
  given_ = of;
  given_.buffer = image();
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
