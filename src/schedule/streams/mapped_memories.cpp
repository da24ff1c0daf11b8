// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/mapped_memories.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::exchange {

std::string MappedMemories::add(ExchangeGroup& group, int device, std::byte* begin, std::int64_t bytes) {
  together(group, [&] { all_.reserve(all_.size() + 1); });
  std::string why;
  auto memory = PeerMemory::of_given(group, device, begin, bytes, &why);
  if (memory) all_.push_back({++added_, begin, bytes, std::move(memory)});
  return why;
}

bool MappedMemories::has(const void* begin) const noexcept {
  return std::ranges::find(all_, begin, &One::begin) != all_.end();
}

void MappedMemories::drop(const void* begin) noexcept {
  std::erase_if(all_, [&](const One& one) { return one.begin == begin; });
}

void MappedMemories::abandon() noexcept {
  for (One& one : all_) static_cast<void>(one.memory.release());
}

gpu::MappedSide MappedMemories::side_of(const std::byte* address, std::int64_t bytes) const noexcept {
  const auto found = std::ranges::find_if(
      all_, [&](const One& one) { return address >= one.begin && address + bytes <= one.begin + one.bytes; });
  gpu::MappedSide side;
  if (found == all_.end()) return side;
  side.place = {found->number, address - found->begin};
  std::ranges::copy(found->memory->of_ranks(), side.of);
  return side;
}

}  // namespace typewarp::exchange
