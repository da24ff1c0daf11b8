// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/carrier/by_mpi.hpp"

#include "hacc/carrier/datatype.hpp"

#include <typewarp/mpi.hpp>

namespace hacc {
namespace {

using typewarp::mpi::check;

}  // namespace

ByMpi::ByMpi(const Block& block)
    : bytes_(static_cast<int>(block.bytes())), datatype_(typewarp::mpi::encode(datatype_of(block))) {
  check(MPI_Type_commit(&datatype_), "MPI_Type_commit");
}

ByMpi::~ByMpi() { MPI_Type_free(&datatype_); }

void ByMpi::pack(std::byte* packed) {
  int position = 0;
  check(MPI_Pack(MPI_BOTTOM, 1, datatype_, packed, bytes_, &position, MPI_COMM_SELF), "MPI_Pack");
}

void ByMpi::unpack(const std::byte* packed) {
  int position = 0;
  check(MPI_Unpack(packed, bytes_, &position, MPI_BOTTOM, 1, datatype_, MPI_COMM_SELF), "MPI_Unpack");
}

void ByMpi::start_send(int destination, MPI_Comm comm) {
  check(MPI_Isend(MPI_BOTTOM, 1, datatype_, destination, block_tag, comm, &request_), "MPI_Isend");
}

void ByMpi::start_receive(int source, MPI_Comm comm) {
  check(MPI_Irecv(MPI_BOTTOM, 1, datatype_, source, block_tag, comm, &request_), "MPI_Irecv");
}

void ByMpi::finish() { check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

void ByMpi::write(MPI_File file, MPI_Offset at) {
  check(MPI_File_write_at_all(file, at, MPI_BOTTOM, 1, datatype_, MPI_STATUS_IGNORE),
        "MPI_File_write_at_all");
}

void ByMpi::read(MPI_File file, MPI_Offset at) {
  check(MPI_File_read_at_all(file, at, MPI_BOTTOM, 1, datatype_, MPI_STATUS_IGNORE), "MPI_File_read_at_all");
}

}  // namespace hacc
