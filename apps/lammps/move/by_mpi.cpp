// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/by_mpi.hpp"

#include "lammps/move/datatype.hpp"

#include <typewarp/mpi.hpp>

namespace lammps {
namespace {

using typewarp::mpi::check;

template <typename Init>
MPI_Request make_request(const Part& part, Init init) {
  MPI_Datatype datatype = typewarp::mpi::encode(datatype_of(part));
  check(MPI_Type_commit(&datatype), "MPI_Type_commit");
  MPI_Request request = MPI_REQUEST_NULL;
  init(datatype, &request);
  MPI_Type_free(&datatype);
  return request;
}

}  // namespace

ByMpi::ByMpi(const Parts& parts, const Place& place, MPI_Comm comm) : place_(place) {
  for (const Part& part : parts.receives) {
    requests_.push_back(make_request(part, [&](MPI_Datatype datatype, MPI_Request* request) {
      check(MPI_Recv_init(MPI_BOTTOM, 1, datatype, part.peer, part.tag, comm, request), "MPI_Recv_init");
    }));
  }
  for (const Part& part : parts.sends) {
    requests_.push_back(make_request(part, [&](MPI_Datatype datatype, MPI_Request* request) {
      check(MPI_Send_init(MPI_BOTTOM, 1, datatype, part.peer, part.tag, comm, request), "MPI_Send_init");
    }));
  }
}

ByMpi::~ByMpi() {
  for (MPI_Request& request : requests_) {
    MPI_Request_free(&request);
  }
}

void ByMpi::run() {
  place_.synchronize();  // the MPI knows nothing of streams
  const int count = static_cast<int>(requests_.size());
  check(MPI_Startall(count, requests_.data()), "MPI_Startall");
  check(MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace lammps
