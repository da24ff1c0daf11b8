// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"
#include "interpose/core/observe/call_event.hpp"

namespace typewarp::interpose {

/// What a call sends or receives, as its arguments say. Nothing of MPI_IN_PLACE.
ObservedData part_of(const void* buffer, std::int64_t count, MPI_Datatype type) noexcept;

/// What a collective call sends and receives at this rank, to be observed. Of what is combined that is the
/// result, whose count and datatype are significant at each rank that takes part.
struct CallParts {
  ObservedData sent, received;
};
CallParts parts_of(Call& call) noexcept;

}  // namespace typewarp::interpose
