// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/windows/local_copies.hpp"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// The copies that one-sided calls of this process were given, by the MPI's handles of windows, until the
/// calls are complete. Thread safe.
class Pending {
 public:
  using Copies = std::shared_ptr<LocalCopies>;

  /// Of a call to rank `target` of the window's group, which is about to be made.
  void keep(MPI_Win window, int target, const Copies& copies);
  /// A request holds them from now on.
  void let_go(MPI_Win window, const Copies& copies) noexcept;
  /// Whether there are any: else nothing is to be done when a window is synchronised.
  bool any() const noexcept { return kept_.load(std::memory_order_acquire) != 0; }
  /// Of the calls to `target`, or to any rank, that have been made: those that are complete when the MPI has
  /// synchronised the window.
  std::vector<Copies> begun(MPI_Win window, std::optional<int> target);
  /// Forgets those that are over.
  void sweep(MPI_Win window) noexcept;
  struct Call {
    int target;
    std::weak_ptr<LocalCopies> copies;
    Copies held;  ///< null where a request holds them
  };
  using Calls = std::vector<Call>;
  using Table = std::map<MPI_Win, Calls>;
  /// Those of a window that is about to go, and back where it stays.
  Table::node_type take(MPI_Win window) noexcept;
  void put_back(Table::node_type taken) noexcept;

 private:
  void sweep(Calls& kept) noexcept;

  std::mutex mutex_;
  Table calls_;
  std::atomic<std::size_t> kept_{0};
};

Pending& pending();

/// What these received is with the program on return. Throws GpuError for one of them; all others are over.
void finish(const std::vector<Pending::Copies>& complete);

}  // namespace typewarp::interpose
