// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/setup.hpp"

#include "stencil2d/collective.hpp"
#include "stencil2d/gpu/gpu.hpp"
#include "stencil2d/picture/picture.hpp"

#include <typewarp/error.hpp>

#include <array>
#include <string>

namespace stencil2d {
namespace {

using typewarp::MemoryKind;

Shape choose_grid(const Options& options, int ranks) {
  if (!options.grid) {
    std::array<int, 2> sides{};
    MPI_Dims_create(ranks, 2, sides.data());
    return {sides[0], sides[1]};
  }
  const Shape grid = *options.grid;
  if (grid.points() != ranks) {
    const std::string product = std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
    throw Refusal("--grid = " + product + ": has " + std::to_string(grid.points()) +
                  " positions, but the number of ranks is " + std::to_string(ranks));
  }
  return grid;
}

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
MemoryKind choose_memory(const Options& options, bool usable) {
  const MemoryKind kind = options.memory.value_or(usable ? MemoryKind::device : MemoryKind::host);
  if (kind != MemoryKind::host && !usable) {
    throw Refusal("--memory = " + std::string(typewarp::name(kind)) + ": needs a GPU for every rank, and " +
                  (typewarp::built_with_gpu() ? "a rank found none" : "this build has no CUDA"));
  }
  return kind;
}

/// What is wrong with the picture's file on this rank, empty if nothing is.
std::string picture_problem(const Options& options) {
  if (options.picture.empty()) {
    return "";
  }
  const std::string reason = why_unwritable(options.picture);
  return reason.empty() ? "" : "--picture = " + options.picture + ": cannot be written: " + reason;
}

}  // namespace

Setup set_up(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Shape grid = choose_grid(options, ranks);
  const int gpus = gpu::count();
  int fewest = 0;
  MPI_Allreduce(&gpus, &fewest, 1, MPI_INT, MPI_MIN, comm);
  const MemoryKind memory = choose_memory(options, fewest > 0);
  agree(comm, rank == 0 ? picture_problem(options) : "");
  const HostPlace place = place_on_host(comm);
  together(comm, [&] {
    if (gpus > 0) {
      gpu::select(place.rank % gpus);
    }
  });
  return {make_domain(grid, options.size, options.halo, rank), memory, gpus, place.ranks};
}

}  // namespace stencil2d
