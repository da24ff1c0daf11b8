// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/job/job.hpp"

#include <optional>

// Paths of collective calls (calls/collective.cpp). Each returns the call's code; nothing if the call is to
// be made otherwise, which all ranks find alike if they give as many bytes, as MPI demands. Else some may
// wait for ever.
namespace typewarp::interpose {

/// Whether the MPI refuses a call that sends from where it receives. No MPI allows that, and some refuse it,
/// each some calls and some counts. They must have such a call as it is, before this rank has asked or sent
/// anything: on copies, or by messages, nobody would notice. The MPI is asked by the same call of this rank
/// alone, of a few items; before that this looks at what costs no call of the MPI.
bool is_refused_for_one_buffer(Call& call) noexcept;

/// By messages for the blocks, from where each lies to where it belongs: if all ranks of one group have the
/// library, blocks are long enough, and some rank has device memory in the call. For calls that give a
/// request the first rank to arrive decides (agreement.hpp).
namespace moved {
std::optional<int> make(Call& call) noexcept;
}

/// As exchanges with counts of each block, where a rank knows its own blocks only, so that each block goes by
/// its own length. All ranks have the library then.
namespace neighbor_as_alltoallv {
/// A call among neighbours with one count or one datatype.
std::optional<int> make(Call& call) noexcept;
/// A call of one group that gives a request, with these blocks at this rank. Throws std::bad_alloc.
int each_with_each(const Call& call, const Participants& ranks, const CallBlocks& blocks,
                   const Everyone& everyone);
}  // namespace neighbor_as_alltoallv

/// Calls that give a request and are made one after the other, by the GPUs of one host at once if these can.
namespace nonblocking_move {
/// Whether that may take less time than messages that begin right away. The same in all ranks. `longest`:
/// packed bytes of the longest block.
bool pays(const Call& call, const Participants& ranks, std::int64_t longest) noexcept;
/// `blocks`: what to do by messages otherwise. Throws std::bad_alloc, MpiError.
int start(const Call& call, const Participants& ranks, BlockMessages&& blocks);
}  // namespace nonblocking_move

/// Each rank combines its share of the numbers on the device that has them, by MPI's operations on what is
/// reducible(). All ranks get the same bits, and get them again in each such call, whatever memory is free: a
/// call that finds no room on its device combines on the host, in the same order.
namespace device_reduction {
std::optional<int> make(Call& call) noexcept;
/// MPI_Reduce_local, within this rank.
std::optional<int> make_local(Call& call) noexcept;
}  // namespace device_reduction

/// A blocking call that moves data between GPUs of ranks of one host, each with a GPU of its own: one launch
/// in each rank stores everything where it belongs, without a message. The first time that arguments come,
/// the call goes another way.
namespace direct {
std::optional<int> make(Call& call) noexcept;
}

}  // namespace typewarp::interpose
