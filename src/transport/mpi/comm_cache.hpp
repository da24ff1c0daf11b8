// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/unexpected_queue.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace typewarp::transport {

/// What a Session knows about one of the user's communicators.
class SessionComm {
 public:
  /// `members[r]`: rank r's rank in the private communicator; MPI_UNDEFINED outside of the Session. Ranks of
  /// an intercommunicator are those of the remote group.
  explicit SessionComm(std::vector<int> members);

  bool is_member(int rank) const noexcept {
    return rank >= 0 && static_cast<std::size_t>(rank) < members_.size() &&
           members_[static_cast<std::size_t>(rank)] != MPI_UNDEFINED;
  }
  /// Precondition: is_member(rank).
  int private_rank(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }
  /// Whether all messages, or any, from `source` (perhaps MPI_ANY_SOURCE) come from ranks of the Session.
  bool all_members(int source) const noexcept { return source == MPI_ANY_SOURCE ? all_ : is_member(source); }
  bool any_member(int source) const noexcept { return source == MPI_ANY_SOURCE ? any_ : is_member(source); }

  /// Held while a message is looked for in `pending` and then in the MPI, so that no other thread moves
  /// messages in between.
  std::mutex mutex;
  UnexpectedQueue pending;

 private:
  std::vector<int> members_;
  bool all_ = true;
  bool any_ = false;
};

/// Finds what a Session knows about a communicator. It is kept with the communicator (CommState), so a later
/// one with the same handle gets its own. Thread safe.
class CommCache {
 public:
  /// For the ranks of `members`. Throws MpiError.
  explicit CommCache(MPI_Comm members);
  /// Communicators keep nothing of it.
  ~CommCache();

  /// Whether a rank takes announcements: 1 if so.
  using ReadyFlag = std::atomic<std::uint8_t>;
  static_assert(ReadyFlag::is_always_lock_free);
  /// From now on messages are announced only to ranks whose flag is set, and sent to others as plain MPI
  /// messages. A flag may be set at any time, and stays set. Before any message.
  void announce_to(std::shared_ptr<const ReadyFlag[]> flags) noexcept { ready_ = std::move(flags); }
  /// The private rank of `rank` if it takes announcements; else nothing.
  std::optional<int> receiver(const SessionComm& comm, int rank) const noexcept;

  /// Local. Throws MpiError.
  std::shared_ptr<SessionComm> of(MPI_Comm comm);
  /// The same without a lock, where only one thread calls; null unless `comm` was asked for last.
  SessionComm* known_last(MPI_Comm comm) const noexcept;
  /// The number of communicators that it knows something about.
  std::size_t known() const;

 private:
  class Attached;
  /// Shared with what communicators keep, which may be freed later.
  struct Index {
    std::mutex mutex;
    std::size_t size = 0;
    Attached* last = nullptr;  ///< the one that was asked for last, until its communicator is freed
  };
  std::vector<int> translate(MPI_Comm comm) const;

  std::mutex making_mutex_;  ///< of what is kept with a communicator; taken before that of the index
  std::shared_ptr<Index> index_ = std::make_shared<Index>();
  std::shared_ptr<const ReadyFlag[]> ready_;  ///< by private rank; null if all are
  MPI_Group members_ = MPI_GROUP_NULL;
};

}  // namespace typewarp::transport
