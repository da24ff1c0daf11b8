// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/block_file.hpp"

#include "common/collective.hpp"

#include <typewarp/mpi.hpp>

#include <numeric>

namespace hacc {
namespace {

using typewarp::mpi::check;

constexpr std::int64_t number_bytes = sizeof(std::int64_t);

std::string reason(int error) {
  int kind = error;
  MPI_Error_class(error, &kind);  // what is said of the error itself has several lines with some MPIs
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(kind, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

MPI_File open(const std::string& path, int mode, MPI_Comm comm) {
  MPI_File file = MPI_FILE_NULL;
  const int result = MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file);
  apps::agree(comm,
              result == MPI_SUCCESS ? "" : "--file = " + path + ": cannot be opened: " + reason(result));
  return file;
}

MPI_File create(const std::string& path, MPI_Comm comm) {
  const MPI_File file = open(path, MPI_MODE_CREATE | MPI_MODE_WRONLY, comm);
  check(MPI_File_set_size(file, 0), "MPI_File_set_size");  // an earlier file may be there, and be longer
  return file;
}

/// Collective. Where the block of each rank begins, behind the table, and the last one ends.
std::vector<std::int64_t> places_of(std::int64_t bytes, MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  std::vector<std::int64_t> places(static_cast<std::size_t>(ranks) + 1, (ranks + 2) * number_bytes);
  MPI_Allgather(&bytes, 1, MPI_INT64_T, places.data() + 1, 1, MPI_INT64_T, comm);
  std::partial_sum(places.begin(), places.end(), places.begin());
  return places;
}

}  // namespace

BlockFile::BlockFile(const std::string& path, std::int64_t bytes, MPI_Comm comm)
    : file_(create(path, comm)), places_(places_of(bytes, comm)) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    const std::int64_t count = blocks();
    check(MPI_File_write_at(file_, 0, &count, 1, MPI_INT64_T, MPI_STATUS_IGNORE), "MPI_File_write_at");
    check(MPI_File_write_at(file_, number_bytes, places_.data(), static_cast<int>(places_.size()),
                            MPI_INT64_T, MPI_STATUS_IGNORE),
          "MPI_File_write_at");
  }
}

BlockFile::BlockFile(const std::string& path, MPI_Comm comm) : file_(open(path, MPI_MODE_RDONLY, comm)) {
  std::int64_t count = 0;
  check(MPI_File_read_at_all(file_, 0, &count, 1, MPI_INT64_T, MPI_STATUS_IGNORE), "MPI_File_read_at_all");
  places_.resize(static_cast<std::size_t>(count) + 1);
  check(MPI_File_read_at_all(file_, number_bytes, places_.data(), static_cast<int>(places_.size()),
                             MPI_INT64_T, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
}

BlockFile::~BlockFile() { MPI_File_close(&file_); }

Header BlockFile::read_header(std::int64_t index) const {
  Header header{};
  check(MPI_File_read_at_all(file_, place(index), &header, sizeof header, MPI_BYTE, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
  return header;
}

}  // namespace hacc
