// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/core.hpp"

namespace typewarp::interpose {

/// What stands in for MPI_COMM_SELF in a program that opens sessions only: a communicator of a session of our
/// own. It goes before the last session of the program ends, and after all that was made of it.
class SessionSelf {
 public:
  SessionSelf() noexcept;
  SessionSelf& operator=(SessionSelf&&) = delete;
  ~SessionSelf();

  /// MPI_COMM_NULL where the MPI has no sessions or cannot.
  MPI_Comm comm() const noexcept { return comm_; }
  /// In mpi://WORLD.
  int rank() const noexcept { return rank_; }

 private:
  MPI_Session session_{};  // not MPI_SESSION_NULL, which is a symbol that Open MPI 4.1 has not
  bool has_session_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
};

}  // namespace typewarp::interpose
