// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/byte_type.hpp"

#include "interpose/core/buffers/plans.hpp"

#include <typewarp/mpi.hpp>

#include <array>

namespace typewarp::interpose {
namespace {

MPI_Datatype bytes(std::int64_t size) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  mpi::check(PMPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &made), "MPI_Type_contiguous");
  return made;
}

}  // namespace

MPI_Datatype byte_type(std::int64_t size) {
  constexpr std::int64_t large = std::int64_t{1} << 30;  // for MPIs without counts of 64 bits
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (size < large) {
    made = bytes(size);
  } else {
    const std::array lengths{static_cast<int>(size / large), static_cast<int>(size % large)};
    const std::array<MPI_Aint, 2> places{0, size / large * large};
    MPI_Datatype block = bytes(large);
    const std::array<MPI_Datatype, 2> types{block, MPI_BYTE};
    const int code = PMPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &made);
    PMPI_Type_free(&block);
    mpi::check(code, "MPI_Type_create_struct");
  }
  mpi::check(PMPI_Type_commit(&made), "MPI_Type_commit");
  return made;
}

PackedTypes::~PackedTypes() {
  for (MPI_Datatype& made : made_) {
    if (made != MPI_DATATYPE_NULL) PMPI_Type_free(&made);
  }
}

void PackedTypes::add(const Data& data, MPI_Datatype own) {
  types_.push_back(own);
  // A derived one may be freed before the call starts that it is given to.
  if (is_predefined_type(own) && !data.opaque && is_dense(data.plan)) return;
  made_.push_back(MPI_DATATYPE_NULL);
  types_.back() = made_.back() = byte_type(data.plan.size());
}

}  // namespace typewarp::interpose
