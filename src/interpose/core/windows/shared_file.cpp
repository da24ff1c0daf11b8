// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/shared_file.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace typewarp::interpose {

SharedFile::SharedFile(MPI_Comm comm) {
  std::array<char, 64> path{"/dev/shm/typewarp-window-XXXXXX"};
  int rank = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  if (rank == 0) file_ = mkostemp(path.data(), O_CLOEXEC);
  if (rank == 0 && file_ < 0) path[0] = '\0';  // which nobody can open
  mpi::check(PMPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, comm), "MPI_Bcast");
  if (rank != 0) file_ = open(path.data(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  int well = file_ >= 0 ? 1 : 0;
  const int code = PMPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, comm);
  if (rank == 0 && file_ >= 0) unlink(path.data());
  if (code == MPI_SUCCESS && well != 0) return;
  if (file_ >= 0) close(file_);
  mpi::check(code, "MPI_Allreduce");
  throw Error("/dev/shm: not every rank of the window can open a file there");
}

SharedFile::~SharedFile() { close(file_); }

}  // namespace typewarp::interpose
