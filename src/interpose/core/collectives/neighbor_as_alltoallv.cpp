// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/neighbor_as_alltoallv.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/errors.hpp"

#include <algorithm>
#include <memory>

namespace typewarp::interpose::neighbor_as_alltoallv {
namespace {

using Among = ExchangeArguments::Among;

/// Packed bytes of a block from which on messages between two GPUs take less time than copies for the MPI's
/// call of one count: us on two H100 by messages and by copies, of calls that block and of others: 8 KiB 38
/// to 64 and 49, 48 and 40; 128 KiB 45 to 52 and 85, 58 to 61 and 94. Lines through the means meet at some 20
/// KiB.
constexpr std::int64_t least = std::int64_t{16} << 10;
/// Of blocks that differ in length.
constexpr std::int64_t of_any_length = least;

/// Blocks of nothing, for so many ranks or neighbours.
std::shared_ptr<ExchangeArguments> nothing(Among among, MPI_Comm comm, const Group& group) {
  auto made = std::make_shared<ExchangeArguments>();
  made->among = among;
  made->comm = comm;
  made->sendcounts.resize(group.sends);
  made->sdispls.resize(group.sends);
  made->recvcounts.resize(group.receives);
  made->rdispls.resize(group.receives);
  return made;
}

void put(const Place& place, std::size_t i, std::vector<MPI_Count>& counts,
         std::vector<MPI_Aint>& displacements) {
  counts[i] = place.count;
  displacements[i] = place.displacement;
}

/// `sent(i)` and `received(i)`: the blocks to and from the neighbours. `bytes`: of each, packed.
std::optional<int> among_neighbours(const Side& from, Places sent, const Side& to, Places received,
                                    MPI_Comm comm, const Form& form, std::int64_t bytes) noexcept {
  if (comm == MPI_COMM_NULL || mpi_takes_device_memory()) return std::nullopt;
  std::optional<int> made;
  const int code = guarded(comm, [&] {
    const Group group = neighbours_of(comm);
    if (!group.is_known) return;
    const bool may_be_ours = any_may_be_ours(mpi_takes_device_memory());
    const std::optional<Everyone> everyone =
        form.blocks() ? everyone_if_device(comm, may_be_ours) : everyone_of(comm);
    if (!everyone) return;
    if (bytes < least) return open_exchanges(comm, *everyone, form);
    const std::shared_ptr<ExchangeArguments> arguments = nothing(Among::neighbours, comm, group);
    arguments->sendbuf = from.buffer;
    arguments->sendtype = from.type;
    arguments->recvbuf = const_cast<void*>(to.buffer);
    arguments->recvtype = to.type;
    for (std::size_t i = 0; i < group.sends; ++i)
      put(sent(static_cast<int>(i)), i, arguments->sendcounts, arguments->sdispls);
    for (std::size_t i = 0; i < group.receives; ++i)
      put(received(static_cast<int>(i)), i, arguments->recvcounts, arguments->rdispls);
    made = exchange(arguments, *everyone, form);
  });
  return code == MPI_SUCCESS ? made : code;
}

/// The block that all get.
auto one_place(std::int64_t count) noexcept {
  return [=](int) { return Place{count, 0}; };
}

/// Of a call with one count, packed bytes of a block: in all ranks the same on both sides, but for ranks that
/// may say anything, as they have no neighbours there.
std::int64_t longer(std::int64_t sent, MPI_Datatype from, std::int64_t received, MPI_Datatype to) noexcept {
  return std::max(packed_bytes(sent, from), packed_bytes(received, to));
}

}  // namespace

int each_with_each(MPI_Comm comm, const Ranks& ranks, const CallBlocks& blocks, const Everyone& everyone,
                   const Form& form) {
  const auto all = static_cast<std::size_t>(ranks.all);
  const std::shared_ptr<ExchangeArguments> arguments =
      nothing(Among::all, comm, {true, false, ranks.own, all, all, all});
  // What is not significant may be anything.
  const bool sends = !blocks.sends.empty();
  const bool receives = !blocks.receives.empty();
  arguments->sendbuf = sends ? blocks.from.buffer : nullptr;
  arguments->sendtype = sends ? blocks.from.type : MPI_BYTE;
  arguments->recvbuf = receives ? const_cast<void*>(blocks.to.buffer) : nullptr;
  arguments->recvtype = receives ? blocks.to.type : MPI_BYTE;
  for (const auto& [rank, place] : blocks.sends)
    put(place, static_cast<std::size_t>(rank), arguments->sendcounts, arguments->sdispls);
  for (const auto& [rank, place] : blocks.receives)
    put(place, static_cast<std::size_t>(rank), arguments->recvcounts, arguments->rdispls);
  return exchange(arguments, everyone, form);
}

std::optional<int> Neighbor_allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm, const Form& form) noexcept {
  const auto sent = one_place(sendcount);
  const auto received = even_places(recvcount);
  return among_neighbours({sendbuf, sendtype}, sent, {recvbuf, recvtype}, received, comm, form,
                          longer(sendcount, sendtype, recvcount, recvtype));
}

std::optional<int> Neighbor_alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm, const Form& form) noexcept {
  const auto sent = even_places(sendcount);
  const auto received = even_places(recvcount);
  return among_neighbours({sendbuf, sendtype}, sent, {recvbuf, recvtype}, received, comm, form,
                          longer(sendcount, sendtype, recvcount, recvtype));
}

std::optional<int> neighbor_allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, Places received, MPI_Datatype recvtype, MPI_Comm comm,
                                       const Form& form) noexcept {
  const auto sent = one_place(sendcount);
  return among_neighbours({sendbuf, sendtype}, sent, {recvbuf, recvtype}, received, comm, form,
                          of_any_length);
}

}  // namespace typewarp::interpose::neighbor_as_alltoallv
