// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/started_calls.hpp"

#include "interpose/core/job/choice_logs.hpp"
#include "interpose/core/job/job.hpp"
#include "transport/collective/dup_comm.hpp"
#include "transport/collective/kept_with_comm.hpp"

#include <typewarp/error.hpp>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace typewarp::interpose {
namespace {

/// Ranks among which calls go by us where nobody chooses. Host memory goes so too there, and among more ranks
/// the MPI's trees and rings are better for that.
constexpr int most_that_start = 8;

/// Tells the ranks of a communicator which log is theirs.
struct LogNumber {
  std::shared_ptr<ChoiceLogs> logs;
  std::shared_ptr<transport::DupComm> channel;

  bool is_known() const { return channel->made(false); }
  /// Precondition: is_known().
  int value() const noexcept { return channel->word_of(0); }
  void give_back() const noexcept {
    if (ChoiceLogs::is_number(value())) logs->give_back(value());
  }
};

/// Those of communicators that were freed before all knew them.
class LeftNumbers {
 public:
  void add(LogNumber number) {
    const std::lock_guard lock(mutex_);
    numbers_.push_back(std::move(number));
  }
  /// Gives back those that are known now. No lock is held, since the MPI may call back.
  void go_on() {
    for (LogNumber& number : taken()) {
      try {
        number.is_known() ? number.give_back() : add(std::move(number));
      } catch (const Error&) {  // nobody will know it
        continue;
      }
    }
  }

 private:
  std::vector<LogNumber> taken() {
    const std::lock_guard lock(mutex_);
    return std::exchange(numbers_, {});
  }

  std::mutex mutex_;
  std::vector<LogNumber> numbers_;
};

LeftNumbers& left_numbers() {
  static LeftNumbers& instance = *new LeftNumbers;  // MPI_Finalize calls back
  return instance;
}

/// Kept with a communicator.
class StartedCalls {
 public:
  StartedCalls(MPI_Comm comm, const Ranks& ranks, const std::shared_ptr<ChoiceLogs>& logs)
      : rank_(static_cast<std::size_t>(ranks.own)), number_{logs, nullptr} {
    if (comm == MPI_COMM_WORLD) {
      log_ = logs->log(ChoiceLogs::of_world);
      return;
    }
    left_numbers().go_on();
    const int own = ranks.own == 0 ? logs->take(static_cast<std::size_t>(ranks.all)) : ChoiceLogs::none;
    number_.channel = transport::DupComm::apart(comm, own);
  }

  bool is_next_ours(FunctionRef<std::optional<bool>()> has_ours) {
    if (!log_ && number_.is_known() && ChoiceLogs::is_number(number_.value())) {
      log_ = number_.logs->log(number_.value());
      log_->join(rank_, calls_);
    }
    const std::uint64_t call = calls_++;
    return log_ && log_->is_ours(rank_, call, has_ours());
  }

  void leave() {
    if (!number_.channel) return;
    number_.channel->leave();
    number_.is_known() ? number_.give_back() : left_numbers().add(number_);
  }

 private:
  std::size_t rank_;
  LogNumber number_;
  std::optional<ChoiceLog> log_;  ///< from when on it is known
  std::uint64_t calls_ = 0;
};

using Kept = transport::KeptWithComm<StartedCalls>;

StartedCalls& started_calls(MPI_Comm comm, const Ranks& ranks, const std::shared_ptr<ChoiceLogs>& logs) {
  if (const Kept::Kept* const kept = Kept::find(comm)) return **kept;
  const auto made = std::make_shared<StartedCalls>(comm, ranks, logs);
  Kept::keep(comm, made);
  return *made;
}

}  // namespace

bool is_started_by_us(MPI_Comm comm, const Ranks& ranks, Reach reach,
                      FunctionRef<std::optional<bool>()> has_ours) {
  const std::shared_ptr<ChoiceLogs> logs = choice_logs();
  if (!logs) return reach == Reach::one_rank || ranks.all <= most_that_start;
  return started_calls(comm, ranks, logs).is_next_ours(has_ours);
}

}  // namespace typewarp::interpose
