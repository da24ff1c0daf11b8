// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/session.hpp>

#include "engine/arguments.hpp"
#include "base/environment.hpp"
#include "mpi/agree.hpp"
#include "transport/handle/internal.hpp"
#include "transport/mpi/wait_loop.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>

namespace typewarp {
namespace {

using transport::SessionState;

constexpr const char* call = "typewarp::Session";

static_assert(environment::least_of("TYPEWARP_EAGER_BYTES") == transport::rts_bytes);
static_assert(environment::least_of("TYPEWARP_DIRECT_BYTES") == transport::rts_bytes);
static_assert(environment::least_of("TYPEWARP_CHUNK_BYTES") == transport::FixedPool::least_chunk_bytes);
static_assert(environment::least_of("TYPEWARP_POOL_BYTES") == 2 * transport::FixedPool::least_chunk_bytes);

void check(const SessionOptions& options) {
  const auto at_least = [&](const char* name, std::int64_t value, std::int64_t least) {
    if (value >= least) return;
    throw InvalidArgument(call, name, value, "must not be less than " + std::to_string(least));
  };
  at_least("options.eager_bytes", options.eager_bytes, transport::rts_bytes);
  at_least("options.direct_bytes", options.direct_bytes, transport::rts_bytes);
  at_least("options.chunk_bytes", options.chunk_bytes, transport::FixedPool::least_chunk_bytes);
  at_least("options.pool_bytes", options.pool_bytes, 2 * transport::FixedPool::least_chunk_bytes);
  at_least("options.device_pool_bytes", options.device_pool_bytes, 0);
  at_least("options.time_limit", options.time_limit.count(), 0);
  engine::check_time_limit(call, options.time_limit);
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  if (options.progress_thread && granted != MPI_THREAD_MULTIPLE) {
    throw InvalidArgument(call, "options.progress_thread", "true",
                          "needs an MPI that grants MPI_THREAD_MULTIPLE");
  }
}

// Does local work. If it throws in one rank, this throws in all, so that none waits for another.
template <typename Act>
void together(MPI_Comm comm, Act act) {
  std::exception_ptr own;
  try {
    act();
  } catch (...) {
    own = std::current_exception();
  }
  bool all_fine = false;
  try {
    all_fine = mpi::in_all(comm, own == nullptr);
  } catch (const MpiError&) {
    if (!own) throw;
  }
  if (own) std::rethrow_exception(own);
  if (!all_fine) throw Error("typewarp::Session: failed in another rank, which tells why");
}

// The receiver must know how much room a message needs, so all ranks use the lowest limit.
std::int64_t eager_bytes_of_all(MPI_Comm comm, const SessionOptions& options) {
  std::int64_t longest =
      options.protocol == Protocol::eager ? std::numeric_limits<std::int64_t>::max() : options.eager_bytes;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MIN, comm), "MPI_Allreduce");
  return std::max(longest, transport::rts_bytes);
}

using Clock = std::chrono::steady_clock;

// A barrier that lets messages make progress. Returns false if the others do not come within the limit.
bool meet(SessionState& session, Clock::time_point start, std::chrono::milliseconds limit) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(session.comm.get(), &barrier) != MPI_SUCCESS) return false;
  transport::Posted posted(barrier);
  bool late = false;
  const auto look = [&] {
    if (posted.test()) return true;
    session.progress.advance_some();
    late = limit != SessionOptions::no_time_limit && Clock::now() - start > limit;
    return late;
  };
  transport::wait_until(look, transport::yield_each_time);
  if (late) posted.abandon();
  return !late;
}

// Operations that were given up and their session own each other until what they have posted is over.
void drain(SessionState& session, Clock::time_point start) {
  constexpr std::chrono::milliseconds least_limit{1000};
  const std::chrono::milliseconds limit = std::max(session.options.time_limit, least_limit);
  const auto look = [&] {
    if (session.progress.orphans() == 0 || Clock::now() - start > limit) return true;
    session.progress.advance_some();
    return false;
  };
  transport::wait_until(look, transport::yield_each_time);
}

// No rank may close connections or free memory that another rank's link still uses. If a rank had to leave by
// its time limit, the others may never come here, so this does not wait for long. Precondition: MPI is not
// finalized.
bool leave_link(SessionState& session) {
  constexpr std::chrono::milliseconds limit{10'000};
  const Clock::time_point start = Clock::now();
  while (!session.link->leave()) {
    if (Clock::now() - start > limit) return false;
    session.link->progress();
  }
  if (!meet(session, start, limit)) return false;
  session.close_link();
  return meet(session, start, limit);
}

/// `fails`: whether the others may never come here.
void leave(SessionState& session, bool fails) noexcept {
  const Clock::time_point start = Clock::now();
  // Memory that has been freed stays in use as long as it is mapped here, and other ranks are about to free
  // their chunks.
  gpu::close_imports();
  try {
    // No rank may leave before all have finished with the protocols.
    const bool met = !fails && meet(session, start, session.options.time_limit);
    if (!met) session.comm.abandon();
    drain(session, start);
    gpu::close_imports();  // what messages that were given up have mapped since
    if (met && session.link != nullptr && session.progress.active() == 0 && !leave_link(session)) {
      session.comm.abandon();
    }
  } catch (const std::exception&) {
    session.comm.abandon();  // a destructor has nobody to tell
  }
}

}  // namespace

void progress() {
  if (const std::shared_ptr<SessionState> session = transport::current()) session->progress.advance_some();
}

Session::Session(MPI_Comm comm, const SessionOptions& options) : Session(comm, &options, false) {}

Session::Session(MPI_Comm comm) : Session(comm, nullptr, false) {}

Session::Session(MPI_Comm comm, const SessionOptions* asked, bool mixed) {
  mpi::check_communicator(call, "comm", comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  environment::tell_faults(rank == 0);
  transport::Profile profile;
  SessionOptions options;
  std::shared_ptr<transport::SessionRoom> room;
  together(comm, [&] {
    profile = transport::Profile::of_this_machine();
    options = asked != nullptr ? *asked : transport::options_from_environment(profile);
    options.progress_thread = options.progress_thread || mixed;
    check(options);
    if (transport::current() != nullptr) transport::refuse_second();
    room = std::make_shared<transport::SessionRoom>();
  });
  options.eager_bytes = eager_bytes_of_all(comm, options);
  room->comm.emplace(comm);
  together(room->comm->get(), [&] {
    room->state.emplace(*room->comm, options, profile, mixed);
    transport::prepare(*room->state);
  });
  session_ = {room, &*room->state};
  transport::connect(*session_);
  try {
    together(session_->comm.get(), [&] {
      transport::set_current(session_);
      if (options.progress_thread) session_->progress.start_thread();
    });
  } catch (...) {
    session_->progress.stop_thread();
    if (transport::current() == session_) transport::set_current(nullptr);
    throw;
  }
}

Session::~Session() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  session_->progress.stop_thread();
  // A library with a C++ runtime of its own may count an exception only at its end, which gives less than 0.
  if (finalized == 0) leave(*session_, std::uncaught_exceptions() > 0);
  transport::set_current(nullptr);
}

bool Session::possible(Protocol protocol) const noexcept { return session_->possible(protocol); }

void transport::refuse_session(MPI_Comm comm) { mpi::in_all(comm, false); }

double transport::direct_fragments(const Session& session, std::int64_t bytes) {
  if (bytes < 0) {
    throw InvalidArgument("typewarp::transport::direct_fragments", "bytes", bytes, "must not be negative");
  }
  return Internal::state(session).profile.direct.fragments(bytes);
}

const SessionOptions& Session::options() const noexcept { return session_->options; }

}  // namespace typewarp
