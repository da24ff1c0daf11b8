// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/registered_memory.hpp>

#include <cstdint>

/// What the test and its other process, the program sharing_peer, write to each other.
namespace typewarp::test {

constexpr std::int64_t items = 1000, item_bytes = 96;

constexpr unsigned char value_of(std::int64_t item, int array) {
  return static_cast<unsigned char>(item * 7 + 31 * array + 1);
}

}  // namespace typewarp::test
