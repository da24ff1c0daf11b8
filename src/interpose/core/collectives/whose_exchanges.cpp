// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/whose_exchanges.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

namespace typewarp::interpose {
namespace {

// An MPI_Allreduce of two ranks takes some 1 us, an exchange of theirs at least 0.5: so asking costs them 3 %
// at most. Neighbours among many ranks pay more, as all meet: that is not measured.
constexpr std::uint64_t most_between_two_questions = 64;

/// Kept with a communicator whose ranks all have the library.
struct Asked {
  std::uint64_t exchanges = 0;  ///< that block, and calls that move blocks
  bool some_may_be_ours = false;

  bool is_time() const noexcept {
    return exchanges % most_between_two_questions == 0 ||
           (exchanges < most_between_two_questions && std::has_single_bit(exchanges));
  }
};

std::atomic<std::uint64_t> forgotten = 0;  ///< communicators: what threads remember of one may be gone

/// The communicator that a thread exchanged in last. An MPI takes locks to look for an attribute.
struct Last {
  MPI_Comm comm{};
  Asked* asked = nullptr;
  std::uint64_t when = 0;  ///< of `forgotten`
};
thread_local Last last;

std::atomic<int> keyval = MPI_KEYVAL_INVALID;  ///< as long as no communicator has one

int forget(MPI_Comm, int, void* attribute, void*) noexcept {
  forgotten.fetch_add(1, std::memory_order_release);
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
  const std::uint64_t now = forgotten.load(std::memory_order_acquire);
  if (last.asked != nullptr && last.comm == comm && last.when == now) return last.asked;
  Asked* asked = found(comm);
  if (asked == nullptr && everyone_of(comm)) asked = make(comm);
  last = {comm, asked, now};
  return asked;
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

Agreed everyone_moving(MPI_Comm comm, LongestBlock known, std::int64_t least, FunctionRef<OwnPart()> own_part,
                       Asking asking) {
  Asked* const asked = kept_with(comm);
  if (asked == nullptr) return {};
  ++asked->exchanges;
  if (asking == Asking::in_turn && !asked->some_may_be_ours && !asked->is_time()) return {};
  const OwnPart own = own_part();
  const int host = own_host().number;
  std::array<std::int64_t, 9> most{own.may_be_ours,
                                   own.any_is_ours,
                                   !own.can_be_moved,
                                   !own.can_be_shared,
                                   own.longest,
                                   -own.longest,
                                   -own.piece,
                                   host,
                                   -host};
  const auto numbers = static_cast<int>(most.size());
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, most.data(), numbers, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  const auto [some_may_be_ours, some_are_ours, some_cannot, some_cannot_share, longest, negative_shortest,
              negative_piece, last_host, negative_first_host] = most;
  asked->some_may_be_ours = asked->some_may_be_ours || some_may_be_ours != 0;
  const bool differ = known == LongestBlock::of_all && longest != -negative_shortest;
  if (some_are_ours == 0 || some_cannot != 0 || longest < least || differ) return {};
  const bool is_one_host = last_host == -negative_first_host;
  return {some_cannot_share != 0 ? Moving::whole : Moving::in_shares, longest,
          is_one_host ? 0 : -negative_piece};
}

void agree_on(MPI_Comm comm, const std::exception_ptr& failure) {
  int failed = failure ? 1 : 0;
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  if (failure) std::rethrow_exception(failure);
  if (failed != 0) throw Error("typewarp: another rank failed in this call");
}

}  // namespace typewarp::interpose
