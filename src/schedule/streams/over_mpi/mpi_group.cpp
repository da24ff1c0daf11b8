// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/over_mpi/mpi_group.hpp"

#include "schedule/streams/host_transport.hpp"
#include "schedule/streams/parts.hpp"
#include "mpi/agree.hpp"

#include <typewarp/mpi.hpp>
#include <typewarp/mpi_ranks.hpp>

#include <utility>

namespace typewarp {
namespace exchange {
namespace {

constexpr int swap_tag = 1;  // the transport has another

Packet receive(MPI_Comm comm, int from) {
  MPI_Status status{};
  MPI_Message matched = MPI_MESSAGE_NULL;
  mpi::check(MPI_Mprobe(from, swap_tag, comm, &matched, &status), "MPI_Mprobe");
  int bytes = 0;
  mpi::check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  mpi::check(MPI_Mrecv(memory.data(), bytes, MPI_BYTE, &matched, &status), "MPI_Mrecv");
  return Packet(std::move(memory));
}

MPI_Comm checked(MPI_Comm comm) {
  mpi::check_communicator("typewarp::mpi::ranks", "comm", comm);
  return comm;
}

}  // namespace

MpiGroup::MpiGroup(MPI_Comm comm) : comm_(checked(comm)) {
  rank_ = comm_.rank();
  size_ = comm_.size();
  host_ = comm_.host();
}

std::vector<std::byte> MpiGroup::gather(std::span<const std::byte> own) {
  std::vector<std::byte> all(own.size() * static_cast<std::size_t>(size_));
  const auto bytes = static_cast<int>(own.size());
  mpi::check(MPI_Allgather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_.get()),
             "MPI_Allgather");
  return all;
}

std::vector<int> MpiGroup::transpose(const std::vector<int>& numbers) {
  std::vector<int> own(numbers.size());
  mpi::check(MPI_Alltoall(numbers.data(), 1, MPI_INT, own.data(), 1, MPI_INT, comm_.get()), "MPI_Alltoall");
  return own;
}

Packets MpiGroup::swap(Packets packets, const std::set<int>& from) {
  std::vector<transport::Posted> requests;
  requests.reserve(packets.size());
  Packets received;
  try {
    for (const auto& [to, packet] : packets) {
      MPI_Request request = MPI_REQUEST_NULL;
      mpi::check(MPI_Isend(packet.bytes().data(), static_cast<int>(packet.bytes().size()), MPI_BYTE, to,
                           swap_tag, comm_.get(), &request),
                 "MPI_Isend");
      requests.emplace_back(request);
    }
    for (const int rank : from) received.emplace(rank, receive(comm_.get(), rank));
    for (transport::Posted& request : requests) request.finish(true);
  } catch (...) {
    // The MPI may still read them.
    static_cast<void>(new Packets(std::move(packets)));
    throw;
  }
  return received;
}

std::optional<std::string> MpiGroup::first_problem(const std::string& problem) {
  return mpi::first_problem(comm_.get(), problem);
}

std::unique_ptr<ExchangeGroup> MpiGroup::another() const { return std::make_unique<MpiGroup>(comm_.get()); }

bool MpiGroup::met() {
  if (!meets_) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibarrier(comm_.get(), &request), "MPI_Ibarrier");
    meeting_ = transport::Posted(request);
    meets_ = true;
  }
  return meeting_.test();
}

void MpiGroup::abandon() noexcept {
  meeting_.abandon();
  comm_.abandon();
}

}  // namespace exchange

namespace mpi {

Ranks ranks(MPI_Comm comm) {
  return Ranks([comm] { return std::make_unique<exchange::MpiGroup>(comm); });
}

}  // namespace mpi
}  // namespace typewarp
