// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Times MPI calls on memory of the host, and prints a JSON object a line, as bench/parts.py reads them:
// microseconds a call or a message at rank 0, the median of rounds.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::int64_t, 6> sizes{8, 64, 1 << 10, 16 << 10, 256 << 10, 4 << 20};
constexpr int window = 32;  ///< messages under way, for the bandwidth
constexpr int rounds = 9;
constexpr double round_seconds = 0.01;

struct World {
  int rank = 0;
  int ranks = 0;
};

/// What one case sends and receives: so many packed bytes for each rank.
class Data {
 public:
  Data(const World& world, std::int64_t bytes, bool every_other)
      : world_(world), extent_(every_other ? 2 * bytes : bytes) {
    if (every_other) {
      constexpr int item = 8;
      MPI_Type_vector(static_cast<int>(bytes / item), 1, 2, MPI_DOUBLE, &type_);
    } else {
      MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
    }
    MPI_Type_commit(&type_);
    const auto ranks = static_cast<std::size_t>(world.ranks);
    sent_.resize(ranks * static_cast<std::size_t>(extent_));
    received_.resize(sent_.size());
    for (int peer = 0; peer < world.ranks; ++peer) {
      places_.push_back(peer);
      byte_places_.push_back(static_cast<int>(peer * extent_));
    }
    ones_.assign(ranks, 1);
    types_.assign(ranks, type_);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data() { MPI_Type_free(&type_); }

  /// Of two ranks, one way and back.
  void pingpong() {
    const int peer = 1 - world_.rank;
    if (world_.rank == 0) MPI_Send(sent_.data(), 1, type_, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(received_.data(), 1, type_, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (world_.rank != 0) MPI_Send(sent_.data(), 1, type_, peer, 0, MPI_COMM_WORLD);
  }
  /// From one rank to another, which says when all are there.
  void stream() {
    std::array<MPI_Request, window> requests{};
    for (MPI_Request& request : requests) {
      if (world_.rank == 0) {
        MPI_Isend(sent_.data(), 1, type_, 1, 0, MPI_COMM_WORLD, &request);
      } else {
        MPI_Irecv(received_.data(), 1, type_, 0, 0, MPI_COMM_WORLD, &request);
      }
    }
    MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
    if (world_.rank == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
  void alltoallv() {
    MPI_Alltoallv(sent_.data(), ones_.data(), places_.data(), type_, received_.data(), ones_.data(),
                  places_.data(), type_, MPI_COMM_WORLD);
  }
  void alltoallw() {
    MPI_Alltoallw(sent_.data(), ones_.data(), byte_places_.data(), types_.data(), received_.data(),
                  ones_.data(), byte_places_.data(), types_.data(), MPI_COMM_WORLD);
  }
  void bcast() { MPI_Bcast(sent_.data(), 1, type_, 0, MPI_COMM_WORLD); }

 private:
  World world_;
  std::int64_t extent_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<char> sent_, received_;
  std::vector<int> ones_, places_, byte_places_;
  std::vector<MPI_Datatype> types_;
};

using Call = void (Data::*)();
struct Case {
  const char* name;
  Call call;
  bool every_other;
  double parts;  ///< of the time of a call, those that a row tells of
};
constexpr std::array cases{
    Case{"latency", &Data::pingpong, false, 2},
    Case{"latency of a vector", &Data::pingpong, true, 2},
    Case{"bandwidth", &Data::stream, false, window},
    Case{"alltoallv", &Data::alltoallv, false, 1},
    Case{"alltoallw of vectors", &Data::alltoallw, true, 1},
    Case{"bcast", &Data::bcast, false, 1},
};

double seconds_of(Data& data, Call call, int times) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < times; ++i) (data.*call)();
  double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  // Rank 0 knows when all is over, and decides how often a call is made.
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return seconds;
}

double median_us(Data& data, const Case& of) {
  int times = 1;
  double seconds = seconds_of(data, of.call, times);
  while (seconds < round_seconds / 2) seconds = seconds_of(data, of.call, times *= 2);
  std::array<double, rounds> found{};
  for (double& round : found) round = seconds_of(data, of.call, times);
  std::nth_element(found.begin(), found.begin() + rounds / 2, found.end());
  return 1e6 * found[rounds / 2] / times / of.parts;
}

void print_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string line(text.data(), static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of("\n\""), line.size()));
  std::printf("{\"mpi\": \"%s\", \"gpus\": 0}\n", line.c_str());
}

// Where it says so, as the library has the MPI begin where it makes a transport.
void initialise(int* argc, char*** argv) {
  if (std::getenv("BENCH_PRELOAD_THREADS") == nullptr) {
    MPI_Init(argc, argv);
    return;
  }
  int granted = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &granted);
}

}  // namespace

int main(int argc, char** argv) {
  initialise(&argc, &argv);
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
  if (world.rank == 0) print_version();
  for (const Case& of : cases) {
    const bool between_two = of.call == &Data::pingpong || of.call == &Data::stream;
    if (between_two && world.ranks != 2) continue;
    for (const std::int64_t bytes : sizes) {
      Data data(world, bytes, of.every_other);
      const double us = median_us(data, of);
      if (world.rank != 0) continue;
      std::printf("{\"case\": \"%s\", \"ranks\": %d, \"packed_bytes\": %lld, \"median_us\": %.4g}\n", of.name,
                  world.ranks, static_cast<long long>(bytes), us);
      std::fflush(stdout);
    }
  }
  if (world.rank == 0) std::printf("{\"finished\": true}\n");
  MPI_Finalize();
  return 0;
}
