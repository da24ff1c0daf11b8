// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/fortran.hpp"
#include "interpose/front/front.hpp"
#include "interpose/front/report.hpp"
#include "interpose/front/visible.hpp"

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

/// Takes the place of a call that neither the MPI has nor an older call can stand in for.
int absent() noexcept { return resolved.facts.unsupported; }

void* next_function(int number) noexcept {
  const char* symbol = names[static_cast<std::size_t>(number)];
  // Other tools that were preloaded after us keep their place.
  if (void* next = dlsym(RTLD_NEXT, symbol)) return next;
  if (void* own = resolved.mpi.address(symbol)) return own;
  std::array<char, 64> profiling;
  std::snprintf(profiling.data(), profiling.size(), "P%s", symbol);
  return resolved.mpi.address(profiling.data());
}

void* stand_in(int number) noexcept {
  void* const nothing = reinterpret_cast<void*>(absent);
  void* const narrow = narrowed(number);
  // A twin follows the call that it narrows to.
  const bool possible = narrow != nullptr && resolved.next[static_cast<std::size_t>(number) - 1] != nothing;
  return possible ? narrow : nothing;
}

/// How many calls something must stand in for.
int find_calls() noexcept {
  int substitutes = 0;
  for (int i = 0; i < calls; ++i) {
    void*& next = resolved.next[static_cast<std::size_t>(i)];
    next = next_function(i);
    if (next != nullptr) continue;
    next = stand_in(i);
    ++substitutes;
  }
  return substitutes;
}

/// The calls that somebody makes.
Seen calls_made(bool by_core) noexcept {
  Seen seen{};
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = resolved.next[i] != reinterpret_cast<void*>(absent);
  for (const int number : made_without_the_mpi) seen[static_cast<std::size_t>(number)] |= by_core;
  return seen;
}

/// Whether a core takes calls, and does not only watch them.
bool takes_calls() noexcept {
  const char* const doctor = std::getenv("TYPEWARP_DOCTOR");
  return !is_set("TYPEWARP_DISABLE") && (doctor == nullptr || *doctor == 0);
}

/// Hides what the MPI lacks before the program looks for it. If the program loads its MPI later, it can be
/// known only then what that has: until the first call it sees what every MPI has.
[[gnu::constructor]] void hide_at_start() {
  find_calls();
  Seen seen = calls_made(takes_calls());
  if (dlsym(RTLD_NEXT, names[call::Init]) == nullptr) {
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] |= in_every_mpi[i];
  }
  show(seen, resolved.next);
}

void resolve() noexcept {
  adopt_fortran_libraries();  // those that were loaded after this one
  resolved.mpi = find_library();
  resolved.facts = facts(resolved.mpi);
  const int substitutes = find_calls();
  report("%d of %d calls are not in this MPI: stood in for", substitutes, calls);
  std::array<void*, calls> chosen = resolved.next;
  bool attached = false;
  if (is_set("TYPEWARP_DISABLE")) {
    report("all calls go to the MPI: TYPEWARP_DISABLE=1");
  } else if (resolved.mpi.abi != Abi::none) {
    attached = attach_core(chosen);
  }
  show(calls_made(attached && takes_calls()), resolved.next);
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
