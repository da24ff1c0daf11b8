// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"
#include "base/never_destroyed.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"
#include "interpose/core/observe/statistics.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/reductions/direct_peers.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/files/ompio_progress.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job/session_self.hpp"
#include "interpose/core/job_member.hpp"
#include "interpose/core/nccl/nccl.hpp"
#include "interpose/core/requests/messages.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/observe/trace.hpp"
#include "transport/mpi/comm_state.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/session.hpp"

#include <typewarp/hints.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace typewarp::interpose {
namespace {

/// By what we are open: sessions, too, are enough for a program.
enum class OpenBy { init, session };

struct NotCopied {
  NotCopied& operator=(NotCopied&&) = delete;
};

/// What communicators keep is found until the job ends.
struct OpenCommStates : NotCopied {
  ~OpenCommStates() { transport::CommState::forget_all(); }
};

/// The tables of both outlive the job: the MPI calls back, and programs have their handles, until the process
/// ends. Operations close with OpenCalls.
struct OpenRequests : NotCopied {
  explicit OpenRequests(MPI_Comm self) {
    operations().open(self);
    matched_messages().open(self);
  }
  ~OpenRequests() { matched_messages().close(); }
};

/// The Session between the ranks that have this library, of programs that call MPI_Init.
struct OpenSession : NotCopied {
  explicit OpenSession(OpenBy by) noexcept {
    if (by == OpenBy::init) open_job();
  }
  ~OpenSession() {
    close_job();
    give_back_ompio_progress();
  }
};

struct OpenNccl : NotCopied {
  ~OpenNccl() { nccl::close(); }

  JobMember<nccl::CommunicatorEnds> ends;
  JobMember<nccl::JobSettings> settings;
};

/// From here on the program's calls may be ours, and the Session's thread completes their requests.
struct OpenCalls : NotCopied {
  OpenCalls() noexcept {
    if (const auto session = transport::current()) operations().progress().attach(session->progress);
    open_buffers();
  }
  ~OpenCalls() {
    close_buffers();
    EndOfJob end;
    operations().close([&](bool something_is_left) { return end.worth_waiting(something_is_left); });
  }
};

/// All that this library has from MPI_Init, or the first session, until MPI_Finalize, or the last session.
/// Members open in this order, and close in the reverse one.
struct Job {
  /// Collective over the ranks that have the library where `by` is OpenBy::init. Throws where the program is
  /// left to the MPI.
  Job(OpenBy opened_by, MPI_Comm self)
      : by(opened_by),
        plans(self),
        error_codes(self),
        device_memory(self),
        requests(self),
        session(by),
        reduction_scratch(open_agreement()) {}

  const OpenBy by;
  OpenCommStates comm_states;
  JobMember<PlanKeeper> plans;
  JobMember<ErrorCodes> error_codes;
  JobMember<DeviceMemorySupport> device_memory;
  OpenRequests requests;  ///< the last that may fail in one rank alone: others count on who has a Session
  OpenSession session;
  JobMember<ReductionScratchPool> reduction_scratch;
  JobMember<UnknownNumbers> unknown_numbers;
  JobMember<WaitingKernels> waiting_kernels;
  OpenNccl nccl;
  OpenCalls calls;
};

/// What the calls below change. Made as the process begins, never destroyed: exit handlers may call.
struct Lifecycle {
  std::mutex mutex;
  bool has_world = false;       ///< the program has come to MPI_Init, and not to MPI_Finalize
  int sessions = 0;             ///< that the program has
  bool ends_with_self = false;  ///< MPI_COMM_SELF calls end_world()
  int rank = 0;                 ///< of this process among all
  std::optional<bool> merges;   ///< statistics, with all ranks; nothing where MPI_Init went past us
  StaticRoom<SessionSelf> self;
  StaticRoom<Job> job;
};
constinit Lifecycle life;

void open_observation() noexcept {
  if (observing().trace) trace().open(life.rank);
  transport::Traffic::counted = observing().statistics;
}

// The first rank tells; the others mostly have the same variables.
void tell_faults_of_environment() noexcept {
  environment::tell_faults(life.rank == 0);
  try {
    Hints::of_environment();
  } catch (const std::exception& error) {
    if (life.rank == 0) std::fprintf(stderr, "typewarp: %s\n", error.what());
  }
}

// What cannot be had leaves the program to the MPI.
void open(OpenBy by, MPI_Comm self) noexcept {
  tell_faults_of_environment();
  open_observation();
  try {
    life.job.emplace(by, self);
  } catch (const std::exception&) {
    if (by == OpenBy::init) refuse_job();
  }
}

// A program may have gone past us when it initialised the MPI. `comm`: of all ranks, or null.
void close(MPI_Comm comm) noexcept {
  life.job.reset();
  if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &life.rank);
  if (!life.merges) life.merges = observing().merged;
  report_statistics(life.rank, *life.merges ? comm : MPI_COMM_NULL);
  if (!life.has_world && life.sessions == 0) trace().close();
  life.self.reset();
}

void open_by_session() noexcept {
  const SessionSelf& self = life.self.emplace();
  life.rank = self.rank();
  if (self.comm() != MPI_COMM_NULL) open(OpenBy::session, self.comm());
  if (!life.job) life.self.reset();
}

bool is_closed() noexcept {
  const std::lock_guard lock(life.mutex);
  return !life.job;
}

// Sessions may outlive what MPI_Init made, which is MPI_COMM_SELF and all that comes of it.
void end_world() noexcept {
  const std::lock_guard lock(life.mutex);
  life.has_world = false;
  close(MPI_COMM_WORLD);
  if (life.sessions != 0) open_by_session();
}

/// What MPI_COMM_SELF keeps, and calls as the last of ours.
struct EndOfWorld final : transport::CommState::Member {
  static constexpr transport::CommSlot slot = transport::CommSlot::job;

  void leave() noexcept override { end_world(); }
};

// MPI_Finalize deletes the attributes of MPI_COMM_SELF before all else, those set last first. Callbacks of
// the program's may still send what we carry, so we end in that of ours, which is set first.
void end_with_self() noexcept try {
  transport::CommState::keep(MPI_COMM_SELF, std::make_shared<EndOfWorld>());
  life.ends_with_self = true;
} catch (const std::exception&) {  // MPI_Finalize does it
  return;
}

// The MPI is not called under the lock but by what opens and closes: tools that come after us may call back.
int opened(bool opens, int code) noexcept {
  const std::lock_guard lock(life.mutex);
  if (code != MPI_SUCCESS && opens) refuse_job();
  if (code != MPI_SUCCESS) return code;
  life.has_world = true;
  end_with_self();
  if (opens) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &life.rank);
    open(OpenBy::init, MPI_COMM_SELF);
  }
  life.merges = ranks_merge();
  return code;
}

using InitThread = int(int*, char***, int, int*);

int init(int* argc, char*** argv) noexcept {
  const bool opens = is_closed();
  int provided = MPI_THREAD_SINGLE;
  return opened(opens, opens && enter_job(MPI_THREAD_SINGLE)
                           ? next<InitThread>(call::Init_thread)(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                           : hand_on(call::Init, argc, argv));
}

int init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  const bool opens = is_closed();
  const int asked = opens && enter_job(required) ? MPI_THREAD_MULTIPLE : required;
  return opened(opens, next<InitThread>(call::Init_thread)(argc, argv, asked, provided));
}

bool sessions_are_open() noexcept {
  const std::lock_guard lock(life.mutex);
  return life.sessions != 0 || (life.job && life.job->by == OpenBy::session);
}

// Where sessions are open MPICH deletes attributes as late as in the last MPI_Session_finalize.
int finalize() noexcept {
  if (!std::exchange(life.ends_with_self, false)) {
    end_world();
  } else if (sessions_are_open()) {
    transport::CommState::drop(MPI_COMM_SELF);
  }
  prepare_for_finalize();
  return hand_on(call::Finalize);
}

// What is open by MPI_Init serves sessions as well.
int session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) noexcept {
  preset(session, MPI_Session{});
  const int code = hand_on(call::Session_init, info, errhandler, session);
  const std::lock_guard lock(life.mutex);
  if (code != MPI_SUCCESS || result(session, MPI_Session{}) == MPI_Session{}) return code;
  if (life.sessions++ == 0 && !life.job) open_by_session();
  return code;
}

int session_finalize(MPI_Session* session) noexcept {
  {
    const std::lock_guard lock(life.mutex);
    if (--life.sessions == 0 && !life.has_world && life.job && life.job->by == OpenBy::session)
      close(MPI_COMM_NULL);
  }
  return hand_on(call::Session_finalize, session);
}

}  // namespace

void take_lifecycle() noexcept {
  take(call::Init, init);
  take(call::Init_thread, init_thread);
  take(call::Finalize, finalize);
  take(call::Session_init, session_init);
  take(call::Session_finalize, session_finalize);
}

}  // namespace typewarp::interpose
