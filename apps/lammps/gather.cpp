// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/gather.hpp"

#include <numeric>

namespace lammps {
namespace {

template <typename T>
std::vector<T> gather(const std::vector<T>& mine, MPI_Datatype datatype, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<T> all(rank == 0 ? static_cast<std::size_t>(places.back() + counts.back()) : 0);
  MPI_Gatherv(mine.data(), count, datatype, all.data(), counts.data(), places.data(), datatype, 0, comm);
  return all;
}

std::vector<double> by_tag(const std::vector<double>& values, const std::vector<std::int64_t>& tags) {
  std::vector<double> sorted(values.size());
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const auto to = 3 * static_cast<std::size_t>(tags[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sorted.at(to + axis) = values[3 * i + axis];
    }
  }
  return sorted;
}

}  // namespace

State gather(const std::vector<double>& x, const std::vector<double>& v,
             const std::vector<std::int64_t>& tags, MPI_Comm comm) {
  const std::vector<std::int64_t> all_tags = gather(tags, MPI_INT64_T, comm);
  return {by_tag(gather(x, MPI_DOUBLE, comm), all_tags), by_tag(gather(v, MPI_DOUBLE, comm), all_tags)};
}

}  // namespace lammps
