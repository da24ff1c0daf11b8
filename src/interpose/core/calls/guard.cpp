// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/calls/guard.hpp"

#include "engine/gpu/memory.hpp"
#include "interpose/calls.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/settings.hpp"
#include "transport/protocol/fragments/gpu_fragments.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <string>

namespace typewarp::interpose {
namespace {

std::atomic<bool> guarding = false;

/// An error code for each call, made when it is needed: an MPI has few.
int code_for(int number) {
  static std::mutex mutex;
  static std::array<int, calls> codes{};
  const std::lock_guard lock(mutex);
  int& code = codes[static_cast<std::size_t>(number)];
  if (code != 0) return code;
  const std::string text = std::string("Typewarp: ") + names[static_cast<std::size_t>(number)] +
                           " was given memory of a GPU, which this MPI does not take in this call; "
                           "TYPEWARP_GUARD=0 lets it try";
  int made = MPI_SUCCESS;
  if (PMPI_Add_error_code(MPI_ERR_BUFFER, &made) != MPI_SUCCESS) return MPI_ERR_BUFFER;
  if (PMPI_Add_error_string(made, text.c_str()) != MPI_SUCCESS) return MPI_ERR_BUFFER;
  return code = made;
}

}  // namespace

void open_guard() noexcept {
  try {
    guarding = setting("TYPEWARP_GUARD") != "0" && !transport::mpi_is_gpu_aware(MPI_COMM_WORLD);
  } catch (const std::exception&) {
    guarding = false;  // what the MPI takes is not known
  }
}

bool refused(const void* buffer, std::int64_t count) noexcept {
  return buffer != MPI_IN_PLACE && count > 0 && guarding.load(std::memory_order_relaxed) &&
         gpu::out_of_reach(buffer);
}

bool alone(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL) return false;
  int between_groups = 1;
  int size = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  PMPI_Comm_size(comm, &size);
  return between_groups == 0 && size == 1;
}

int refuse(int number, MPI_Comm comm) noexcept {
  try {
    return raise(comm, code_for(number));
  } catch (const std::bad_alloc&) {
    return raise(comm, MPI_ERR_NO_MEM);
  }
}

}  // namespace typewarp::interpose
