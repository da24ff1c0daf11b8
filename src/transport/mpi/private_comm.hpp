// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/point_to_point.hpp"
#include "transport/mpi/tags.hpp"
#include "transport/wire/rts.hpp"

namespace typewarp::transport {

/// A duplicate of a communicator, for messages which no receive of the caller can match; and this process's
/// place in it.
class DuplicateComm {
 public:
  /// Without the hints of `comm`, as the caller's promises do not hold for these messages. Collective. Throws
  /// MpiError.
  explicit DuplicateComm(MPI_Comm comm);
  DuplicateComm& operator=(DuplicateComm&&) = delete;
  /// Frees it, unless MPI is finalized.
  ~DuplicateComm();

  MPI_Comm get() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// A name of the host, the same in its ranks only.
  int host() const noexcept { return host_; }

  /// Does not free the communicator: other ranks may still be in a call on it.
  void abandon() noexcept { abandoned_ = true; }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  int host_;
  bool abandoned_ = false;
};

/// The communicator of a session's own messages.
class PrivateComm : public DuplicateComm {
 public:
  /// Collective. Throws MpiError.
  explicit PrivateComm(MPI_Comm comm);

  /// Whether all ranks are on one host.
  bool is_one_host() const noexcept { return one_host_; }
  /// Distinguishes announcements of this Session from all other data.
  const Identity& identity() const noexcept { return identity_; }
  Peer peer(int rank, int tag) const noexcept { return {rank, tag, get()}; }

  Tags tags;  ///< of messages into this process

 private:
  bool one_host_;
  Identity identity_;
};

}  // namespace typewarp::transport
