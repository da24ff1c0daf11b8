// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/window_targets.hpp"

#include "interpose/core/buffers/refusal.hpp"
#include "mpi/agree.hpp"
#include "plan/bounds.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::interpose {
namespace {

/// Calls `act`; where that throws in some rank, all throw.
template <class Act>
void together(MPI_Comm comm, Act act) {
  if (const auto first = mpi::first_failure(comm, act)) {
    throw InvalidArgument("MPI_Win_create", "base buffer", *first,
                          "must be the host's, or memory of a GPU that every rank can map");
  }
}

}  // namespace

/// What each rank says of its memory.
struct WindowTargets::Told {
  std::int64_t is_a_devices;
  std::int64_t bytes;
  std::int64_t unit;
  gpu::SharedMemory memory;
};

bool is_a_devices(const WindowMemory& memory) {
  return memory.bytes > 0 && !mpi_takes_device_memory() && gpu::in_use() && gpu::out_of_reach(memory.base);
}

std::unique_ptr<WindowTargets> WindowTargets::of(const WindowMemory& own, MPI_Comm comm, int host) {
  Told told{is_a_devices(own) ? 1 : 0, own.bytes, own.unit, {}};
  const Answers answers = ask(comm, told.is_a_devices != 0, host);
  if (!answers.any) return nullptr;
  int rank = 0;
  int ranks = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::vector<Told> all;
  together(comm, [&] {
    if (!answers.is_one_host) throw Error("of ranks on several hosts");
    all.resize(static_cast<std::size_t>(ranks));
    if (told.is_a_devices == 0) return;
    std::string reason;
    const auto exported = gpu::export_memory(own.base, own.bytes, &reason);
    if (!exported) throw Error(reason.empty() ? "cannot be exported" : reason);
    told.memory = *exported;
  });
  constexpr int bytes = sizeof(Told);
  mpi::check(PMPI_Allgather(&told, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm), "MPI_Allgather");
  std::unique_ptr<WindowTargets> made;
  together(comm, [&] { made.reset(new WindowTargets(own, rank, all)); });
  return made;
}

bool WindowTargets::makes_sense(const Told& told) noexcept {
  constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max() / 4;  // sums of two are numbers
  if (told.bytes < 0 || told.bytes > longest) return false;
  const gpu::SharedMemory& memory = told.memory;
  return told.is_a_devices == 0 ||
         (memory.offset >= 0 && memory.offset <= memory.size && told.bytes <= memory.size - memory.offset);
}

WindowTargets::WindowTargets(const WindowMemory& own, int rank, const std::vector<Told>& told)
    : device_(told[static_cast<std::size_t>(rank)].is_a_devices != 0 ? pointer_info(own.base).device
                                                                     : gpu::current_device()),
      targets_(told.size()) {
  for (std::size_t i = 0; i < told.size(); ++i) {
    Target& target = targets_[i];
    if (!makes_sense(told[i])) throw Error("that of rank " + std::to_string(i) + " (which cannot be)");
    target.bytes = told[i].bytes;
    target.unit = told[i].unit;
    if (told[i].is_a_devices == 0) continue;
    if (static_cast<int>(i) == rank) {
      target.device = device_;
      target.address = static_cast<std::byte*>(own.base);
      continue;
    }
    std::string reason;
    target.mapping = gpu::import_memory(told[i].memory, device_, &reason);
    if (!target.mapping) throw Error("that of rank " + std::to_string(i) + " (" + reason + ")");
    target.device = target.mapping->device();
    target.address = target.mapping->address();
  }
}

bool WindowTargets::reaches(const TargetMemory& target) noexcept {
  return target.rank >= 0 && static_cast<std::size_t>(target.rank) < targets_.size() &&
         targets_[static_cast<std::size_t>(target.rank)].address != nullptr;
}

gpu::Side WindowTargets::side_of(const TargetMemory& target, const Plan& plan) {
  const Target& of = targets_[static_cast<std::size_t>(target.rank)];
  std::int64_t first = 0;
  const auto span = plan::bounds(plan, target.count);
  const bool fits = span && !__builtin_mul_overflow(std::int64_t{target.displacement}, of.unit, &first) &&
                    first >= -of.bytes && first <= 2 * of.bytes && span->lowest >= -first &&
                    span->end <= of.bytes - first;
  if (!fits)
    fail(MPI_ERR_RMA_RANGE,
         "the target's part is not within the window of rank " + std::to_string(target.rank));
  return {&plan, target.count, of.address + first, MemoryKind::device, of.device};
}

}  // namespace typewarp::interpose
