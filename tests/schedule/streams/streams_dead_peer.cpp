// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// streams_dead_peer exchange|group <when>: rank 1 kills itself before it starts anything (absent), or while
// starts of an Exchange of both ranks, or calls of a DeviceGroup, are under way (starting). Rank 0 is to be
// told within the time limit, to keep what it can do without rank 1, and to end. Prints "survived" then. Each
// rank is the child of the process that the launcher started, which lives on.

#include "transport/dead_peer/dead_peer.hpp"

#include <typewarp/device_group.hpp>
#include <typewarp/exchange.hpp>
#include <typewarp/mpi_ranks.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace typewarp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t words = 1 << 16;
constexpr std::chrono::milliseconds limit{1000};
constexpr std::chrono::seconds patience{20};

/// What ranks have together; destroying it is collective.
struct Common {
  std::function<void()> start, wait;
  bool ends_by_time = false;  ///< with TimeLimitExceeded; else with any Error
};
using Make = Common (*)(int peer, std::byte* memory, MPI_Comm comm);

Common exchange_with(int peer, std::byte* memory, MPI_Comm comm) {
  const Plan plan = commit(vector(words, 1, 2, Named::double_));
  const OutgoingPart out{memory, 1, plan, peer};
  const IncomingPart in{memory + 2 * words * sizeof(double), 1, plan, peer};
  const auto made = std::make_shared<Exchange>(mpi::ranks(comm), std::span(&out, 1), std::span(&in, 1),
                                               ExchangeOptions{.time_limit = limit});
  return {[made] { made->start(); }, [made] { made->wait(); }};
}

Common group_with(int /*peer*/, std::byte* memory, MPI_Comm comm) {
  const auto made = std::make_shared<DeviceGroup>(mpi::ranks(comm), DeviceGroupOptions{.time_limit = limit});
  return {[made, memory] { made->allreduce(memory, memory, words, Named::double_, Operation::sum); },
          [made] { made->wait(); }, true};
}

[[noreturn]] void die(std::string_view when, const Common& common) {
  if (when == "starting") {
    for (int i = 0; i < 100; ++i) common.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::raise(SIGKILL);
  std::abort();
}

/// Starts until that fails.
bool is_told(const Common& common) {
  const auto begun = Clock::now();
  try {
    while (Clock::now() - begun < patience) {
      common.start();
      common.wait();
    }
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    const bool is_such = !common.ends_by_time || dynamic_cast<const TimeLimitExceeded*>(&error) != nullptr;
    return is_such && Clock::now() - begun < 3 * limit + patience / 4;
  }
  return false;
}

void survive(Common common, Make make, std::byte* memory) {
  const bool fine = is_told(common);
  common = {};
  const Common own = make(0, memory, MPI_COMM_SELF);
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
  const std::string_view what = argc == 3 ? argv[1] : "", when = argc == 3 ? argv[2] : "";
  if ((what != "exchange" && what != "group") || (when != "absent" && when != "starting")) {
    std::fprintf(stderr, "usage: streams_dead_peer exchange|group absent|starting\n");
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
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool has_device = what == "exchange" || test::take_device(rank);
  const auto memory = has_device ? test::zeros(4 * words * sizeof(double)) : nullptr;
  int all_have = memory != nullptr ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all_have == 0) {
    std::printf("skipped: needs a GPU, or one for each rank\n");
    MPI_Finalize();
    return 0;
  }
  const Make make = what == "exchange" ? exchange_with : group_with;
  Common common = make(1 - rank, memory.get(), MPI_COMM_WORLD);
  if (rank == 1) die(when, common);
  survive(std::move(common), make, memory.get());
}
