// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers.hpp"
#include "interpose/core/messages.hpp"
#include "interpose/core/streams.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/mpi.hpp>

#include <limits>
#include <vector>

/// The blocks of collective calls: where each lies, and their copies in host memory.
namespace typewarp::interpose {

/// One side as a call gives it. `Types` is one datatype for all blocks, in whose extents displacements are
/// then, or one for each, where they are in bytes.
template <class Count, class Displacement, class Types>
struct Blocks {
  const void* buffer;
  const Count* counts;
  const Displacement* displacements;
  Types types;
  std::size_t size;

  MPI_Datatype type(std::size_t i) const noexcept {
    if constexpr (one_type) {
      return types;
    } else {
      return types[i];
    }
  }
  /// Throws InvalidArgument for a datatype without a plan.
  const Plan& plan(std::size_t i) const { return plan_needed(type(i)); }
  /// By integers, since a buffer of absolute addresses is null.
  void* address(std::size_t i) const {
    const std::int64_t unit = one_type ? plan(i).extent() : 1;
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                   static_cast<std::uintptr_t>(displacements[i] * unit));
  }
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += counts[i] * plan(i).size();
    return sum;
  }
  bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
  bool any_is_on_device() const {
    for (std::size_t i = 0; !in_place() && i < size; ++i) {
      if (counts[i] > 0 && packed_is_ours(first_byte(address(i), plan(i)))) return true;
    }
    return false;
  }
  bool any_is_ours() const {
    for (std::size_t i = 0; !in_place() && i < size; ++i) {
      if (counts[i] > 0 && plan_if_ours(address(i), counts[i], type(i)) != nullptr) return true;
    }
    return false;
  }

  static constexpr bool one_type = std::is_same_v<Types, MPI_Datatype>;
};

/// The same blocks packed, in host memory, one after the other, as bytes.
template <class Count, class Displacement, class Types>
class PackedBlocks {
 public:
  explicit PackedBlocks(const Blocks<Count, Displacement, Types>& of)
      : of_(of), memory_(host, of.bytes() + 1) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < of.size; ++i) {
      places_.push_back(place);
      place += of.counts[i] * of.plan(i).size();
    }
  }
  PackedBlocks(const PackedBlocks&) = delete;
  PackedBlocks& operator=(const PackedBlocks&) = delete;
  ~PackedBlocks() {
    for (MPI_Datatype& type : types_) PMPI_Type_free(&type);
  }

  void pack() {
    for (std::size_t i = 0; i < of_.size; ++i) {
      if (of_.counts[i] == 0) continue;
      typewarp::pack(of_.address(i), of_.counts[i], of_.plan(i), memory_.data() + places_[i], stream());
    }
    wait_for_stream();
  }
  void unpack() {
    for (std::size_t i = 0; i < of_.size; ++i) {
      if (of_.counts[i] == 0) continue;
      typewarp::unpack(memory_.data() + places_[i], of_.address(i), of_.counts[i], of_.plan(i), stream());
    }
    wait_for_stream();
  }
  /// As the call wants them, with the same counts. Valid as long as this. Throws InvalidArgument for
  /// displacements beyond what the call can count, MpiError.
  Blocks<Count, Displacement, Types> as_bytes() {
    for (std::size_t i = 0; i < of_.size; ++i) {
      const std::int64_t size = of_.plan(i).size();
      const std::int64_t unit = of_.one_type && size != 0 ? size : 1;
      if (places_[i] / unit > std::numeric_limits<Displacement>::max()) {
        throw InvalidArgument("typewarp", "counts", places_[i], "bytes are more than this call can count");
      }
      displacements_.push_back(static_cast<Displacement>(places_[i] / unit));
      if (!of_.one_type || types_.empty()) types_.push_back(bytes_of(size));
    }
    if constexpr (Blocks<Count, Displacement, Types>::one_type) {
      return {memory_.data(), of_.counts, displacements_.data(), types_.empty() ? MPI_BYTE : types_[0],
              of_.size};
    } else {
      return {memory_.data(), of_.counts, displacements_.data(), types_.data(), of_.size};
    }
  }

 private:
  static constexpr transport::Route::Kind host = transport::Route::Kind::host;

  static MPI_Datatype bytes_of(std::int64_t size) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check(PMPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &made), "MPI_Type_contiguous");
    mpi::check(PMPI_Type_commit(&made), "MPI_Type_commit");
    return made;
  }

  Blocks<Count, Displacement, Types> of_;
  transport::Staging memory_;
  std::vector<std::int64_t> places_;
  std::vector<Displacement> displacements_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace typewarp::interpose
