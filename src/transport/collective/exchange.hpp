// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/collective/dup_comm.hpp"
#include "transport/collective/neighbours.hpp"

#include <typewarp/collective.hpp>

namespace typewarp::transport {

enum class Among { all_ranks, neighbours };

/// An exchange of collective.hpp that is made once and started many times, in whatever order with others
/// (MPI 4.1, section 6.13). One start at a time. Making it is collective over the communicator, in the same
/// order as other collective calls, and waits for nobody.
class PersistentExchange {
 public:
  /// Throws what the calls of collective.hpp throw for the communicator.
  PersistentExchange(MPI_Comm comm, Among among);
  /// Parts are those of collective.hpp, with the same errors.
  [[nodiscard]] Request start(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                              Stream stream) const;

 private:
  static constexpr const char* name = "typewarp::transport::PersistentExchange";

  MPI_Comm comm_;
  Neighbours neighbours_;
  std::shared_ptr<DupComm> channel_;
};

}  // namespace typewarp::transport
