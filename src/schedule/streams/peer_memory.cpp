// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/peer_memory.hpp"

namespace typewarp::exchange {

namespace {

using Offer = PeerMemory::Offer;

std::string rank_named(std::size_t rank) { return "rank " + std::to_string(rank); }

/// What is wrong unless each rank has memory on this host, on a device that no other rank has.
std::string obstacle_to(std::span<const Offer> all) {
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

}  // namespace

PeerMemory::PeerMemory(int device, std::int64_t bytes)
    : device_(device),
      bytes_(bytes),
      own_(std::make_unique<gpu::DeviceAllocation>(device, bytes, gpu::Storing::others)),
      data_(own_->data()) {
  gpu::clear(device, data_, bytes);
}

PeerMemory::PeerMemory(int device, std::byte* given, std::int64_t bytes) noexcept
    : device_(device), bytes_(bytes), data_(given) {}

Offer PeerMemory::offer(int host) const {
  const auto memory = gpu::export_memory(data_, bytes_);
  return memory ? Offer{host, 1, *memory} : Offer{host, 0, {}};
}

std::string PeerMemory::map(int rank, std::span<const Offer> all) {
  if (std::string obstacle = obstacle_to(all); !obstacle.empty()) return obstacle;
  std::string reason;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i) == rank) {
      addresses_.push_back(data_);
      continue;
    }
    const gpu::SharedMemory& there = all[i].memory;
    if (there.offset < 0 || there.size - there.offset < bytes_)
      throw Error("a peer told of less memory than it needs");
    auto memory = gpu::import_memory(there, device_, &reason);
    if (!memory) return "the memory of " + rank_named(i) + ": " + reason;
    addresses_.push_back(memory->address());
    mapped_.push_back(std::move(*memory));
  }
  return {};
}

/// `make()`: null in a rank that has none.
template <typename Make>
std::unique_ptr<PeerMemory> PeerMemory::made(ExchangeGroup& group, std::string* why, Make make) {
  std::unique_ptr<PeerMemory> made;
  Offer own{group.host(), 0, {}};
  together(group, [&] {
    made = make();
    if (made) own = made->offer(group.host());
  });
  const std::vector<Offer> all = gathered(group, own);
  std::string obstacle = obstacle_to(all);  // which all ranks find alike
  if (obstacle.empty()) {
    together(group, [&] { obstacle = made->map(group.rank(), all); });
    obstacle = group.first_problem(obstacle).value_or("");
  }
  if (obstacle.empty()) return made;
  if (why != nullptr) *why = std::move(obstacle);
  return nullptr;
}

std::unique_ptr<PeerMemory> PeerMemory::of(ExchangeGroup& group, int device, std::int64_t bytes,
                                           std::string* why) {
  return made(group, why,
              [&] { return device >= 0 ? std::make_unique<PeerMemory>(device, bytes) : nullptr; });
}

std::unique_ptr<PeerMemory> PeerMemory::of_given(ExchangeGroup& group, int device, std::byte* given,
                                                 std::int64_t bytes, std::string* why) {
  return made(group, why, [&] { return std::make_unique<PeerMemory>(device, given, bytes); });
}

}  // namespace typewarp::exchange
