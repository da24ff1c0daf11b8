// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/lanes.hpp"
#include "support/user_buffer.hpp"

#include <typewarp/exchange.hpp>
#include <typewarp/mpi_ranks.hpp>

#include <memory>
#include <vector>

namespace typewarp::test {

/// A buffer in memory of a part's kind, and what it holds or should hold.
struct Placed {
  Placed(std::size_t number, const Datatype& type, std::uint64_t seed);

  void* origin();
  Bytes bytes();

  UserBuffer image;
  std::unique_ptr<Memory> memory;
};

/// Parts of random types between ranks, `from`s and `to`s of the same seed: what a rank sends, receives, and
/// should then have. The receiver has each part in another layout than the sender.
class PartTraffic {
 public:
  /// `parts` from each rank to each, itself too; some have no bytes.
  PartTraffic(int rank, int ranks, int parts, std::uint64_t seed);

  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
  void expect_arrived();
  /// All that was received is as it was before again.
  void clear();

  std::vector<std::unique_ptr<Placed>> sent, received, expected;
};

}  // namespace typewarp::test
