// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/window_file.hpp"

#include "mpi/agree.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace typewarp::interpose {
namespace {

using transport::FileDescriptor;

/// Where the first rank has it, and which file it is: in another container the numbers may be those of
/// another.
using FilePlace = std::array<std::int64_t, 4>;

FilePlace place_of(const FileDescriptor& file) noexcept {
  struct stat about{};
  if (!file || fstat(file.get(), &about) != 0) return {};
  return {getpid(), file.get(), static_cast<std::int64_t>(about.st_dev),
          static_cast<std::int64_t>(about.st_ino)};
}

FileDescriptor open_at(const FilePlace& place) noexcept {
  FileDescriptor file = transport::open_memory_file(place[0], place[1], 0);
  const FilePlace found = place_of(file);
  return found[2] == place[2] && found[3] == place[3] ? std::move(file) : FileDescriptor();
}

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
  int rank = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  if (rank == 0) file_ = transport::make_memory_file(0);
  FilePlace place = place_of(file_);
  mpi::check(PMPI_Bcast(place.data(), static_cast<int>(place.size()), MPI_INT64_T, 0, comm), "MPI_Bcast");
  if (rank != 0) file_ = open_at(place);
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
