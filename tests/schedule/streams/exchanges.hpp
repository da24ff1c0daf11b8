// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/traffic.hpp"
#include "transport/fixture.hpp"

#include <typewarp/exchange.hpp>

#include <array>
#include <string>
#include <vector>

namespace typewarp::test {

class Exchanges : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    if (IsSkipped()) return;
    const int obstacle = obstacle_to_lanes().empty() ? 0 : 1;
    int any = 0;
    MPI_Allreduce(&obstacle, &any, 1, MPI_INT, MPI_MAX, comm_);
    if (any != 0) GTEST_SKIP() << obstacle_to_lanes();
  }
  Exchange exchange_of(const PartTraffic& traffic, const ExchangeOptions& options = {}) {
    return Exchange(mpi::ranks(comm_), traffic.sends, traffic.receives, options);
  }
  /// What the exchange of one int with the partner fails of, with this rank's part changed by `change`.
  template <typename Change>
  std::string failure(Change change) {
    const Plan plan = commit(Named::int_);
    std::array<int, 2> words{};
    std::vector<OutgoingPart> sends{{&words[0], 1, plan, partner()}};
    std::vector<IncomingPart> receives{{&words[1], 1, plan, partner()}};
    change(sends, receives);
    try {
      const Exchange made(mpi::ranks(comm_), sends, receives);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
};

/// Of each byte of a matrix of a rank.
inline std::byte content(int rank, std::int64_t place) {
  return static_cast<std::byte>((37 * rank + place + place / 251) & 0xff);
}

}  // namespace typewarp::test
