// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

extern "C" {
/// The address of each call that we export (trampoline.S).
[[gnu::visibility("hidden")]] extern void* const typewarp_trampolines[];
}

namespace typewarp::interpose {

inline constexpr std::size_t none = names.size();

/// The calls in the order of their names.
inline constexpr std::array<int, calls> by_name = [] {
  std::array<int, calls> numbers{};
  for (int i = 0; i < calls; ++i) numbers[static_cast<std::size_t>(i)] = i;
  std::ranges::sort(numbers, {},
                    [](int number) { return std::string_view(names[static_cast<std::size_t>(number)]); });
  return numbers;
}();

/// The number of the call of that name, or none. Each process that has this library looks for all of its
/// symbols at its start.
inline std::size_t number_of(const char* name) noexcept {
  if (std::strncmp(name, "MPI_", 4) != 0) return none;
  const auto name_of = [](int number) { return names[static_cast<std::size_t>(number)]; };
  const auto before = [](const char* a, const char* b) { return std::strcmp(a, b) < 0; };
  const auto* const found = std::ranges::lower_bound(by_name, name, before, name_of);
  const bool is_it = found != by_name.end() && std::strcmp(name_of(*found), name) == 0;
  return is_it ? static_cast<std::size_t>(*found) : none;
}

}  // namespace typewarp::interpose
