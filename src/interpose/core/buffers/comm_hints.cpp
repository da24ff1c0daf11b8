// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/comm_hints.hpp"

#include <typewarp/mpi.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace typewarp::interpose {
namespace {

int hints_key = MPI_KEYVAL_INVALID;

// The value of an attribute is a word, which is as long as hints are.
using Bytes = std::array<std::byte, sizeof(Hints)>;
static_assert(sizeof(Bytes) == sizeof(void*));

}  // namespace

void open_hints() noexcept {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &hints_key, nullptr);
}

void close_hints() noexcept {
  any_hints = false;
  if (hints_key != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&hints_key);
}

Hints hints_of(MPI_Comm comm) noexcept {
  void* word = nullptr;
  int found = 0;
  if (comm != MPI_COMM_NULL && any_hints.load(std::memory_order_relaxed))
    PMPI_Comm_get_attr(comm, hints_key, static_cast<void*>(&word), &found);
  return found != 0 ? std::bit_cast<Hints>(word) : Hints();
}

void set_hints(MPI_Comm comm, const Hints& hints) {
  const auto bytes = std::bit_cast<Bytes>(hints);
  void* word = nullptr;
  std::memcpy(&word, bytes.data(), bytes.size());
  mpi::check(PMPI_Comm_set_attr(comm, hints_key, word), "MPI_Comm_set_attr");
  any_hints = true;
}

}  // namespace typewarp::interpose
