// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/whose_exchanges.hpp"

#include <typewarp/mpi.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace typewarp::interpose {
namespace {

// An MPI_Allreduce of two ranks takes some 1 us, an exchange of theirs at least 0.5: so asking costs them 3 %
// at most. Neighbours among many ranks pay more, as all meet: that is not measured.
constexpr std::uint64_t most_between_two_questions = 64;

/// Kept with a communicator whose ranks all have the library.
struct Asked {
  std::uint64_t exchanges = 0;  ///< that block
  bool some_may_be_ours = false;
  /// Calls in a row that move blocks, and were not for us, by what ranks know.
  std::array<std::uint64_t, 2> in_vain{};

  bool is_time() const noexcept {
    return std::has_single_bit(exchanges) || exchanges % most_between_two_questions == 0;
  }
};

std::atomic<int> keyval = MPI_KEYVAL_INVALID;  ///< as long as no communicator has one

int forget(MPI_Comm, int, void* attribute, void*) noexcept {
  delete static_cast<Asked*>(attribute);
  return MPI_SUCCESS;
}

Asked* found(MPI_Comm comm) {
  const int key = keyval.load(std::memory_order_acquire);
  if (key == MPI_KEYVAL_INVALID) return nullptr;
  void* attribute = nullptr;
  int present = 0;
  mpi::check(PMPI_Comm_get_attr(comm, key, static_cast<void*>(&attribute), &present), "MPI_Comm_get_attr");
  return present != 0 ? static_cast<Asked*>(attribute) : nullptr;
}

Asked* make(MPI_Comm comm) {
  static const int key = [] {
    int created = MPI_KEYVAL_INVALID;
    mpi::check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &created, nullptr),
               "MPI_Comm_create_keyval");
    return created;
  }();
  auto asked = std::make_unique<Asked>();
  mpi::check(PMPI_Comm_set_attr(comm, key, asked.get()), "MPI_Comm_set_attr");
  keyval.store(key, std::memory_order_release);
  return asked.release();
}

/// Null where some rank has not this library.
Asked* kept_with(MPI_Comm comm) {
  // After the job the MPI may give the keyval's number to the program, which may go on by sessions.
  if (!job_is_open()) return nullptr;
  if (Asked* const asked = found(comm)) return asked;
  return everyone_of(comm) ? make(comm) : nullptr;
}

}  // namespace

std::optional<Everyone> everyone_asked(MPI_Comm comm, bool may_be_ours) {
  Asked* const asked = kept_with(comm);
  if (asked == nullptr) return std::nullopt;
  ++asked->exchanges;
  if (!asked->some_may_be_ours && asked->is_time()) {
    int some = may_be_ours ? 1 : 0;
    mpi::check(PMPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
    asked->some_may_be_ours = some != 0;
  }
  return asked->some_may_be_ours ? everyone_of(comm) : std::nullopt;
}

std::optional<Everyone> everyone_moving(MPI_Comm comm, LongestBlock known, std::int64_t least,
                                        FunctionRef<OwnPart()> own_part) {
  Asked* const asked = kept_with(comm);
  if (asked == nullptr) return std::nullopt;
  constexpr std::uint64_t patience = 16;
  std::uint64_t& in_vain = asked->in_vain[static_cast<std::size_t>(known)];
  if (++in_vain > patience && in_vain % patience != 0) return std::nullopt;
  const OwnPart own = own_part();
  std::array<std::int64_t, 4> most{own.is_ours, !own.can_be_moved, own.longest, -own.longest};
  const auto numbers = static_cast<int>(most.size());
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, most.data(), numbers, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  const auto [some_are_ours, some_cannot, longest, shortest] = most;
  const bool is_for_us = some_are_ours != 0 && some_cannot == 0 && longest >= least &&
                         (known == LongestBlock::of_own || longest == -shortest);
  if (!is_for_us) return std::nullopt;
  in_vain = 0;
  return everyone_of(comm);
}

}  // namespace typewarp::interpose
