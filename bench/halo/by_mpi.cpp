// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "by_mpi.hpp"

namespace typewarp::halo_bench {
namespace {

using Type = std::shared_ptr<const MPI_Datatype>;

Type committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return {new MPI_Datatype(type), [](const MPI_Datatype* owned) {
            MPI_Datatype freed = *owned;
            MPI_Type_free(&freed);
            delete owned;
          }};
}

/// Of one array.
Type span_type(const Span3& cells, std::int64_t length) {
  int lengths[3], sizes[3], begins[3];
  for (int d = 0; d < 3; ++d) {
    lengths[d] = static_cast<int>(length);
    sizes[d] = static_cast<int>(cells.size[d]);
    begins[d] = static_cast<int>(cells.begin[d]);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, lengths, sizes, begins, MPI_ORDER_C, MPI_DOUBLE, &type);
  return committed(type);
}

/// Of all arrays.
Type fields_type(const Span3& cells, const Subject& subject) {
  std::vector<MPI_Aint> displacements;
  for (std::int64_t f = 0; f < subject.pattern.fields; ++f) {
    displacements.push_back(static_cast<MPI_Aint>(f * subject.fields.field_bytes()));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const Type one = span_type(cells, subject.pattern.length);
  MPI_Type_create_hindexed_block(static_cast<int>(displacements.size()), 1, displacements.data(), *one,
                                 &type);
  return committed(type);
}

}  // namespace

MoverOf mpi_pack(const Subject& subject) {
  return [comm = subject.peers.comm](const Span3& cells, std::int64_t length) -> Mover {
    const int bytes = static_cast<int>(cells.cells() * static_cast<std::int64_t>(sizeof(double)));
    return [=, type = span_type(cells, length)](bool packs, double* array, double* packed) {
      int position = 0;
      if (packs) {
        MPI_Pack(array, 1, *type, packed, bytes, &position, comm);
      } else {
        MPI_Unpack(packed, bytes, &position, array, 1, *type, comm);
      }
    };
  };
}

Way by_datatype(const Subject& subject, double* arrays) {
  std::vector<Type> sent;
  std::vector<Type> received;
  for (const Part& part : subject.pattern.parts) {
    sent.push_back(fields_type(part.sent, subject));
    received.push_back(fields_type(part.received, subject));
  }
  const auto wire = [=, &parts = subject.pattern.parts, comm = subject.peers.comm] {
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      MPI_Irecv(arrays, 1, *received[i], parts[i].rank, parts[i].received_tag, comm,
                &requests.emplace_back());
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      MPI_Isend(arrays, 1, *sent[i], parts[i].rank, parts[i].sent_tag, comm, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  };
  return {[] {}, wire, [] {}, static_cast<std::int64_t>(subject.pattern.others)};
}

}  // namespace typewarp::halo_bench
