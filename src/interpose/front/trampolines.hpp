// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"

#include <cstddef>
#include <cstring>

extern "C" {
/// The address of each call that we export (trampoline.S).
[[gnu::visibility("hidden")]] extern void* const typewarp_trampolines[];
}

namespace typewarp::interpose {

inline constexpr std::size_t none = names.size();

/// The number of the call of that name, or none.
inline std::size_t number_of(const char* name) noexcept {
  if (std::strncmp(name, "MPI_", 4) != 0) return none;
  std::size_t i = 0;
  while (i < names.size() && std::strcmp(name, names[i]) != 0) ++i;
  return i;
}

}  // namespace typewarp::interpose
