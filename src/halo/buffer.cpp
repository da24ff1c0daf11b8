// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/buffer.hpp"

#include "transport/core.hpp"

#include <algorithm>

namespace typewarp::halo {
namespace {

/// Whether `reaches(core, rank)` for each of the ranks, as the Transport knows them; not without a Transport.
template <typename Reaches>
bool all_ranks(std::span<const int> ranks, MPI_Comm comm, Reaches reaches) {
  const std::shared_ptr<transport::Core> core = transport::current();
  if (!core) return false;
  const std::shared_ptr<transport::CommState> known = core->ranks.of(comm);
  return std::ranges::all_of(
      ranks, [&](int rank) { return known->is_member(rank) && reaches(*core, known->private_rank(rank)); });
}

}  // namespace

Whereabouts whereabouts(std::span<void* const> data) {
  if (!gpu_present()) return {};
  Whereabouts found;
  const PointerInfo first = pointer_info(data.front());
  for (void* const address : data) {
    const PointerInfo info = pointer_info(address);
    if (found.device < 0) found.device = info.device;
    found.uniform = found.uniform && info.kind == first.kind && info.device == first.device;
  }
  return found;
}

bool reached_by_devices(std::span<const int> ranks, MPI_Comm comm) {
  return all_ranks(ranks, comm, [](const transport::Core& core, int rank) {
    return core.shares_with(rank) || core.link() != nullptr;
  });
}

bool reached_in_place(std::span<const int> ranks, MPI_Comm comm, bool devices) {
  return all_ranks(ranks, comm, [&](const transport::Core& core, int rank) {
    return devices ? core.shares_with(rank) : core.shares_host_memory_with(rank) || core.rings.reach(rank);
  });
}

Buffer::Buffer(std::int64_t bytes, int device, bool on_device) {
  if (bytes == 0) return;
  if (device < 0) {
    memory_.emplace<transport::HostBuffer>(bytes);
  } else if (on_device) {
    memory_ = std::make_unique<cuda::DeviceBuffer>(device, bytes);
  } else {
    memory_.emplace<cuda::PinnedBuffer>(bytes);
  }
}

std::byte* Buffer::data() const noexcept {
  struct Address {
    std::byte* operator()(std::monostate) const noexcept { return nullptr; }
    std::byte* operator()(const transport::HostBuffer& memory) const noexcept { return memory.data(); }
    std::byte* operator()(const cuda::PinnedBuffer& memory) const noexcept { return memory.data(); }
    std::byte* operator()(const std::unique_ptr<cuda::DeviceBuffer>& memory) const noexcept {
      return memory->data();
    }
  };
  return std::visit(Address(), memory_);
}

}  // namespace typewarp::halo
