// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/collective/neighbours.hpp"
#include "transport/mpi/comm_state.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/mpi/tags.hpp"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace typewarp::transport {

class SessionComm;
class SessionState;

/// The tags by which messages of exchanges come to each rank of a Session. Ranks tell each other theirs.
class ToldTags {
 public:
  /// Takes tags for all edges of a rank of `of`. `word` is told besides.
  ToldTags(SessionState& session, MPI_Comm of, int word);
  /// Tells the other ranks, by a collective call that nobody waits for. Throws MpiError.
  void tell(MPI_Comm of);
  /// Whether all have told theirs. Throws MpiError.
  bool are_known();
  std::size_t count() const noexcept { return own_.size(); }
  /// Messages may still come by them, or the Session is gone: nobody takes them again.
  void abandon() noexcept;

  // Precondition: are_known().
  int word_of(int rank) const noexcept { return told_by(rank)[own_.size()]; }
  Peer destination(const Neighbours::Edge& edge) const;
  Peer source(const Neighbours::Edge& edge) const;

 private:
  const int* told_by(int rank) const noexcept {
    return all_.data() + static_cast<std::size_t>(rank) * own_numbers_.size();
  }

  MPI_Comm comm_;  ///< the Session's private one
  std::shared_ptr<SessionComm> ranks_;
  std::vector<Tag> own_;          ///< by which messages come to this rank, for each tag of an edge
  std::vector<int> own_numbers_;  ///< the same, as they are told, and behind them the word
  std::vector<int> all_;          ///< of each rank
  MPI_Request telling_ = MPI_REQUEST_NULL;
};

/// The communicator and the tags by which exchanges travel, so that no receive of the program takes their
/// messages.
///
/// Where all ranks belong to the Session, messages go on the Session's private communicator, with tags that
/// the receiver has chosen. Ranks tell each other these tags by an MPI_Iallgather that no call waits for: an
/// exchange starts when it is complete. Duplicating the program's communicator would leave an MPI_Comm_idup
/// pending, and Open MPI allows no other collective call on it meanwhile (open-mpi/ompi#2025). Elsewhere
/// messages go on a duplicate, and the call that makes it waits for all ranks.
///
/// If the communicator is freed before the tags are known, Open MPI waits for them then. Thread safe.
class CollectiveContext final : public CommState::Member {
 public:
  static constexpr CommSlot slot = CommSlot::exchanges;

  /// The one that is kept with `comm`, for exchanges that all ranks start in the same order. The first call
  /// for a communicator is collective, later ones are local. Throws Error, std::bad_alloc.
  static std::shared_ptr<CollectiveContext> of(MPI_Comm comm);
  /// Whether `comm` has one whose ranks belong to the Session and whose tags are known. Throws MpiError.
  static bool is_open(MPI_Comm comm);
  /// How many tags of the Session are kept with `comm`. Throws MpiError.
  static std::size_t tags_kept_with(MPI_Comm comm);
  /// Another one, for an exchange that is started many times, in any order with others. Collective. `word` is
  /// told to the other ranks, where all belong to the Session.
  static std::shared_ptr<CollectiveContext> apart(MPI_Comm comm, int word = 0);

  /// Frees the duplicate, unless MPI is finalized or another context uses it.
  ~CollectiveContext() override;

  /// Whether messages can be started; `block` waits for that, and moves the messages of this rank's Session
  /// on meanwhile. Throws MpiError, and throws it again in later calls.
  bool made(bool block);
  /// Of the communicator that it was made for. Throws what made() throws.
  void leave() override;
  /// The word of a rank. Precondition: made(), and all ranks belong to the Session.
  int word_of(int rank) const noexcept { return tags_->word_of(rank); }

  /// Where the message of an edge goes to, and comes from. Precondition: made().
  Peer destination(const Neighbours::Edge& edge) const;
  Peer source(const Neighbours::Edge& edge) const;

  /// Exchanges use the same tags, so their messages must start in the order of the exchanges: each takes a
  /// turn, which begins when the turn before it has ended.
  std::uint64_t take_turn() noexcept { return turns_taken_++; }
  bool is_turn(std::uint64_t turn) const noexcept {
    return turns_ended_.load(std::memory_order_acquire) == turn;
  }
  void end_turn() noexcept { turns_ended_.fetch_add(1, std::memory_order_release); }
  /// Some messages of an exchange were given up, and later ones might be taken for them: from now on made()
  /// throws Error.
  void spoil() noexcept { is_spoilt_ = true; }
  /// Calls `act`, without which this rank has no part in an exchange of the others. Where it throws, messages
  /// of later ones would be taken for those of that exchange: the channel is spoilt.
  template <class Act>
  auto or_spoil(Act act) {
    try {
      return act();
    } catch (...) {
      spoil();
      throw;
    }
  }

 private:
  struct Duplicate;

  CollectiveContext(MPI_Comm of, const std::shared_ptr<SessionState>& session, int word);
  explicit CollectiveContext(std::shared_ptr<Duplicate> duplicate) noexcept;
  /// All that it takes. Local. Throws std::bad_alloc, MpiError.
  static std::shared_ptr<CollectiveContext> make(MPI_Comm of, int word);
  /// The last step, once: what the others wait for. What it throws, made() throws from then on.
  void tell(MPI_Comm of);
  /// made(), of a spoilt one, too.
  bool know(bool block);
  bool is_made() const noexcept { return is_made_.load(std::memory_order_acquire); }
  /// Whether it is made; false also where another thread is asking.
  bool ask();
  bool is_usable() const noexcept;

  std::atomic_flag asking_;
  std::exception_ptr failure_;
  std::atomic<bool> is_told_ = false;  ///< this rank has told the others
  std::atomic<bool> is_made_ = false;
  std::atomic<bool> is_spoilt_ = false;
  std::atomic<std::uint64_t> turns_taken_ = 0;
  std::atomic<std::uint64_t> turns_ended_ = 0;

  // Where all ranks belong to the Session; else there is a duplicate.
  std::weak_ptr<SessionState> session_;
  std::optional<ToldTags> tags_;
  std::shared_ptr<Duplicate> duplicate_;
  int first_tag_ = 0;
};

}  // namespace typewarp::transport
