// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// dead_peer <what>: rank 1 kills itself. Rank 0 is to be told within the time limit, to keep what it can do
// without rank 1, and to end. What rank 1 does before:
//   silent            nothing, and rank 0 receives
//   announced         starts to send what rank 0 receives, and does not move on
//   sending           moves on for a while, too
//   absent            nothing, and rank 0 sends
//   receiving         starts to receive what rank 0 sends, and moves on for a while
// Prints "survived" at the end. Each rank is the child of the process that the launcher started, which lives
// on: launchers end all ranks with the first, or lose what the others say.

#include "transport/dead_peer/dead_peer.hpp"

#include <typewarp/error.hpp>
#include <typewarp/p2p.hpp>
#include <typewarp/session.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace typewarp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 5> whats{"silent", "announced", "sending", "absent", "receiving"};
constexpr int tag = 3;
constexpr std::int64_t bytes = std::int64_t{64} << 20;
constexpr std::chrono::milliseconds limit{500};
/// Far longer than the limit, of a wait or of a Session that goes, and far from for ever.
constexpr std::chrono::seconds patience{20};

/// What rank 1 does with the message before it is no more.
[[noreturn]] void die(std::string_view what, std::byte* memory, const Plan& plan) {
  Request request;
  if (what == "announced" || what == "sending") request = isend(memory, 1, plan, 0, tag, MPI_COMM_WORLD, {});
  if (what == "receiving") request = irecv(memory, 1, plan, 0, tag, MPI_COMM_WORLD, {});
  if (what == "sending" || what == "receiving") {
    const auto until = Clock::now() + std::chrono::milliseconds(5);
    while (Clock::now() < until) request.test();
  }
  std::raise(SIGKILL);
  std::abort();
}

/// The message with rank 1. It may be whole where rank 1 was quick, or what it leaves can be read: whether
/// the outcome is possible.
bool exchange_with_the_dead(std::string_view what, std::byte* memory, const Plan& plan) {
  try {
    if (what == "absent" || what == "receiving") {
      send(memory, 1, plan, 1, tag, MPI_COMM_WORLD, nullptr);
    } else {
      recv(memory, 1, plan, 1, tag, MPI_COMM_WORLD, nullptr);
    }
    std::printf("whole\n");
    return what != "silent" && what != "absent";
  } catch (const TimeLimitExceeded& error) {
    std::printf("%s\n", error.what());
    return error.peer() == 1;
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return true;  // the MPI may know more than that time has passed
  }
}

void survive(std::string_view what, const std::shared_ptr<std::byte>& memory, const Plan& plan,
             std::unique_ptr<Session> session) {
  const auto start = Clock::now();
  const bool possible = exchange_with_the_dead(what, memory.get(), plan);
  const std::shared_ptr<std::byte> own = test::zeros(2 * bytes);
  sendrecv(own.get(), 1, commit(contiguous(bytes, Named::byte)), 0, tag, own.get() + bytes, 1,
           commit(contiguous(bytes, Named::byte)), 0, tag, MPI_COMM_WORLD, nullptr);
  session.reset();
  const auto took = Clock::now() - start;
  std::printf(took < patience && possible ? "survived\n" : "survived too late, or was told nonsense\n");
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize may wait for rank 1
}

void run(std::string_view what) {
  const std::shared_ptr<std::byte> memory = test::zeros(2 * bytes);
  SessionOptions options = SessionOptions::from_environment();
  options.time_limit = limit;
  auto session = std::make_unique<Session>(MPI_COMM_WORLD, options);
  const Plan plan = commit(vector(bytes / 8, 1, 2, Named::double_));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) die(what, memory.get(), plan);
  survive(what, memory, plan, std::move(session));
}

// Open MPI lets the others go on without it (--enable-recovery). MPICH ends them with it, and it with the
// last.
#ifdef OPEN_MPI
constexpr std::chrono::milliseconds stay = 4 * limit;
#else
constexpr std::chrono::milliseconds stay = patience;
#endif

/// The parent of a rank: ends as it does, or, if it was killed, once the launcher has had the time to see the
/// other end.
int outlive(pid_t rank) {
  int status = 0;
  waitpid(rank, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::this_thread::sleep_for(stay);
  return 0;
}

}  // namespace
}  // namespace typewarp

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (std::find(typewarp::whats.begin(), typewarp::whats.end(), what) == typewarp::whats.end()) {
    std::fprintf(stderr, "usage: dead_peer silent|announced|sending|absent|receiving\n");
    return 2;
  }
  if (const pid_t child = fork(); child > 0) return typewarp::outlive(child);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (typewarp::test::zeros(1) == nullptr) {
    std::printf("skipped: needs a GPU\n");
    MPI_Finalize();
    return 0;
  }
  typewarp::run(what);
}
