// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fiber.hpp"

#include <sys/mman.h>

#include <mutex>
#include <new>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/// Keeps what a callee has to keep on the stack that is left, whose pointer it stores, and takes it from the
/// other one. The C library's swapcontext() would ask the kernel each time.
extern "C" void emulated_switch(void** left, void* entered);
asm(R"(
.text
.globl emulated_switch
.hidden emulated_switch
.type emulated_switch, @function
emulated_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size emulated_switch, . - emulated_switch
)");

namespace emulated {
namespace {

/// Kernels get up to 32 KB of arguments by value, and sanitizers take several times as much stack.
constexpr std::size_t stack_bytes = std::size_t{512} << 10;

struct Idle {
  std::mutex mutex;
  std::vector<Fiber*> fibers;
};
Idle& idle() {
  static Idle& all = *new Idle;
  return all;
}

thread_local Fiber* entered = nullptr;

}  // namespace

Fiber::Fiber() {
  void* const stack =
      mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) throw std::bad_alloc();
  inside_.bottom = stack;
  inside_.bytes = stack_bytes;
  // As if enter() had been called, and had switched at once.
  auto** const top = reinterpret_cast<void**>(static_cast<std::byte*>(stack) + stack_bytes) - 2;
  *top = reinterpret_cast<void*>(&enter);
  inside_.stack_pointer = top - 6;
#ifdef __SANITIZE_THREAD__
  inside_.fiber = __tsan_create_fiber(0);
#endif
}

Fiber& Fiber::take() {
  const std::lock_guard lock(idle().mutex);
  auto& fibers = idle().fibers;
  if (fibers.empty()) return *new Fiber;
  Fiber& last = *fibers.back();
  fibers.pop_back();
  return last;
}

void Fiber::give(Fiber& fiber) {
  const std::lock_guard lock(idle().mutex);
  idle().fibers.push_back(&fiber);
}

void Fiber::leave(Side& from, const Side& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
  emulated_switch(&from.stack_pointer, to.stack_pointer);
}

void Fiber::start(Body body, void* data) {
  body_ = body;
  data_ = data;
  resume();
}

void Fiber::resume() {
#ifdef __SANITIZE_THREAD__
  outside_.fiber = __tsan_get_current_fiber();
#endif
  entered = this;
  leave(outside_, inside_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(outside_.fake_stack, nullptr, nullptr);
#endif
}

void Fiber::rest() {
  leave(inside_, outside_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(inside_.fake_stack, &outside_.bottom, &outside_.bytes);
#endif
}

void Fiber::enter() {
  Fiber& self = *entered;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &self.outside_.bottom, &self.outside_.bytes);
#endif
  for (;;) {
    self.body_(self.data_);
    self.rest();
  }
}

}  // namespace emulated
