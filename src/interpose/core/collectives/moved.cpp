// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/paths.hpp"

#include "engine/runtime/gpu_sharing.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/observe/observed.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <exception>

namespace typewarp::interpose::moved {
namespace {

/// Packed bytes of a block from which on messages between GPUs take less time than copies for the MPI. By
/// copies two H100 broadcast 16 KiB in 16 us and 256 KiB in 58, by messages 256 KiB in 29
/// (decision 052): in between, where nothing was measured, lines through these meet at 70 KiB.
constexpr std::int64_t least = std::int64_t{64} << 10;

/// Bytes that a rank sends and gets from which on messages take less time than copies where it takes turns
/// with others on its device. Of eight ranks on two H200 (decision 105).
constexpr std::int64_t least_by_turns = std::int64_t{32} << 20;

/// Whether copies take less time than messages for blocks of this rank.
bool prefers_copies(const BlockMessages& part) noexcept {
  if (part.bytes() >= least_by_turns) return false;
  const std::optional<int> device = part.device();
  return device && gpu::sharing(*device) == gpu::Sharing::time_sliced;
}

/// Whether all ranks know the longest block, from counts that each of them has; else nobody does.
bool longest_is_known(const Call& call) noexcept {
  return !call.has_root() || (call.sent.is_regular() && call.received.is_regular());
}

/// Packed bytes of the longest block that `call` has, as all ranks find it.
std::int64_t longest_bytes(const Call& call) noexcept {
  const bool is_received = call.pattern == CallPattern::scatter ? !call.in_place() : call.in_place();
  const bool is_of_all = call.pattern == CallPattern::allgather || call.pattern == CallPattern::alltoall;
  const CallSide& side = is_of_all || is_received ? call.received : call.sent;
  if (side.is_regular()) return packed_bytes(side.count, side.type);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < side.size && side.counts; ++i) most = std::max(most, side.counts[i]);
  return packed_bytes(most, side.type);
}

/// Packed bytes of the longest block that this rank sends or receives.
std::int64_t longest_of(const CallBlocks& blocks) noexcept {
  const auto most = [](const std::vector<CallBlocks::Block>& all, const TypedBuffer& side) {
    std::int64_t items = 0;
    for (const CallBlocks::Block& block : all) items = std::max(items, block.place.count);
    return items > 0 ? packed_bytes(items, side.type) : 0;
  };
  return std::max(most(blocks.sends, blocks.from), most(blocks.receives, blocks.to));
}

/// A call that blocks, or makes a persistent request: there the ranks ask each other. Whether it was made.
bool make_agreed(const Call& call, const Participants& ranks) {
  BlockMessages part(call.comm, ranks.own);
  std::exception_ptr failure;
  std::int64_t longest = 0;
  const auto own = [&] {
    using MoveAbility = LocalCapability::MoveAbility;
    LocalCapability capability;
    try {
      const CallBlocks blocks = blocks_of(call, ranks);
      longest = longest_of(blocks);
      part.add(blocks);
      capability.moves = part.any_is_ours() && prefers_copies(part) ? MoveAbility::none : MoveAbility::whole;
    } catch (const UnreadableMemory&) {
      capability.moves = MoveAbility::out_of_reach;
      failure = std::current_exception();
    } catch (...) {  // others must hear of any
      capability.moves = MoveAbility::none;
    }
    capability.use = device_use(failure || part.any_is_ours());
    capability.longest = longest;
    if (longest_is_known(call)) capability.common = longest;
    return capability;
  };
  const Asking asking = call.form.is_persistent ? Asking::always : Asking::in_turn;
  const Agreed agreed = agree(call, least, own, asking);
  if (agreed.path == Path::forward || agreed.path == Path::nccl) return false;
  if (failure) std::rethrow_exception(failure);
  if (agreed.path == Path::refuse) throw Error("typewarp: another rank cannot take part in this call");
  // All messages would leave the root by one link.
  if (agreed.spans_hosts && call.pattern == CallPattern::bcast && ranks.all > most_by_messages) return false;
  get_ready();
  tell_taken(part.bytes());
  if (!call.form.blocks()) {
    part.start(call.form);
  } else if (agreed.path == Path::move) {
    part.exchange();
  } else {
    throw Error("typewarp: the ranks make different collective calls");
  }
  return true;
}

/// Nothing of what is the MPI's to refuse.
std::optional<CallBlocks> valid_blocks_of(const Call& call, const Participants& ranks) {
  try {
    return blocks_of(call, ranks);
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

/// Throws Error where a block cannot be moved by us, or is the MPI's to refuse.
BlockMessages messages_of(const Call& call, const Participants& ranks, const CallBlocks& blocks) {
  BlockMessages part(call.comm, ranks.own);
  part.add(blocks);
  return part;
}

/// The same where the others send their messages already: those that fail if this rank has no others.
BlockMessages messages_or_failure(const Call& call, const Participants& ranks, const CallBlocks& blocks) {
  using transport::insist;
  try {
    return insist([&] { return messages_of(call, ranks, blocks); });
  } catch (...) {
    BlockMessages part(call.comm, ranks.own);
    insist([&, why = std::current_exception()] { part.fail(blocks, why); });
    return part;
  }
}

/// Whether memory of this rank is ours, and gains by messages; nothing if it has none in the call, or what
/// the MPI must refuse. Blocks that cannot be moved are ours too: our messages tell the others, so they do
/// not wait.
std::optional<bool> has_ours(const Call& call, const Participants& ranks, const CallBlocks& blocks) noexcept {
  const auto has_items = [](const CallBlocks::Block& block) { return block.place.count != 0; };
  if (std::ranges::none_of(blocks.sends, has_items) && std::ranges::none_of(blocks.receives, has_items))
    return std::nullopt;
  if (!any_may_be_staged()) return false;
  try {
    const BlockMessages part = messages_of(call, ranks, blocks);
    return part.any_is_ours() && !prefers_copies(part);
  } catch (const UnreadableMemory&) {
    return true;
  } catch (const InvalidArgument&) {
    return std::nullopt;
  } catch (...) {
    return true;
  }
}

/// One that does not block: nobody may wait here for what the others say, but others for what it starts.
std::optional<int> start(const Call& call, const Participants& ranks) {
  if (mpi_takes_device_memory()) return std::nullopt;
  const std::optional<Everyone> everyone = everyone_of(call.comm);
  const auto find = [&] { return everyone ? valid_blocks_of(call, ranks) : std::nullopt; };
  const std::optional<CallBlocks> blocks = transport::insist(find);
  if (!everyone || (!blocks && !call.has_root())) return std::nullopt;  // which all ranks find alike
  const bool goes_to_all = call.pattern == CallPattern::bcast || call.pattern == CallPattern::allgather;
  const Reach reach = goes_to_all ? Reach::all_ranks : Reach::one_rank;
  const auto ours = [&] { return blocks ? has_ours(call, ranks, *blocks) : std::nullopt; };
  if (!nonblocking_path_is_ours(call.comm, reach, ours) || !blocks) return std::nullopt;
  if (!longest_is_known(call)) return neighbor_as_alltoallv::each_with_each(call, ranks, *blocks, *everyone);
  BlockMessages part = messages_or_failure(call, ranks, *blocks);
  get_ready();
  tell_taken(part.bytes());
  if (nonblocking_move::pays(call, ranks, longest_bytes(call)))
    return nonblocking_move::start(call, ranks, std::move(part));
  part.start(call.form);
  return MPI_SUCCESS;
}

std::optional<int> make_among(const Call& call, const Participants& ranks) {
  if (!call.form.blocks() && !call.form.is_persistent) return start(call, ranks);
  return make_agreed(call, ranks) ? std::optional(MPI_SUCCESS) : std::nullopt;
}

}  // namespace

std::optional<int> make(Call& call) noexcept {
  // Counts of one block are looked at first, as that takes least.
  const bool is_even = call.sent.is_regular() && call.received.is_regular();
  if (is_even && longest_bytes(call) < least) return std::nullopt;
  const Participants ranks = call.ranks();
  if (!ranks || (longest_is_known(call) && !is_even && longest_bytes(call) < least)) return std::nullopt;
  std::optional<int> made;
  const int code = guarded(call.comm, [&] { made = make_among(call, ranks); });
  return code == MPI_SUCCESS ? made : code;
}

}  // namespace typewarp::interpose::moved
