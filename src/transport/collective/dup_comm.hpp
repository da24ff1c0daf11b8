// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/collective/neighbours.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/mpi/tags.hpp"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace typewarp::transport {

class CommState;
class SessionState;

/// How exchanges of a communicator travel, so that no receive of the caller's takes their messages.
///
/// Where all its ranks are of the Session, that is on the Session's private communicator, with tags that
/// the receiver has chosen. The ranks tell each other of these by an MPI_Iallgather, for which no call waits:
/// an exchange starts when it is complete. To duplicate the communicator instead would leave an MPI_Comm_idup
/// pending on it, with which Open MPI allows no other collective call (open-mpi/ompi#2025). Else they travel
/// on a duplicate of the communicator, and the call that makes it waits for all ranks.
///
/// Where the communicator is freed before the tags are known, Open MPI waits for them there. Thread safe.
class DupComm {
 public:
  /// That of `comm`, with which it is kept, for exchanges that all ranks start in the same order. Collective
  /// at the first call for a communicator, local later. Throws MpiError.
  static std::shared_ptr<DupComm> of(MPI_Comm comm);
  /// Whether there is one, of ranks of the Session, that is made: nobody has to see to it. Throws MpiError.
  static bool is_open(MPI_Comm comm);
  /// How many tags of the Session's are kept with `comm`. Throws MpiError.
  static std::size_t tags_kept_with(MPI_Comm comm);
  /// One more, for an exchange that is started again and again, in whatever order with others. Collective.
  /// `word`: what this rank tells the others besides, of which only a channel of ranks of the Session knows.
  static std::shared_ptr<DupComm> apart(MPI_Comm comm, int word = 0);

  DupComm(const DupComm&) = delete;
  DupComm& operator=(const DupComm&) = delete;
  /// Frees the duplicate, unless MPI is finalized or another channel uses it.
  ~DupComm();

  /// Whether messages can be started; `block` waits for that, and moves the messages of this rank's Session
  /// on meanwhile. Throws MpiError, whenever it is called again, too.
  bool made(bool block);
  /// The communicator that it was made for is about to be freed. Throws as made().
  void leave();
  /// What a rank has told. Precondition: made(), and all are of the Session.
  int word_of(int rank) const noexcept { return told_by(rank)[own_.size()]; }

  /// Where the message of an edge goes to, and comes from. Precondition: made().
  Peer destination(const Neighbours::Edge& edge) const;
  Peer source(const Neighbours::Edge& edge) const;

  /// Exchanges use the same tags, so messages must be started in the order of the exchanges: each has a turn,
  /// which begins when that before it has ended.
  std::uint64_t take_turn() noexcept { return turns_taken_++; }
  bool is_turn(std::uint64_t turn) const noexcept {
    return turns_ended_.load(std::memory_order_acquire) == turn;
  }
  void end_turn() noexcept { turns_ended_.fetch_add(1, std::memory_order_release); }
  /// Some messages of an exchange were given up, and later ones might be taken for them: made() throws Error.
  void spoil() noexcept { is_spoilt_ = true; }

 private:
  struct Duplicate;

  DupComm(MPI_Comm of, std::shared_ptr<SessionState> session, int word);
  explicit DupComm(std::shared_ptr<Duplicate> duplicate, int first_tag) noexcept;
  static std::shared_ptr<DupComm> make(MPI_Comm of, int word);
  /// The last step: what the others wait for. Throws MpiError.
  void tell(MPI_Comm of);
  bool is_made() const noexcept { return is_made_.load(std::memory_order_acquire); }
  /// Whether it is made; false also where another thread is asking.
  bool ask();
  bool is_usable() const noexcept;
  const int* told_by(int rank) const noexcept {
    return all_.data() + static_cast<std::size_t>(rank) * own_numbers_.size();
  }

  std::atomic_flag asking_;
  std::exception_ptr failure_;
  std::atomic<bool> is_told_ = false;  ///< this rank has told the others
  std::atomic<bool> is_made_ = false;
  std::atomic<bool> is_spoilt_ = false;
  std::atomic<std::uint64_t> turns_taken_ = 0;
  std::atomic<std::uint64_t> turns_ended_ = 0;

  // On the private communicator.
  std::weak_ptr<SessionState> session_;
  MPI_Comm private_ = MPI_COMM_NULL;
  std::shared_ptr<CommState> ranks_;
  std::vector<Tag> own_;          ///< by which messages come to this rank, for each tag of an edge
  std::vector<int> own_numbers_;  ///< the same, as they are told, and behind them a word
  std::vector<int> all_;          ///< of each rank
  MPI_Request telling_ = MPI_REQUEST_NULL;

  std::shared_ptr<Duplicate> duplicate_;
  int first_tag_ = 0;
};

}  // namespace typewarp::transport
