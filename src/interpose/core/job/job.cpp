// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/job.hpp"

#include "interpose/core/agreement/boards.hpp"
#include "interpose/core/job/device_users.hpp"
#include "interpose/core/job/job_rendezvous.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/job_member.hpp"
#include "base/environment.hpp"
#include "base/never_destroyed.hpp"
#include "mpi/library.hpp"
#include "transport/collective/collective_context.hpp"
#include "transport/handle/internal.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>
#include <typewarp/session.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace typewarp::interpose {
namespace {

using Flag = transport::CommCache::ReadyFlag;

struct DestroySession {
  void operator()(Session* session) const noexcept { session->~Session(); }
};

/// The Session between the ranks that have this library, and what comes before it.
struct JobSession {
  JobSession(bool has_library_everywhere, bool has_threads) noexcept
      : everywhere(has_library_everywhere), program_has_threads(has_threads) {}

  bool everywhere;  ///< all ranks of all hosts have this library
  bool program_has_threads;
  bool stays_out = false;                   ///< has a rendezvous only, for others to see that
  std::optional<JobRendezvous> rendezvous;  ///< until MPI_Init has ended
  std::shared_ptr<Flag[]> ready;            ///< of the ranks of `members`, which share it
  std::shared_ptr<Boards> boards;
  alignas(Session) std::array<std::byte, sizeof(Session)> room;
  std::unique_ptr<Session, DestroySession> members;  ///< named by what it joins; in `room`
  std::optional<JobMember<RtsReadiness>> readiness;
  std::optional<JobMember<DeviceUsers>> device_users;
};

// From MPI_Init to MPI_Finalize, which an exit handler may call: nothing else ends it. A rank that exits
// without MPI_Finalize would wait there for the others. Its memory cannot lack in one rank alone.
constinit StaticRoom<JobSession> job;
std::atomic<transport::SessionState*> present = nullptr;  ///< that of its Session

// Without asking the driver, which a program without GPUs need not load.
bool gpu_on_host() noexcept { return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; }

bool wanted() noexcept {
  const std::string_view asked = environment::text("TYPEWARP_TRANSPORT");
  if (asked == "0") return false;
  return asked == "1" || gpu_on_host() || !environment::text("TYPEWARP_TAKE").empty();
}

void say(const char* what, bool always = false) noexcept {
  if (always || environment::is_set("TYPEWARP_VERBOSE"))
    std::fprintf(stderr, "typewarp: no transport: %s\n", what);
}

// MPICH and its kin choose how the ranks of a host meet in collective calls by each rank's own thread level:
// those of different levels wait for each other for ever.
bool ranks_must_have_one_level() noexcept { return !mpi::is_open_mpi(); }

// The communicator of these ranks of MPI_COMM_WORLD, to be freed by the caller.
MPI_Comm communicator_of(const std::vector<int>& ranks) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  mpi::check(PMPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  PMPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &members);
  constexpr int tag = 0;
  const int code = PMPI_Comm_create_group(MPI_COMM_WORLD, members, tag, &made);
  PMPI_Group_free(&members);
  PMPI_Group_free(&all);
  mpi::check(code, "MPI_Comm_create_group");
  return made;
}

/// The ranks that have this library, where they say whether they are ready for RTS, and what they choose.
struct Members {
  /// Room for so many.
  explicit Members(int count) : ranks(static_cast<std::size_t>(count)) {}
  std::size_t place_of(int rank) const {
    return static_cast<std::size_t>(std::ranges::find(ranks, rank) - ranks.begin());
  }

  std::vector<int> ranks;
  std::shared_ptr<Flag[]> ready;
  std::shared_ptr<Boards> boards;
  std::shared_ptr<DeviceUsers::Word[]> device_words;
};

// The memory that these ranks share, if there is any.
void share(const JobRendezvous& meeting, Members& members) {
  const std::size_t all = members.ranks.size();
  const std::size_t words = Boards::words(all);
  static_assert(sizeof(DeviceUsers::Word) == sizeof(Boards::Word) && sizeof(Flag) == 1);
  const auto memory = all > 1 ? meeting.share((words + all) * sizeof(Boards::Word) + all) : nullptr;
  if (!memory) return;
  const std::shared_ptr<Boards::Word[]> shared(memory, reinterpret_cast<Boards::Word*>(memory.get()));
  members.boards = std::make_shared<Boards>(shared, all);
  members.device_words = {memory, reinterpret_cast<DeviceUsers::Word*>(shared.get() + words)};
  members.ready = {memory, reinterpret_cast<Flag*>(members.device_words.get() + all)};
}

// All that may fail in one rank alone comes before it tells its number, since the others count on it then.
// Who cannot tell others that it is ready, and see what they say, sends and gets whole messages only.
std::optional<Members> met(JobRendezvous& meeting, int rank) {
  Members members(meeting.close());
  share(meeting, members);
  if (!members.ready) members.ready = std::make_unique<Flag[]>(members.ranks.size());
  int job_size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &job_size);
  if (!meeting.agree(rank, job_size, members.ranks)) return std::nullopt;
  return members;
}

Members members_of_host(int rank) {
  std::optional<Members> members = job->rendezvous ? met(*job->rendezvous, rank) : std::nullopt;
  job->rendezvous.reset();
  if (members) return *std::move(members);
  Members alone(1);
  alone.ranks[0] = rank;
  alone.ready = std::make_unique<Flag[]>(1);
  return alone;
}

// Collective over its ranks.
Session* session_of(const Members& members) {
  MPI_Comm comm = communicator_of(members.ranks);
  struct Freed {
    MPI_Comm& comm;
    ~Freed() { PMPI_Comm_free(&comm); }
  } const freed{comm};
  return transport::mixed_in(job->room.data(), comm);
}

// Not where another rank of this host, which has the library, does not take it so.
bool settle_everywhere() noexcept {
  if (job->everywhere && job->rendezvous) {
    job->rendezvous->close();
    job->everywhere = job->rendezvous->all_say_everywhere();
    if (!job->everywhere)
      std::fputs("typewarp: TYPEWARP_EVERYWHERE=1 is ignored: not all ranks of this host have it\n", stderr);
  }
  return job->everywhere;
}

void make_transport() {
  if (settle_everywhere()) {
    job->rendezvous.reset();
    job->members.reset(transport::mixed_in(job->room.data(), MPI_COMM_WORLD));
    job->readiness.emplace(nullptr);
    return;
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Members members = members_of_host(rank);
  job->members.reset(session_of(members));
  job->boards = members.boards;
  job->ready = members.ready;
  transport::current()->comms.announce_to(members.ready);
  const std::size_t own = members.place_of(rank);
  job->readiness.emplace(&members.ready[static_cast<std::ptrdiff_t>(own)]);
  if (members.device_words) job->device_users.emplace(members.device_words, members.ranks.size(), own);
}

using Entrant = JobRendezvous::Entrant;

void enter_rendezvous(Entrant as) noexcept {
  if (std::optional<JobRendezvous> found = JobRendezvous::enter(as))
    job->rendezvous.emplace(std::move(*found));
}

// Other ranks of this host may wait in MPI_Init until all have come, or one says that it does not.
void stay_out() noexcept {
  job.emplace(false, false);
  job->stays_out = true;
  enter_rendezvous(Entrant::stays_out);
}

// Only what nothing matches, or whose other end has died, stands still for so long when all ranks have come
// to MPI_Finalize.
constexpr std::chrono::seconds patience_at_the_end{1};

}  // namespace

bool enter_job(int required) noexcept {
  if (!wanted()) {
    const bool others_may_wait = required != MPI_THREAD_MULTIPLE && ranks_must_have_one_level();
    if (others_may_wait && environment::text("TYPEWARP_TRANSPORT") == "0") stay_out();
    return false;
  }
  const bool everywhere = environment::is_set("TYPEWARP_EVERYWHERE");
  if (required != MPI_THREAD_MULTIPLE && !everywhere && level_forbids_windows()) {
    say("this MPI may refuse the program's windows at MPI_THREAD_MULTIPLE; OMPI_MCA_osc=^pt2pt does without");
    return false;
  }
  job.emplace(everywhere, required == MPI_THREAD_MULTIPLE);
  enter_rendezvous(everywhere ? Entrant::everywhere : Entrant::takes_part);
  const int ranks = ranks_on_host();
  const bool takes_any_level = required == MPI_THREAD_MULTIPLE || !ranks_must_have_one_level();
  if (everywhere || ranks == 0 || takes_any_level) return true;
  const auto gathered = job->rendezvous ? job->rendezvous->gather(ranks) : JobRendezvous::Gathered::not_all;
  if (gathered == JobRendezvous::Gathered::all) return true;
  say("not all ranks of this host have met, and this MPI takes one thread level only",
      gathered == JobRendezvous::Gathered::too_late);
  job->stays_out = true;
  return false;
}

void refuse_job() noexcept {
  if (!job) return;
  try {
    int is_up = 0;
    PMPI_Initialized(&is_up);
    if (is_up != 0 && settle_everywhere()) transport::refuse_session(MPI_COMM_WORLD);
  } catch (const std::exception& error) {
    say(error.what());
  }
  close_job();
}

void open_job() noexcept {
  if (job && job->stays_out) close_job();
  if (!job) return;
  int granted = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&granted);
  try {
    if (granted != MPI_THREAD_MULTIPLE) {
      say("the MPI does not grant MPI_THREAD_MULTIPLE");
      return refuse_job();
    }
    make_transport();
    present = transport::current().get();
  } catch (const InvalidArgument& error) {  // what the program's user has set
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    job->rendezvous.reset();
    say(error.what(), rank == 0);
  } catch (const std::exception& error) {
    job->rendezvous.reset();
    say(error.what());
  }
}

// With messages that nothing matches MPICH refuses to free a communicator there.
void prepare_for_finalize() noexcept {
  const auto session = mpi::is_open_mpi() ? nullptr : transport::current();
  if (!session) return;
  session->progress.stop_thread();
  session->comm.abandon();
}

bool EndOfJob::worth_waiting(bool something_is_left) noexcept {
  const std::shared_ptr<transport::SessionState> session =
      present != nullptr ? transport::current() : nullptr;
  const std::uint64_t before = steps_;
  if (session) steps_ = session->progress.steps();
  const bool moved = session && steps_ != before;
  const bool more_may_come = session && !all_are_here(session->comm.get());
  const auto now = std::chrono::steady_clock::now();
  if (more_may_come || moved) since_ = now;
  return more_may_come || (something_is_left && now - since_ <= patience_at_the_end);
}

bool EndOfJob::all_are_here(MPI_Comm comm) noexcept {
  if (!std::exchange(is_meeting_, true) && PMPI_Ibarrier(comm, &meeting_) != MPI_SUCCESS) return true;
  int there = 1;
  return PMPI_Test(&meeting_, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || there != 0;
}

void close_job() noexcept {
  present = nullptr;
  job.reset();
}

std::shared_ptr<Boards> boards() noexcept { return job ? job->boards : nullptr; }
void drop_boards() noexcept {
  if (job) job->boards.reset();
}

void look_for_device_users(const void* address) noexcept {
  if (DeviceUsers* const users = JobMember<DeviceUsers>::current()) users->look(address);
}

bool program_has_threads() noexcept { return job && job->program_has_threads; }

bool job_is_open() noexcept { return present.load(std::memory_order_acquire) != nullptr; }

std::optional<Everyone> everyone_of(MPI_Comm comm) {
  transport::SessionState* const session = present.load(std::memory_order_acquire);
  if (session == nullptr) return std::nullopt;
  if (transport::CollectiveContext::is_open(comm)) return Everyone{true, session->comm.host()};
  int between_groups = 0;
  mpi::check(PMPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups != 0) return std::nullopt;
  // Other ranks may wait for this one.
  const auto ranks = transport::insist([&] { return session->comms.of(comm); });
  if (!ranks->all_members(MPI_ANY_SOURCE)) return std::nullopt;
  return Everyone{false, session->comm.host()};
}

OwnHost own_host() noexcept {
  const transport::PrivateComm& comm = present.load(std::memory_order_acquire)->comm;
  return {comm.host(), comm.is_one_host()};
}

}  // namespace typewarp::interpose
