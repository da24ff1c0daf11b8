// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/peer_memory.hpp"

#include <algorithm>
#include <optional>

namespace typewarp::exchange {

/// What a rank tells of its memory.
struct PeerMemory::Told {
  std::int64_t host;
  std::int64_t is_there;
  gpu::SharedMemory memory;
};

namespace {

std::string rank_named(std::size_t rank) { return "rank " + std::to_string(rank); }

}  // namespace

/// What is wrong unless each rank has memory on this host, on a device that no other rank has.
std::string PeerMemory::obstacle_to(const std::vector<Told>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_there == 0) return rank_named(i) + " has no memory of a GPU that others can map";
    if (all[i].host != all.front().host) return rank_named(i) + " is on another host than rank 0";
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].memory.device == all[j].memory.device)
        return rank_named(i) + " has the same GPU as " + rank_named(j);
    }
  }
  return {};
}

/// Why not, if it cannot be.
std::string PeerMemory::map(int rank, const std::vector<Told>& all, int device, std::int64_t bytes) {
  std::string reason;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i) == rank) {
      addresses_.push_back(own_->data());
      continue;
    }
    const gpu::SharedMemory& there = all[i].memory;
    if (there.offset < 0 || there.size - there.offset < bytes)
      throw Error("a peer told of less memory than it needs");
    auto memory = gpu::import_memory(there, device, &reason);
    if (!memory) return "the memory of " + rank_named(i) + ": " + reason;
    addresses_.push_back(memory->address());
    mapped_.push_back(std::move(*memory));
  }
  return {};
}

std::unique_ptr<PeerMemory> PeerMemory::of(ExchangeGroup& group, int device, std::int64_t bytes,
                                           std::string* why) {
  std::unique_ptr<PeerMemory> made(new PeerMemory);
  Told told{group.host(), 0, {}};
  together(group, [&] {
    if (device < 0) return;
    made->own_ = std::make_unique<gpu::DeviceAllocation>(device, bytes);
    gpu::clear(device, made->own_->data(), bytes);
    if (const auto memory = gpu::export_memory(made->own_->data(), bytes)) told = {told.host, 1, *memory};
  });
  const std::vector<Told> all = gathered(group, told);
  std::string obstacle = obstacle_to(all);
  if (obstacle.empty()) {
    together(group, [&] { obstacle = made->map(group.rank(), all, device, bytes); });
    obstacle = group.first_problem(obstacle).value_or("");
  }
  if (obstacle.empty()) return made;
  if (why != nullptr) *why = std::move(obstacle);
  return nullptr;
}

}  // namespace typewarp::exchange
