// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/mapping_cache.hpp"

namespace typewarp::gpu {
namespace {

bool overlap(const Mapping& mapping, const SharedMemory& memory) {
  const auto end = [](std::uint64_t base, std::int64_t size) {
    return base + static_cast<std::uint64_t>(size);
  };
  return mapping.base < end(memory.base, memory.size) && memory.base < end(mapping.base, mapping.size);
}

}  // namespace

const Mapping* MappingCache::acquire(const SharedMemory& memory, int device, std::string& reason) {
  const Mapping::Key key{memory.process, memory.allocation, device};
  const std::lock_guard lock(mutex_);
  if (const auto found = mappings_.find(key); found != mappings_.end()) {
    const List::iterator mapping = found->second;
    if (mapping->base != memory.base || mapping->size != memory.size) {
      reason = "it was told of otherwise before";
      return nullptr;
    }
    if (mapping->holders++ == 0) held_.splice(held_.end(), idle_, mapping);
    return &*mapping;
  }
  // What allocates comes before what is opened, which nothing would close if that failed.
  List made(1, Mapping{key, memory.base, memory.size, nullptr, 1});
  const auto place = mappings_.emplace(key, made.begin()).first;
  try {
    made.front().address = open(memory, device, reason);
  } catch (...) {
    mappings_.erase(place);
    throw;
  }
  if (made.front().address == nullptr) {
    mappings_.erase(place);
    return nullptr;
  }
  held_.splice(held_.end(), made);
  return &held_.back();
}

void* MappingCache::open(const SharedMemory& memory, int device, std::string& reason) {
  close_idle_if(
      [&](const Mapping& idle) { return idle.key.process == memory.process && overlap(idle, memory); });
  while (!idle_.empty() && held_.size() + idle_.size() >= limit_) close_oldest();
  if (void* const address = open_(memory, device, reason)) return address;
  // Small allocations share pages, so what is in the way need not overlap.
  if (!close_idle_if([&](const Mapping& idle) { return idle.key.process == memory.process; })) return nullptr;
  return open_(memory, device, reason);
}

void MappingCache::release(const Mapping* mapping) noexcept {
  const std::lock_guard lock(mutex_);
  const List::iterator place = mappings_.find(mapping->key)->second;
  if (--place->holders > 0) return;
  idle_.splice(idle_.end(), held_, place);
  while (!idle_.empty() && held_.size() + idle_.size() > limit_) close_oldest();
}

void MappingCache::close_idle() noexcept {
  const std::lock_guard lock(mutex_);
  close_idle_if([](const Mapping&) { return true; });
}

ImportCount MappingCache::count() noexcept {
  const std::lock_guard lock(mutex_);
  const std::int64_t held = std::ssize(held_);
  return {held + std::ssize(idle_), held};
}

/// Whether there was any.
template <typename Condition>
bool MappingCache::close_idle_if(const Condition& condition) noexcept {
  bool any = false;
  for (auto mapping = idle_.begin(); mapping != idle_.end();) {
    const bool closes = condition(*mapping);
    any = any || closes;
    mapping = closes ? close(mapping) : std::next(mapping);
  }
  return any;
}

void MappingCache::close_oldest() noexcept { close(idle_.begin()); }

MappingCache::List::iterator MappingCache::close(List::iterator mapping) noexcept {
  close_(*mapping);
  mappings_.erase(mapping->key);
  return idle_.erase(mapping);
}

}  // namespace typewarp::gpu
