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

/// ThreadSanitizer takes the threads of a block for one, that of the stream, in which they take turns: it
/// would be told of fibers one by one, as of threads, and compare the clocks of all at each switch. It must
/// not count calls that begin on one stack and end on another.
#define EMULATED_UNSEEN __attribute__((no_sanitize("thread")))

namespace emulated {
namespace {

/// Kernels get up to 32 KB of arguments by value, and sanitizers take several times as much stack.
constexpr std::size_t stack_bytes = std::size_t{512} << 10;

/// Those of threads that have ended.
struct Left {
  std::mutex mutex;
  std::vector<Fiber*> fibers;
};
Left& left() {
  static Left& all = *new Left;
  return all;
}

/// A thread keeps those that it has had: their stacks are in order with what else it does.
struct Idle {
  std::vector<Fiber*> fibers;

  Idle() = default;
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  ~Idle() {
    const std::lock_guard lock(left().mutex);
    left().fibers.insert(left().fibers.end(), fibers.begin(), fibers.end());
  }
};
thread_local Idle idle;

/// Null if there is none.
Fiber* last_of(std::vector<Fiber*>& fibers) {
  if (fibers.empty()) return nullptr;
  Fiber* const last = fibers.back();
  fibers.pop_back();
  return last;
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
}

Fiber& Fiber::take() {
  if (Fiber* const own = last_of(idle.fibers)) return *own;
  const std::lock_guard lock(left().mutex);
  Fiber* const other = last_of(left().fibers);
  return other != nullptr ? *other : *new Fiber;
}

void Fiber::give(Fiber& fiber) { idle.fibers.push_back(&fiber); }

EMULATED_UNSEEN void Fiber::leave(Side& from, const Side& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
#endif
  emulated_switch(&from.stack_pointer, to.stack_pointer);
}

EMULATED_UNSEEN void Fiber::start(Body body, void* data) {
  body_ = body;
  data_ = data;
  resume();
}

EMULATED_UNSEEN void Fiber::resume() {
  entered = this;
  leave(outside_, inside_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(outside_.fake_stack, nullptr, nullptr);
#endif
}

EMULATED_UNSEEN void Fiber::rest() {
  leave(inside_, outside_);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(inside_.fake_stack, &outside_.bottom, &outside_.bytes);
#endif
}

EMULATED_UNSEEN void Fiber::enter() {
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
