// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/collective/collective_context.hpp"
#include "transport/collective/neighbours.hpp"

#include <typewarp/collective.hpp>

#include <exception>

namespace typewarp::transport {

/// Exchanges of collective.hpp along some edges of a communicator: those over which both ends know that a
/// message goes. Others may have no part in it.
class EdgeExchange {
 public:
  /// `channel`: that of `comm`, for the next of the exchanges that all start in the same order, or one apart,
  /// for one that is started many times, one start at a time, in whatever order with others. Throws what the
  /// calls of collective.hpp throw for the communicator.
  EdgeExchange(MPI_Comm comm, Neighbours edges, std::shared_ptr<CollectiveContext> channel);
  /// Parts are those of collective.hpp, one an edge, with the same errors. Where it throws InvalidArgument,
  /// nothing is started. What this rank lacks besides is the request's error, as of start_failed().
  [[nodiscard]] Request start(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                              Stream stream) const;
  /// In place of start() in a rank that cannot take part because of `why`, with which the request ends. Peers
  /// do not wait for it: what they would receive from this rank is an error there. Throws std::bad_alloc
  /// where not even that can be started: then no later exchange starts in this rank.
  [[nodiscard]] Request start_failed(std::exception_ptr why) const;

 private:
  MPI_Comm comm_;
  Neighbours edges_;
  std::shared_ptr<CollectiveContext> channel_;
};

}  // namespace typewarp::transport
