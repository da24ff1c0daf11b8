// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/block_messages.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/streams.hpp"
#include "interpose/core/collectives/long_blocks.hpp"
#include "transport/collective/dup_comm.hpp"
#include "transport/collective/exchange.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::interpose {

void BlockMessages::exchange() {
  LongBlocks blocks(transport::EdgeExchange(comm_, std::move(edges_), transport::DupComm::of(comm_)), comm_,
                    stream_of(comm_), std::move(outgoing_), std::move(incoming_), replaces_);
  std::vector<Request> messages = blocks.begin();
  for (Request& message : messages) message.wait();
}

void BlockMessages::add(std::vector<transport::Neighbours::Edge>& edges, std::vector<Data>& all, int rank,
                        const Side& side, Place place) {
  if (place.count == 0) return;
  if (place.count < 0 || side.type == MPI_DATATYPE_NULL)
    throw InvalidArgument("typewarp", "count", place.count, "must be one of items of a datatype");
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  mpi::check(PMPI_Type_get_extent(side.type, &lb, &extent), "MPI_Type_get_extent");
  const std::int64_t displacement = place.displacement * extent;
  const Data first = data_needed(side.buffer, place.count, side.type, comm_);
  if (first.bytes() == 0) return;
  if (is_nowhere(first)) throw InvalidArgument("typewarp", "buffer", "null", "must have items");
  all.push_back(data_needed(side.buffer, place.count, side.type, comm_, displacement));
  any_is_ours_ =
      any_is_ours_ || data_if_ours(side.buffer, place.count, side.type, comm_, displacement).has_value();
  longest_ = std::max(longest_, first.bytes());
  bytes_ += first.bytes();
  constexpr int only_tag = 0;
  edges.push_back({rank, only_tag});
}

}  // namespace typewarp::interpose
