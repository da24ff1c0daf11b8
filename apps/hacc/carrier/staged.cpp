// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/carrier/staged.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <limits>
#include <string>

namespace hacc {
namespace {

using typewarp::mpi::check;

int checked(std::int64_t bytes) {
  if (bytes > std::numeric_limits<int>::max()) {
    throw typewarp::Error("a block of " + std::to_string(bytes) + " bytes is too long");
  }
  return static_cast<int>(bytes);
}

}  // namespace

Staged::Staged(const Block& block)
    : packed_(staging_kind(block), block.bytes()), bytes_(checked(block.bytes())) {}

void Staged::start_send(int destination, MPI_Comm comm) {
  pack(packed_.data());
  receiving_ = false;
  check(MPI_Isend(packed_.data(), bytes_, MPI_BYTE, destination, block_tag, comm, &request_), "MPI_Isend");
}

void Staged::start_receive(int source, MPI_Comm comm) {
  receiving_ = true;
  check(MPI_Irecv(packed_.data(), bytes_, MPI_BYTE, source, block_tag, comm, &request_), "MPI_Irecv");
}

void Staged::finish() {
  check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  if (receiving_) {
    unpack(packed_.data());
  }
}

void Staged::write(MPI_File file, MPI_Offset at) {
  pack(packed_.data());
  check(MPI_File_write_at_all(file, at, packed_.data(), bytes_, MPI_BYTE, MPI_STATUS_IGNORE),
        "MPI_File_write_at_all");
}

void Staged::read(MPI_File file, MPI_Offset at) {
  check(MPI_File_read_at_all(file, at, packed_.data(), bytes_, MPI_BYTE, MPI_STATUS_IGNORE),
        "MPI_File_read_at_all");
  unpack(packed_.data());
}

}  // namespace hacc
