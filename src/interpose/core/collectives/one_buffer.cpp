// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/paths.hpp"

#include "interpose/core/buffers/plans.hpp"
#include "mpi/large.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>

namespace typewarp::interpose {
namespace {

/// What this rank has for itself in a call, as one side has it: items before it, and its own.
struct OwnBlock {
  const CallSide& side;
  std::int64_t place, count;

  bool has_items() const noexcept { return count > 0 && side.buffer != MPI_BOTTOM && !side.in_place(); }
};

OwnBlock own_block(const CallSide& side, int rank) noexcept {
  if (side.placing == CallSide::Placing::one) return {side, 0, side.count};
  if (!side.is_given()) return {side, 0, 0};
  const auto i = static_cast<std::size_t>(rank);
  return {side, side.place_of(i), side.count_of(i)};
}

/// Whether both are at one place, which no side of a call without items is. MPIs count by sizes of datatypes.
bool are_one(const OwnBlock& sent, const OwnBlock& received) noexcept {
  if (!sent.has_items() || !received.has_items()) return false;
  try {
    const std::int64_t size = sent.place == received.place ? 0 : mpi::size(sent.side.type);
    const auto* const from = static_cast<const std::byte*>(sent.side.buffer);
    const auto* const to = static_cast<const std::byte*>(received.side.buffer);
    return from + sent.place * size == to + received.place * size;
  } catch (const MpiError&) {
    return false;
  }
}

/// Whether a rank may have one buffer on both sides, as MPICH looks for it.
bool may_be_one(const Call& call) noexcept {
  const CallSide& sent = call.sent;
  const CallSide& received = call.received;
  if (call.among_neighbours || call.pattern == CallPattern::bcast || call.in_place()) return false;
  if (call.combines()) return sent.buffer == received.buffer;
  if (call.pattern == CallPattern::alltoall && sent.buffer != received.buffer) return false;
  if (sent.placing == CallSide::Placing::in_bytes)
    return sent.counts == received.counts && sent.types == received.types;
  if (sent.type != received.type || sent.type == MPI_DATATYPE_NULL) return false;
  if (call.pattern == CallPattern::alltoall && !sent.is_regular()) return sent.counts == received.counts;
  return !sent.is_regular() || !received.is_regular() || sent.count == received.count;
}

/// Of a communicator of one group; else -1.
int rank_in_group(MPI_Comm comm) noexcept {
  int between_groups = 1;
  int rank = -1;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS) return -1;
  if (between_groups == 0) PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// Throws MpiError.
bool is_one(Call& call) {
  if (call.combines()) {
    call.join();
    if (call.members().between_groups) return false;
    const CallSide& operand = call.sent;
    return operand.size != 0 && operand.count > 0 && operand.buffer != MPI_BOTTOM &&
           operand.type != MPI_DATATYPE_NULL && (!call.has_root() || call.members().is_root(call.root));
  }
  const int rank = rank_in_group(call.comm);
  if (rank < 0 || (call.has_root() && rank != call.root)) return false;
  if (call.pattern == CallPattern::alltoall && !call.sent.is_regular()) return true;
  return are_one(own_block(call.sent, rank), own_block(call.received, rank));
}

/// What this rank alone makes such a call with. The MPI may make it.
class CallAlone {
 public:
  explicit CallAlone(const Call& like) noexcept : call_(like) {
    for (const CallSide& side : {like.sent, like.received}) {
      if (side.placing == CallSide::Placing::one && !like.combines()) few_ = std::min(side.count, few_);
    }
    narrow_few_ = static_cast<int>(few_);
    call_.sent = few_of(like.sent);
    call_.received = few_of(like.received);
    call_.comm = own_comm();
    call_.root = 0;
    call_.combining.op = MPI_SUM;
    call_.combining.count = std::min(like.combining.count, few_);
    if (like.combining.counts) call_.combining.counts = counts_of(like.combining.counts);
    if (!like.form.blocks()) call_.form = {&request_, like.form.is_persistent, MPI_INFO_NULL};
  }
  bool is_refused() noexcept {
    if (call_.hand_on(call_) != MPI_SUCCESS) return true;
    if (request_ == MPI_REQUEST_NULL) return false;
    call_.form.is_persistent ? PMPI_Request_free(&request_) : PMPI_Wait(&request_, MPI_STATUS_IGNORE);
    return false;
  }

 private:
  static constexpr std::int64_t most = 2;

  CallSide few_of(const CallSide& side) noexcept {
    CallSide few = side;
    few.buffer = memory_;
    few.count = std::min(side.count, few_);
    few.type = number_;
    few.types = &number_;
    if (side.counts) few.counts = counts_of(side.counts);
    if (side.displacements)
      few.displacements = side.displacements.is_wide() ? IntArray(&zero_) : IntArray(&narrow_zero_);
    return few;
  }
  IntArray counts_of(const IntArray& like) const noexcept {
    return like.is_wide() ? IntArray(&few_) : IntArray(&narrow_few_);
  }

  std::int64_t memory_[most]{};
  MPI_Datatype number_ = MPI_INT;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::int64_t few_ = most, zero_ = 0;
  int narrow_few_ = most, narrow_zero_ = 0;
  Call call_;
};

}  // namespace

bool is_refused_for_one_buffer(Call& call) noexcept {
  if (!may_be_one(call)) return false;
  try {
    if (!is_one(call)) return false;
  } catch (const MpiError&) {
    return false;
  }
  static std::mutex mutex;  // the calls of a communicator follow each other
  const std::lock_guard lock(mutex);
  return CallAlone(call).is_refused();
}

}  // namespace typewarp::interpose
