// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Times collective calls on memory of a device, a GPU for each rank, and prints a JSON object a line, as
// bench/parts.py reads them: microseconds a call, of the slowest rank, the median of rounds. Before it times
// a case it checks its result.
//
// usage: bench_collectives_<mpi> <what> <largest size> [what parts.py adds, which it does not need]
//   mpi      calls of the MPI, under whatever is preloaded
//   nccl     the same, by NCCL itself
//   windows  one-sided calls of the MPI, and messages of the same data
//   files, hosts   calls of files, and what ranks of several hosts call
//   files-pinned, hosts-pinned   the same, of page-locked memory
#include "buffer.hpp"
#include "nccl.hpp"
#include "strided.hpp"
#include "through_host.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

namespace typewarp::collectives_bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::int64_t, 10> sizes{8,       64,      1 << 10,  16 << 10, 256 << 10,
                                             1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20};
constexpr int rounds = 9;
constexpr double round_seconds = 0.02;
constexpr int root = 0;

struct World {
  int rank = 0;
  int ranks = 0;
  MPI_Comm ring = MPI_COMM_NULL;  ///< of which each rank has two neighbours
};

/// Where the calls go to.
class Subject {
 public:
  Subject(World world, std::int64_t bytes, const Nccl* nccl)
      : world_(world),
        nccl_(nccl),
        count_(static_cast<std::size_t>(bytes) / sizeof(float)),
        from_(count_),
        to_(count_) {
    from_.fill(static_cast<float>(world.rank + 1));
  }

  void allreduce() const {
    if (nccl_ != nullptr) return nccl_->allreduce(from_.data(), to_.data(), count_);
    MPI_Allreduce(from_.data(), to_.data(), static_cast<int>(count_), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  void bcast() const {
    if (nccl_ != nullptr) return nccl_->bcast(to_.data(), count_);
    MPI_Bcast(to_.data(), static_cast<int>(count_), MPI_FLOAT, root, MPI_COMM_WORLD);
  }
  /// The size is that of all that a rank gets.
  void allgather() const {
    if (nccl_ != nullptr) return nccl_->allgather(from_.data(), to_.data(), each());
    const auto count = static_cast<int>(each());
    MPI_Allgather(from_.data(), count, MPI_FLOAT, to_.data(), count, MPI_FLOAT, MPI_COMM_WORLD);
  }
  void alltoall() const {
    if (nccl_ != nullptr) return nccl_->alltoall(from_.data(), to_.data(), each());
    const auto count = static_cast<int>(each());
    MPI_Alltoall(from_.data(), count, MPI_FLOAT, to_.data(), count, MPI_FLOAT, MPI_COMM_WORLD);
  }
  /// The size is that of both blocks.
  void neighbor_alltoall() const {
    const auto count = static_cast<int>(count_ / 2);
    MPI_Neighbor_alltoall(from_.data(), count, MPI_FLOAT, to_.data(), count, MPI_FLOAT, world_.ring);
  }
  void iallreduce() const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(from_.data(), to_.data(), static_cast<int>(count_), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void ibcast() const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(to_.data(), static_cast<int>(count_), MPI_FLOAT, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void iallgather() const {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto count = static_cast<int>(each());
    MPI_Iallgather(from_.data(), count, MPI_FLOAT, to_.data(), count, MPI_FLOAT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void ialltoall() const {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto count = static_cast<int>(each());
    MPI_Ialltoall(from_.data(), count, MPI_FLOAT, to_.data(), count, MPI_FLOAT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void ineighbor_alltoall() const {
    MPI_Request request = MPI_REQUEST_NULL;
    const auto count = static_cast<int>(count_ / 2);
    MPI_Ineighbor_alltoall(from_.data(), count, MPI_FLOAT, to_.data(), count, MPI_FLOAT, world_.ring,
                           &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  template <void (Subject::*call)() const>
  bool sum_is_right() const {
    to_.fill(0);
    (this->*call)();
    return to_.ends_with(static_cast<float>(world_.ranks * (world_.ranks + 1)) / 2, count_);
  }
  template <void (Subject::*call)() const>
  bool roots_is_right() const {
    to_.fill(world_.rank == root ? 5.0F : 0.0F);
    (this->*call)();
    return to_.ends_with(5, count_);
  }
  /// What came from the last rank, in the last of so many blocks.
  template <void (Subject::*call)() const>
  bool block_is_right() const {
    to_.fill(0);
    (this->*call)();
    const std::size_t rest = count_ - each() * static_cast<std::size_t>(world_.ranks);
    return rest != 0 || to_.ends_with(static_cast<float>(world_.ranks), each());
  }
  /// What came from the rank after this one.
  template <void (Subject::*call)() const>
  bool neighbours_is_right() const {
    to_.fill(0);
    (this->*call)();
    return to_.ends_with(static_cast<float>((world_.rank + 1) % world_.ranks + 1), count_ / 2);
  }

 private:
  std::size_t each() const noexcept { return count_ / static_cast<std::size_t>(world_.ranks); }

  World world_;
  const Nccl* nccl_;
  std::size_t count_;
  Buffer from_, to_;
};

struct Case {
  const char* name;
  bool by_nccl;
  void (Subject::*call)() const;
  bool (Subject::*is_right)() const;
};
using S = Subject;
constexpr std::array cases{
    Case{"allreduce", true, &S::allreduce, &S::sum_is_right<&S::allreduce>},
    Case{"bcast", true, &S::bcast, &S::roots_is_right<&S::bcast>},
    Case{"allgather", true, &S::allgather, &S::block_is_right<&S::allgather>},
    Case{"alltoall", true, &S::alltoall, &S::block_is_right<&S::alltoall>},
    Case{"neighbor_alltoall", false, &S::neighbor_alltoall, &S::neighbours_is_right<&S::neighbor_alltoall>},
    Case{"iallreduce", false, &S::iallreduce, &S::sum_is_right<&S::iallreduce>},
    Case{"ibcast", false, &S::ibcast, &S::roots_is_right<&S::ibcast>},
    Case{"iallgather", false, &S::iallgather, &S::block_is_right<&S::iallgather>},
    Case{"ialltoall", false, &S::ialltoall, &S::block_is_right<&S::ialltoall>},
    Case{"ineighbor_alltoall", false, &S::ineighbor_alltoall,
         &S::neighbours_is_right<&S::ineighbor_alltoall>}};

template <class Call>
double seconds_of(Call call, int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < times; ++i) call();
  double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

template <class Call>
double median_us(Call call) {
  seconds_of(call, 1);  // what starts at a first call
  int times = 1;
  double seconds = seconds_of(call, times);
  while (seconds < round_seconds / 2) seconds = seconds_of(call, times *= 2);
  std::array<double, rounds> found{};
  for (double& round : found) round = seconds_of(call, times);
  std::nth_element(found.begin(), found.begin() + rounds / 2, found.end());
  return 1e6 * found[rounds / 2] / times;
}

bool all_are(bool right) {
  int all = right ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

void print_version(int gpus) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string line(text.data(), static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of("\n\""), line.size()));
  std::printf("{\"mpi\": \"%s\", \"gpus\": %d}\n", line.c_str(), gpus);
}

/// Prints the row of a case; false if it is wrong.
template <class Call, class IsRight>
bool row(const World& world, const char* name, std::int64_t bytes, Call call, IsRight is_right) {
  if (!all_are(is_right())) {
    if (world.rank == 0)
      std::fprintf(stderr, "%s of %lld bytes is wrong\n", name, static_cast<long long>(bytes));
    return false;
  }
  const double us = median_us(call);
  if (world.rank != 0) return true;
  std::printf("{\"case\": \"%s\", \"ranks\": %d, \"packed_bytes\": %lld, \"median_us\": %.5g}\n", name,
              world.ranks, static_cast<long long>(bytes), us);
  std::fflush(stdout);
  return true;
}

/// Rows of all sizes; false after one that was wrong.
bool run(const World& world, const Nccl* nccl, std::int64_t largest) {
  for (const Case& of : cases) {
    if (nccl != nullptr && !of.by_nccl) continue;
    for (const std::int64_t bytes : sizes) {
      if (bytes > largest) continue;
      const Subject subject(world, bytes, nccl);
      if (!row(
              world, of.name, bytes, [&] { (subject.*of.call)(); }, [&] { return (subject.*of.is_right)(); }))
        return false;
    }
  }
  return true;
}

/// The same of strided memory of the first two ranks, through a window and by messages.
bool run_strided(const World& world, std::int64_t largest) {
  for (const Strided::Case& of : Strided::cases) {
    for (const std::int64_t bytes : sizes) {
      if (bytes < Strided::least || bytes > largest) continue;
      const Strided subject(world.rank, bytes);
      if (!row(world, of.name, bytes, [&] { (subject.*of.call)(); }, [&] { return subject.is_right(of); }))
        return false;
    }
  }
  return true;
}

/// What goes through memory of the host.
bool run_through_host(const World& world, std::span<const ThroughHost::Case> cases_of, Memory memory,
                      std::int64_t largest) {
  for (const ThroughHost::Case& of : cases_of) {
    for (const std::int64_t bytes : sizes) {
      if (bytes < ThroughHost::least || bytes > std::min(largest, ThroughHost::most)) continue;
      const ThroughHost subject(world.rank, world.ranks, bytes, of.is_strided, memory);
      if (!row(
              world, of.name, bytes, [&] { (subject.*of.call)(); }, [&] { return (subject.*of.is_right)(); }))
        return false;
    }
  }
  return true;
}

/// Rows of what the program was asked for; false after one that was wrong.
bool run(const World& world, const std::string& what, std::int64_t largest) {
  if (what == "windows") return run_strided(world, largest);
  if (what == "files") return run_through_host(world, ThroughHost::of_files(), Memory::device, largest);
  if (what == "files-pinned")
    return run_through_host(world, ThroughHost::of_files(), Memory::pinned, largest);
  if (what == "hosts") return run_through_host(world, ThroughHost::between_hosts(), Memory::device, largest);
  if (what == "hosts-pinned")
    return run_through_host(world, ThroughHost::between_hosts(), Memory::pinned, largest);
  const std::unique_ptr<Nccl> nccl = what == "nccl" ? std::make_unique<Nccl>(MPI_COMM_WORLD) : nullptr;
  return run(world, nccl.get(), largest);
}

bool is_known(const std::string& what) {
  constexpr std::array known{"mpi", "nccl", "windows", "files", "files-pinned", "hosts", "hosts-pinned"};
  return std::find(known.begin(), known.end(), what) != known.end();
}

}  // namespace
}  // namespace typewarp::collectives_bench

int main(int argc, char** argv) {
  using namespace typewarp::collectives_bench;
  const std::string what = argc >= 3 ? argv[1] : "";
  if (!is_known(what)) {
    std::fprintf(stderr,
                 "usage: bench_collectives mpi|nccl|windows|files[-pinned]|hosts[-pinned] <largest size>\n");
    return 2;
  }
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus < 1) {
    std::fprintf(stderr, "skipped: needs a GPU\n");
    return 77;
  }
  MPI_Init(&argc, &argv);
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
  expect(cudaSetDevice(world.rank % gpus), "cudaSetDevice");
  constexpr int is_periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &world.ranks, &is_periodic, 0, &world.ring);
  if (world.rank == 0) print_version(std::min(gpus, world.ranks));
  const bool right = run(world, what, std::atoll(argv[2]));
  if (world.rank == 0 && right) std::printf("{\"finished\": true}\n");
  MPI_Finalize();
  return right ? 0 : 1;
}
