// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/persistent.hpp>

#include "engine/runtime/memory_kinds.hpp"

#include <algorithm>
#include <chrono>

namespace typewarp::test {

/// Fails the test if that takes ten seconds.
inline void wait_by_polling(Persistent& operation) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!operation.done()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "never done";
  }
}

/// What the host sees in pinned memory, without asking CUDA for anything.
inline std::vector<std::byte> seen(Memory& pinned, std::int64_t bytes) {
  return {pinned.data(), pinned.data() + bytes};
}

inline void clear(Memory& pinned, std::int64_t bytes) { std::fill_n(pinned.data(), bytes, std::byte{0}); }

/// A type of each kind of layout, of each kernel, and one for which there is none.
inline std::vector<Datatype> layouts() {
  const Datatype pieces = indexed({1, 5, 2}, {0, 3, 100}, Named::double_);
  std::vector<Datatype> members;
  std::vector<std::int64_t> lengths, displacements;
  for (std::int64_t i = 0; i < 24; ++i) {
    members.push_back(hvector(i + 2, 1, 16 + 4 * i, Named::int_));
    lengths.push_back(1);
    displacements.push_back(i * 4096);
  }
  return {contiguous(128, Named::double_),
          vector(128, 1, 8, Named::double_),
          vector(100, 3, 5, Named::byte),
          subarray({16, 16, 16}, {4, 8, 4}, {3, 2, 1}, Order::c, Named::double_),
          indexed_block(2, {0, 7, 3, 19, 11}, Named::int_),
          pieces,
          contiguous(20, pieces),
          structure({1, 2, 1}, {0, 8, 16}, {Named::double_, Named::int_, Named::char_}),
          structure(lengths, displacements, members),
          hvector(64, 1, 8, hvector(64, 1, 512, Named::double_))};
}

/// Packing from a device, into pinned memory.
struct PersistentCase : OneItem {
  explicit PersistentCase(const Datatype& type) : OneItem(type, Source::pinned) {}

  Persistent packing() { return Persistent::pack_init(user->data(), 1, plan, packed->data()); }
};

}  // namespace typewarp::test
