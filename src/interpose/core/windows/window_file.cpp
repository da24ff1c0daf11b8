// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/window_file.hpp"

#include "mpi/agree.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <fcntl.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace typewarp::interpose {
namespace {

/// One byte for each rank.
struct flock byte_of(int rank, short type) {
  struct flock byte{};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_start = rank;
  byte.l_len = 1;
  return byte;
}

}  // namespace

WindowFile::WindowFile(MPI_Comm comm) {
  const int rank = mpi::rank_in(comm).rank;
  if (rank == 0) file_ = make_memory_file(0);
  FilePlace place = place_of(file_);
  mpi::check(PMPI_Bcast(&place, sizeof(place) / sizeof(std::int64_t), MPI_INT64_T, 0, comm), "MPI_Bcast");
  if (rank != 0) file_ = open_memory_file(place, 0);
  if (!mpi::in_all(comm, static_cast<bool>(file_)))
    throw Error("shared memory: not every rank of the window can open a file of it");
}

WindowFile::Locked::Locked(int file, int rank) : file_(file), rank_(rank) {
  struct flock byte = byte_of(rank, F_WRLCK);
  while (fcntl(file, F_OFD_SETLKW, &byte) != 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "the lock of a window");
  }
}

WindowFile::Locked::~Locked() {
  struct flock byte = byte_of(rank_, F_UNLCK);
  fcntl(file_, F_OFD_SETLK, &byte);
}

}  // namespace typewarp::interpose
