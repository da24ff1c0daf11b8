// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/byte_type.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "mpi/large.hpp"
#include "transport/buffer/staging.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <limits>
#include <vector>

/// The blocks of collective calls: where each lies, and their copies in host memory.
namespace typewarp::interpose {

template <class Count, class Displacement, class Types>
class PackedBlocks;

/// One side as a call gives it. `Types` is one datatype for all blocks, in whose extents displacements are
/// then, or one for each, where they are in bytes.
template <class Count, class Displacement, class Types>
struct Blocks {
  using Copy = PackedBlocks<Count, Displacement, Types>;

  const void* buffer;
  const Count* counts;
  const Displacement* displacements;
  Types types;
  std::size_t size;
  MPI_Comm comm;

  MPI_Datatype type(std::size_t i) const noexcept {
    if constexpr (one_type) {
      return types;
    } else {
      return types[i];
    }
  }
  /// A block without items need have no datatype. Throws what data_needed() throws.
  Data data(std::size_t i) const {
    if (counts[i] == 0 && type(i) == MPI_DATATYPE_NULL) return data_needed(nullptr, 0, MPI_BYTE, comm);
    return data_needed(buffer, counts[i], type(i), comm, place(i));
  }
  /// Of all blocks packed. Throws InvalidArgument for a count below 0, MpiError.
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (counts[i] < 0)
        throw InvalidArgument("typewarp", "count", std::int64_t{counts[i]}, "must not be negative");
      if (has_items(i)) sum += counts[i] * mpi::size(type(i));
    }
    return sum;
  }
  bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
  /// Whether the program gives its blocks: in place it need not.
  bool is_given() const noexcept { return !in_place() && counts != nullptr; }

  /// Packed bytes of the longest block that is meant, where others are not.
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  /// Throw MpiError.
  bool is_longer(std::size_t i, std::int64_t longest) const {
    return longest != no_limit && has_items(i) && counts[i] > items_in(longest, type(i));
  }
  bool any_is_longer(std::int64_t longest) const {
    if (longest == no_limit || !is_given()) return false;
    if constexpr (one_type) {
      const Count most = size == 0 ? 0 : *std::max_element(counts, counts + size);
      if (most <= 0 || types == MPI_DATATYPE_NULL) return false;
      return most > items_in(longest, types);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        if (is_longer(i, longest)) return true;
      }
      return false;
    }
  }

  /// Whether one of those that are not longer is ours. Throws what data_if_ours() throws.
  bool any_is_ours(std::int64_t longest = no_limit) const {
    for (std::size_t i = 0; is_given() && i < size; ++i) {
      if (counts[i] > 0 && !is_longer(i, longest) && data_if_ours(buffer, counts[i], type(i), comm, place(i)))
        return true;
    }
    return false;
  }

  static constexpr bool one_type = std::is_same_v<Types, MPI_Datatype>;

 private:
  bool has_items(std::size_t i) const noexcept { return counts[i] > 0 && type(i) != MPI_DATATYPE_NULL; }
  static std::int64_t items_in(std::int64_t bytes, MPI_Datatype type) {
    const std::int64_t item = mpi::size(type);
    return item == 0 ? no_limit : bytes / item;
  }
  /// Of a block, in bytes. Asks the MPI: also a datatype without a plan has an extent.
  std::int64_t place(std::size_t i) const noexcept {
    MPI_Aint lb = 0;
    MPI_Aint extent = 1;
    if (one_type && type(i) != MPI_DATATYPE_NULL) PMPI_Type_get_extent(type(i), &lb, &extent);
    return displacements[i] * extent;
  }
};

/// The same blocks packed, in host memory, one after the other. The arrays of the call are needed
/// while this is made, and its counts as long as given() is used.
template <class Count, class Displacement, class Types>
class PackedBlocks {
 public:
  explicit PackedBlocks(const Blocks<Count, Displacement, Types>& of)
      : counts_(of.counts),
        comm_(of.comm),
        memory_(staging_for_moves(std::max<std::int64_t>(of.bytes(), 1))) {
    for (std::size_t i = 0; i < of.size; ++i) {
      blocks_.push_back({of.data(i), bytes_});
      const Data& data = blocks_.back().data;
      bytes_ += data.bytes();
      if (!one_type || i == 0) types_.push_back(packed_types_.emplace_back(data, of.type(i)).get());
    }
  }
  PackedBlocks(const PackedBlocks&) = delete;
  PackedBlocks& operator=(const PackedBlocks&) = delete;

  std::int64_t bytes() const noexcept { return bytes_; }
  void pack() {
    Moves moves;
    moves.pack(blocks_, memory_.data());
    moves.reached(true);
  }
  void unpack(Moves& moves) { moves.unpack(memory_.data(), blocks_); }
  /// As the call wants them. Valid as long as this; once. Throws InvalidArgument for displacements beyond
  /// what the call can count.
  Blocks<Count, Displacement, Types> given() {
    for (const PlacedData& block : blocks_) {
      const std::int64_t size = block.data.plan.size();
      const std::int64_t unit = one_type && size != 0 ? size : 1;
      if (block.place / unit > std::numeric_limits<Displacement>::max()) {
        throw InvalidArgument("typewarp", "counts", block.place, "bytes are more than this call can count");
      }
      displacements_.push_back(static_cast<Displacement>(block.place / unit));
    }
    if constexpr (one_type) {
      const MPI_Datatype type = types_.empty() ? MPI_BYTE : types_.front();
      return {memory_.data(), counts_, displacements_.data(), type, blocks_.size(), comm_};
    } else {
      return {memory_.data(), counts_, displacements_.data(), types_.data(), blocks_.size(), comm_};
    }
  }

 private:
  static constexpr bool one_type = Blocks<Count, Displacement, Types>::one_type;

  const Count* counts_;
  MPI_Comm comm_;
  std::int64_t bytes_ = 0;
  std::vector<PlacedData> blocks_;
  transport::Staging memory_;
  std::vector<Displacement> displacements_;
  std::vector<PackedType> packed_types_;
  std::vector<MPI_Datatype> types_;  ///< the same
};

}  // namespace typewarp::interpose
