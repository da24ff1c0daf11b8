// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/streams.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/core.hpp"

#include <typewarp/mpi.hpp>

#include <atomic>

namespace typewarp::interpose {
namespace {

int keyval = MPI_KEYVAL_INVALID;
std::atomic<bool> any_named = false;

}  // namespace

void open_streams() noexcept {
  int made = MPI_KEYVAL_INVALID;
  // As hints are, streams are not copied when a communicator is duplicated.
  const int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr);
  if (code == MPI_SUCCESS) keyval = made;
}

void close_streams() noexcept {
  any_named = false;
  if (keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval);
}

void name_stream(MPI_Comm comm, Stream stream) {
  if (keyval == MPI_KEYVAL_INVALID) return;
  mpi::check(PMPI_Comm_set_attr(comm, keyval, stream.get()), "MPI_Comm_set_attr");
  any_named.store(true, std::memory_order_release);
}

std::optional<Stream> stream_named(MPI_Comm comm) noexcept {
  void* named = nullptr;
  int found = 0;
  if (comm != MPI_COMM_NULL && any_named.load(std::memory_order_acquire)) {
    PMPI_Comm_get_attr(comm, keyval, static_cast<void*>(&named), &found);
  }
  return found != 0 ? std::optional(Stream(named)) : std::nullopt;
}

Stream stream_of(MPI_Comm comm) noexcept {
  if (!gpu::in_use()) return nullptr;
  return stream_named(comm).value_or(Stream(attachment.given_stream()));
}

}  // namespace typewarp::interpose
