// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/partitions.hpp"

#include "interpose/core/buffers/byte_type.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/comm_settings.hpp"

#include <vector>

namespace typewarp::interpose {

Partitions::Partitions(const Data& data, int partitions, MPI_Comm comm, bool receives)
    : data_(data),
      partitions_(partitions),
      comm_(comm),
      receives_(receives),
      is_named_(stream_named(comm).has_value()),
      memory_(staging_for_moves(data.bytes())),
      type_(byte_type(data.plan.size())) {}

Partitions::~Partitions() {
  if (request_ != MPI_REQUEST_NULL) PMPI_Request_free(&request_);
  PMPI_Type_free(&type_);
}

Data Partitions::part(int first, int n) const noexcept {
  const std::int64_t items = data_.count / partitions_;
  Data part = data_;
  part.address = at(data_.address, first * items * data_.plan.extent());
  part.count = n * items;
  const Stream of_thread = is_named_ ? Stream() : stream_of(MPI_COMM_NULL);
  if (of_thread.get() != nullptr) part.stream = of_thread;
  return part;
}

void Partitions::pack(std::span<const int> partitions) {
  std::vector<PlacedData> parts;
  for (const int partition : partitions) {
    if (has(partition)) parts.push_back({part(partition, 1), place(partition)});
  }
  Moves moves;
  moves.pack(parts, static_cast<std::byte*>(packed()));
  moves.reached(true);
}

void Partitions::pack(int low, int high) {
  if (!has(low) || !has(high) || low > high) return;
  Moves moves;
  moves.pack(part(low, high - low + 1), at(packed(), place(low)));
  moves.reached(true);
}

void Partitions::unpack(Moves& moves, std::int64_t bytes) const { moves.unpack(packed(), bytes, data_); }

}  // namespace typewarp::interpose
