// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/paths.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/alltoallv.hpp"
#include "interpose/core/errors.hpp"
#include "transport/memory/reserve.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace typewarp::interpose::neighbor_as_alltoallv {
namespace {

/// Packed bytes of a block from which on messages between two GPUs take less time than copies for the MPI's
/// call of one count: us on two H100 by messages and by copies, of calls that block and of others: 8 KiB 38
/// to 64 and 49, 48 and 40; 128 KiB 45 to 52 and 85, 58 to 61 and 94. Lines through the means meet at some 20
/// KiB.
constexpr std::int64_t least = std::int64_t{16} << 10;

/// Whether blocks are long enough, which all ranks find alike. Blocks that differ in length are: of one count
/// both sides of all ranks are as long, but for ranks that may say anything, as they have no neighbours
/// there.
bool are_long(const Call& call) noexcept {
  if (!call.received.is_regular()) return true;
  const std::int64_t sent = packed_bytes(call.sent.count, call.sent.type);
  return std::max(sent, packed_bytes(call.received.count, call.received.type)) >= least;
}

/// Whether it has those that it needs: a rank that receives from nobody needs none.
bool has_arrays(const CallSide& side) noexcept {
  return side.is_regular() || side.size == 0 || (side.counts && side.displacements);
}

/// Arrays that `fill(arrays)` fills. Others may wait for this rank.
template <class Fill>
std::shared_ptr<alltoallv::Arrays> filled(const Fill& fill) {
  return transport::insist([&] {
    auto arrays = std::make_shared<alltoallv::Arrays>();
    fill(*arrays);
    return arrays;
  });
}

int exchange(const Call& call, const Everyone& everyone) {
  const auto arrays = filled([&](alltoallv::Arrays& made) {
    for (std::size_t i = 0; i < call.group->sends; ++i) {
      made.sendcounts.add(call.sent.count);
      made.sdispls.add(call.sent.place_of(i));
    }
    for (std::size_t i = 0; i < call.group->receives; ++i) {
      made.recvcounts.add(call.received.count_of(i));
      made.rdispls.add(call.received.place_of(i));
    }
  });
  const TypedBuffer from{call.sent.buffer, call.sent.type};
  const TypedBuffer to{call.received.buffer, call.received.type};
  return alltoallv::stand_in(call, from, to, arrays, everyone);
}

/// Blocks of a call by the rank; 0 items of ranks that have none.
void add_all(const std::vector<CallBlocks::Block>& blocks, const Participants& ranks, IntList& counts,
             IntList& displacements) {
  std::vector<BlockPlace> places(static_cast<std::size_t>(ranks.all), BlockPlace{0, 0});
  for (const auto& [rank, place] : blocks) places[static_cast<std::size_t>(rank)] = place;
  for (const BlockPlace& place : places) {
    counts.add(place.count);
    displacements.add(place.displacement);
  }
}

}  // namespace

std::optional<int> make(Call& call) noexcept {
  if (call.comm == MPI_COMM_NULL || mpi_takes_device_memory()) return std::nullopt;
  std::optional<int> made;
  const int code = guarded(call.comm, [&] {
    call.join();
    if (!call.members().is_known) return;
    const bool may_be_ours = any_may_be_staged();
    const std::optional<Everyone> everyone =
        call.form.blocks() ? everyone_if_device(call.comm, may_be_ours) : everyone_of(call.comm);
    if (!everyone) return;
    if (!has_arrays(call.received) || !are_long(call))
      return alltoallv::open(call.comm, *everyone, call.form);
    made = exchange(call, *everyone);
  });
  return code == MPI_SUCCESS ? made : code;
}

int each_with_each(const Call& call, const Participants& ranks, const CallBlocks& blocks,
                   const Everyone& everyone) {
  const auto arrays = filled([&](alltoallv::Arrays& made) {
    add_all(blocks.sends, ranks, made.sendcounts, made.sdispls);
    add_all(blocks.receives, ranks, made.recvcounts, made.rdispls);
  });
  // What is not significant may be anything.
  const TypedBuffer nothing{nullptr, MPI_BYTE};
  return alltoallv::stand_in(call, blocks.sends.empty() ? nothing : blocks.from,
                             blocks.receives.empty() ? nothing : blocks.to, arrays, everyone);
}

}  // namespace typewarp::interpose::neighbor_as_alltoallv
