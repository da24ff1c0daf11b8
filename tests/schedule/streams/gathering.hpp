// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/mpi_ranks.hpp>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace typewarp::test {

/// Gathers over a communicator.
inline Ranks::AllGather all_gather(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return [comm, size](std::span<const std::byte> own) {
    const auto count = static_cast<std::size_t>(size);
    std::vector<int> lengths(count), places(count);
    const auto length = static_cast<int>(own.size());
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
    int total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = total;
      total += lengths[i];
    }
    std::vector<std::byte> memory(static_cast<std::size_t>(total));
    MPI_Allgatherv(own.data(), length, MPI_BYTE, memory.data(), lengths.data(), places.data(), MPI_BYTE,
                   comm);
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.emplace_back(memory.begin() + places[i], memory.begin() + places[i] + lengths[i]);
    }
    return all;
  };
}

/// The ranks of a communicator as an exchange sees them that knows of no MPI: by a function that gathers.
inline Ranks gathering(MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  return {rank, size, all_gather(comm)};
}

/// The same with TYPEWARP_TEST_RANKS=gathered, else as the MPI makes them.
inline Ranks ranks_of(MPI_Comm comm) {
  const char* const asked = std::getenv("TYPEWARP_TEST_RANKS");
  return asked != nullptr && std::string_view(asked) == "gathered" ? gathering(comm) : mpi::ranks(comm);
}

}  // namespace typewarp::test
