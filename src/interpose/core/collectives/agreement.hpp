// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/agreement/boards.hpp"
#include "interpose/core/agreement/capability.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/job/job.hpp"
#include "transport/collective/collective_context.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

/// How the ranks of a communicator find out which path all of them take for a collective call. Each of these
/// functions is collective, also over ranks that have nothing to tell.
///
/// Ranks of one host agree by shared memory (agreement/), those of several hosts by a small MPI_Allreduce. On
/// MPI_COMM_WORLD the memory is known from the start. On another communicator rank 0 takes some when it uses
/// a device, and tells the others where it is in an MPI_Allreduce, or in an MPI_Iallgather that nobody waits
/// for.
namespace typewarp::interpose {

/// When the ranks of a communicator ask each other about calls of one kind, of which nothing may come: to ask
/// costs some microseconds. The same in all ranks.
class Patience {
 public:
  /// Counts a call. Whether the ranks ask in it: in each of the first ones; where nothing has come of that,
  /// ever less often, at last in one of some 64.
  bool asks_next() noexcept {
    if (calls_++ < next_) return false;
    const std::uint64_t late = ++in_vain_ > questions ? in_vain_ - questions : 0;
    if (late > 0) next_ = calls_ + (std::uint64_t{1} << std::min(late, longest_pause_log2));
    return true;
  }
  /// The call was made.
  void reward() noexcept {
    in_vain_ = 0;
    next_ = 0;
  }
  std::uint64_t calls() const noexcept { return calls_; }

 private:
  static constexpr std::uint64_t questions = 8;  ///< in a row, before they become fewer
  static constexpr std::uint64_t longest_pause_log2 = 6;

  std::uint64_t calls_ = 0;
  std::uint64_t next_ = 0;     ///< call in which the ranks ask
  std::uint64_t in_vain_ = 0;  ///< questions since the last reward
};

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

/// In MPI_Init, collective over the ranks of the Session, if there is one, which open_job() has made: what
/// each rank has found out for itself and all must do alike becomes that of all. That is the memory by which
/// ranks agree, if all have mapped it; that the MPI takes GPU memory, if all say so; and the most memory for
/// partial results, which it returns.
std::int64_t open_agreement() noexcept;

/// As everyone_of(), for an exchange that blocks; nothing also where no rank may have had device memory when
/// they last asked each other: then the MPI has the whole call, at its own price. The same in all ranks.
///
/// They ask in the first of these exchanges on `comm`, the 2nd, 4th, 8th and so on, and in each 64th, until
/// one says yes. So a rank that begins to use a GPU gives the MPI copies in at most 63 of them. Each rank
/// calls this once in each of them. Throws MpiError, and TimeLimitExceeded as agree() does.
std::optional<Everyone> everyone_if_device(MPI_Comm comm, bool may_be_ours);

/// Of this rank in a call, of which it has memory that is ours or not.
LocalCapability::DeviceUse device_use(bool any_is_ours) noexcept;

/// When the ranks ask each other: in turn as everyone_if_device(), and in every call once some rank may have
/// device memory; or in every call, as what follows from it lasts.
enum class Asking : std::uint8_t { in_turn, always };

/// A path that is preferred to those of the library: all ranks take it if each is ready for it.
class PreferredPath {
 public:
  /// What this rank can do, once it has all that it needs for that: LocalCapability::nccl, and what all ranks
  /// must find alike.
  virtual LocalCapability prepare() noexcept = 0;
  /// `least`: the least LocalCapability::nccl of all ranks. Whether the call goes so, the same in all ranks.
  virtual bool begin(std::int64_t least) = 0;

  std::optional<Agreed> outcome;  ///< once the ranks have asked each other in the call

 protected:
  ~PreferredPath() = default;
};

/// The path of a call that may wait: Path::forward unless some rank has device memory in it and all can do
/// otherwise. `own()` is called where they ask and this rank cannot take the
/// preferred path, and must not throw. Where only some ranks cannot, they ask a second time.
///
/// Throws MpiError. Throws TimeLimitExceeded in all ranks if one has waited for the others for as long as
/// TYPEWARP_TIME_LIMIT_MS says: the call is made by nobody, and all later ones on the communicator are
/// forwarded.
Agreed agree(const Call& call, std::int64_t least, FunctionRef<LocalCapability()> own,
             Asking asking = Asking::in_turn);
/// Whether a call takes its preferred path, which no other has asked for, or agree() has found it.
bool agree_on_preferred(const Call& call);
/// The end of a call in several steps: throws what failed here, or that something failed elsewhere.
void agree_on_end(MPI_Comm comm, const std::exception_ptr& failure);

/// Where a call moves data to.
enum class Reach : std::uint8_t { one_rank, all_ranks };

/// Ranks of several hosts among which our messages carry what goes to all. Among more the MPI's trees and
/// rings are better for that.
constexpr int most_by_messages = 8;

/// Whether a call on `comm` that must not wait, whose ranks all have this library, goes by messages of ours;
/// the same in all of them. Each calls this once in each of these calls, in one order. On one host the rank
/// that comes to a call first decides (agreement/path_log.hpp). `has_ours()`: whether memory of this rank in
/// the call is ours, nothing if it has none there. Until all ranks know the memory calls are the MPI's.
/// Between hosts nobody decides: calls are ours, those to all ranks among `most_by_messages` ranks. Throws
/// MpiError, std::bad_alloc.
bool nonblocking_path_is_ours(MPI_Comm comm, Reach reach, FunctionRef<std::optional<bool>()> has_ours);

}  // namespace typewarp::interpose
