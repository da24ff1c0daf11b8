// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/peer_memory.hpp"

#include <algorithm>
#include <optional>

namespace typewarp::exchange {
namespace {

/// What a rank tells of its memory.
struct ToldMemory {
  std::int64_t host;
  std::int64_t is_there;
  gpu::SharedMemory memory;
};

/// Whether each rank has memory on this host, on a device that no other rank has.
bool are_apart(const std::vector<ToldMemory>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_there == 0 || all[i].host != all.front().host) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (all[i].memory.device == all[j].memory.device) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<PeerMemory> PeerMemory::of(ExchangeGroup& group, int device, std::int64_t bytes) {
  std::unique_ptr<PeerMemory> made(new PeerMemory);
  ToldMemory told{group.host(), 0, {}};
  together(group, [&] {
    if (device < 0) return;
    made->own_ = std::make_unique<gpu::DeviceAllocation>(device, bytes);
    gpu::clear(device, made->own_->data(), bytes);
    if (const auto memory = gpu::export_memory(made->own_->data(), bytes)) told = {told.host, 1, *memory};
  });
  const std::vector<ToldMemory> all = gathered(group, told);
  if (!are_apart(all)) return nullptr;
  bool is_mapped = true;
  together(group, [&] {
    for (int rank = 0; rank < group.size(); ++rank) {
      if (rank == group.rank()) {
        made->addresses_.push_back(made->own_->data());
        continue;
      }
      const gpu::SharedMemory& there = all[static_cast<std::size_t>(rank)].memory;
      if (there.offset < 0 || there.size - there.offset < bytes)
        throw Error("a peer told of less memory than it needs");
      auto memory = gpu::import_memory(there, device);
      is_mapped = is_mapped && memory.has_value();
      if (!memory) continue;
      made->addresses_.push_back(memory->address());
      made->mapped_.push_back(std::move(*memory));
    }
  });
  return in_all(group, is_mapped) ? std::move(made) : nullptr;
}

}  // namespace typewarp::exchange
