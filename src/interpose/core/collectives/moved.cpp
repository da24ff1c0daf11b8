// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/moved.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/block_pieces.hpp"
#include "interpose/core/collectives/broadcast_shares.hpp"
#include "interpose/core/collectives/call_blocks.hpp"
#include "interpose/core/collectives/neighbor_as_alltoallv.hpp"
#include "interpose/core/collectives/alltoallv.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>

namespace typewarp::interpose::moved {
namespace {

/// Packed bytes of a block from which on messages between GPUs take less time than copies for the MPI. By
/// copies two H100 broadcast 16 KiB in 16 us and 256 KiB in 58, by messages 256 KiB in 29
/// (decision 052): in between, where nothing was measured, lines through these meet at 70 KiB.
constexpr std::int64_t least = std::int64_t{64} << 10;

/// `find(ranks)` tells the blocks of this rank.
using Find = FunctionRef<CallBlocks(const Ranks&)>;

using ToAll = CollectiveCall::Kind;

/// A call at this rank.
struct Call {
  MPI_Comm comm;
  Ranks ranks;
  Find find;
  std::optional<ToAll> to_all = std::nullopt;  ///< which call, if each block goes to all ranks
  int root = 0;

  /// Of each block.
  Reach reach() const noexcept { return to_all ? Reach::all_ranks : Reach::one_rank; }
  CollectiveCall in_pieces() const noexcept { return {*to_all, comm, ranks, root}; }
  /// Of this rank. Throws InvalidArgument where the MPI must refuse the call.
  CallBlocks blocks() const {
    CallBlocks found = find(ranks);
    const bool sends_in_place = !found.sends.empty() && found.from.buffer == MPI_IN_PLACE;
    const bool receives_in_place = !found.receives.empty() && found.to.buffer == MPI_IN_PLACE;
    if (sends_in_place || receives_in_place)
      throw InvalidArgument("typewarp", "buffer", "MPI_IN_PLACE", "must be memory here");
    return found;
  }
};

/// Which ranks know the longest block of all: those whose counts say it, or nobody.
enum class LongestBlock : std::uint8_t { of_own, of_all };

/// That blocks, or makes a persistent request: there the ranks ask each other. `shares`: null where the call
/// has no such steps.
std::optional<int> make(const Call& call, LongestBlock longest, const Form& form,
                        BroadcastShares* shares = nullptr) noexcept {
  if (!call.ranks) return std::nullopt;
  bool is_made = false;
  const int code = guarded(call.comm, [&] {
    BlockMessages part(call.comm, call.ranks.own);
    const bool may_be_cut = call.to_all && form.blocks() && job_is_open() && !own_host().is_only;
    std::int64_t piece = 0;
    std::unique_ptr<BlockPieces> pieces;
    const auto own = [&] {
      using MoveAbility = LocalCapability::MoveAbility;
      LocalCapability capability;
      try {
        const CallBlocks blocks = call.blocks();
        part.add(blocks);
        capability.moves =
            shares != nullptr && shares->prepare() ? MoveAbility::in_shares : MoveAbility::whole;
        if (may_be_cut) piece = piece_bytes(call.in_pieces());
        if (piece != 0) pieces = part.cut(call.in_pieces(), piece);
      } catch (...) {  // others must hear of any
        capability.moves = MoveAbility::none;
      }
      capability.use = device_use(part.any_is_ours());
      capability.longest = part.longest();
      if (longest == LongestBlock::of_all) capability.common = part.longest();
      if (pieces) capability.piece = piece;
      return capability;
    };
    const Asking asking = form.is_persistent ? Asking::always : Asking::in_turn;
    const Agreed agreed = agree(call.comm, least, own, asking);
    if (agreed.path == Path::forward) return;
    is_made = true;
    get_ready();
    tell_taken(part.bytes());
    if (!form.blocks()) return part.start(form);
    if (agreed.piece != 0)
      return agree_on_end(call.comm, pieces->move(agreed.piece, agreed.longest, [&] { part.copy_own(); }));
    if (agreed.path == Path::move) return part.exchange();
    agree_on_end(call.comm, shares->make());
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

/// Nothing of what is the MPI's to refuse.
std::optional<CallBlocks> blocks_of(const Call& call) {
  try {
    return call.blocks();
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

/// Throws Error where a block cannot be moved by us, or is the MPI's to refuse.
BlockMessages messages_of(const Call& call, const CallBlocks& blocks) {
  BlockMessages part(call.comm, call.ranks.own);
  part.add(blocks);
  return part;
}

/// Whether memory of this rank is ours; nothing if it has none in the call.
std::optional<bool> has_ours(const Call& call, const CallBlocks& blocks) noexcept {
  const auto has_items = [](const CallBlocks::Block& block) { return block.place.count != 0; };
  if (std::ranges::none_of(blocks.sends, has_items) && std::ranges::none_of(blocks.receives, has_items))
    return std::nullopt;
  if (!any_may_be_ours(mpi_takes_device_memory())) return false;
  try {
    return messages_of(call, blocks).any_is_ours();
  } catch (...) {
    return false;
  }
}

/// That does not block: nobody may wait here for what the others say.
std::optional<int> start(const Call& call, LongestBlock longest, const Form& form) noexcept {
  if (!call.ranks || mpi_takes_device_memory()) return std::nullopt;
  std::optional<int> made;
  const int code = guarded(call.comm, [&] {
    const std::optional<Everyone> everyone = everyone_of(call.comm);
    const std::optional<CallBlocks> blocks = everyone ? blocks_of(call) : std::nullopt;
    if (!blocks) return;
    const auto own = [&] { return has_ours(call, *blocks); };
    if (!nonblocking_path_is_ours(call.comm, call.reach(), own)) return;
    if (longest == LongestBlock::of_own) {
      made = neighbor_as_alltoallv::each_with_each(call.comm, call.ranks, *blocks, *everyone, form);
      return;
    }
    made = MPI_SUCCESS;
    BlockMessages part = messages_of(call, *blocks);
    get_ready();
    tell_taken(part.bytes());
    part.start(form);
  });
  return code == MPI_SUCCESS ? made : code;
}

std::optional<int> make_or_start(const Call& call, LongestBlock longest, const Form& form) noexcept {
  return form.blocks() || form.is_persistent ? make(call, longest, form) : start(call, longest, form);
}

}  // namespace

std::optional<int> Bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
                         const Form& form) noexcept {
  const std::int64_t bytes = packed_bytes(count, type);
  if (bytes < least) return std::nullopt;
  const Side side{buffer, type};
  const auto find = [&](const Ranks& ranks) { return broadcast(ranks, root, side, count); };
  const Call call{comm, Ranks(comm, root), find, ToAll::broadcast, root};
  if (!form.blocks() || !BroadcastShares::pay(bytes, call.ranks))
    return make_or_start(call, LongestBlock::of_all, form);
  BroadcastShares shares(comm, side, bytes, call.ranks, root);
  return make(call, LongestBlock::of_all, form, &shares);
}

std::optional<int> Gather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                          std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                          const Form& form) noexcept {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  if ((in_place ? packed_bytes(recvcount, recvtype) : packed_bytes(sendcount, sendtype)) < least)
    return std::nullopt;
  const auto received = even_places(recvcount);
  const auto find = [&](const Ranks& ranks) {
    return gathered(ranks, root, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  };
  return make_or_start({comm, Ranks(comm, root), find}, LongestBlock::of_all, form);
}

std::optional<int> Scatter(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                           const Form& form) noexcept {
  const bool in_place = recvbuf == MPI_IN_PLACE;
  if ((in_place ? packed_bytes(sendcount, sendtype) : packed_bytes(recvcount, recvtype)) < least)
    return std::nullopt;
  const auto sent = even_places(sendcount);
  const auto find = [&](const Ranks& ranks) {
    return scattered(ranks, root, {sendbuf, sendtype}, sent, {recvbuf, recvtype}, recvcount);
  };
  return make_or_start({comm, Ranks(comm, root), find}, LongestBlock::of_all, form);
}

std::optional<int> Allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             const Form& form) noexcept {
  if (packed_bytes(recvcount, recvtype) < least) return std::nullopt;
  const auto received = even_places(recvcount);
  const auto find = [&](const Ranks& ranks) {
    return gathered_by_all(ranks, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  };
  return make_or_start({comm, Ranks(comm), find, ToAll::allgather}, LongestBlock::of_all, form);
}

std::optional<int> Alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                            const Form& form) noexcept {
  if (packed_bytes(recvcount, recvtype) < least) return std::nullopt;
  const auto find = [&](const Ranks& ranks) {
    return exchanged_by_all(ranks, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, recvcount);
  };
  return make_or_start({comm, Ranks(comm), find}, LongestBlock::of_all, form);
}

std::optional<int> gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           Places received, MPI_Datatype recvtype, int root, MPI_Comm comm,
                           const Form& form) noexcept {
  const auto find = [&](const Ranks& ranks) {
    return gathered(ranks, root, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  };
  return make_or_start({comm, Ranks(comm, root), find}, LongestBlock::of_own, form);
}

std::optional<int> scatterv(const void* sendbuf, Places sent, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                            const Form& form) noexcept {
  const auto find = [&](const Ranks& ranks) {
    return scattered(ranks, root, {sendbuf, sendtype}, sent, {recvbuf, recvtype}, recvcount);
  };
  return make_or_start({comm, Ranks(comm, root), find}, LongestBlock::of_own, form);
}

std::optional<int> allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                              void* recvbuf, Places received, MPI_Datatype recvtype, MPI_Comm comm,
                              const Form& form) noexcept {
  const Ranks of_comm(comm);
  std::int64_t most = 0;
  for (int rank = 0; rank < of_comm.all; ++rank) most = std::max(most, received(rank).count);
  if (packed_bytes(most, recvtype) < least) return std::nullopt;
  const auto find = [&](const Ranks& ranks) {
    return gathered_by_all(ranks, {sendbuf, sendtype}, sendcount, {recvbuf, recvtype}, received);
  };
  return make_or_start({comm, of_comm, find, ToAll::allgather}, LongestBlock::of_all, form);
}

}  // namespace typewarp::interpose::moved
