// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/by_put.hpp"

#include <algorithm>

namespace lammps {
namespace {

using Put = MappedArrays::Put;

constexpr int target_tag = 20;  ///< added to that of the part

std::set<int> others(const std::vector<Part>& parts, int rank) {
  std::set<int> result;
  for (const Part& part : parts) {
    if (part.peer != rank) result.insert(part.peer);
  }
  return result;
}

/// Whether what comes second goes on where the first ends, at both ends.
bool follows(const Put& first, const Put& second) {
  const Part& part = first.sent;
  const Part& next = second.sent;
  const auto data = [](const Column& column) { return column.data; };
  return part.peer == next.peer && part.list == next.list && part.first + part.count == next.first &&
         std::ranges::equal(part.columns, next.columns, {}, data, data) &&
         first.target.arrays == second.target.arrays &&
         first.target.first + part.count == second.target.first;
}

/// One kernel for what goes both ways along an axis if that is to the same rank.
std::vector<Put> joined(const std::vector<Put>& puts) {
  std::vector<Put> result;
  for (const Put& put : puts) {
    if (!result.empty() && follows(result.back(), put)) {
      result.back().sent.count += put.sent.count;
    } else {
      result.push_back(put);
    }
  }
  return result;
}

}  // namespace

ByPut::ByPut(const Parts& parts, MappedArrays& arrays, MPI_Comm comm) : arrays_(arrays) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  to_ = others(parts.sends, rank);
  from_ = others(parts.receives, rank);
  std::vector<MappedArrays::Target> mine;
  for (const Part& part : parts.receives) {
    mine.push_back(arrays.target(part));
  }
  std::vector<Put> puts;
  for (const Part& part : parts.sends) {
    puts.push_back({part, {}});
  }
  constexpr int bytes = sizeof(MappedArrays::Target);
  std::vector<MPI_Request> requests(mine.size() + puts.size());
  auto request = requests.begin();
  for (Put& put : puts) {
    MPI_Irecv(&put.target, bytes, MPI_BYTE, put.sent.peer, target_tag + put.sent.tag, comm, &*request++);
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Part& part = parts.receives[i];
    MPI_Isend(&mine[i], bytes, MPI_BYTE, part.peer, target_tag + part.tag, comm, &*request++);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  puts_ = joined(puts);
}

void ByPut::run() {
  for (const int rank : from_) arrays_.let(rank);
  for (const int rank : to_) arrays_.begin(rank);
  for (const Put& put : puts_) arrays_.put(put);
  for (const int rank : to_) arrays_.finish(rank);
  for (const int rank : from_) arrays_.wait(rank);
}

}  // namespace lammps
