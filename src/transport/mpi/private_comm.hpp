// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/point_to_point.hpp"
#include "transport/mpi/tags.hpp"
#include "transport/wire/rts.hpp"

namespace typewarp::transport {

/// The communicator of a session's own messages, which no receive of the caller's takes; and who this process
/// is there.
class PrivateComm {
 public:
  /// Duplicates `comm`, without its hints: what a caller promises of his own messages need not hold for
  /// these. Collective. Throws MpiError.
  explicit PrivateComm(MPI_Comm comm);
  PrivateComm(const PrivateComm&) = delete;
  PrivateComm& operator=(const PrivateComm&) = delete;
  /// Frees it, unless MPI is finalized.
  ~PrivateComm();

  MPI_Comm get() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// The same in the ranks of one host only; whether all are on one.
  int host() const noexcept { return host_; }
  bool is_one_host() const noexcept { return one_host_; }
  /// What tells announcements of the Session from all other data.
  const Identity& identity() const noexcept { return identity_; }
  Peer peer(int rank, int tag) const noexcept { return {rank, tag, comm_}; }

  /// Leaves the communicator to the MPI: where other ranks may still be in a call on it.
  void abandon() noexcept { abandoned_ = true; }

  Tags tags;  ///< of messages into this process

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  int host_;
  bool one_host_;
  Identity identity_;
  bool abandoned_ = false;
};

}  // namespace typewarp::transport
