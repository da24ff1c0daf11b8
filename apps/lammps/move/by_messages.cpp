// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/by_messages.hpp"

#include "lammps/move/datatype.hpp"

#include <typewarp/completion.hpp>

namespace lammps {

ByMessages::ByMessages(const Parts& parts, const Place& place, MPI_Comm comm) {
  for (const Part& part : parts.receives) {
    requests_.push_back(typewarp::recv_init(nullptr, 1, typewarp::commit(datatype_of(part)), part.peer,
                                            part.tag, comm, place.stream()));
  }
  for (const Part& part : parts.sends) {
    requests_.push_back(typewarp::send_init(nullptr, 1, typewarp::commit(datatype_of(part)), part.peer,
                                            part.tag, comm, place.stream()));
  }
}

void ByMessages::run() {
  typewarp::start_all(requests_);
  typewarp::wait_all(requests_);
}

}  // namespace lammps
