// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/front.hpp"
#include "interpose/front/library.hpp"
#include "interpose/presence.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern "C" {
/// What the trampolines jump through (trampoline.S).
[[gnu::visibility("hidden")]] extern void* typewarp_slots[];
/// Called by the first MPI calls, with their arguments put aside: after it the slots hold what calls go to.
[[gnu::visibility("hidden")]] void typewarp_resolve() noexcept;
}

namespace typewarp::interpose {

constinit Resolved resolved;

namespace {

constinit bool is_resolved = false;

/// Takes the place of a call that the MPI lacks.
int absent() noexcept { return unsupported_operation(resolved.mpi.abi); }

void* next_function(int number) noexcept {
  const char* symbol = names[static_cast<std::size_t>(number)];
  // Other tools that were preloaded after us keep their place.
  if (void* next = dlsym(RTLD_NEXT, symbol)) return next;
  if (void* own = resolved.mpi.address(symbol)) return own;
  std::array<char, 64> profiling;
  std::snprintf(profiling.data(), profiling.size(), "P%s", symbol);
  return resolved.mpi.address(profiling.data());
}

/// How many calls the MPI lacks.
int find_calls() noexcept {
  int lacking = 0;
  for (int i = 0; i < calls; ++i) {
    void*& next = resolved.next[static_cast<std::size_t>(i)];
    next = next_function(i);
    if (next != nullptr) continue;
    next = reinterpret_cast<void*>(absent);
    ++lacking;
  }
  return lacking;
}

/// The calls that somebody makes, of those that are `found`.
Seen calls_made(Seen found, bool by_core) noexcept {
  for (const int number : made_without_the_mpi) found[static_cast<std::size_t>(number)] |= by_core;
  return found;
}
Seen calls_found() noexcept {
  Seen found{};
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = resolved.next[i] != reinterpret_cast<void*>(absent);
  return found;
}

/// Whether a core takes calls, and does not only watch them.
bool takes_calls() noexcept {
  const char* const doctor = std::getenv("TYPEWARP_DOCTOR");
  return !is_set("TYPEWARP_DISABLE") && (doctor == nullptr || *doctor == 0);
}

/// Hides what the MPI lacks before the program looks for it. If the program loads its MPI later, it can be
/// known only then what that has: until the first call it sees what every MPI has.
[[gnu::constructor]] void hide_at_start() {
  if (is_resolved) return;  // another constructor has called MPI
  const bool is_there = dlsym(RTLD_NEXT, names[call::Init]) != nullptr;
  if (is_there) find_calls();
  show(calls_made(is_there ? calls_found() : in_every_mpi, takes_calls()), resolved.next);
}

constexpr const char* past_us =
    "past this library, which takes nothing then: calls were looked up in the MPI's own library, by dlsym "
    "with its handle, as Python's ctypes and Julia do";

bool is_initialised(const MpiLibrary& mpi) noexcept {
  int initialised = 0;
  auto* const ask = mpi.function<int(int*)>("PMPI_Initialized");
  return ask != nullptr && ask(&initialised) == 0 && initialised != 0;
}

/// Of calls that never come here nothing else can tell.
[[gnu::destructor]] void tell_of_calls_past_us() {
  if (is_resolved || !is_set("TYPEWARP_VERBOSE")) return;
  if (is_initialised(find_library())) report("MPI was called %s", past_us);
}

void resolve() noexcept {
  adopt_fortran_libraries();  // those that were loaded after this one
  is_resolved = true;
  resolved.mpi = find_library();
  if (resolved.mpi.handle == nullptr) report("no MPI library is loaded");
  if (is_initialised(resolved.mpi)) report("MPI was initialised %s", past_us);
  const int lacking = find_calls();
  report("%d of %d calls are not in this MPI, and hidden", lacking, calls);
  std::array<void*, calls> chosen = resolved.next;
  bool attached = false;
  if (is_set("TYPEWARP_DISABLE")) {
    report("all calls go to the MPI: TYPEWARP_DISABLE=1");
  } else if (resolved.mpi.abi != Abi::none) {
    attached = attach_core(chosen);
  }
  show(calls_made(calls_found(), attached && takes_calls()), resolved.next);
  // Other threads read them at any time: what a slot leads to must be complete before.
  for (std::size_t i = 0; i < chosen.size(); ++i)
    __atomic_store_n(&typewarp_slots[i], chosen[i], __ATOMIC_RELEASE);
}

pthread_once_t once = PTHREAD_ONCE_INIT;

}  // namespace
}  // namespace typewarp::interpose

void typewarp_resolve() noexcept {
  const int before = errno;
  pthread_once(&typewarp::interpose::once, typewarp::interpose::resolve);
  errno = before;
}
