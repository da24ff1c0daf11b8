// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/attached_targets.hpp"

#include "interpose/core/buffers/data.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "mpi/large.hpp"
#include "plan/bounds.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace typewarp::interpose {
namespace {

int ranks_of(MPI_Comm comm) {
  int ranks = 0;
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  return ranks;
}

/// The first byte that a call names, and the last one.
struct Ends {
  std::uint64_t first, last;
};
std::optional<Ends> ends_of(const TargetMemory& target, const std::optional<plan::Bounds>& bounds) {
  if (!bounds) return std::nullopt;
  const auto from = static_cast<std::uint64_t>(target.displacement);
  return Ends{from + static_cast<std::uint64_t>(bounds->lowest),
              from + static_cast<std::uint64_t>(bounds->end) - 1};
}

/// Also a datatype without a plan has some, by which it is known whether to refuse it. Nothing of what is the
/// MPI's to refuse.
std::optional<plan::Bounds> bounds_of(const TargetMemory& target) {
  if (target.type == MPI_DATATYPE_NULL || target.count <= 0) return std::nullopt;
  if (const Plan* const plan = plan_of(target.type)) return plan::bounds(*plan, target.count);
  if (!is_committed(target.type)) return std::nullopt;
  const mpi::Bounds item = mpi::true_bounds(target.type);
  if (item.extent <= 0) return std::nullopt;
  std::int64_t last = 0;
  if (__builtin_mul_overflow(target.count - 1, mpi::bounds(target.type).extent, &last)) return std::nullopt;
  return plan::Bounds{item.lb + std::min<std::int64_t>(last, 0),
                      item.lb + item.extent + std::max<std::int64_t>(last, 0)};
}

}  // namespace

AttachedTargets::AttachedTargets(MPI_Comm comm, const SharedFile& file, const void* byte)
    : memories_(comm, file, byte),
      device_(gpu::current_device()),
      targets_(static_cast<std::size_t>(ranks_of(comm))) {}

AttachedTargets::Mapped* AttachedTargets::Target::holding(std::uint64_t address) {
  const auto holds = [&](const Mapped& mapped) { return mapped.memory.holds(address); };
  const auto found = std::ranges::find_if(all, holds);
  return found != all.end() ? &*found : nullptr;
}

AttachedTargets::Target& AttachedTargets::known(int rank) {
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

bool AttachedTargets::reaches(const TargetMemory& target) {
  if (target.rank < 0 || static_cast<std::size_t>(target.rank) >= targets_.size()) return false;
  const std::optional<Ends> ends = ends_of(target, bounds_of(target));
  if (!ends) return false;
  const std::lock_guard lock(mutex_);
  try {
    Target& of = known(target.rank);
    if (!of.had_a_devices) return false;
    const Mapped *const first = of.holding(ends->first), *const last = of.holding(ends->last);
    if (first == nullptr && last == nullptr) return of.is_complete;
    return (first != nullptr && first->memory.is_a_devices != 0) ||
           (last != nullptr && last->memory.is_a_devices != 0);
  } catch (const std::bad_alloc&) {
    return true;  // side_of() tells
  }
}

gpu::Side AttachedTargets::side_of(const TargetMemory& target, const Plan& plan) {
  const std::string rank = std::to_string(target.rank);
  const std::optional<Ends> ends = ends_of(target, plan::bounds(plan, target.count));
  const std::lock_guard lock(mutex_);
  Mapped* const found = ends ? known(target.rank).holding(ends->first) : nullptr;
  if (found == nullptr || !found->memory.holds(ends->last) || found->memory.is_a_devices == 0)
    fail(MPI_ERR_RMA_RANGE,
         "the target's part is not within one piece of memory of a GPU that rank " + rank + " has attached");
  std::string reason;
  if (!found->mapping) found->mapping = gpu::import_memory(found->memory.memory, device_, &reason);
  if (!found->mapping)
    throw InvalidArgument("typewarp", "target", "memory of rank " + rank + " (" + reason + ")",
                          "must be such as this rank can map");
  const auto offset =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(target.displacement) - found->memory.base);
  return {&plan, target.count, at(found->mapping->address(), offset), MemoryKind::device,
          found->mapping->device()};
}

void AttachedTargets::attach(const void* base, std::int64_t bytes) {
  std::string reason;
  const auto exported = gpu::export_memory(base, bytes, &reason);
  if (!exported)
    throw InvalidArgument("MPI_Win_attach", "base buffer", reason.empty() ? "cannot be exported" : reason,
                          "must be the host's, or memory of a GPU that every rank can map");
  memories_.add(base, bytes, &*exported);
}

}  // namespace typewarp::interpose
