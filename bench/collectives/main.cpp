// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Times collective calls on memory of a device, a GPU for each rank, and prints a JSON object a line, as
// bench/parts.py reads them: microseconds a call, of the slowest rank, the median of rounds. Before it times
// a case it checks its result.
//
// usage: bench_collectives_<mpi> mpi|nccl <largest size> [what parts.py adds, which it does not need]
//   mpi    calls of the MPI, under whatever is preloaded
//   nccl   the same, by NCCL itself
#include "nccl.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

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
};

void expect(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Floats on the device.
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    expect(cudaMalloc(&data_, count * sizeof(float)), "cudaMalloc");
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  float* data() const noexcept { return static_cast<float*>(data_); }
  void fill(float value) const {
    const std::vector<float> all(count_, value);
    expect(cudaMemcpy(data_, all.data(), count_ * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  /// The last `count` of them are all `value`.
  bool ends_with(float value, std::size_t count) const {
    std::vector<float> all(count_);
    expect(cudaMemcpy(all.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return std::all_of(all.end() - static_cast<std::ptrdiff_t>(count), all.end(),
                       [&](float each) { return each == value; });
  }

 private:
  std::size_t count_;
  void* data_ = nullptr;
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

  bool allreduce_is_right() const {
    to_.fill(0);
    allreduce();
    return to_.ends_with(static_cast<float>(world_.ranks * (world_.ranks + 1)) / 2, count_);
  }
  bool bcast_is_right() const {
    to_.fill(world_.rank == root ? 5.0F : 0.0F);
    bcast();
    return to_.ends_with(5, count_);
  }
  bool allgather_is_right() const {
    to_.fill(0);
    allgather();
    const std::size_t rest = count_ - each() * static_cast<std::size_t>(world_.ranks);
    return rest != 0 || to_.ends_with(static_cast<float>(world_.ranks), each());
  }
  bool alltoall_is_right() const {
    to_.fill(0);
    alltoall();
    const std::size_t rest = count_ - each() * static_cast<std::size_t>(world_.ranks);
    return rest != 0 || to_.ends_with(static_cast<float>(world_.ranks), each());
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
  void (Subject::*call)() const;
  bool (Subject::*is_right)() const;
};
constexpr std::array cases{Case{"allreduce", &Subject::allreduce, &Subject::allreduce_is_right},
                           Case{"bcast", &Subject::bcast, &Subject::bcast_is_right},
                           Case{"allgather", &Subject::allgather, &Subject::allgather_is_right},
                           Case{"alltoall", &Subject::alltoall, &Subject::alltoall_is_right}};

double seconds_of(const Subject& subject, const Case& of, int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < times; ++i) (subject.*of.call)();
  double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double median_us(const Subject& subject, const Case& of) {
  seconds_of(subject, of, 1);  // what starts at a first call
  int times = 1;
  double seconds = seconds_of(subject, of, times);
  while (seconds < round_seconds / 2) seconds = seconds_of(subject, of, times *= 2);
  std::array<double, rounds> found{};
  for (double& round : found) round = seconds_of(subject, of, times);
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

/// Rows of all sizes; false after one that was wrong.
bool run(const World& world, const Nccl* nccl, std::int64_t largest) {
  for (const Case& of : cases) {
    for (const std::int64_t bytes : sizes) {
      if (bytes > largest) continue;
      const Subject subject(world, bytes, nccl);
      if (!all_are((subject.*of.is_right)())) {
        if (world.rank == 0)
          std::fprintf(stderr, "%s of %lld bytes is wrong\n", of.name, static_cast<long long>(bytes));
        return false;
      }
      const double us = median_us(subject, of);
      if (world.rank != 0) continue;
      std::printf("{\"case\": \"%s\", \"ranks\": %d, \"packed_bytes\": %lld, \"median_us\": %.5g}\n", of.name,
                  world.ranks, static_cast<long long>(bytes), us);
      std::fflush(stdout);
    }
  }
  return true;
}

}  // namespace
}  // namespace typewarp::collectives_bench

int main(int argc, char** argv) {
  using namespace typewarp::collectives_bench;
  const std::string by = argc >= 3 ? argv[1] : "";
  if (by != "mpi" && by != "nccl") {
    std::fprintf(stderr, "usage: bench_collectives mpi|nccl <largest size>\n");
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
  if (world.rank == 0) print_version(std::min(gpus, world.ranks));
  bool right = false;
  {
    const std::unique_ptr<Nccl> nccl = by == "nccl" ? std::make_unique<Nccl>(MPI_COMM_WORLD) : nullptr;
    right = run(world, nccl.get(), std::atoll(argv[2]));
  }
  if (world.rank == 0 && right) std::printf("{\"finished\": true}\n");
  MPI_Finalize();
  return right ? 0 : 1;
}
