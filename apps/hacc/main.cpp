// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/collective.hpp"
#include "common/grid.hpp"
#include "common/machine.hpp"
#include "common/picture/picture.hpp"
#include "common/program.hpp"
#include "common/ways.hpp"
#include "hacc/block_file.hpp"
#include "hacc/exercise.hpp"
#include "hacc/options.hpp"
#include "hacc/report.hpp"
#include "hacc/slice.hpp"

#include <typewarp/session.hpp>

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace hacc;

constexpr const char* program = "hacc";

/// Collective. The file of the blocks; a temporary one goes when this does, on rank 0.
class FileName {
 public:
  FileName(const std::string& asked, MPI_Comm comm) : name_(asked), temporary_(asked.empty()) {
    MPI_Comm_rank(comm, &rank_);
    if (!temporary_) return;
    long process = getpid();
    MPI_Bcast(&process, 1, MPI_LONG, 0, comm);
    const auto folder = std::filesystem::temp_directory_path();
    name_ = (folder / ("hacc_blocks_" + std::to_string(process))).string();
  }
  ~FileName() {
    std::error_code ignored;
    if (temporary_ && rank_ == 0) std::filesystem::remove(name_, ignored);
  }
  FileName(const FileName&) = delete;
  FileName& operator=(const FileName&) = delete;

  const std::string& get() const noexcept { return name_; }

 private:
  std::string name_;
  bool temporary_;
  int rank_ = 0;
};

/// On rank 0: the picture of what the file holds.
bool draw(const std::string& picture, const std::string& file, const Grid& grid) {
  constexpr std::int64_t pixels = 1024;
  const BlockFile blocks(file, MPI_COMM_SELF);
  const apps::OwnedStream none(false);
  std::vector<Block> held;
  for (std::int64_t i = 0; i < blocks.blocks(); ++i) {
    held.emplace_back(typewarp::MemoryKind::host, blocks.read_header(i));
    blocks.read(i, *make_carrier(By::members, held.back(), none));
  }
  const std::int64_t side = pixels / std::max(grid[0], grid[1]);
  const apps::Shape shape{grid[0] * side, grid[1] * side};
  return apps::draw(picture, apps::render(slice(held, grid, shape), shape, {grid[0], grid[1]}));
}

/// Collective. Moves the blocks by each way; whether all bytes were right, in all ranks.
bool exercise_all(const std::vector<By>& ways, const Block& mine, const Task& task,
                  const apps::OwnedStream& stream) {
  int rank = 0;
  MPI_Comm_rank(task.comm, &rank);
  const Seconds floor = floor_of(mine, task, stream);
  std::vector<Row> rows;
  int wrong = 0;
  for (const By way : ways) {
    const Exercise done = exercise(way, mine, task, stream);
    rows.push_back({std::string(name(way)), done.seconds});
    if (!done.wrong.empty()) {
      std::printf("rank %d: wrong bytes by %s: %s\n", rank, rows.back().name.c_str(), done.wrong.c_str());
      wrong = 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, task.comm);
  print_alone("Packing into memory of the host", &Seconds::pack, rows, floor, mine, task.comm);
  print_alone("Unpacking from it", &Seconds::unpack, rows, floor, mine, task.comm);
  print_together(rows, floor, mine, task.comm);
  return wrong == 0;
}

/// Collective. The same for blocks of each size that was asked for.
bool exercise_sizes(const Options& options, const std::vector<By>& ways, Task task,
                    const apps::Machine& machine, const apps::OwnedStream& stream) {
  int rank = 0;
  MPI_Comm_rank(task.comm, &rank);
  bool good = true;
  for (const std::int64_t particles : options.particles) {
    task.mean_particles = particles;
    std::optional<Block> mine;
    apps::together(task.comm, [&] {
      mine = copied(generate(task.seed, particles, task.grid, rank), machine.memory, stream);
    });
    good = exercise_all(ways, *mine, task, stream) && good;
  }
  return good;
}

/// Collective.
int run(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Grid grid = apps::choose_grid<3>(std::nullopt, ranks);
  const apps::Machine machine = apps::use_machine(options.memory, options.picture, comm);
  const FileName file(options.file, comm);
  BlockFile(file.get(), 0, comm);  // what cannot be written is refused before the run
  if (rank == 0) print_configuration(options, grid, machine);

  const auto seed = static_cast<std::uint64_t>(options.seed);
  const std::vector<By> ways =
      apps::choose_ways(options.by, {By::members, By::hand, By::mpi, By::typewarp}, machine.memory);
  std::optional<apps::OwnedStream> stream;
  apps::together(comm, [&] { stream.emplace(apps::computed_by_gpu(machine.memory)); });
  std::optional<typewarp::Session> session;
  if (std::ranges::count(ways, By::typewarp) > 0) session.emplace(comm);
  int right = apps::leave_together(program, comm, [&] {
    bool good =
        exercise_sizes(options, ways, {seed, 0, grid, file.get(), options.repeats, comm}, machine, *stream);
    apps::together(comm, [&] {
      if (rank != 0) return;
      good = (options.picture.empty() || draw(options.picture, file.get(), grid)) && good;
      std::printf("\n%s\n", good ? "all bytes are right: PASSED" : "FAILED");
    });
    return good ? 1 : 0;
  });
  MPI_Bcast(&right, 1, MPI_INT, 0, comm);
  return right != 0 ? apps::passed : apps::failed;
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program(program, argc, argv, MPI_THREAD_SINGLE, parse_options, run);
}
