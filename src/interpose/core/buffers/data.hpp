// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/plan.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::interpose {

/// Bytes of a packed stream that follow each other and lie in one memory.
struct Stretch {
  ByteRange packed;
  const void* first;  ///< where the first of them lies
};
using Stretches = std::vector<Stretch>;

/// (buffer, count, datatype) of a call, to be moved by us.
struct Data {
  void* address;  ///< null for a type of absolute addresses
  std::int64_t count;
  Plan plan;
  /// Where it lies in several memories, of which no kernel reaches all (stretches.hpp); else null.
  std::shared_ptr<const Stretches> stretches{};
  Stream stream = nullptr;  ///< with whose work it is ordered

  /// Whether it lies in several memories.
  bool is_split() const noexcept { return stretches != nullptr; }
  /// Of the packed stream.
  std::int64_t bytes() const noexcept { return count * plan.size(); }
};

/// Whether nothing can lie there: on a null buffer, but for types of absolute addresses.
inline bool is_nowhere(const Data& data) noexcept {
  constexpr std::int64_t never_mapped = 4096;
  return data.address == nullptr && data.plan.layout().offset < never_mapped &&
         data.plan.layout().offset > -never_mapped;
}

/// `offset` bytes behind `address`. By integers: a type of absolute addresses stands on a null buffer.
inline void* at(const void* address, std::int64_t offset) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(offset));
}

}  // namespace typewarp::interpose
