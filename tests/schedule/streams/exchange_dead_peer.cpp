// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// exchange_dead_peer <when>: rank 1 kills itself before its starts (absent), or while starts of both ranks
// are under way (starting). Rank 0 is to be told within the time limit, to keep what it can do without rank
// 1, and to end. Prints "survived" then. Each rank is the child of the process that the launcher started,
// which lives on.

#include "transport/dead_peer/dead_peer.hpp"

#include <typewarp/exchange.hpp>
#include <typewarp/mpi_ranks.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace typewarp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t words = 1 << 16;
constexpr std::chrono::milliseconds limit{1000};
constexpr std::chrono::seconds patience{20};

Exchange with(int peer, std::byte* memory, MPI_Comm comm) {
  const Plan plan = commit(vector(words, 1, 2, Named::double_));
  const OutgoingPart out{memory, 1, plan, peer};
  const IncomingPart in{memory + 2 * words * sizeof(double), 1, plan, peer};
  return Exchange(mpi::ranks(comm), std::span(&out, 1), std::span(&in, 1), {.time_limit = limit});
}

[[noreturn]] void die(std::string_view when, Exchange& exchange) {
  if (when == "starting") {
    for (int i = 0; i < 100; ++i) exchange.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::raise(SIGKILL);
  std::abort();
}

/// Starts until that fails.
bool is_told(Exchange& exchange) {
  const auto begun = Clock::now();
  try {
    while (Clock::now() - begun < patience) {
      exchange.start();
      exchange.wait();
    }
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return Clock::now() - begun < 3 * limit + patience / 4;
  }
  return false;
}

void survive(std::optional<Exchange>& exchange, std::byte* memory) {
  bool fine = is_told(*exchange);
  exchange.reset();
  Exchange own = with(0, memory, MPI_COMM_SELF);
  own.start();
  own.wait();
  std::printf(fine ? "survived\n" : "was not told in time\n");
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize may wait for rank 1
}

}  // namespace
}  // namespace typewarp

int main(int argc, char** argv) {
  using namespace typewarp;
  const std::string_view when = argc == 2 ? argv[1] : "";
  if (when != "absent" && when != "starting") {
    std::fprintf(stderr, "usage: exchange_dead_peer absent|starting\n");
    return 2;
  }
  if (const pid_t child = fork(); child > 0) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    std::this_thread::sleep_for(patience);
    return 0;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const auto memory = test::zeros(4 * words * sizeof(double));
  if (memory == nullptr) {
    std::printf("skipped: needs a GPU\n");
    MPI_Finalize();
    return 0;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::optional<Exchange> exchange = with(1 - rank, memory.get(), MPI_COMM_WORLD);
  if (rank == 1) die(when, *exchange);
  survive(exchange, memory.get());
}
