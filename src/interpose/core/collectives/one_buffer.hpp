// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/function_ref.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>

/// Calls that send from where they receive. No MPI allows that, and some refuse it, each some calls and some
/// counts. They must have such a call as it is, before this rank has asked or sent anything: on copies, or by
/// messages of ours, nobody would notice.
namespace typewarp::interpose {

/// What this rank has for itself in a call, as one side has it.
struct OwnBlock {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  std::int64_t place = 0;  ///< items before it
};
/// Whether both are at one place, which no side of a call without items is. MPIs count by sizes of datatypes.
bool are_one(const OwnBlock& sent, const OwnBlock& received) noexcept;

/// Of a communicator of one group; else -1.
int rank_in_group(MPI_Comm comm) noexcept;

/// What a rank alone makes such a call with. The MPI may make it.
struct OneBuffer {
  static constexpr int most = 2;
  template <class Count>
  static Count few(Count count) noexcept {
    return std::min(count, Count{most});
  }

  std::int64_t memory[most]{};
  MPI_Request request = MPI_REQUEST_NULL;
};
/// Whether the MPI refuses such a call, as `make(one)` makes it on own_comm().
bool mpi_refuses(FunctionRef<int(OneBuffer& one)> make) noexcept;

}  // namespace typewarp::interpose
