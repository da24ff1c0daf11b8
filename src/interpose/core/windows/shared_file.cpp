// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/shared_file.hpp"

#include "mpi/agree.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Descriptor;

/// Where the first rank has it, and which file it is: in another container the numbers may be those of
/// another.
using FilePlace = std::array<std::int64_t, 4>;

FilePlace place_of(const Descriptor& file) noexcept {
  struct stat about{};
  if (!file || fstat(file.get(), &about) != 0) return {};
  return {getpid(), file.get(), static_cast<std::int64_t>(about.st_dev),
          static_cast<std::int64_t>(about.st_ino)};
}

Descriptor open_at(const FilePlace& place) noexcept {
  Descriptor file = transport::open_memory_file(place[0], place[1], 0);
  const FilePlace found = place_of(file);
  return found[2] == place[2] && found[3] == place[3] ? std::move(file) : Descriptor();
}

}  // namespace

SharedFile::SharedFile(MPI_Comm comm) {
  int rank = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  if (rank == 0) file_ = transport::make_memory_file(0);
  FilePlace place = place_of(file_);
  mpi::check(PMPI_Bcast(place.data(), static_cast<int>(place.size()), MPI_INT64_T, 0, comm), "MPI_Bcast");
  if (rank != 0) file_ = open_at(place);
  if (!mpi::in_all(comm, static_cast<bool>(file_)))
    throw Error("shared memory: not every rank of the window can open a file of it");
}

}  // namespace typewarp::interpose
