// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/ipc/gpu_ipc.hpp"
#include "transport/mpi/private_comm.hpp"

#include <vector>

namespace typewarp::transport {

/// Which ranks of this host may read each other's memory where it lies, and how.
class IpcPeers {
 public:
  /// With none of so many ranks.
  explicit IpcPeers(int ranks)
      : said_(static_cast<std::size_t>(ranks)), reached_(static_cast<std::size_t>(ranks), false) {}

  /// Collective: from now on memory is shared in this way, with ranks of this host that take part too. Throws
  /// MpiError, and nothing in one rank alone.
  void share_by(const Ipc& sharing, bool takes_part, const PrivateComm& comm);

  const Ipc& sharing() const noexcept { return *sharing_; }
  /// Whether this rank may read memory of that one, and the other way round, if both can name it.
  bool reaches(int rank) const noexcept { return reached_[static_cast<std::size_t>(rank)]; }
  bool reaches_any() const noexcept;
  /// The same of host memory: by another way than GPUs', which takes precedence over rings.
  bool reaches_host_memory(int rank) const noexcept;

 private:
  /// What a rank tells the others.
  struct Said {
    int host;
    int takes_part;
    gpu::DeviceName device;  ///< zeros: none yet
  };

  const Ipc* sharing_ = &gpu_ipc();
  std::vector<Said> said_;     ///< by rank
  std::vector<bool> reached_;  ///< by rank
};

}  // namespace typewarp::transport
