// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <utility>

namespace typewarp::transport {

/// An MPI_Request and who owns it. The memory that it was posted with must stay until it is inactive.
class Posted {
 public:
  Posted() = default;
  explicit Posted(MPI_Request handle) noexcept : handle_(handle) {}
  Posted(Posted&& other) noexcept : handle_(std::exchange(other.handle_, MPI_REQUEST_NULL)) {}
  Posted& operator=(Posted&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  /// Frees an active request without waiting for it.
  ~Posted();

  bool active() const noexcept { return handle_ != MPI_REQUEST_NULL; }
  /// True once complete, or if inactive; inactive then, also when it throws MpiError. `block` waits for that.
  bool finish(bool block, MPI_Status* status = MPI_STATUS_IGNORE);
  bool test(MPI_Status* status = MPI_STATUS_IGNORE) { return finish(false, status); }
  /// Leaves an active operation to the MPI for good, with its memory: where it cannot be waited for, and must
  /// not be freed, as a collective one.
  void abandon() noexcept { handle_ = MPI_REQUEST_NULL; }
  /// It stays active until its end, cancelled or not, is told. Does nothing if inactive.
  void cancel();

 private:
  MPI_Request handle_ = MPI_REQUEST_NULL;
};

/// Throws MpiError.
bool is_cancelled(const MPI_Status& status);

}  // namespace typewarp::transport
