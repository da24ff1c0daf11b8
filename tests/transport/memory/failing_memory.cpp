// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/failing_memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// Before the first that fails, and of those that fail.
thread_local int before = 0, failing = 0;
thread_local bool is_failing = false, has_happened = false;

void* allocate(std::size_t bytes) {
  if (is_failing && before > 0) {
    --before;
  } else if (is_failing && failing > 0) {
    --failing;
    has_happened = true;
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace typewarp::test {

FailingMemory::FailingMemory(int nth, int times) noexcept {
  before = nth - 1;
  failing = times;
  has_happened = false;
  is_failing = true;
}

FailingMemory::~FailingMemory() { is_failing = false; }

bool FailingMemory::happened() const noexcept { return has_happened; }

}  // namespace typewarp::test
