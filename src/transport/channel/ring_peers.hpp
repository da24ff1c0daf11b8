// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/wire/rts.hpp"

#include <vector>

namespace typewarp::transport {

/// The ranks with which this one shares rings: what others than the protocol of rings have to know.
class RingPeers {
 public:
  RingPeers() = default;
  RingPeers(const RingPeers&) = delete;
  RingPeers& operator=(const RingPeers&) = delete;
  virtual ~RingPeers() = default;

  /// Whether both have mapped each other's.
  bool reach(int rank) const noexcept { return reach_[static_cast<std::size_t>(rank)].mapped; }
  /// Whether this process may read that one's memory.
  bool may_read(int rank) const noexcept { return reach_[static_cast<std::size_t>(rank)].readable; }
  /// The receiver's last word on a message that `rank` announced with a ring. Throws Error if there is no
  /// such ring.
  virtual void answer(int rank, const RingKey& ring, const Cts& cts) const = 0;
  /// Rings that messages hold, and messages for which one has been taken so far.
  virtual std::size_t taken() const = 0;
  virtual std::uint64_t uses() const = 0;

 protected:
  struct Reach {
    bool mapped = false;
    bool readable = false;
  };
  std::vector<Reach> reach_;  ///< by rank
};

}  // namespace typewarp::transport
