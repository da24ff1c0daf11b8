// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

/// The two ranks that exchange messages, and what they use.
namespace typewarp::harness {

struct Peers {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;  ///< 0 begins

  int other() const noexcept { return 1 - rank; }
  /// Whether it is true in both ranks.
  bool agree(bool mine) const;
  /// What rank 0 says.
  double told(double value) const;
};

/// The ranks of a program, which must be two: Error. On a communicator of their own, until the end.
Peers both_ranks();
/// Ends both ranks after `line` has been written to standard error: the other one may be waiting for a
/// message that never comes.
[[noreturn]] void abort_ranks(const std::string& line);
/// The main function of a benchmark: `run` takes the arguments and says how many rows had wrong bytes. What
/// it throws is told as {"aborted": ...}, and ends both ranks.
int main_of(const std::string& program, int argc, char** argv,
            const std::function<int(const std::vector<std::string>&)>& run);
/// From 0 on in each host.
int rank_in_host();
/// Has each rank use a GPU of its host: all the same if `one`, else one after the other. How many the host
/// has; 0 unless both ranks have some.
int use_devices(const Peers& peers, bool one);
/// What the MPI says of itself, up to the first comma or line.
std::string library_version();

}  // namespace typewarp::harness
