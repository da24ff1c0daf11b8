// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "through_host.hpp"

#include <unistd.h>

#include <array>
#include <string>

namespace typewarp::collectives_bench {
namespace {

constexpr int block = 32;  // floats
constexpr int root = 0;

MPI_File open_file() {
  int process = static_cast<int>(getpid());
  MPI_Bcast(&process, 1, MPI_INT, root, MPI_COMM_WORLD);
  const std::string name = "/dev/shm/typewarp-bench-" + std::to_string(process);
  MPI_File made = MPI_FILE_NULL;
  if (MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &made) != MPI_SUCCESS) {
    std::fprintf(stderr, "%s: cannot be opened\n", name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return made;
}

MPI_Datatype item_of(int stride) {
  MPI_Datatype run = MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(block, MPI_FLOAT, &run);
  MPI_Type_create_resized(run, 0, stride * static_cast<MPI_Aint>(sizeof(float)), &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&run);
  return made;
}

constexpr bool strided = true, contiguous = false;

}  // namespace

std::span<const ThroughHost::Case> ThroughHost::of_files() {
  using T = ThroughHost;
  static constexpr std::array cases{Case{"write_at_all", contiguous, &T::write, &T::file_is_right},
                                    Case{"strided write_at_all", strided, &T::write, &T::file_is_right},
                                    Case{"strided read_at_all", strided, &T::read, &T::file_is_right}};
  return cases;
}

std::span<const ThroughHost::Case> ThroughHost::between_hosts() {
  using T = ThroughHost;
  static constexpr std::array cases{Case{"bcast", contiguous, &T::bcast, &T::bcast_is_right},
                                    Case{"gather", contiguous, &T::gather, &T::gather_is_right},
                                    Case{"scatter", contiguous, &T::scatter, &T::scatter_is_right},
                                    Case{"allgather", contiguous, &T::allgather, &T::allgather_is_right},
                                    Case{"alltoall", contiguous, &T::alltoall, &T::alltoall_is_right},
                                    Case{"strided bcast", strided, &T::bcast, &T::bcast_is_right},
                                    Case{"strided alltoall", strided, &T::alltoall, &T::alltoall_is_right}};
  return cases;
}

ThroughHost::ThroughHost(int rank, int ranks, std::int64_t bytes, bool is_strided, Memory memory)
    : rank_(rank),
      ranks_(ranks),
      stride_(is_strided && memory == Memory::device ? 2 * block : block),
      all_(static_cast<int>(bytes / static_cast<std::int64_t>(block * sizeof(float))) / ranks * ranks),
      each_(all_ / ranks),
      from_(static_cast<std::size_t>(all_) * static_cast<std::size_t>(stride_), memory),
      to_(static_cast<std::size_t>(all_) * static_cast<std::size_t>(stride_), memory),
      item_(item_of(stride_)),
      file_(open_file()) {
  from_.fill(static_cast<float>(rank + 1));
}

ThroughHost::~ThroughHost() {
  MPI_File_close(&file_);
  MPI_Type_free(&item_);
}

MPI_Offset ThroughHost::place() const noexcept {
  return static_cast<MPI_Offset>(rank_) * all_ * static_cast<MPI_Offset>(block * sizeof(float));
}

void ThroughHost::write() const {
  MPI_File_write_at_all(file_, place(), from_.data(), all_, item_, MPI_STATUS_IGNORE);
}
void ThroughHost::read() const {
  MPI_File_read_at_all(file_, place(), to_.data(), all_, item_, MPI_STATUS_IGNORE);
}
void ThroughHost::bcast() const { MPI_Bcast(to_.data(), all_, item_, root, MPI_COMM_WORLD); }
void ThroughHost::gather() const {
  MPI_Gather(from_.data(), each_, item_, to_.data(), each_, item_, root, MPI_COMM_WORLD);
}
void ThroughHost::scatter() const {
  MPI_Scatter(from_.data(), each_, item_, to_.data(), each_, item_, root, MPI_COMM_WORLD);
}
void ThroughHost::allgather() const {
  MPI_Allgather(from_.data(), each_, item_, to_.data(), each_, item_, MPI_COMM_WORLD);
}
void ThroughHost::alltoall() const {
  MPI_Alltoall(from_.data(), each_, item_, to_.data(), each_, item_, MPI_COMM_WORLD);
}

bool ThroughHost::ends(int items, int from) const {
  const std::size_t last = static_cast<std::size_t>(items - 1) * static_cast<std::size_t>(stride_);
  return to_.holds(static_cast<float>(from + 1), last, block) &&
         to_.holds(0, last + block, static_cast<std::size_t>(stride_ - block));
}

bool ThroughHost::file_is_right() const {
  to_.fill(0);
  write();
  read();
  return ends(all_, rank_);
}
bool ThroughHost::bcast_is_right() const {
  to_.fill(rank_ == root ? 1.0F : 0.0F);
  bcast();
  return rank_ == root || ends(all_, root);
}
bool ThroughHost::gather_is_right() const {
  to_.fill(0);
  gather();
  return rank_ != root || ends(all_, ranks_ - 1);
}
bool ThroughHost::scatter_is_right() const {
  to_.fill(0);
  scatter();
  return ends(each_, root);
}
bool ThroughHost::allgather_is_right() const {
  to_.fill(0);
  allgather();
  return ends(all_, ranks_ - 1);
}
bool ThroughHost::alltoall_is_right() const {
  to_.fill(0);
  alltoall();
  return ends(all_, ranks_ - 1);
}

}  // namespace typewarp::collectives_bench
