// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/packets.hpp"

#include "transport/mpi/posted.hpp"

#include <typewarp/mpi.hpp>

#include <utility>

namespace typewarp::exchange {
namespace {

Packet receive(MPI_Comm comm, int from, int tag) {
  MPI_Status status{};
  MPI_Message matched = MPI_MESSAGE_NULL;
  mpi::check(MPI_Mprobe(from, tag, comm, &matched, &status), "MPI_Mprobe");
  int bytes = 0;
  mpi::check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  mpi::check(MPI_Mrecv(memory.data(), bytes, MPI_BYTE, &matched, &status), "MPI_Mrecv");
  return Packet(std::move(memory));
}

}  // namespace

Packets swapped(MPI_Comm comm, Packets packets, const std::set<int>& from, int tag) {
  std::vector<transport::Posted> requests;
  requests.reserve(packets.size());
  Packets received;
  try {
    for (const auto& [to, packet] : packets) {
      MPI_Request request = MPI_REQUEST_NULL;
      mpi::check(MPI_Isend(packet.bytes().data(), static_cast<int>(packet.bytes().size()), MPI_BYTE, to, tag,
                           comm, &request),
                 "MPI_Isend");
      requests.emplace_back(request);
    }
    for (const int rank : from) received.emplace(rank, receive(comm, rank, tag));
    for (transport::Posted& request : requests) request.finish(true);
  } catch (...) {
    // The MPI may still read them.
    static_cast<void>(new Packets(std::move(packets)));
    throw;
  }
  return received;
}

}  // namespace typewarp::exchange
