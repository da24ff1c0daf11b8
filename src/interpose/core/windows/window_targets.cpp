// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/window_targets.hpp"

#include "interpose/core/buffers/data.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "mpi/agree.hpp"
#include "mpi/large.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace typewarp::interpose {
namespace {

constexpr const char* rule = "must be the host's, or memory of a GPU that every rank can map";

/// Calls `act`; if that throws in some rank, all throw.
template <class Act>
void together(MPI_Comm comm, Act act) {
  if (const auto first = mpi::first_failure(comm, act))
    throw InvalidArgument("MPI_Win_create", "base buffer", *first, rule);
}

/// Also a datatype without a plan has some, by which it is known whether to refuse it. Nothing of what is the
/// MPI's to refuse.
std::optional<plan::Bounds> bounds_of(const TargetMemory& target) {
  if (target.type == MPI_DATATYPE_NULL || target.count <= 0) return std::nullopt;
  if (const Plan* const plan = plan_of(target.type)) return plan::bounds(*plan, target.count);
  if (!is_committed(target.type)) return std::nullopt;
  const mpi::TypeBounds item = mpi::true_bounds(target.type);
  if (item.extent <= 0) return std::nullopt;
  std::int64_t last = 0;
  if (__builtin_mul_overflow(target.count - 1, mpi::bounds(target.type).extent, &last)) return std::nullopt;
  return plan::Bounds{item.lb + std::min<std::int64_t>(last, 0),
                      item.lb + item.extent + std::max<std::int64_t>(last, 0)};
}

/// Nothing if it cannot be exported, for this reason.
std::optional<gpu::SharedMemory> exported(const void* base, std::int64_t bytes, std::string& reason) {
  std::optional<gpu::SharedMemory> memory = gpu::export_memory(base, bytes, &reason);
  if (!memory && reason.empty()) reason = "cannot be exported";
  return memory;
}

}  // namespace

bool is_a_devices(const WindowMemory& memory) {
  return memory.bytes > 0 && !mpi_takes_device_memory() && gpu::in_use() && gpu::out_of_reach(memory.base);
}

Answers ask(MPI_Comm comm, bool own, int host) {
  std::array said{own ? 1 : 0, host, -host};
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, said.data(), static_cast<int>(said.size()), MPI_INT, MPI_MAX, comm),
             "MPI_Allreduce");
  return {said[0] != 0, said[1] == -said[2]};
}

WindowTargets::WindowTargets(MPI_Comm comm, const WindowFile& file, const void* byte)
    : memories_(comm, file, {reinterpret_cast<std::uintptr_t>(byte), 0, 1}),
      is_dynamic_(true),
      device_(gpu::current_device()),
      targets_(memories_.ranks()) {}

WindowTargets::WindowTargets(MPI_Comm comm, const WindowFile& file, const WindowMemory& own)
    : memories_(comm, file, {0, reinterpret_cast<std::uintptr_t>(own.base), own.unit}),
      is_dynamic_(false),
      targets_(memories_.ranks()) {
  together(comm, [&] {
    device_ = is_a_devices(own) ? pointer_info(own.base).device : gpu::current_device();
    if (!is_a_devices(own)) return;
    std::string reason;
    const auto memory = exported(own.base, own.bytes, reason);
    if (!memory) throw Error(reason);
    memories_.add(own.base, own.bytes, &*memory);
  });
  together(comm, [&] {
    for (std::size_t rank = 0; rank < targets_.size(); ++rank) {
      for (Mapped& mapped : known(static_cast<int>(rank)).all) map(mapped, static_cast<int>(rank));
    }
  });
}

WindowTargets::Mapped* WindowTargets::Target::holding(std::uint64_t address) {
  const auto holds = [&](const Mapped& mapped) { return mapped.memory.holds(address); };
  const auto found = std::ranges::find_if(all, holds);
  return found != all.end() ? &*found : nullptr;
}

WindowTargets::Target& WindowTargets::known(int rank) {
  Target& target = targets_[static_cast<std::size_t>(rank)];
  if (target.version == memories_.version_of(rank)) return target;
  const AttachedMemories::Listing listing = memories_.read(rank);
  std::vector<Mapped> all;
  all.reserve(listing.all.size());  // before anything is moved
  for (const AttachedMemory& memory : listing.all) {
    const auto is_it = [&](const Mapped& mapped) { return mapped.memory.number == memory.number; };
    const auto before = std::ranges::find_if(target.all, is_it);
    all.push_back(before != target.all.end() ? std::move(*before) : Mapped{memory, std::nullopt});
  }
  // What was detached is used by nobody: the program has completed its calls.
  target.all = std::move(all);
  target.is_complete = listing.is_complete;
  target.had_a_devices = listing.had_a_devices;
  target.version = listing.version;
  return target;
}

std::optional<WindowTargets::Ends> WindowTargets::ends_of(
    const TargetMemory& target, const std::optional<plan::Bounds>& bounds) const noexcept {
  const std::optional<std::uint64_t> from = memories_.address_of(target.rank, target.displacement);
  if (!from || !bounds) return std::nullopt;
  return Ends{*from + static_cast<std::uint64_t>(bounds->lowest),
              *from + static_cast<std::uint64_t>(bounds->end) - 1};
}

bool WindowTargets::reaches(const TargetMemory& target) {
  if (target.rank < 0 || static_cast<std::size_t>(target.rank) >= targets_.size()) return false;
  const std::optional<plan::Bounds> bounds = is_dynamic_ ? bounds_of(target) : std::nullopt;
  if (is_dynamic_ && !bounds) return false;
  const std::lock_guard lock(mutex_);
  try {
    Target& of = known(target.rank);
    if (!of.had_a_devices || !is_dynamic_) return of.had_a_devices;
    const std::optional<Ends> ends = ends_of(target, bounds);
    const Mapped* const first = ends ? of.holding(ends->first) : nullptr;
    const Mapped* const last = ends ? of.holding(ends->last) : nullptr;
    if (first == nullptr && last == nullptr) return of.is_complete;
    return (first != nullptr && first->memory.is_a_devices != 0) ||
           (last != nullptr && last->memory.is_a_devices != 0);
  } catch (const std::bad_alloc&) {
    return true;  // side_of() tells
  }
}

const gpu::ImportedMemory& WindowTargets::map(Mapped& mapped, int rank) const {
  std::string reason;
  if (!mapped.mapping) mapped.mapping = gpu::import_memory(mapped.memory.memory, device_, &reason);
  if (!mapped.mapping)
    throw InvalidArgument("typewarp", "target",
                          "memory of rank " + std::to_string(rank) + " (" + reason + ")",
                          "must be such as this rank can map");
  return *mapped.mapping;
}

gpu::Side WindowTargets::side_of(const TargetMemory& target, const Plan& plan) {
  const std::optional<Ends> ends = ends_of(target, plan::bounds(plan, target.count));
  const std::lock_guard lock(mutex_);
  Mapped* const found = ends ? known(target.rank).holding(ends->first) : nullptr;
  if (found == nullptr || !found->memory.holds(ends->last) || found->memory.is_a_devices == 0)
    fail(MPI_ERR_RMA_RANGE, "the target's part is not within one piece of memory of a GPU that rank " +
                                std::to_string(target.rank) + " has given to the window");
  const gpu::ImportedMemory& mapping = map(*found, target.rank);
  const std::uint64_t from = *memories_.address_of(target.rank, target.displacement);
  const auto offset = static_cast<std::int64_t>(from - found->memory.base);
  return {&plan, target.count, at(mapping.address(), offset), MemoryKind::device, mapping.device()};
}

void WindowTargets::attach(const void* base, std::int64_t bytes) {
  std::string reason;
  const auto memory = exported(base, bytes, reason);
  if (!memory) throw InvalidArgument("MPI_Win_attach", "base buffer", reason, rule);
  memories_.add(base, bytes, &*memory);
}

}  // namespace typewarp::interpose
