// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) static_cast<void>(memory)
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) static_cast<void>(memory)
#endif

namespace emulated {
namespace {

constexpr std::size_t unit = 512;
constexpr std::size_t page = 4096;

std::size_t up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

Arena::Arena() : file_(memfd_create("emulated device", MFD_CLOEXEC)), gaps_{{0, bytes}} {
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) != 0) throw std::bad_alloc();
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(memory);
}

std::byte* Arena::take(std::size_t wanted) {
  if (wanted >= bytes) throw std::bad_alloc();
  const std::size_t room = up(wanted + unit, unit);  // with some that nobody may touch
  const std::lock_guard lock(mutex_);
  const auto gap = std::ranges::find_if(gaps_, [&](const auto& one) { return one.second >= room; });
  if (gap == gaps_.end()) throw std::bad_alloc();
  const auto [offset, all] = *gap;
  gaps_.erase(gap);
  if (all > room) gaps_[offset + room] = all - room;
  taken_[offset] = room;
  ASAN_POISON_MEMORY_REGION(base_ + offset, room);
  ASAN_UNPOISON_MEMORY_REGION(base_ + offset, wanted);
  return base_ + offset;
}

void Arena::give(std::byte* memory) {
  const auto offset = static_cast<std::size_t>(memory - base_);
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(offset);
  const std::size_t room = found->second;
  taken_.erase(found);
  const std::size_t first = up(offset, page), end = (offset + room) / page * page;
  if (first < end) {
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
              static_cast<off_t>(end - first));
  }
  ASAN_POISON_MEMORY_REGION(memory, room);
  auto gap = gaps_.emplace(offset, room).first;
  if (const auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap == gaps_.begin()) return;
  const auto before = std::prev(gap);
  if (before->first + before->second != gap->first) return;
  before->second += gap->second;
  gaps_.erase(gap);
}

std::size_t Arena::in_use() {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [offset, room] : taken_) sum += room;
  return sum;
}

}  // namespace emulated
