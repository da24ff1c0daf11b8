// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/reduction_scratch.hpp"
#include "interpose/core/observe/statistics_report.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/files/ompio_progress.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job/session_self.hpp"
#include "interpose/core/nccl/nccl.hpp"
#include "interpose/core/requests/matched.hpp"
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
#include <utility>

namespace typewarp::interpose {
namespace {

/// By what we are open: sessions, too, are enough for a program. Written under its lock.
enum class OpenBy { nothing, init, session };
OpenBy open_by = OpenBy::nothing;
bool world = false;           ///< the program has come to MPI_Init, and not to MPI_Finalize
int sessions = 0;             ///< that the program has
bool ends_with_self = false;  ///< MPI_COMM_SELF calls end_world()
int rank = 0;                 ///< of this process among all
std::mutex opening;

void open_observation() noexcept {
  if (observing().trace) trace().open(rank);
  transport::Traffic::counted = observing().statistics;
}

// The first rank tells; the others mostly have the same variables.
void tell_faults_of_environment() noexcept {
  environment::tell_faults(rank == 0);
  try {
    Hints::of_environment();
  } catch (const std::exception& error) {
    if (rank == 0) std::fprintf(stderr, "typewarp: %s\n", error.what());
  }
}

// What cannot be had leaves the program to the MPI.
void open(OpenBy by, MPI_Comm self) noexcept {
  open_plans(self);
  open_errors(self);
  open_refusal(self);
  open_observation();
  try {
    operations().open(self);
    matched_messages().open(self);
  } catch (const std::exception&) {
    if (by == OpenBy::init) refuse_job();
    return;
  }
  if (by == OpenBy::init) open_job();
  open_agreement();
  nccl::open();
  if (const auto session = transport::current()) operations().progress().attach(session->progress);
  open_buffers();
  open_by = by;
}

// A program may have gone past us when it initialised the MPI. `comm`: whose statistics become one, or null.
void close(MPI_Comm comm) noexcept {
  close_buffers();
  if (std::exchange(open_by, OpenBy::nothing) != OpenBy::nothing) {
    operations().close(worth_waiting);
    nccl::close();
    close_reduction_scratch();
    close_job();
    give_back_ompio_progress();
    matched_messages().close();
  }
  if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
  report_statistics(rank, comm);
  if (!world && sessions == 0) trace().close();
  close_plans();
  close_errors();
  transport::CommState::forget_all();
  close_session_self();
}

void open_by_session() noexcept {
  const MPI_Comm self = open_session_self(rank);
  if (self == MPI_COMM_NULL) return;
  tell_faults_of_environment();
  open(OpenBy::session, self);
  if (open_by != OpenBy::nothing) return;
  close_plans();
  close_errors();
  close_session_self();
}

bool is_closed() noexcept {
  const std::lock_guard lock(opening);
  return open_by == OpenBy::nothing;
}

// Sessions may outlive what MPI_Init made, which is MPI_COMM_SELF and all that comes of it.
void end_world() noexcept {
  const std::lock_guard lock(opening);
  world = false;
  close(MPI_COMM_WORLD);
  if (sessions != 0) open_by_session();
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
  ends_with_self = true;
} catch (const std::exception&) {  // MPI_Finalize does it
  return;
}

// The MPI is not called under the lock but by what opens and closes: tools that come after us may call back.
int opened(bool opens, int code) noexcept {
  const std::lock_guard lock(opening);
  if (code != MPI_SUCCESS && opens) refuse_job();
  if (code != MPI_SUCCESS) return code;
  world = true;
  end_with_self();
  if (!opens) return code;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tell_faults_of_environment();
  open(OpenBy::init, MPI_COMM_SELF);
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
  const std::lock_guard lock(opening);
  return sessions != 0 || open_by == OpenBy::session;
}

// Where sessions are open MPICH deletes attributes as late as in the last MPI_Session_finalize.
int finalize() noexcept {
  if (!std::exchange(ends_with_self, false)) {
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
  const std::lock_guard lock(opening);
  if (code != MPI_SUCCESS || result(session, MPI_Session{}) == MPI_Session{}) return code;
  if (sessions++ == 0 && open_by == OpenBy::nothing) open_by_session();
  return code;
}

int session_finalize(MPI_Session* session) noexcept {
  {
    const std::lock_guard lock(opening);
    if (--sessions == 0 && !world && open_by == OpenBy::session) close(MPI_COMM_NULL);
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
