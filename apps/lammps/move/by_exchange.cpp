// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/by_exchange.hpp"

#include "lammps/move/datatype.hpp"

#include <typewarp/mpi_ranks.hpp>

namespace lammps {
namespace {

typewarp::Exchange make_exchange(const Parts& parts, MPI_Comm comm) {
  std::vector<typewarp::OutgoingPart> sends;
  std::vector<typewarp::IncomingPart> receives;
  for (const Part& part : parts.sends) {
    sends.push_back({nullptr, 1, typewarp::commit(datatype_of(part)), part.peer});
  }
  for (const Part& part : parts.receives) {
    receives.push_back({nullptr, 1, typewarp::commit(datatype_of(part)), part.peer});
  }
  return {typewarp::mpi::ranks(comm), sends, receives};
}

}  // namespace

ByExchange::ByExchange(const Parts& parts, const Place& place, MPI_Comm comm)
    : place_(place), exchange_(make_exchange(parts, comm)) {}

void ByExchange::run() {
  exchange_.start(place_.stream());
  if (!place_.on_gpu()) exchange_.wait();  // without a device nothing else orders them
}

}  // namespace lammps
