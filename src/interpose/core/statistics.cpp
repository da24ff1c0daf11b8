// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/statistics.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace typewarp::interpose {

constinit Statistics statistics;

bool statistics_wanted() noexcept {
  const char* value = std::getenv("TYPEWARP_STATS");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

void print_statistics() noexcept {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto line = [rank](const char* name, std::int64_t n) {
    if (n != 0) std::fprintf(stderr, "typewarp: rank %d: %s %lld\n", rank, name, static_cast<long long>(n));
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    line(names[i], statistics.made[i]);
    if (statistics.taken[i] == 0) continue;
    std::fprintf(stderr, "typewarp: rank %d: %s ours %lld, up to %lld bytes\n", rank, names[i],
                 static_cast<long long>(statistics.taken[i]), static_cast<long long>(statistics.bytes[i]));
  }
  line("datatypes planned", statistics.planned);
  line("datatypes not planned", statistics.not_planned);
  line("plans alive", statistics.plans);
}

}  // namespace typewarp::interpose
