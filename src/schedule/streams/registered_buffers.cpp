// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/registered_buffers.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::exchange {

std::string RegisteredBuffers::add(ExchangeGroup& group, int device, std::byte* begin, std::int64_t bytes) {
  together(group, [&] { all_.reserve(all_.size() + 1); });
  std::string why;
  auto memory = PeerMemory::of_given(group, device, begin, bytes, &why);
  if (!memory) return why;
  Addresses mapped{}, at_ranks{};
  std::ranges::copy(memory->of_ranks(), mapped.begin());
  const std::vector<Addresses> by_rank = gathered(group, mapped);
  const auto own = static_cast<std::size_t>(group.rank());
  std::ranges::transform(by_rank, at_ranks.begin(), [&](const Addresses& theirs) { return theirs[own]; });
  all_.push_back({++added_, begin, bytes, std::move(memory), at_ranks});
  return {};
}

std::optional<std::int64_t> RegisteredBuffers::number_of(const void* begin) const noexcept {
  const auto found = std::ranges::find(all_, begin, &Registration::begin);
  return found == all_.end() ? std::nullopt : std::optional(found->number);
}

void RegisteredBuffers::drop(std::int64_t number) noexcept {
  all_.erase(std::ranges::find(all_, number, &Registration::number));
}

void RegisteredBuffers::abandon() noexcept {
  for (Registration& one : all_) static_cast<void>(one.memory.release());
}

void RegisteredBuffers::tell(gpu::NumbersOfRanks& numbers, const std::byte* address,
                             std::int64_t bytes) const noexcept {
  if (all_.empty()) return;  // on all ranks
  numbers.mapping = gpu::NumbersOfRanks::Mapping::told;
  const auto found = std::ranges::find_if(all_, [&](const Registration& one) {
    return address >= one.begin && address + bytes <= one.begin + one.bytes;
  });
  if (found == all_.end()) return;
  std::ranges::transform(found->at_ranks, numbers.buffers, [&](std::byte* begin) {
    return begin == nullptr ? nullptr : begin + (address - found->begin);
  });
}

}  // namespace typewarp::exchange
