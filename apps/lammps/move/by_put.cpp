// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/by_put.hpp"

#include <utility>

namespace lammps {
namespace {

constexpr int target_tag = 20;  ///< added to that of the part

std::set<int> others(const std::vector<Part>& parts, int rank) {
  std::set<int> result;
  for (const Part& part : parts) {
    if (part.peer != rank) result.insert(part.peer);
  }
  return result;
}

}  // namespace

ByPut::ByPut(Parts parts, MappedArrays& arrays, MPI_Comm comm)
    : arrays_(arrays), parts_(std::move(parts)), targets_(parts_.sends.size()) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  to_ = others(parts_.sends, rank);
  from_ = others(parts_.receives, rank);
  std::vector<MappedArrays::Target> mine;
  for (const Part& part : parts_.receives) {
    mine.push_back(arrays.target(part));
  }
  constexpr int bytes = sizeof(MappedArrays::Target);
  std::vector<MPI_Request> requests(mine.size() + targets_.size());
  auto request = requests.begin();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Part& part = parts_.sends[i];
    MPI_Irecv(&targets_[i], bytes, MPI_BYTE, part.peer, target_tag + part.tag, comm, &*request++);
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Part& part = parts_.receives[i];
    MPI_Isend(&mine[i], bytes, MPI_BYTE, part.peer, target_tag + part.tag, comm, &*request++);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void ByPut::run() {
  for (const int rank : from_) arrays_.let(rank);
  for (const int rank : to_) arrays_.begin(rank);
  for (std::size_t i = 0; i < parts_.sends.size(); ++i) {
    arrays_.put(parts_.sends[i], targets_[i]);
  }
  for (const int rank : to_) arrays_.finish(rank);
  for (const int rank : from_) arrays_.wait(rank);
}

}  // namespace lammps
