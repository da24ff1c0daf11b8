// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/message.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace typewarp::transport {

/// Sends that are given to the MPI later than in their call, and for each receiver in which order: messages
/// must not overtake each other. Threads may call at once.
class Departures {
 public:
  /// A send that waits; until it leaves, or this is destroyed.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept {
      std::swap(home_, other.home_);
      std::swap(line_, other.line_);
      std::swap(number_, other.number_);
      return *this;
    }
    ~Place() { leave(); }

    explicit operator bool() const noexcept { return home_ != nullptr; }
    /// Whether all that was to be sent before it has left.
    bool first() const;
    void leave() noexcept;

   private:
    friend class Departures;
    using Line = std::pair<MPI_Comm, int>;

    Departures* home_ = nullptr;
    Line line_;
    std::uint64_t number_ = 0;
  };

  Departures() = default;
  Departures(const Departures&) = delete;
  Departures& operator=(const Departures&) = delete;

  bool empty() const noexcept { return waiting_.load(std::memory_order_acquire) == 0; }
  /// Whether sends to that rank wait, so that what is sent now has to wait, too.
  bool any(const Peer& to) const;
  /// Behind all others to that rank.
  Place join(const Peer& to);

 private:
  std::atomic<std::size_t> waiting_{0};
  mutable std::mutex mutex_;  ///< guards what follows
  std::uint64_t joined_ = 0;
  std::map<Place::Line, std::deque<std::uint64_t>> lines_;
};

}  // namespace typewarp::transport
