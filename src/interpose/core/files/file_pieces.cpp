// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/file_pieces.hpp"

#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/requests/results.hpp"
#include "base/environment.hpp"
#include "transport/mpi/point_to_point.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>

namespace typewarp::interpose {
namespace {

/// Half of this is a piece. Not tuned: a piece of 8 MiB takes 0.15 ms over PCIe, and the first one overlaps
/// nothing; a call of the MPI costs some 10 us.
constexpr std::int64_t usual = std::int64_t{16} << 20;

bool is_atomic(MPI_File file) {
  int atomic = 0;
  mpi::check(PMPI_File_get_atomicity(file, &atomic), "MPI_File_get_atomicity");
  return atomic != 0;
}

/// The pieces of a call, of which two are in host memory.
class StagingSlots {
 public:
  StagingSlots(const Data& data, std::int64_t piece) : data_(data), piece_(piece) {
    for (Slot& slot : slots_) slot.memory = staging_for_moves(std::min(piece, data.bytes()));
  }

  /// Of what is read into too: MPIs tell more than they read where a file ends, and the rest must stay.
  void pack(std::int64_t k) {
    slot(k).moves.pack(data_, range(k), slot(k).memory.data());  // behind what is unpacked from there
  }
  void unpack(std::int64_t k, std::int64_t bytes) {
    const std::int64_t begin = range(k).begin;
    slot(k).moves.unpack(slot(k).memory.data(), {begin, begin + bytes}, data_);
  }
  void finish(std::int64_t k) { slot(k).moves.reached(true); }
  void finish_all() {
    for (Slot& slot : slots_) slot.moves.reached(true);
  }
  std::byte* memory(std::int64_t k) { return slot(k).memory.data(); }
  ByteRange range(std::int64_t k) const noexcept {
    return {k * piece_, std::min((k + 1) * piece_, data_.bytes())};
  }

 private:
  struct Slot {
    transport::Staging memory;
    Moves moves;  ///< over before the memory is gone
  };
  Slot& slot(std::int64_t k) noexcept { return slots_[static_cast<std::size_t>(k % 2)]; }

  Data data_;
  std::int64_t piece_;
  std::array<Slot, 2> slots_;
};

}  // namespace

Pieces pieces_of(const FileData& file, const Data& data, std::int64_t etype_bytes) {
  const std::int64_t whole = data.bytes();
  const std::int64_t unit = std::max<std::int64_t>(etype_bytes, 1);
  const std::int64_t held = environment::number("typewarp", "TYPEWARP_FILE_BYTES").value_or(usual);
  const std::int64_t bytes = held / 2 / unit * unit;
  if (whole <= bytes || bytes == 0 || is_atomic(file.file)) return {whole, 1};
  return {bytes, (whole + bytes - 1) / bytes};
}

void move_pieces(int number, const FileData& file, const Data& data, const Pieces& pieces,
                 std::int64_t etype_bytes, std::int64_t rounds, PieceCall call, MPI_Status* status) {
  const std::int64_t unit = std::max<std::int64_t>(etype_bytes, 1);
  std::int64_t moved = 0;
  bool called = false, ended = false;
  MPI_Status told{};
  std::optional<StagingSlots> ring;
  const auto make = [&](std::int64_t k) {
    if (k == 0) ring.emplace(data, pieces.bytes).pack(0);
    ring->finish(k);
    if (k + 1 < pieces.number) ring->pack(k + 1);
    const auto [begin, end] = ring->range(k);
    called = true;
    told = {};
    const int code = call(ring->memory(k), end - begin, begin / unit, &told);
    mpi::check(code, name_of(number));
    if (!ended) {
      const std::int64_t came = transport::received_bytes(told);
      if (file.reads) ring->unpack(k, came);
      moved += came;
      ended = came < end - begin;
    }
    if (ended || k + 1 == pieces.number) ring->finish_all();
  };
  std::exception_ptr failure;
  for (std::int64_t k = 0; k < rounds; ++k) {
    called = false;
    // Behind the end of a file reads are made as well, for nothing: some MPIs' pointers move by what is asked
    // for.
    const bool has_piece = k < pieces.number && !failure && (file.reads || !ended);
    try {
      if (has_piece) make(k);
    } catch (...) {
      failure = std::current_exception();
    }
    if (file.collective && !called) move_nothing(call);
  }
  if (failure) std::rethrow_exception(failure);
  Status of_all;
  of_all.source = told.MPI_SOURCE;
  of_all.tag = told.MPI_TAG;
  of_all.bytes = moved;
  fill(status, of_all);
}

void move_nothing(PieceCall call) noexcept {
  std::byte nothing{};
  MPI_Status ignored{};
  call(&nothing, 0, 0, &ignored);
}

}  // namespace typewarp::interpose
