// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/moved.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/broadcast_shares.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/collectives/refusal.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/collectives/whose_exchanges.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>

namespace typewarp::interpose::moved {
namespace {

/// Packed bytes of a block from which on messages between GPUs take less time than copies for the MPI. By
/// copies two H100 broadcast 16 KiB in 16 us and 256 KiB in 58, by messages 256 KiB in 29
/// (docs/internals/decisions.md): in between, where nothing was measured, lines through these meet at 70 KiB.
constexpr std::int64_t least = std::int64_t{64} << 10;

/// `find(part, ranks)` tells the blocks of this rank.
using Find = FunctionRef<void(BlockMessages&, const Ranks&)>;

/// `shares`: null where the call has no such steps.
std::optional<int> make(MPI_Comm comm, const Ranks& ranks, LongestBlock longest, Find find,
                        BroadcastShares* shares = nullptr) noexcept {
  if (!ranks) return std::nullopt;
  bool is_made = false;
  const int code = guarded(comm, [&] {
    BlockMessages part(comm, ranks.own);
    const auto own_part = [&] {
      bool can_be_moved = true;
      bool can_be_shared = false;
      try {
        find(part, ranks);
        can_be_shared = shares != nullptr && shares->prepare();
      } catch (...) {  // others must hear of any
        can_be_moved = false;
      }
      return OwnPart{any_may_be_ours(mpi_takes_device_memory()),
                     part.any_is_ours() && !mpi_takes_device_memory(), can_be_moved, part.longest(),
                     can_be_shared};
    };
    const Moving moving = everyone_moving(comm, longest, least, own_part);
    if (moving == Moving::by_the_mpi) return;
    is_made = true;
    get_ready();
    tell_taken(part.bytes());
    if (moving == Moving::whole) return part.exchange();
    agree_on(comm, shares->make());
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

/// Only the root may say in place.
void expect_root(const Ranks& ranks, bool in_place) {
  if (in_place && !ranks.is_root)
    throw InvalidArgument("typewarp", "buffer", "MPI_IN_PLACE", "is the root's");
}

/// Blocks of one count, one after the other.
auto even(std::int64_t count) noexcept {
  return [=](int rank) { return Place{count, rank * count}; };
}

/// A block that this rank has for itself goes from one place to another, which may not be one buffer.
void expect_two_buffers(const Side& from, const Side& to) {
  if (from.buffer == to.buffer && from.buffer != MPI_BOTTOM)
    throw InvalidArgument("typewarp", "recvbuf", "sendbuf", "must be another buffer");
}

void find_gathered(BlockMessages& part, const Ranks& ranks, int root, const Side& from, std::int64_t count,
                   const Side& to, Places places) {
  const bool in_place = from.buffer == MPI_IN_PLACE;
  expect_root(ranks, in_place);
  if (!in_place) part.send(root, from, {count, 0});
  if (!ranks.is_root) return;
  expect_two_buffers(from, to);
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank != ranks.own || !in_place) part.receive(rank, to, places(rank));
  }
}

void find_scattered(BlockMessages& part, const Ranks& ranks, int root, const Side& from, Places places,
                    const Side& to, std::int64_t count) {
  const bool in_place = to.buffer == MPI_IN_PLACE;
  expect_root(ranks, in_place);
  if (!in_place) part.receive(root, to, {count, 0});
  if (!ranks.is_root) return;
  expect_two_buffers(from, to);
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank != ranks.own || !in_place) part.send(rank, from, places(rank));
  }
}

void find_gathered_by_all(BlockMessages& part, const Ranks& ranks, const Side& from, std::int64_t count,
                          const Side& to, Places places) {
  const bool in_place = from.buffer == MPI_IN_PLACE;
  expect_two_buffers(from, to);
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (rank == ranks.own && in_place) continue;
    in_place ? part.send(rank, to, places(ranks.own)) : part.send(rank, from, {count, 0});
    part.receive(rank, to, places(rank));
  }
}

}  // namespace

std::optional<int> Bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root,
                         MPI_Comm comm) noexcept {
  const std::int64_t bytes = packed_bytes(count, type);
  if (bytes < least) return std::nullopt;
  const Side side{buffer, type};
  const auto find = [&](BlockMessages& part, const Ranks& ranks) {
    if (!ranks.is_root) return part.receive(root, side, {count, 0});
    for (int rank = 0; rank < ranks.all; ++rank) {
      if (rank != root) part.send(rank, side, {count, 0});
    }
  };
  const Ranks ranks(comm, root);
  BroadcastShares shares(comm, side, bytes, ranks, root);
  return make(comm, ranks, LongestBlock::of_all, find,
              BroadcastShares::pay(bytes, ranks) ? &shares : nullptr);
}

std::optional<int> Gather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                          std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  if ((in_place ? packed_bytes(recvcount, recvtype) : packed_bytes(sendcount, sendtype)) < least)
    return std::nullopt;
  return make(comm, Ranks(comm, root), LongestBlock::of_all, [&](BlockMessages& part, const Ranks& ranks) {
    find_gathered(part, ranks, root, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, even(recvcount));
  });
}

std::optional<int> Scatter(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  const bool in_place = recvbuf == MPI_IN_PLACE;
  if ((in_place ? packed_bytes(sendcount, sendtype) : packed_bytes(recvcount, recvtype)) < least)
    return std::nullopt;
  return make(comm, Ranks(comm, root), LongestBlock::of_all, [&](BlockMessages& part, const Ranks& ranks) {
    find_scattered(part, ranks, root, {sendbuf, sendtype}, even(sendcount), {recvbuf, recvtype}, recvcount);
  });
}

std::optional<int> Allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm) noexcept {
  if (packed_bytes(recvcount, recvtype) < least) return std::nullopt;
  return make(comm, Ranks(comm), LongestBlock::of_all, [&](BlockMessages& part, const Ranks& ranks) {
    find_gathered_by_all(part, ranks, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, even(recvcount));
  });
}

std::optional<int> Alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  if (packed_bytes(recvcount, recvtype) < least) return std::nullopt;
  return make(comm, Ranks(comm), LongestBlock::of_all, [&](BlockMessages& part, const Ranks& ranks) {
    const Side from{sendbuf, sendtype};
    const Side to{recvbuf, recvtype};
    expect_two_buffers(from, to);
    for (int rank = 0; rank < ranks.all; ++rank) {
      const Place received{recvcount, rank * recvcount};
      if (sendbuf == MPI_IN_PLACE) {
        if (rank != ranks.own) part.replace(rank, to, received);
        continue;
      }
      part.send(rank, from, {sendcount, rank * sendcount});
      part.receive(rank, to, received);
    }
  });
}

std::optional<int> gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           Places received, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  return make(comm, Ranks(comm, root), LongestBlock::of_own, [&](BlockMessages& part, const Ranks& ranks) {
    find_gathered(part, ranks, root, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  });
}

std::optional<int> scatterv(const void* sendbuf, Places sent, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  return make(comm, Ranks(comm, root), LongestBlock::of_own, [&](BlockMessages& part, const Ranks& ranks) {
    find_scattered(part, ranks, root, {sendbuf, sendtype}, sent, {recvbuf, recvtype}, recvcount);
  });
}

std::optional<int> allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                              void* recvbuf, Places received, MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  const Ranks of_comm(comm);
  std::int64_t most = 0;
  for (int rank = 0; rank < of_comm.all; ++rank) most = std::max(most, received(rank).count);
  if (packed_bytes(most, recvtype) < least) return std::nullopt;
  return make(comm, of_comm, LongestBlock::of_all, [&](BlockMessages& part, const Ranks& ranks) {
    find_gathered_by_all(part, ranks, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  });
}

}  // namespace typewarp::interpose::moved
