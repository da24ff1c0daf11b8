// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/window_targets.hpp"

#include "interpose/core/collectives/refusal.hpp"
#include "mpi/agree.hpp"
#include "plan/bounds.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::interpose {
namespace {

/// Calls `act`; where that throws in some rank, all throw.
template <class Act>
void together(MPI_Comm comm, Act act) {
  std::string failure;
  try {
    act();
  } catch (const std::exception& error) {
    failure = error.what();
    if (failure.empty()) failure = "unknown failure";
  }
  if (const auto first = mpi::first_problem(comm, failure)) {
    throw InvalidArgument("MPI_Win_create", "base buffer", *first,
                          "must be the host's, or memory of a GPU that every rank can map");
  }
}

bool are_on_one_host(MPI_Comm comm, int ranks) {
  MPI_Comm host = MPI_COMM_NULL;
  int of_host = 0;
  mpi::check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
             "MPI_Comm_split_type");
  PMPI_Comm_size(host, &of_host);
  PMPI_Comm_free(&host);
  return of_host == ranks;
}

bool any_rank(MPI_Comm comm, bool own) {
  int any = own ? 1 : 0;
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return any != 0;
}

}  // namespace

/// What each rank says of its memory.
struct WindowTargets::Told {
  std::int64_t is_a_devices;
  std::int64_t bytes;
  std::int64_t unit;
  gpu::SharedMemory memory;
};

void fail(int error_class, const std::string& description) {
  throw MpiError("typewarp", error_class, error_class, description, false);
}

bool is_a_devices(const WindowMemory& memory) {
  return memory.bytes > 0 && !mpi_takes_device_memory() && gpu::in_use() && gpu::out_of_reach(memory.base);
}

std::optional<WindowTargets> WindowTargets::of(const WindowMemory& own, MPI_Comm comm) {
  Told told{is_a_devices(own) ? 1 : 0, own.bytes, own.unit, {}};
  if (!any_rank(comm, told.is_a_devices != 0)) return std::nullopt;
  int rank = 0;
  int ranks = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::vector<Told> all;
  const bool is_one_host = are_on_one_host(comm, ranks);
  together(comm, [&] {
    if (!is_one_host) throw Error("of ranks on several hosts");
    all.resize(static_cast<std::size_t>(ranks));
    if (told.is_a_devices == 0) return;
    std::string reason;
    const auto exported = gpu::export_memory(own.base, own.bytes, &reason);
    if (!exported) throw Error(reason.empty() ? "cannot be exported" : reason);
    told.memory = *exported;
  });
  constexpr int bytes = sizeof(Told);
  mpi::check(PMPI_Allgather(&told, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm), "MPI_Allgather");
  std::optional<WindowTargets> made;
  together(comm, [&] { made = WindowTargets(own, rank, all); });
  return made;
}

WindowTargets::WindowTargets(const WindowMemory& own, int rank, const std::vector<Told>& told)
    : device_(told[static_cast<std::size_t>(rank)].is_a_devices != 0 ? pointer_info(own.base).device
                                                                     : gpu::current_device()),
      targets_(told.size()) {
  for (std::size_t i = 0; i < told.size(); ++i) {
    Target& target = targets_[i];
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

bool WindowTargets::reaches(int rank) const noexcept {
  return rank >= 0 && static_cast<std::size_t>(rank) < targets_.size() &&
         targets_[static_cast<std::size_t>(rank)].address != nullptr;
}

gpu::Side WindowTargets::side_of(const TargetMemory& target, const Plan& plan) const {
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
