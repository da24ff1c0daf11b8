// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/machine.hpp"

#include "common/collective.hpp"
#include "common/gpu/gpu.hpp"
#include "common/picture/picture.hpp"

namespace apps {
namespace {

using typewarp::MemoryKind;

struct HostPlace {
  int rank, ranks;
};

/// Position of this rank among those of its host.
HostPlace place_on_host(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  HostPlace place{};
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &place.rank);
  MPI_Comm_size(host, &place.ranks);
  MPI_Comm_free(&host);
  return place;
}

/// `usable` says whether every rank has a GPU.
MemoryKind choose_memory(std::optional<MemoryKind> asked, bool usable) {
  const MemoryKind kind = asked.value_or(usable ? MemoryKind::device : MemoryKind::host);
  if (kind != MemoryKind::host && !usable) {
    throw Refusal("--memory = " + std::string(typewarp::name(kind)) + ": needs a GPU for every rank, and " +
                  (typewarp::built_with_gpu() ? "a rank found none" : "this build has no CUDA"));
  }
  return kind;
}

/// What is wrong with the picture's file on this rank, empty if nothing is.
std::string picture_problem(const std::string& picture) {
  if (picture.empty()) {
    return "";
  }
  const std::string reason = why_unwritable(picture);
  return reason.empty() ? "" : "--picture = " + picture + ": cannot be written: " + reason;
}

}  // namespace

Machine use_machine(std::optional<MemoryKind> asked, const std::string& picture, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int gpus = gpu::count();
  int fewest = 0;
  MPI_Allreduce(&gpus, &fewest, 1, MPI_INT, MPI_MIN, comm);
  const MemoryKind memory = choose_memory(asked, fewest > 0);
  agree(comm, rank == 0 ? picture_problem(picture) : "");
  const HostPlace place = place_on_host(comm);
  together(comm, [&] {
    if (gpus > 0) {
      gpu::select(place.rank % gpus);
    }
  });
  return {memory, gpus, place.ranks};
}

}  // namespace apps
