// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/agreement.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job_member.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/mpi/wait_loop.hpp"
#include "transport/session.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>

namespace typewarp::interpose {
namespace {

using Tally = Board::Tally;

std::atomic<std::uint64_t> forgotten = 0;  ///< communicators: what threads remember of one may be gone

/// The communicator that a thread agreed on last. An MPI takes locks to look for an attribute.
struct Last {
  MPI_Comm comm{};
  CommAgreement* agreement = nullptr;
  std::uint64_t when = 0;  ///< of `forgotten`
};
thread_local Last last;

/// Moves on what other ranks may wait for before they come.
void drive(transport::SessionState& session) noexcept {
  try {
    session.progress.advance_some();
  } catch (const std::exception&) {
    return;
  }
  int there = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, session.comm.get(), &there, MPI_STATUS_IGNORE);
}

/// Until all are counted in, or one has given up, as this rank does at the time limit.
void wait_for_all(RankAtBoard& board) {
  const auto limit = drive_until([&] { return board.look() != Tally::waiting; }, [] {});
  if (!limit || board.give_up() == Tally::complete) return;
  throw TimeLimitExceeded("typewarp: some rank did not come to a collective call for as long as " +
                              std::to_string(limit->count()) + " ms (TYPEWARP_TIME_LIMIT_MS)",
                          MPI_ANY_SOURCE);
}

void give_back(const BoardNumber& number) noexcept {
  if (Boards::is_number(number.value())) number.boards->give_back(number.value());
}

}  // namespace

std::optional<std::chrono::milliseconds> drive_until(FunctionRef<bool()> is_done,
                                                     FunctionRef<void()> meanwhile) {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  const auto limit = session ? session->options.time_limit : SessionOptions::no_time_limit;
  const auto begin = std::chrono::steady_clock::now();
  for (transport::WaitLoop loop; !is_done();) {
    if (!loop.again()) continue;
    if (session) drive(*session);
    meanwhile();
    if (limit == SessionOptions::no_time_limit) continue;
    if (std::chrono::steady_clock::now() - begin > limit) return limit;
  }
  return std::nullopt;
}

void UnknownNumbers::add(BoardNumber number) {
  const std::lock_guard lock(mutex_);
  transport::insist([&] { numbers_.push_back(std::move(number)); });
}

// No lock is held while they are asked for, since the MPI may call back.
void UnknownNumbers::go_on() {
  std::vector<BoardNumber> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(numbers_);
  }
  for (BoardNumber& number : taken) {
    try {
      number.is_known() ? give_back(number) : add(std::move(number));
    } catch (const Error&) {  // nobody will know it
      continue;
    }
  }
}

CommAgreement* CommAgreement::kept_with(MPI_Comm comm) {
  if (const auto kept = transport::CommState::find<CommAgreement>(comm)) return kept.get();
  if (!everyone_of(comm)) return nullptr;
  const auto made = std::make_shared<CommAgreement>(comm);
  transport::CommState::keep(comm, made);
  return made.get();
}

CommAgreement* CommAgreement::of(MPI_Comm comm) {
  if (!job_is_open()) return nullptr;
  const std::uint64_t now = forgotten.load(std::memory_order_acquire);
  if (last.agreement == nullptr || last.comm != comm || last.when != now)
    last = {comm, transport::insist([&] { return kept_with(comm); }), now};  // others may wait for this rank
  return last.agreement != nullptr && !last.agreement->is_abandoned_ ? last.agreement : nullptr;
}

CommAgreement::CommAgreement(MPI_Comm comm) : comm_(comm) {
  mpi::check(PMPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
  const std::shared_ptr<Boards> all = boards();
  if (!all) return;
  boards_ = std::make_shared<CommBoards>(all, ranks_, rank_);
  if (comm != MPI_COMM_WORLD) return;
  use(Boards::of_world);
  has_joined_ = true;
}

bool CommAgreement::asks_next() noexcept { return some_use_device_ || patience_.asks_next(); }

Agreed CommAgreement::agree(const LocalCapability& own, std::int64_t least) {
  Agreed agreed = decide(most_of_all(row_of(own)), least);
  some_use_device_ = some_use_device_ || agreed.some_use_device;
  agreed.spans_hosts = spans_hosts_;
  return agreed;
}

void CommAgreement::use(int number) noexcept {
  boards_->use(number);
  at_board_ = boards_->waiting();
}

void CommAgreement::use_told(std::int64_t number) noexcept {
  if (boards_ && Boards::is_number(number)) use(static_cast<int>(number));
}

Board::Row CommAgreement::most_of_all(const Board::Row& own) {
  if (!at_board_ && told_) {
    told_->channel->made(true);
    use_told(told_->value());
  }
  return at_board_ ? most_by_board(own) : most_by_mpi(own);
}

Board::Row CommAgreement::most_by_board(const Board::Row& own) {
  is_abandoned_ = true;  // unless it is seen to be complete
  if (at_board_->post(own) == Tally::waiting) wait_for_all(*at_board_);
  const std::optional<Board::Row> most = at_board_->take();
  if (!most)
    throw TimeLimitExceeded("typewarp: another rank gave this call up at its time limit", MPI_ANY_SOURCE);
  is_abandoned_ = false;
  return *most;
}

void CommAgreement::give_up() noexcept {
  is_abandoned_ = true;
  if (at_board_) at_board_->give_up();
}

bool CommAgreement::is_given_up() const noexcept {
  return is_abandoned_ || (at_board_ && at_board_->is_given_up());
}

/// Of the ranks of several hosts; and until all know a board, whose number goes with the others.
Board::Row CommAgreement::most_by_mpi(const Board::Row& own) {
  struct Question {
    Board::Row row;
    std::int64_t board, host, negative_host;
  };
  constexpr int numbers = sizeof(Question) / sizeof(std::int64_t);
  const std::int64_t host = own_host().number;
  const bool uses_device = own.front() == static_cast<std::int64_t>(LocalCapability::DeviceUse::in_call);
  const bool takes = boards_ && (some_use_device_ || uses_device);
  Question most{own, takes ? boards_->taken() : Boards::none, host, -host};
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, &most, numbers, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
  use_told(most.board);
  spans_hosts_ = most.host != -most.negative_host;
  // What GPUs of all ranks can make at once is no maximum of their bits.
  if (at_board_) return most_by_board(own);
  most.row.back() = 0;
  return most.row;
}

bool CommAgreement::next_nonblocking_is_ours(FunctionRef<std::optional<bool>()> has_ours) {
  if (!at_board_ && !told_) {
    if (UnknownNumbers* const unknown = JobMember<UnknownNumbers>::current()) unknown->go_on();
    const int taken = boards_->taken();
    told_ = {boards_->all(), transport::CollectiveContext::apart(comm_, taken)};
  }
  if (!at_board_ && told_->is_known()) use_told(told_->value());
  const std::uint64_t call = nonblocking_;
  if (!at_board_) {
    ++nonblocking_;
    return false;
  }
  PathLog log = boards_->log();
  const auto rank = static_cast<std::size_t>(rank_);
  if (!std::exchange(has_joined_, true)) log.join(rank, call);
  ++nonblocking_;
  return log.is_ours(rank, call, has_ours());
}

void CommAgreement::leave() {
  forgotten.fetch_add(1, std::memory_order_release);
  const int number = boards_ ? boards_->number() : Boards::none;
  boards_.reset();
  if (!told_) return;
  told_->channel->leave();
  const bool is_known = told_->is_known();
  if (is_known && told_->value() != number) give_back(*told_);
  UnknownNumbers* const unknown = JobMember<UnknownNumbers>::current();
  if (!is_known && unknown != nullptr) unknown->add(*told_);
}

std::int64_t open_agreement() noexcept {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  if (!session) return 0;
  std::array<std::int64_t, 3> least{session->options.device_pool_bytes / 4, boards() != nullptr,
                                    mpi_takes_device_memory()};
  const auto numbers = static_cast<int>(least.size());
  const int code =
      PMPI_Allreduce(MPI_IN_PLACE, least.data(), numbers, MPI_INT64_T, MPI_MIN, session->comm.get());
  if (code != MPI_SUCCESS) least = {};
  const auto [partial_bytes, all_have_boards, all_take_device_memory] = least;
  if (all_have_boards == 0) drop_boards();
  if (all_take_device_memory == 0) JobMember<DeviceMemorySupport>::current()->deny_device_memory();
  return partial_bytes;
}

std::optional<Everyone> everyone_if_device(MPI_Comm comm, bool may_be_ours) {
  using DeviceUse = LocalCapability::DeviceUse;
  constexpr std::int64_t of_any_length = 0;
  CommAgreement* const kept = CommAgreement::of(comm);
  if (kept == nullptr) return std::nullopt;
  if (kept->asks_next() && !kept->some_use_device())
    kept->agree({.use = may_be_ours ? DeviceUse::elsewhere : DeviceUse::never}, of_any_length);
  return kept->some_use_device() ? everyone_of(comm) : std::nullopt;
}

LocalCapability::DeviceUse device_use(bool any_is_ours) noexcept {
  using DeviceUse = LocalCapability::DeviceUse;
  if (any_is_ours && !mpi_takes_device_memory()) return DeviceUse::in_call;
  return any_may_be_staged() ? DeviceUse::elsewhere : DeviceUse::never;
}

Agreed agree(const Call& call, std::int64_t least, FunctionRef<LocalCapability()> own, Asking asking) {
  PreferredPath* const preferred = call.form.preferred;
  if (preferred != nullptr) preferred->outcome.emplace();
  CommAgreement* const kept = CommAgreement::of(call.comm);
  if (kept == nullptr || (!kept->asks_next() && asking == Asking::in_turn)) return {};
  if (preferred == nullptr) return kept->agree(own(), least);
  LocalCapability told = preferred->prepare();
  const bool is_ready = told.nccl > 0;
  if (is_ready) {
    told.moves = LocalCapability::MoveAbility::not_told;
  } else {
    const std::int64_t nccl = told.nccl;
    told = own();
    told.nccl = nccl;
  }
  Agreed& agreed = *preferred->outcome = kept->agree(told, least);
  if (preferred->begin(agreed.nccl)) {
    agreed.path = Path::nccl;
  } else if (agreed.path == Path::ask_again) {
    agreed = kept->agree(is_ready ? own() : told, least);
  }
  return agreed;
}

bool agree_on_preferred(const Call& call) {
  constexpr std::int64_t of_any_length = 0;
  PreferredPath& preferred = *call.form.preferred;
  if (preferred.outcome) return preferred.outcome->path == Path::nccl;
  CommAgreement* const kept = CommAgreement::of(call.comm);
  return kept != nullptr && kept->asks_next() &&
         preferred.begin(kept->agree(preferred.prepare(), of_any_length).nccl);
}

void agree_on_end(MPI_Comm comm, const std::exception_ptr& failure) {
  CommAgreement* const kept = CommAgreement::of(comm);
  bool some_failed = false;
  try {
    some_failed = kept != nullptr && kept->most_of_all({failure ? 1 : 0})[0] != 0;
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
  if (some_failed) throw Error("typewarp: another rank failed in this call");
}

bool nonblocking_path_is_ours(MPI_Comm comm, Reach reach, FunctionRef<std::optional<bool>()> has_ours) {
  CommAgreement* const kept = CommAgreement::of(comm);
  if (kept == nullptr) return false;
  if (!boards()) return reach == Reach::one_rank || kept->ranks() <= most_by_messages;
  return kept->next_nonblocking_is_ours(has_ours);
}

}  // namespace typewarp::interpose
