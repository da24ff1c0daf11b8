// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/boards.hpp"
#include "interpose/core/agreement/capability.hpp"
#include "interpose/core/collectives/patience.hpp"
#include "interpose/core/function_ref.hpp"
#include "transport/collective/collective_context.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// Where rank 0 tells the number of the boards that it took, without waiting.
struct BoardNumber {
  std::shared_ptr<Boards> boards;
  std::shared_ptr<transport::CollectiveContext> channel;

  bool is_known() const { return channel->made(false); }
  /// Precondition: is_known().
  int value() const noexcept { return channel->word_of(0); }
};

/// Of communicators that were freed before all ranks knew the numbers. A member of the job. Thread safe.
class UnknownNumbers {
 public:
  void add(BoardNumber number);
  /// Gives back what is known now.
  void go_on();

 private:
  std::mutex mutex_;
  std::vector<BoardNumber> numbers_;
};

/// Looks until `is_done()`, and every now and then moves on what other ranks may wait for, messages of the
/// library and of the MPI, and calls `meanwhile()`. What fails there is told by the calls that the messages
/// belong to. Nothing, or TYPEWARP_TIME_LIMIT_MS where it took longer than that. Throws what `meanwhile()`
/// throws.
std::optional<std::chrono::milliseconds> drive_until(FunctionRef<bool()> is_done,
                                                     FunctionRef<void()> meanwhile);

/// The agreements of a communicator whose ranks all have the library, with which it is kept. One thread at a
/// time calls, as collective calls of a communicator follow each other.
class CommAgreement final : public transport::CommState::Member {
 public:
  static constexpr transport::CommSlot slot = transport::CommSlot::agreement;

  /// Null where some rank has not the library, and once a call was abandoned: the same in all ranks. Local.
  /// Throws MpiError.
  static CommAgreement* of(MPI_Comm comm);

  explicit CommAgreement(MPI_Comm comm);

  int ranks() const noexcept { return ranks_; }
  /// Counts a call that may wait. Whether the ranks ask each other in it.
  bool asks_next() noexcept;
  /// What some rank has said.
  bool some_use_device() const noexcept { return some_use_device_; }

  /// Waits for all ranks. Throws as interpose::agree().
  Agreed agree(const LocalCapability& own, std::int64_t least);
  /// The greatest of each number of all ranks. The same.
  Board::Row most_of_all(const Board::Row& own);
  /// This rank has failed in a call that others have begun: they find it given up, and no rank asks again.
  void give_up() noexcept;
  /// Calls `act`, by which this rank finds out whether it asks. Where that throws, others may ask: the call
  /// is given up.
  template <class Act>
  auto or_give_up(Act act) {
    try {
      return act();
    } catch (...) {
      give_up();
      throw;
    }
  }
  /// Whether some rank has, since all last agreed.
  bool is_given_up() const noexcept;
  /// Waits for nobody. Precondition: there are boards.
  bool next_nonblocking_is_ours(FunctionRef<std::optional<bool>()> has_ours);
  /// Null where they are not known.
  std::shared_ptr<CommBoards> known_boards() const noexcept { return at_board_ ? boards_ : nullptr; }

  void leave() override;

 private:
  static CommAgreement* kept_with(MPI_Comm comm);

  void use(int number) noexcept;
  void use_told(std::int64_t number) noexcept;
  Board::Row most_by_board(const Board::Row& own);
  Board::Row most_by_mpi(const Board::Row& own);

  MPI_Comm comm_;
  int ranks_ = 0;
  int rank_ = 0;
  std::shared_ptr<CommBoards> boards_;   ///< null: none
  std::optional<RankAtBoard> at_board_;  ///< once it is known
  std::optional<BoardNumber> told_;
  std::uint64_t nonblocking_ = 0;  ///< calls
  Patience patience_;              ///< of calls that may wait, until some rank uses a device
  bool has_joined_ = false;        ///< the log
  bool some_use_device_ = false;
  bool spans_hosts_ = false;
  bool is_abandoned_ = false;
};

}  // namespace typewarp::interpose
