// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <algorithm>

namespace typewarp::harness {
namespace {

/// What a row is measured for, however little time is left.
constexpr double least_row_seconds = 0.004;
/// Of a row's share of the time.
constexpr double measured_share = 0.4;

}  // namespace

void print(const JsonObject& object) { std::cout << object.text() << '\n' << std::flush; }

JsonObject& add(JsonObject& row, const Sample& sample) {
  return row.add("median_us", sample.median)
      .add("low_us", sample.low)
      .add("high_us", sample.high)
      .add("p10_us", sample.p10)
      .add("p90_us", sample.p90)
      .add("peer_us", sample.median_of_peer)
      .add("samples", std::int64_t{sample.samples})
      .add("rounds", std::int64_t{sample.rounds});
}

Start start(const Options& options) {
  Start started{both_ranks()};
  const int devices = options.no_gpu ? 0 : use_devices(started.peers, options.one_gpu);
  started.gpus = options.one_gpu ? std::min(devices, 1) : std::min(devices, 2);
  return started;
}

void announce(const Start& start) {
  if (start.peers.rank != 0) return;
  print(JsonObject().add("mpi", library_version()).add("gpus", std::int64_t{start.gpus}));
}

Rows::Rows(const Peers& peers, const Options& options)
    : peers_(peers), seconds_(options.seconds), row_seconds_(options.row_seconds), begin_(MPI_Wtime()) {}

double Rows::seconds_for_a_row() const {
  const double left = seconds_ - (MPI_Wtime() - begin_);
  return std::max(std::min(measured_share * left / static_cast<double>(left_), row_seconds_),
                  least_row_seconds);
}

void Rows::fail(JsonObject described, const std::string& complaint) {
  ++failed_;
  if (talks()) print(described.add("failed", complaint));
}

bool Rows::time_is_over() const { return peers_.told(MPI_Wtime() - begin_) > seconds_; }

}  // namespace typewarp::harness
